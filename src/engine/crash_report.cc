// A handler for fatal signals that only writes a line which was made before.
#include "src/engine/crash_report.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace frit::engine {
namespace {

struct Fatal {
  int number;
  const char* name;
};
constexpr Fatal kFatal[CrashReport::kNumSignals] = {{SIGSEGV, "SIGSEGV"},
                                                    {SIGBUS, "SIGBUS"},
                                                    {SIGILL, "SIGILL"},
                                                    {SIGFPE, "SIGFPE"},
                                                    {SIGABRT, "SIGABRT"}};

// What the handler writes, and what it puts back. It may do neither more nor call for memory.
char line[1024];
const struct sigaction* earlier = nullptr;

void write_text(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void report(int number, siginfo_t* info, void*) {
  for (int i = 0; i < CrashReport::kNumSignals; ++i) {
    if (kFatal[i].number != number) continue;
    write_text(line);
    write_text(kFatal[i].name);
    write_text(")\n");
    sigaction(number, &earlier[i], nullptr);
  }
  // A fault happens again as its instruction runs again; what was sent must be sent again.
  if (info->si_code <= 0) raise(number);
}

}  // namespace

CrashReport::CrashReport(const std::string& text) {
  const std::string whole = "frit: " + text + " (";
  const size_t length = std::min(whole.size(), sizeof line - 1);
  std::memcpy(line, whole.data(), length);
  line[length] = '\0';
  earlier = saved_.data();
  struct sigaction action {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kNumSignals; ++i) sigaction(kFatal[i].number, &action, &saved_[i]);
}

CrashReport::~CrashReport() {
  for (int i = 0; i < kNumSignals; ++i) {
    struct sigaction now;
    sigaction(kFatal[i].number, nullptr, &now);
    // What the scope has set itself stays.
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == report)
      sigaction(kFatal[i].number, &saved_[i], nullptr);
  }
}

}  // namespace frit::engine

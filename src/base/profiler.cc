// Keeps events in a few lists, so that threads seldom wait for each other, and writes them.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/base/profiler.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "frit/error.h"
#include "src/base/flags.h"
#include "src/base/fork.h"
#include "src/base/json.h"

namespace frit::base {
namespace {

constexpr size_t kLists = 16;
constexpr size_t kMaxText = 240;  // bytes of a note
constexpr int64_t kMaxEvents = 1 << 19;

struct Recorded {
  const char* category;
  std::string name, notes;
  int64_t start_ns, duration_ns;  // -1: a point in time
  int64_t thread;
};

struct List {
  ForkMutex mutex{ForkLevel::kProfile};
  std::vector<Recorded> events;
};

struct Profile {
  List lists[kLists];
  std::atomic<int64_t> count{0}, dropped{0}, limit{kMaxEvents};
  std::atomic<int64_t> origin_ns{0};
  std::atomic<int64_t> next_thread{1};
};

void forget_events();

// Never destroyed: threads may go on while the program ends.
Profile& profile() {
  static Profile* profile = [] {
    at_fork(nullptr, forget_events);
    return new Profile;
  }();
  return *profile;
}

// In a child after fork() too: the parent writes what happened before.
void forget_events() {
  for (List& list : profile().lists) {
    const std::lock_guard lock(list.mutex);
    list.events.clear();
  }
  profile().count = 0;
  profile().dropped = 0;
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// From 1, in the order in which threads have their first event.
int64_t thread_number() {
  thread_local const int64_t number = profile().next_thread.fetch_add(1);
  return number;
}

void add(Recorded event) {
  if (profile().count.fetch_add(1, std::memory_order_relaxed) >= profile().limit) {
    profile().count.fetch_sub(1, std::memory_order_relaxed);
    profile().dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  List& list = profile().lists[static_cast<size_t>(event.thread) % kLists];
  const std::lock_guard lock(list.mutex);
  list.events.push_back(std::move(event));
}

// Microseconds, the unit of the format, to the nanosecond.
std::string microseconds(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000),
                static_cast<int>(ns % 1000));
  return text;
}

std::string json_of(const Recorded& event) {
  std::string text = "{\"name\":" + json_string(event.name);
  text += ",\"cat\":" + json_string(event.category);
  text += event.duration_ns < 0 ? ",\"ph\":\"i\",\"s\":\"t\"" : ",\"ph\":\"X\"";
  const int64_t since = std::max<int64_t>(event.start_ns - profile().origin_ns, 0);
  text += ",\"ts\":" + microseconds(since);
  if (event.duration_ns >= 0) text += ",\"dur\":" + microseconds(event.duration_ns);
  text += ",\"pid\":" + std::to_string(getpid()) + ",\"tid\":" + std::to_string(event.thread);
  return text + ",\"args\":{" + event.notes + "}}";
}

void write_at_exit() {
  static const pid_t started_in = getpid();  // first called at the start, see below
  if (!profiling()) return;
  std::string path = flags().profile;
  if (getpid() != started_in) path += "." + std::to_string(getpid());
  try {
    write_profile(path);
  } catch (const Error& error) {
    std::fprintf(stderr, "frit: FRIT_PROFILE: %s\n", error.what());
  }
}

const bool started = [] {
  if (flags().profile.empty()) return false;
  write_at_exit();  // notes the process; nothing is written while nothing is profiled
  start_profile();
  return std::atexit(write_at_exit) == 0;
}();

}  // namespace

constinit std::atomic<bool> profiler_on{false};

ProfileEvent::~ProfileEvent() {
  if (!profiling()) return;
  const int64_t now = now_ns();
  const bool lasts = start_ns_ >= 0;
  add({category_, std::move(name_), std::move(notes_), lasts ? start_ns_ : now,
       lasts ? now - start_ns_ : -1, thread_number()});
}

ProfileEvent& ProfileEvent::note(std::string_view key, std::string_view value) {
  if (!notes_.empty()) notes_ += ',';
  notes_ += json_string(key) + ':';
  notes_ += value.size() <= kMaxText ? json_string(value)
                                     : json_string(std::string(value.substr(0, kMaxText)) + "...");
  return *this;
}

ProfileEvent& ProfileEvent::note(std::string_view key, int64_t value) {
  if (!notes_.empty()) notes_ += ',';
  notes_ += json_string(key) + ':' + std::to_string(value);
  return *this;
}

void ProfileEvent::start() { start_ns_ = now_ns(); }

void start_profile() {
  forget_events();
  profile().origin_ns = now_ns();
  profiler_on = true;
}

void stop_profile() { profiler_on = false; }

std::string profile_json() {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":" +
                     std::to_string(profile().dropped) + "},\n\"traceEvents\":[\n";
  text += "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" + std::to_string(getpid()) +
          ",\"args\":{\"name\":\"frit\"}}";
  for (List& list : profile().lists) {
    const std::lock_guard lock(list.mutex);
    for (const Recorded& event : list.events) text += ",\n" + json_of(event);
  }
  return text + "\n]}\n";
}

void write_profile(const std::string& path) {
  const std::string text = profile_json();
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed)
    throw Error(ErrorKind::kRuntime,
                "write_profile(" + path + "): cannot write the file: " + std::strerror(errno));
}

void set_profile_limit(int64_t events) { profile().limit = events; }

}  // namespace frit::base

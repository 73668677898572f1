// Says what was going on when the process crashes.
#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace frit::engine {

// While it lives, a signal that ends the process first writes `frit: TEXT (SIGSEGV)` to stderr;
// then it does what it would have done. For one scope at a time.
class CrashReport {
 public:
  static constexpr int kNumSignals = 5;

  explicit CrashReport(const std::string& text);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;

 private:
  std::array<struct sigaction, kNumSignals> saved_;
};

}  // namespace frit::engine

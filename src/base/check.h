// CHECKs for broken invariants: they say where and why, and end the process.
//
//   FRIT_CHECK(i < size) << "slot " << i << " of " << size;
//
// For programming errors only. What a user can cause is a frit::Error (see error.h).
#pragma once

#include <sstream>

namespace frit::base {

// Collects the message and aborts when the full expression ends.
class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  [[noreturn]] ~CheckFailure();
  template <class T>
  CheckFailure& operator<<(const T& value) {
    text_ << value;
    return *this;
  }

 private:
  std::ostringstream text_;
};

}  // namespace frit::base

#define FRIT_CHECK(condition)                  \
  if (__builtin_expect(!!(condition), true)) { \
  } else                                       \
    ::frit::base::CheckFailure(#condition, __FILE__, __LINE__)

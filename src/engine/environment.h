// What guards compare besides tensors and scalars: MXCSR without its sticky flags, the instruction
// set, the number of threads, and which backends and writers are registered.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

namespace frit::engine {

uint64_t environment_word();

inline constexpr uint32_t kStickyFlags = 0x3f;  // of MXCSR: exceptions that have occurred

// The part of the environment that the program may change between two calls.
inline uint32_t mxcsr_mode() { return _mm_getcsr() & ~kStickyFlags; }
inline bool same_mode(uint64_t environment) {
  return mxcsr_mode() == static_cast<uint32_t>(environment);
}

// The rounding mode of the calls, while a plan runs or calls are replayed for them.
class EnvironmentScope {
 public:
  explicit EnvironmentScope(uint64_t environment)
      : saved_(_mm_getcsr()),
        differs_(((saved_ ^ static_cast<uint32_t>(environment)) & ~kStickyFlags) != 0) {
    if (differs_)
      _mm_setcsr((saved_ & kStickyFlags) | (static_cast<uint32_t>(environment) & ~kStickyFlags));
  }
  ~EnvironmentScope() {
    if (differs_) _mm_setcsr((saved_ & ~kStickyFlags) | (_mm_getcsr() & kStickyFlags));
  }
  EnvironmentScope(const EnvironmentScope&) = delete;

 private:
  uint32_t saved_;
  bool differs_;
};

}  // namespace frit::engine

// What a value of MXCSR says about the results of float arithmetic.
#pragma once

#include <cstdint>

namespace frit::base {

inline constexpr uint32_t kMxcsrRounding = 0x6000, kMxcsrFlushToZero = 0x8000,
                          kMxcsrDenormalsAreZero = 0x40;

constexpr bool rounds_to_nearest(uint32_t mxcsr) { return (mxcsr & kMxcsrRounding) == 0; }
constexpr bool keeps_denormals(uint32_t mxcsr) {
  return (mxcsr & (kMxcsrFlushToZero | kMxcsrDenormalsAreZero)) == 0;
}

}  // namespace frit::base

// Where tensors live.
#pragma once

#include <cstdint>

namespace frit {

// The CPU is type 0; the devices that plug-ins register follow.
struct Device {
  uint8_t type = 0;
  uint8_t index = 0;
  friend bool operator==(Device a, Device b) = default;
};

inline constexpr Device kCPU{};

}  // namespace frit

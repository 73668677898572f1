// Where tensors live: on the CPU, or on a device that was registered (devices.h).
//
//   frit::Tensor y = x.to("npu");              // or "npu:1", frit::kCPU
//   std::cout << y.device().str();             // npu:0
#pragma once

#include <cstdint>
#include <string>

namespace frit {

struct Device {
  uint8_t type = 0;   // 0: the CPU
  uint8_t index = 0;  // of several of one type

  constexpr Device() = default;
  constexpr Device(uint8_t type_, uint8_t index_) : type(type_), index(index_) {}
  // "cpu", "npu:1", or "npu": the current one of this thread (accelerator::set_device). Throws
  // Error(kRuntime) where there is no such device.
  Device(const std::string& name);                         // NOLINT: as in PyTorch
  Device(const char* name) : Device(std::string(name)) {}  // NOLINT

  constexpr bool is_cpu() const { return type == 0; }
  std::string str() const;  // cpu, npu:0
  friend constexpr bool operator==(Device a, Device b) = default;
};

inline constexpr Device kCPU{};

// Where new tensors of this thread are made, unless the call says otherwise. The CPU at first.
Device default_device();
void set_default_device(Device device);

// The default device of a scope.
class DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(Device device);
  ~DefaultDeviceScope();
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  Device outer_;
};

}  // namespace frit

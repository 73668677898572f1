// The table of devices, and bytes on their way between them and the host.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "frit/devices.h"
#include "src/tensor/tensor_impl.h"

namespace frit::devices {

inline constexpr int kMaxTypes = 16;  // the CPU's is the first

struct Record {
  std::string name;
  DeviceHooks hooks;
  std::unique_ptr<std::atomic<int64_t>[]> live_bytes;  // of each device
};

// Of a type that is registered and not the CPU.
const Record& record(uint8_t type);
int num_types();  // with the CPU's
// Throws Error(kRuntime) where it is not registered, or has no device of that index.
void check(Device device);
std::optional<uint8_t> find(std::string_view name);
// Throws Error(kValue) where register_device() would refuse them.
void check_hooks(const std::string& name, const DeviceHooks& hooks);

// default_device() without the call, since each op asks.
extern constinit thread_local Device device_of_new;

// Throws Error(kOutOfMemory).
std::byte* allocate(Device device, int64_t bytes);
void deallocate(Device device, std::byte* memory, int64_t bytes);
// Between any two devices, the CPU among them.
void copy_bytes(Device to, void* destination, Device from, const void* source, int64_t bytes);

// The stream of this thread on the device; null: the usual one.
void* current_stream(Device device);

// Tells the devices' own generators.
void manual_seed(uint64_t seed);

// A copy of a materialised tensor on another device, element by element at the same strides.
Tensor copy_to(Device device, const TensorImpl& tensor);

}  // namespace frit::devices

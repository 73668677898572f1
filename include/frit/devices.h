// Devices: memory of their own.
//
//   frit::register_device("npu", {.allocate = ..., .deallocate = ..., .copy_in = ...,
//                                 .copy_out = ...});
//   frit::Tensor y = x.to("npu") + 1;
//
// Ops run by kernels that were registered for the device (device_kernel.h), else on the CPU, with
// copies, which stats().device_fallbacks counts. Views need no kernel. A graph of tensors on a
// device goes to backends like others; the native one needs a writer of the device's
// (register_writer). Results are held to a tolerance, as those of any plug-in.
//
// The host does not read or write a device's memory but by the hooks. Untyped pointers of tensors
// (data_ptr) are the device's addresses; item(), printing and to(kCPU) copy; accessors throw.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frit/device.h"

namespace frit {

// What a device can do. `index` tells which of several it is about. May be called by several
// threads at once. Sizes are in bytes.
struct DeviceHooks {
  int count = 1;  // of devices of this type: npu:0, npu:1; at most 256
  // Memory, aligned to 64 bytes, which is asked for by at least one byte. Null: out of memory.
  std::function<void*(int index, int64_t bytes)> allocate;
  std::function<void(int index, void* memory, int64_t bytes)> deallocate;
  // Done when they return, and after what was queued on this thread's stream before.
  std::function<void(int index, void* to, const void* host, int64_t bytes)> copy_in;
  std::function<void(int index, void* host, const void* from, int64_t bytes)> copy_out;

  // The rest may be left out.

  // Within one device. Else by way of the host.
  std::function<void(int index, void* to, const void* from, int64_t bytes)> copy = {};
  // Returns when all that was queued is done. Without it nothing is ever under way.
  std::function<void(int index)> synchronize = {};
  // Queues of work; null is the one that is always there. See accelerator::Stream.
  std::function<void*(int index)> new_stream = {};
  std::function<void(int index, void* stream)> delete_stream = {};
  std::function<void(int index, void* stream)> synchronize_stream = {};
  // Told each seed, for generators of the device's own. Random tensors are drawn on the host, from
  // a generator of Frit's for each device (random.h).
  std::function<void(int index, uint64_t seed)> manual_seed = {};
};

// Adds a type of devices for the rest of the process; `name` is lower case letters, digits and
// underscores. There may be 15. Throws Error(kValue) where the name is taken or not allowed, or a
// hook is missing. Thread-safe.
Device register_device(const std::string& name, DeviceHooks hooks);
// The names, in the order of registration, after "cpu".
std::vector<std::string> list_devices();

// The device that tensors go to, whatever it is called: PyTorch's torch.accelerator.
namespace accelerator {

// Whether a device other than the CPU is registered.
bool is_available();
// This thread's: the last one given to set_device, else the first one of the first type registered.
std::optional<Device> current();
void set_device(Device device);
int device_count();                         // of the current one's type; 0 where there is none
int device_count(const std::string& type);  // 1 for "cpu"
// Returns when what was queued on it is done. Without an argument: on all of the current type.
void synchronize();
void synchronize(Device device);
// Bytes of tensors on it.
int64_t memory_allocated(Device device);

// A queue of work on a device. What a thread does while a StreamScope lives is queued there.
class Stream {
 public:
  // Throws Error(kNotImplemented) where the device has no streams.
  explicit Stream(Device device);
  Device device() const;
  void* handle() const;  // the device's own
  void synchronize() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};
class StreamScope {
 public:
  explicit StreamScope(Stream stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Stream stream_;
  void* outer_;
};

}  // namespace accelerator
}  // namespace frit

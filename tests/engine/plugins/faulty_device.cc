// A plug-in that registers a device or a kernel with one fault, which FAULT names.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "frit/plugin.h"

namespace {

enum Fault {
  device_is_null,
  device_is_too_small,
  device_has_no_copies,
  device_has_a_bad_name,
  device_is_there_twice,
  device_and_then_init_fails,
  devices_are_too_many,
  kernel_is_null,
  kernel_is_too_small,
  kernel_has_no_run,
  kernel_of_the_cpu,
  kernel_of_no_device,
  kernel_of_no_op,
  device_fails  // where it is used: all there is on "failing_device"
};
constexpr Fault kFault = FAULT;
const frit_host* host;

void* allocate(void*, int32_t index, int64_t bytes) {
  return index == 1 ? nullptr : std::aligned_alloc(64, (static_cast<size_t>(bytes) + 63) / 64 * 64);
}
void deallocate(void*, int32_t, void* memory, int64_t) { std::free(memory); }
int copy(void*, int32_t, void* to, const void* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return FRIT_PLUGIN_OK;
}
// Of more than 64 bytes.
int copy_out(void*, int32_t, void* to, const void* from, int64_t bytes) {
  if (bytes <= 64) return copy(nullptr, 0, to, from, bytes);
  host->set_error("the cable is out");
  return FRIT_PLUGIN_FAILED;
}
int synchronize(void*, int32_t) { throw std::runtime_error("it never ends"); }
int run_neg(void*, const frit_call* call) {
  if (call->operands[0].sizes[0] == 1) return FRIT_PLUGIN_DECLINED;
  host->set_error("too hot");
  return FRIT_PLUGIN_FAILED;
}

frit_device make_device() {
  frit_device device{};
  device.size = kFault == device_is_too_small ? 8 : sizeof device;
  device.name = kFault == device_has_a_bad_name ? "Faulty"
                : kFault == device_fails        ? "failing_device"
                                                : "faulty_device";
  device.count = 2;
  device.allocate = allocate;
  device.deallocate = deallocate;
  device.copy_in = copy;
  device.copy_out = kFault == device_has_no_copies ? nullptr : copy_out;
  device.copy = copy;
  device.synchronize = synchronize;
  return device;
}

frit_device_kernel make_kernel() {
  frit_device_kernel kernel = {sizeof kernel, "faulty_device", "neg", nullptr, run_neg};
  if (kFault == device_fails) kernel.device = "failing_device";
  if (kFault == kernel_is_too_small) kernel.size = 8;
  if (kFault == kernel_has_no_run) kernel.run = nullptr;
  if (kFault == kernel_of_the_cpu) kernel.device = "cpu";
  if (kFault == kernel_of_no_device) kernel.device = "toaster";
  if (kFault == kernel_of_no_op) kernel.op = "toast";
  return kernel;
}

}  // namespace

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  host = given;
  frit_device device = make_device();
  int status = host->register_device(self, kFault == device_is_null ? nullptr : &device);
  if (kFault == device_is_there_twice) return host->register_device(self, &device);
  if (kFault == device_and_then_init_fails) return FRIT_PLUGIN_FAILED;
  for (int i = 0; kFault == devices_are_too_many && status == FRIT_PLUGIN_OK; ++i) {
    const std::string name = "faulty_device" + std::to_string(i);
    device.name = name.c_str();
    status = host->register_device(self, &device);
  }
  if (status != FRIT_PLUGIN_OK || kFault < kernel_is_null) return status;
  const frit_device_kernel kernel = make_kernel();
  return host->register_kernel(self, kFault == kernel_is_null ? nullptr : &kernel);
}

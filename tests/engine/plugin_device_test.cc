// Devices of plug-ins: one that works, in a process that touches none of its memory, and how each
// fault is reported.
#include <gtest/gtest.h>

#include <string>

#include "frit/frit.h"
#include "frit/plugin.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

const std::string kFolder = "tests/engine/plugins/";

Device npu() {
  load_plugin("examples/npu/capture_plugin.so");
  return Device("npu:0");
}
Device failing() {
  load_plugin(kFolder + "device_fails.so");
  return Device("failing_device:0");
}

// Without the path of the plug-in.
template <class F>
std::string failure_of(F fn) {
  const std::string text = error_of(fn);
  const size_t from = text.find(" (plug-in /");
  return from == std::string::npos ? text : text.substr(0, from);
}

TEST(PluginDevice, IsListed) {
  npu();
  const PluginInfo info = load_plugin("examples/npu/capture_plugin.so");
  EXPECT_EQ(info.devices, std::vector<std::string>{"npu"});
  EXPECT_EQ(info.backends, std::vector<std::string>{"npu"});
  EXPECT_EQ(accelerator::device_count("npu"), 2);
}

TEST(PluginDevice, HoldsTensorsAndRunsOps) {
  const Tensor x = tensor({1.0f, -2.0f, 3.0f}), y = x.to(npu());
  EXPECT_EQ(relu(y).str(), "tensor([1., 0., 3.], device='npu:0')");
  EXPECT_FALSE(stats().device_fallbacks.contains("npu relu"));
  EXPECT_TRUE(equal(relu(y.to(kFloat64)).cpu(), relu(x).to(kFloat64))) << "declined by the kernel";
  EXPECT_EQ(stats().device_fallbacks.at("npu relu"), 1);
  EXPECT_TRUE(equal(exp(y).cpu(), exp(x)));
  EXPECT_TRUE(equal(y.to("npu:1").cpu(), x));
}

TEST(PluginDevice, ItsCompilerTakesGraphsOfItsTensors) {
  HotScope hot;
  npu();
  const auto fast = compile([](const Tensor& x, const Tensor& y) { return relu(x * 2 + y) + 1; },
                            {.backend = "npu"});
  const Tensor x = tensor({1.0f, -2.0f}), y = tensor({0.5f, 1.0f});
  const Tensor a = x.to("npu"), b = y.to("npu");
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(fast(a, b).str(), "tensor([3.5000, 1.0000], device='npu:0')");
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_EQ(stats().reasons["plan_failed"], 0);
  // The CPU's addresses are not for it.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(x, y)), (std::vector<float>{3.5f, 1}));
  EXPECT_TRUE(stats().fallbacks.contains(
      "npu refused: backend(npu): refused: it is not for tensors on cpu"));
  const auto wave = compile([](const Tensor& t) { return sin(t); }, {.backend = "npu"});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(equal(wave(a).cpu(), sin(x)));
}

TEST(PluginDevice, BackendsThatDoNotKnowItAreNotAsked) {
  HotScope hot;
  npu();
  load_plugin("examples/plugin_backend/toy_backend.so");
  const auto fast = compile([](const Tensor& x) { return x * 2 + 1; }, {.backend = "toy"});
  const Tensor x = tensor({1.0f}).to("npu");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(fast(x).str(), "tensor([3.], device='npu:0')");
  EXPECT_TRUE(stats().fallbacks.contains(
      "toy refused: backend(toy): refused: it is not for tensors on npu:0"));
}

TEST(PluginDevice, FailuresNameThePlugIn) {
  const Tensor x = tensor({1.0f, 2.0f}).to(failing());
  EXPECT_TRUE(equal((x + 1).cpu(), tensor({2.0f, 3.0f})));
  EXPECT_EQ(failure_of([&] { x.neg(); }), "neg: its kernel on failing_device:0 failed: too hot");
  EXPECT_EQ(tensor({1.0f}).to(failing()).neg().item<float>(), -1.0f) << "it declined";
  EXPECT_EQ(failure_of([&] { zeros({100}).to(failing()).cpu(); }),
            "device(failing_device:0): copy_out failed: the cable is out");
  EXPECT_EQ(failure_of([&] { accelerator::synchronize(failing()); }),
            "device(failing_device:0): synchronize failed: it threw: it never ends");
  EXPECT_EQ(failure_of([&] { tensor({1.0f}).to("failing_device:1"); }),
            "empty: out of memory: cannot allocate 4 bytes on failing_device:1");
}

TEST(PluginDevice, EachFaultIsToldAtItsLoading) {
  const auto told = [](const std::string& fault) {
    const std::string text = error_of([&] { load_plugin(kFolder + fault + ".so"); });
    const std::string mark = "init failed: ";
    const size_t from = text.find(mark);
    return from == std::string::npos ? text : text.substr(from + mark.size());
  };
  EXPECT_EQ(told("device_is_null"), "register_device: the device is null");
  EXPECT_EQ(told("device_is_too_small"),
            "register_device: the device's size is 8 bytes, that of 1.2 is " +
                std::to_string(sizeof(frit_device)));
  EXPECT_EQ(
      told("device_has_no_copies"),
      "register_device: faulty_device: allocate, deallocate, copy_in and copy_out are needed");
  EXPECT_EQ(
      told("device_has_a_bad_name"),
      "register_device(Faulty): not a name for a device: lower case letters, digits and _, and "
      "not cpu");
  EXPECT_EQ(told("device_is_there_twice"), "register_device(faulty_device): the name is taken");
  EXPECT_EQ(told("device_and_then_init_fails"), "it gave 1");
  for (int time = 0; time < 2; ++time) {
    const std::string text = told("devices_are_too_many"), mark = "): too many devices: at most 15";
    EXPECT_EQ(text.substr(0, 29), "register_device(faulty_device");
    EXPECT_EQ(text.substr(text.size() - mark.size()), mark);
  }
  EXPECT_EQ(told("kernel_is_null"), "register_kernel: the kernel is null");
  EXPECT_EQ(told("kernel_is_too_small"),
            "register_kernel: the kernel's size is 8 bytes, that of 1.2 is " +
                std::to_string(sizeof(frit_device_kernel)));
  EXPECT_EQ(told("kernel_has_no_run"), "register_kernel: faulty_device neg: run is null");
  EXPECT_EQ(told("kernel_of_the_cpu"), "register_kernel(cpu, neg): the CPU has kernels of its own");
  EXPECT_EQ(told("kernel_of_no_device"), "register_kernel(toaster, neg): no such device");
  EXPECT_EQ(told("kernel_of_no_op"), "register_kernel(faulty_device, toast): no such op");
  EXPECT_THROW(Device("faulty_device"), Error) << "nothing of them is used";
}

}  // namespace
}  // namespace frit

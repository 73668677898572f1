// Tensors on a simulated device, whose memory faults where the host touches it.
#include "examples/npu/npu_device.h"

#include <gtest/gtest.h>

#include <cstring>

#include "frit/frit.h"
#include "tests/error_of.h"

namespace frit {
namespace {

Device npu() {
  static const Device device = register_npu("npu", 2);
  return device;
}

Tensor on_npu(std::initializer_list<float> values) { return tensor(values).to(npu()); }

int64_t fallbacks(const std::string& op) {
  const auto counts = stats().device_fallbacks;
  const auto it = counts.find("npu " + op);
  return it == counts.end() ? 0 : it->second;
}

TEST(Devices, HaveNames) {
  npu();
  EXPECT_EQ(Device("npu").str(), "npu:0");
  EXPECT_EQ(Device("npu:1").str(), "npu:1");
  EXPECT_EQ(Device("cpu"), kCPU);
  EXPECT_EQ(list_devices(), (std::vector<std::string>{"cpu", "npu"}));
  for (const char* name : {"gpu", "", "npu:2", "npu:", "npu:x", "npu:-1", "cpu:1", "npu:9999"})
    EXPECT_EQ(error_of([&] { Device d(name); }).substr(0, 7), "device(") << name;
  EXPECT_EQ(error_of([] { Device d("gpu"); }), "device(gpu): no such device: known are cpu, npu");
}

TEST(Devices, RegistrationIsChecked) {
  npu();
  const auto error = [](const std::string& name, DeviceHooks hooks) {
    return error_of([&] { register_device(name, std::move(hooks)); });
  };
  const DeviceHooks whole{.allocate = [](int, int64_t) -> void* { return nullptr; },
                          .deallocate = [](int, void*, int64_t) {},
                          .copy_in = [](int, void*, const void*, int64_t) {},
                          .copy_out = [](int, void*, const void*, int64_t) {}};
  EXPECT_EQ(error("npu", whole), "register_device(npu): the name is taken");
  for (const char* name : {"", "cpu", "NPU", "n:1", "1npu", "a b"})
    EXPECT_EQ(error(name, whole),
              "register_device(" + std::string(name) +
                  "): not a name for a device: lower case letters, digits and _, "
                  "and not cpu");
  EXPECT_EQ(error("x", {}),
            "register_device(x): allocate, deallocate, copy_in and copy_out are needed");
  DeviceHooks none = whole;
  none.count = 0;
  EXPECT_EQ(error("x", none), "register_device(x): from 1 to 256 devices, not 0");
  DeviceHooks streams = whole;
  streams.new_stream = [](int) -> void* { return nullptr; };
  EXPECT_EQ(error("x", streams),
            "register_device(x): new_stream needs delete_stream and synchronize_stream");
}

TEST(DeviceDeathTest, TheHostCannotTouchItsMemory) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const Tensor x = on_npu({1, 2});
  EXPECT_DEATH(std::printf("%f", static_cast<const float*>(x.const_data_ptr())[0]), "");
}

TEST(DeviceTensor, GoesThereAndBack) {
  for (const Dtype dtype :
       {kFloat64, kFloat32, kBFloat16, kFloat16, kInt64, kInt32, kInt16, kInt8, kUInt8, kBool}) {
    const Tensor x = arange(12).view({3, 4}).to(dtype), y = x.to("npu");
    EXPECT_EQ(y.device(), npu());
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(equal(y.cpu(), x));
    EXPECT_TRUE(equal(y.t().cpu(), x.t()));
    EXPECT_TRUE(equal(y[1].cpu(), x[1]));
    EXPECT_TRUE(equal(x.t().to("npu").cpu(), x.t()));
    EXPECT_EQ(x.t().to("npu").strides().vec(), x.t().strides().vec());
  }
  const Tensor x = tensor({1.5f, -2.0f});
  EXPECT_TRUE(x.to("cpu").is_same(x));
  const Tensor y = x.to(npu());
  EXPECT_TRUE(y.to("npu").is_same(y));
  EXPECT_EQ(x.to(TensorOptions(kInt64).device("npu")).str(), "tensor([ 1, -2], device='npu:0')");
  EXPECT_EQ(y.to("npu:1").device().index, 1);
  EXPECT_TRUE(equal(y.to("npu:1").cpu(), x));
  EXPECT_TRUE(equal(y.to(kFloat64).cpu(), x.to(kFloat64)));
  EXPECT_EQ(empty({0, 3}).to(npu()).str(), "tensor([], device='npu:0', size=(0, 3))");
  EXPECT_EQ(tensor(2.5).to(npu()).item<float>(), 2.5f);
  EXPECT_EQ(zeros({2, 2}, Device("npu")).str(),
            "tensor([[0., 0.],\n        [0., 0.]], device='npu:0')");
  EXPECT_EQ(tensor({1.0}, TensorOptions(kFloat64).device("npu")).str(),
            "tensor([1.], device='npu:0', dtype=float64)");
}

TEST(DeviceTensor, ElementsAreNotTheHosts) {
  const Tensor x = on_npu({1, 2});
  EXPECT_EQ(error_of([&] { x.accessor<const float, 1>(); }),
            "accessor(f32[2]@npu:0): the elements are not on the CPU: copy them with cpu()");
  EXPECT_EQ(error_of([&] { x.with_data<float>([](float*) {}); }),
            "with_data(f32[2]@npu:0): the elements are not on the CPU: copy them with cpu()");
  EXPECT_NE(x.const_data_ptr(), nullptr);
}

TEST(DeviceOps, RunOnTheCpuWithoutKernels) {
  const Tensor x = on_npu({1, -2, 3});
  const int64_t before = fallbacks("abs");
  const Tensor y = x.abs();
  EXPECT_EQ(y.device(), npu());
  EXPECT_TRUE(equal(y.cpu(), tensor({1.0f, 2.0f, 3.0f})));
  EXPECT_EQ(fallbacks("abs"), before + 1);
  EXPECT_TRUE(equal(x.softmax(0).cpu(), x.cpu().softmax(0)));
  x.softmax(0);
  EXPECT_EQ(fallbacks("softmax"), 1) << "as its parts first, then whole";
  EXPECT_NE(stats().str().find("device fallback npu abs="), std::string::npos);
}

TEST(DeviceOps, ViewsAndWritesShareMemory) {
  const Tensor x = zeros({2, 3}, npu());
  x[1].fill_(5);
  x.t()[0].add_(1);
  x.slice(1, 2, 3).copy_(full({1, 1}, 7.0));
  const Tensor expected = tensor({1.0f, 0.0f, 7.0f, 6.0f, 5.0f, 7.0f}).view({2, 3});
  EXPECT_TRUE(equal(x.cpu(), expected)) << x;
  const Tensor here = zeros({3});
  here.copy_(x[1]);
  EXPECT_TRUE(equal(here, expected[1]));
  x.copy_(x.clone().neg());
  EXPECT_TRUE(equal(x.cpu(), expected.neg()));
  EXPECT_TRUE(equal(index_put(x, {tensor({0})}, on_npu({9, 9, 9})).cpu()[0], full({3}, 9.0)));
  EXPECT_EQ(error_of([&] { x.copy_(zeros({4})); }).substr(0, 6), "store(");
}

TEST(DeviceOps, DoNotMixDevices) {
  const Tensor x = on_npu({1, 2}), other = x.to("npu:1"), here = tensor({1.0f, 2.0f});
  EXPECT_EQ(error_of([&] { x + here; }),
            "add(f32[2]@npu:0, f32[2]): operands are on different devices: npu:0 and cpu");
  EXPECT_EQ(error_of([&] { here + x; }),
            "add(f32[2], f32[2]@npu:0): operands are on different devices: npu:0 and cpu");
  EXPECT_EQ(error_of([&] { x + other; }),
            "add(f32[2]@npu:0, f32[2]@npu:1): operands are on different devices: npu:0 and npu:1");
  // What PyTorch allows.
  EXPECT_TRUE(equal((x * tensor(2.0)).cpu(), tensor({2.0f, 4.0f})));
  EXPECT_TRUE(equal((tensor(2.0) * x).cpu(), tensor({2.0f, 4.0f})));
  EXPECT_EQ((tensor(2.0) * x).device(), npu());
  EXPECT_TRUE(equal(x.index({tensor({1, 0})}).cpu(), tensor({2.0f, 1.0f})));
  EXPECT_EQ(where(x > 1, x, tensor(0.0)).str(), "tensor([0., 2.], device='npu:0')");
}

TEST(DeviceOps, ErrorsAreTheOps) {
  const Tensor x = on_npu({1, 2});
  EXPECT_EQ(error_of([&] { matmul(x, on_npu({1, 2, 3})); }).substr(0, 7), "matmul(");
  EXPECT_EQ(error_of([&] { index_select(x, 0, tensor({5}).to(npu())); }).substr(0, 13),
            "index_select(");
}

TEST(DeviceOps, WhatIsMadeBesideTensors) {
  const Tensor x = on_npu({3, 1, 3, 2}), here = x.cpu();
  EXPECT_EQ(zeros_like(x).device(), npu());
  EXPECT_TRUE(equal(one_hot(x.to(kInt64)).cpu(), one_hot(here.to(kInt64))));
  EXPECT_TRUE(equal(bincount(x.to(kInt64)).cpu(), bincount(here.to(kInt64))));
  EXPECT_TRUE(equal(unique(x).values.cpu(), unique(here).values));
  EXPECT_TRUE(equal(mode(x).first.cpu(), mode(here).first));
  EXPECT_TRUE(equal(diag(x).cpu(), diag(here)));
  EXPECT_TRUE(equal(repeat_interleave(x, tensor({1, 2, 0, 1}).to(npu()), 0).cpu(),
                    repeat_interleave(here, tensor({1, 2, 0, 1}), 0)));
  EXPECT_TRUE(equal(tril(outer(x, x)).cpu(), tril(outer(here, here))));
  EXPECT_TRUE(equal(cumsum(x, 0).cpu(), cumsum(here, 0)));
  EXPECT_TRUE(equal(masked_select(x, x > 1).cpu(), masked_select(here, here > 1)));
  EXPECT_TRUE(equal(linalg::det(outer(x, x)).cpu(), linalg::det(outer(here, here))));
}

TEST(DeviceOps, NewTensorsGoToTheDefaultDevice) {
  const DefaultDeviceScope scope(npu());
  EXPECT_EQ(zeros({2}).device(), npu());
  EXPECT_EQ(arange(3).str(), "tensor([0, 1, 2], device='npu:0')");
  EXPECT_EQ(linspace(0, 1, 3).device(), npu());
  EXPECT_EQ(eye(2).device(), npu());
  EXPECT_EQ(tensor({1.0f}).device(), npu());
  EXPECT_EQ(rand({2}).device(), npu());
  EXPECT_EQ(randperm(4).device(), npu());
  EXPECT_EQ(fft::fftfreq(4).device(), npu());
  EXPECT_EQ(hann_window(4).device(), npu());
  EXPECT_EQ(zeros({2}, kCPU).device(), kCPU);
  EXPECT_EQ(randn({2}, kCPU).device(), kCPU);
  EXPECT_EQ(arange(3, kCPU).device(), kCPU);
}

TEST(DeviceOps, TheCpuIsTheSameBesideAnotherDefaultDevice) {
  const Tensor x = tensor({3.0f, 1.0f, 2.0f}), square = arange(9, kFloat32).view({3, 3});
  manual_seed(1);
  const Tensor drawn = bernoulli(full({4}, 0.5)), picked = multinomial(x, 2);
  const DefaultDeviceScope scope(npu());
  EXPECT_TRUE(equal(sort(x).first, tensor({1.0f, 2.0f, 3.0f}, kCPU)));
  EXPECT_EQ(nonzero(x).device(), kCPU);
  EXPECT_EQ(tril(square.t()).device(), kCPU);
  EXPECT_EQ(zeros_like(x).device(), kCPU);
  EXPECT_EQ(zeros_like(x, TensorOptions().device("npu")).device(), npu());
  EXPECT_EQ(empty_like(x, TensorOptions().device("npu")).device(), npu());
  EXPECT_EQ(linalg::svd(square).s.device(), kCPU);
  manual_seed(1);
  EXPECT_TRUE(equal(bernoulli(full({4}, 0.5, kCPU)), drawn));
  EXPECT_TRUE(equal(multinomial(x, 2), picked));
}

TEST(DeviceOps, RandomNumbersComeFromTheDevicesGenerator) {
  manual_seed(7);
  const Tensor here = rand({4}), there = rand({4}, npu());
  EXPECT_TRUE(equal(here, there.cpu())) << "of one seed, each its own";
  EXPECT_FALSE(equal(rand({4}, npu()), there));
  const Tensor second = rand({4});
  manual_seed(7);
  rand({4});
  EXPECT_TRUE(equal(rand({4}), second)) << "the device's numbers are none of the CPU's";
  Generator generator(3);
  const Tensor scoped = [&] {
    const GeneratorScope scope(generator);
    return randn({20}, npu());
  }();
  generator.manual_seed(3);
  const GeneratorScope scope(generator);
  EXPECT_TRUE(equal(randn({20}), scoped.cpu()));
  EXPECT_EQ(normal_(zeros({3}, npu())).device(), npu());
  EXPECT_EQ(multinomial(rand({5}, npu()), 2).device(), npu());
  EXPECT_EQ(bernoulli(rand({5}, npu())).device(), npu());
}

// Registers a kernel for a scope: it notes things in the test's own variables.
class KernelScope {
 public:
  KernelScope(const std::string& op, DeviceKernel kernel) : op_(op) {
    npu();
    register_kernel("npu", op, std::move(kernel));
  }
  ~KernelScope() {
    register_kernel("npu", op_, [](const KernelCall&) { return false; });
  }
  KernelScope(const KernelScope&) = delete;

 private:
  std::string op_;
};

TEST(DeviceKernels, RunWhereTheMemoryIs) {
  npu();
  int called = 0;
  const KernelScope kernel("hypot", [&called](const KernelCall& call) {
    if (call.results()[0].dtype() != kFloat32 || !call.is_tensor(1)) return false;
    ++called;
    EXPECT_EQ(call.device(), npu());
    EXPECT_EQ(call.num_operands(), 2u);
    const auto* a = static_cast<const float*>(npu_view(call.tensor(0).const_data_ptr()));
    const auto* b = static_cast<const float*>(npu_view(call.tensor(1).const_data_ptr()));
    auto* out = static_cast<float*>(npu_view(call.results()[0].data_ptr()));
    for (int64_t i = 0; i < call.results()[0].numel(); ++i) out[i] = std::max(a[i], b[i]);
    return true;
  });
  const Tensor x = on_npu({3, 4}), y = on_npu({4, 3});
  EXPECT_TRUE(equal(hypot(x, y).cpu(), tensor({4.0f, 4.0f})));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(fallbacks("hypot"), 0);
  EXPECT_TRUE(equal(hypot(x.to(kFloat64), y.to(kFloat64)).cpu(), tensor({5.0, 5.0}, kFloat64)));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(fallbacks("hypot"), 1) << "the kernel did not take it";
}

TEST(DeviceKernels, ServeCompositesAsTheirParts) {
  npu();
  const Tensor x = on_npu({1, 2, 3});
  log_softmax(x, 0);
  const int64_t whole = fallbacks("log_softmax");
  int called = 0;
  const KernelScope kernel("amax", [&called](const KernelCall& call) {
    ++called;
    EXPECT_EQ(call.list_attribute("dims").vec(), std::vector<int64_t>{0});
    EXPECT_EQ(call.attribute("keepdim"), 1);
    EXPECT_EQ(error_of([&] { call.attribute("dims"); }).substr(0, 5), "amax(");
    EXPECT_NE(error_of([&] { call.attribute("nothing"); }), "no error");
    EXPECT_NE(error_of([&] { call.tensor(1); }), "no error");
    EXPECT_NE(error_of([&] { call.scalar(0); }), "no error");
    return false;
  });
  EXPECT_TRUE(equal(log_softmax(x, 0).cpu(), log_softmax(x.cpu(), 0)));
  EXPECT_EQ(called, 1) << "a new kernel, so that parts are tried again";
  EXPECT_EQ(fallbacks("log_softmax"), whole);
}

TEST(DeviceKernels, ThatDeclineDoNotPinComposites) {
  npu();
  int asked = 0;
  const KernelScope kernel("exp", [&asked](const KernelCall& call) {
    ++asked;
    EXPECT_NE(call.results()[0].dtype(), kBool);
    return false;
  });
  const Tensor x = on_npu({1, 2});
  softmax(x, 0);
  const int first = asked;
  EXPECT_GT(first, 0);
  softmax(x, 0);
  EXPECT_EQ(asked, 2 * first) << "its parts are tried again";
}

TEST(DeviceKernels, AreChecked) {
  npu();
  const DeviceKernel kernel = [](const KernelCall&) { return false; };
  EXPECT_EQ(error_of([&] { register_kernel("gpu", "add", kernel); }),
            "register_kernel(gpu, add): no such device");
  EXPECT_EQ(error_of([&] { register_kernel("cpu", "add", kernel); }),
            "register_kernel(cpu, add): the CPU has kernels of its own");
  EXPECT_EQ(error_of([&] { register_kernel("npu", "ad", kernel); }),
            "register_kernel(npu, ad): no such op");
  EXPECT_EQ(error_of([&] { register_kernel("npu", "add", nullptr); }),
            "register_kernel(npu, add): the function is empty");
}

TEST(DeviceKernels, WhatTheyThrowReachesTheCaller) {
  npu();
  register_kernel("npu", "erfinv", [](const KernelCall&) -> bool {
    throw Error(ErrorKind::kRuntime, "the npu is on fire");
  });
  EXPECT_EQ(error_of([&] { erfinv(on_npu({0})); }), "the npu is on fire");
}

TEST(DeviceKernels, OfRegisteredOps) {
  npu();
  const CustomOp twice = register_op(
      "device_test::twice(Tensor x) -> Tensor",
      {.eager_out =
           [](const OpArgs& args, std::span<const Tensor> results) {
             for (int64_t i = 0; i < results[0].numel(); ++i)
               results[0].data_ptr<float>()[i] = 2 * args.tensor(0).const_data_ptr<float>()[i];
           },
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }});
  EXPECT_EQ(twice({on_npu({1, 2})}).str(), "tensor([2., 4.], device='npu:0')");
  register_kernel("npu", "device_test::twice", [](const KernelCall& call) {
    auto* out = static_cast<float*>(npu_view(call.results()[0].data_ptr()));
    for (int64_t i = 0; i < call.results()[0].numel(); ++i) out[i] = 7;
    return true;
  });
  EXPECT_EQ(twice({on_npu({1, 2})}).str(), "tensor([7., 7.], device='npu:0')");
}

TEST(Accelerator, SaysWhatThereIs) {
  npu();
  EXPECT_TRUE(accelerator::is_available());
  EXPECT_EQ(accelerator::current(), npu());
  EXPECT_EQ(accelerator::device_count(), 2);
  EXPECT_EQ(accelerator::device_count("cpu"), 1);
  accelerator::synchronize();
  accelerator::synchronize(kCPU);
  accelerator::set_device("npu:1");
  EXPECT_EQ(Device("npu").index, 1);
  EXPECT_EQ(accelerator::current(), Device("npu:1"));
  accelerator::set_device("npu:0");
  EXPECT_EQ(error_of([] { accelerator::set_device(kCPU); }),
            "accelerator::set_device(cpu): the CPU is no accelerator");
  EXPECT_EQ(error_of([] { accelerator::synchronize(Device(9, 0)); }),
            "device(device9:0): no such device: known are cpu, npu");
  EXPECT_EQ(error_of([] { accelerator::Stream stream("npu"); }),
            "Stream(npu:0): the device has no streams");
}

TEST(Accelerator, CountsMemory) {
  const Device other("npu:1");
  const int64_t before = accelerator::memory_allocated(other);
  {
    const Tensor x = zeros({100}, other);
    EXPECT_EQ(accelerator::memory_allocated(other), before + 400);
  }
  EXPECT_EQ(accelerator::memory_allocated(other), before);
  EXPECT_EQ(error_of([&] { empty({int64_t{1} << 40}, TensorOptions(kUInt8).device(other)); }),
            "empty: out of memory: cannot allocate 1099511627776 bytes on npu:1");
  EXPECT_EQ(accelerator::memory_allocated(other), before);
}

TEST(Accelerator, ThreadsHaveStreams) {
  static int open = 0, last = 0;
  static const Device device = register_device(
      "queued",
      {.allocate = [](int, int64_t bytes) { return std::malloc(static_cast<size_t>(bytes)); },
       .deallocate = [](int, void* memory, int64_t) { std::free(memory); },
       .copy_in = [](int, void* to, const void* from,
                     int64_t n) { std::memcpy(to, from, static_cast<size_t>(n)); },
       .copy_out = [](int, void* to, const void* from,
                      int64_t n) { std::memcpy(to, from, static_cast<size_t>(n)); },
       .new_stream = [](int) -> void* { return ++open, new int(++last); },
       .delete_stream = [](int, void* s) { --open, delete static_cast<int*>(s); },
       .synchronize_stream = [](int, void* s) { *static_cast<int*>(s) = 100; }});
  std::vector<void*> seen;
  register_kernel("queued", "neg", [&](const KernelCall& call) {
    seen.push_back(call.stream());
    return false;
  });
  const Tensor x = ones({2}, device);
  {
    const accelerator::Stream a(device), b(device);
    EXPECT_EQ(a.device(), device);
    x.neg();
    {
      const accelerator::StreamScope outer(a);
      x.neg();
      const accelerator::StreamScope inner(b);
      x.neg();
    }
    x.neg();
    EXPECT_EQ(seen, (std::vector<void*>{nullptr, a.handle(), b.handle(), nullptr}));
    a.synchronize();
    EXPECT_EQ(*static_cast<int*>(a.handle()), 100);
    EXPECT_EQ(open, 2);
  }
  EXPECT_EQ(open, 0);
}

}  // namespace
}  // namespace frit

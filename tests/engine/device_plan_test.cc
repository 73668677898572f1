// What is compiled on a simulated device, whose memory faults where the host touches it: graphs for
// backends, and plans by a writer of the device's.
#include "examples/npu/npu_device.h"

#include <gtest/gtest.h>

#include <atomic>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

Device npu() {
  static const Device device = register_npu();
  return device;
}

std::vector<float> read(const Tensor& t) { return values(t.cpu()); }

std::atomic<int> kernels_run{0};

// Runs kernels in the device's memory by the interpreter; `refuses` says which it does not take.
class NpuWriter : public Writer {
 public:
  explicit NpuWriter(std::function<bool(const Kernel&)> refuses) : refuses_(std::move(refuses)) {}
  std::string_view name() const override { return "npu"; }
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    if (refuses_(kernel)) return *reason = "too hard", nullptr;
    return std::make_unique<Code>(kernel);
  }

 private:
  class Code : public CompiledKernel {
   public:
    explicit Code(const Kernel& kernel) : kernel_(kernel) {}
    void run(const uint64_t* args, int64_t begin, int64_t end) const override {
      ++kernels_run;
      std::vector<uint64_t> words(args, args + kernel_.num_words());
      size_t word = 0;
      for (const KernelParam& param : kernel_.params) {
        if (param.kind == KernelParam::Kind::kBuffer)
          words[word] = reinterpret_cast<uint64_t>(npu_view(reinterpret_cast<void*>(words[word])));
        word += 1 + param.access.size();
      }
      interpret(kernel_, words.data(), begin, end);
    }
    CompiledKernel::Code code() const override { return nullptr; }

   private:
    const Kernel kernel_;
  };
  std::function<bool(const Kernel&)> refuses_;
};

void use_writer(std::function<bool(const Kernel&)> refuses) {
  npu();
  register_writer("npu", [&] { return std::make_unique<NpuWriter>(refuses); });
}

Tensor network(const Tensor& x, const Tensor& w, const Tensor& b) {
  return relu(linear(x, w, b)).softmax(-1) + x.sum({-1}, true);
}

struct Operands {
  Tensor x = arange(12, kFloat32).view({3, 4}) * 0.125, w = arange(8, kFloat32).view({2, 4}) - 3,
         b = tensor({0.5f, -1.0f});
};

TEST(DevicePlan, BackendsGetGraphsOfItsTensors) {
  HotScope hot;
  std::string seen;
  npu();
  register_backend("test_npu", [&](const BackendInput& input) -> CompiledGraph {
    seen = input.graph.print();
    EXPECT_EQ(Graph::parse(seen).print(), seen);
    EXPECT_EQ(input.graph.verify(), "");
    return [graph = input.graph](std::span<const GraphArg> args) {
      EXPECT_EQ(args[0].tensor.device(), npu());
      return interpret(graph, args);
    };
  });
  const auto fast =
      compile([](const Tensor& x) { return relu(x * 2 + 1); }, {.backend = "test_npu"});
  const Tensor x = tensor({1.0f, -2.0f}).to("npu");
  for (int i = 0; i < 4; ++i) {
    const Tensor y = fast(x);
    EXPECT_EQ(y.str(), "tensor([3., 0.], device='npu:0')");
  }
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_EQ(seen,
            "graph %trace(%x0: f32[2]@npu:0) -> f32[2]@npu:0 {\n"
            "  %0: f32[2]@npu:0 = mul %x0, 2\n"
            "  %1: f32[2]@npu:0 = add %0, 1\n"
            "  %2: f32[2]@npu:0 = relu %1\n"
            "  return %2\n"
            "}\n");
}

TEST(DevicePlan, BuiltInBackendsServeIt) {
  const Operands cpu;
  for (const char* backend : {"eager", "interpret"}) {
    HotScope hot;
    const auto fast = compile(network, {.backend = backend});
    const Tensor x = cpu.x.to(npu()), w = cpu.w.to(npu()), b = cpu.b.to(npu());
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(read(fast(x, w, b)), values(network(cpu.x, cpu.w, cpu.b)));
    EXPECT_GE(hot.plan_entries(), 2) << backend;
  }
}

TEST(DevicePlan, NeedsAWriterForMachineCode) {
  HotScope hot;
  static const Device device = register_npu("lone");
  const auto fast = compile([](const Tensor& x) { return relu(x * 2 + 1); });
  const Tensor x = tensor({1.0f, -2.0f}).to(device);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read(fast(x)), (std::vector<float>{3, 0}));
  EXPECT_EQ(hot.plan_entries(), 0);
  const auto fallbacks = stats().fallbacks;
  EXPECT_TRUE(fallbacks.contains("native refused: lone:0 has no writer"));
}

TEST(DevicePlan, ItsWriterMakesKernels) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const Operands cpu;
  const Tensor x = cpu.x.to(npu()), w = cpu.w.to(npu()), b = cpu.b.to(npu());
  const auto fast = compile(network);
  const int before = kernels_run;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read(fast(x, w, b)), values(network(cpu.x, cpu.w, cpu.b)));
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_GT(kernels_run, before);
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_FALSE(explanation.plans.empty());
  const PlanForm& form = explanation.plans[0].forms[0];
  EXPECT_FALSE(form.exact);
  ASSERT_FALSE(form.writers.empty());
  EXPECT_EQ(form.writers[0], "npu: bits not guaranteed");
}

TEST(DevicePlan, OtherKernelsRunOnCopies) {
  HotScope hot;
  use_writer([](const Kernel& kernel) { return kernel.one_line().empty(); });
  const Tensor here = arange(12, kFloat32).view({3, 4}) * 0.125, x = here.to(npu());
  const auto fn = [](const Tensor& t) { return (t * 2).softmax(-1) + 1; };
  const auto fast = compile(fn);
  const auto lines = compile([](const Tensor& t) { return t * 3 - 1; });
  const int before = kernels_run;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read(fast(x)), values(fn(here)));
    EXPECT_EQ(read(lines(x)), values(here * 3 - 1));
  }
  EXPECT_GE(hot.plan_entries(), 4);
  EXPECT_GT(kernels_run, before);
  const PlanForm form = explain_region(*fast.region()).plans[0].forms[0];
  EXPECT_NE(form.writers[0].find("npu: too hard"), std::string::npos) << form.writers[0];
}

// Two operands that begin at one address, of which the first is the shorter.
TEST(DevicePlan, CopiesHoldAllThatIsReadOfAMemory) {
  HotScope hot;
  use_writer([](const Kernel&) { return true; });
  const Tensor here = arange(2000, kFloat32), x = here.to(npu());
  const auto run = [](const Tensor& a, const Tensor& b) { return a + b.slice(0, 1000, 1016); };
  const auto fast = compile(run);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(read(fast(x.slice(0, 0, 16), x)), values(run(here.slice(0, 0, 16), here)));
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(DevicePlan, ConstantsStayWhereTheProgramMakesThem) {
  use_writer([](const Kernel&) { return false; });
  for (const char* backend : {"native", "eager"}) {
    HotScope hot;
    const auto fast = compile(
        [](const Tensor& x) {
          const Tensor c = full({2}, 2.0f);
          return std::pair(x + 1, c * 3);
        },
        {.backend = backend});
    const Tensor x = tensor({1.0f, 2.0f}).to(npu());
    for (int i = 0; i < 4; ++i) {
      const auto [a, b] = fast(x);
      EXPECT_EQ(read(a), (std::vector<float>{2, 3}));
      EXPECT_EQ(b.device(), kCPU);
      EXPECT_EQ(values(b), (std::vector<float>{6, 6}));
    }
  }
}

TEST(DevicePlan, ReplaysMakeTensorsWhereTheyWere) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const auto step = [](const Tensor& x, bool leave) {
    const Tensor c = full({4}, 2.0f, kCPU);
    Tensor y = c + x;
    return leave ? y.sum() * 3 : (y * 2).sum();
  };
  const Tensor x = ones({4}, kCPU);
  const DefaultDeviceScope scope(npu());
  const auto fast = compile(step);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(fast(x, false).item<float>(), 24.0f);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fast(x, true).item<float>(), 36.0f);
}

TEST(DevicePlan, FilledTensorsInGraphsLieThere) {
  use_writer([](const Kernel&) { return false; });
  for (const char* backend : {"native", "eager", "interpret"}) {
    HotScope hot;
    const auto fast = compile(
        [](const Tensor& x) {
          Tensor y = x + 1;
          y.fill_(2);
          return y * x;
        },
        {.backend = backend});
    const Tensor x = tensor({1.0f, 2.0f}).to(npu());
    for (int i = 0; i < 4; ++i) EXPECT_EQ(read(fast(x)), (std::vector<float>{2, 4})) << backend;
  }
}

TEST(DevicePlan, WritesInPlace) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const auto run = [](const Tensor& x, const Tensor& y) {
    x.add_(y);
    x[1].mul_(2);
    return x.sum({1});
  };
  const auto fast = compile(run);
  const Tensor cpu = zeros({2, 3}), x = cpu.to(npu()), step = ones({2, 3});
  const Tensor there = step.to(npu());
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(read(fast(x, there)), values(run(cpu, step)));
    EXPECT_EQ(read(x), values(cpu));
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(DevicePlan, ProgramsThatNobodyMarked) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  Tensor x = tensor({1.0f, 2.0f}).to(npu());
  Tensor cpu = x.cpu();
  for (int i = 0; i < 8; ++i) {
    x = x * 0.5 + 1;
    cpu = cpu * 0.5 + 1;
    EXPECT_EQ(x.sum().item<float>(), cpu.sum().item<float>());
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(DevicePlan, TensorsOfSeveralDevicesInOneTrace) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const Tensor here = tensor({1.0f, 2.0f}), there = here.to(npu());
  const auto fast =
      compile([](const Tensor& a, const Tensor& b) { return std::pair(a * 2 + 1, b * 3 - 1); });
  for (int i = 0; i < 4; ++i) {
    const auto [a, b] = fast(here, there);
    EXPECT_EQ(values(a), (std::vector<float>{3, 5}));
    EXPECT_EQ(read(b), (std::vector<float>{2, 5}));
  }
}

TEST(DevicePlan, CopiesBetweenDevicesAreMadeAtTheirCall) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const auto fast = compile([](const Tensor& x) {
    const Tensor there = (x + 1).to("npu") * 2;
    return there.cpu() - 1;
  });
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{3, 5}));
}

TEST(DevicePlan, IndicesOnTheDevice) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const Tensor table = arange(6, kFloat32).view({3, 2}), index = tensor({2, 0, 1});
  const auto run = [](const Tensor& t, const Tensor& i) { return embedding(t, i) * 2; };
  const auto fast = compile(run);
  const Tensor there = table.to(npu()), at = index.to(npu());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read(fast(there, at)), values(run(table, index)));
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_THROW(fast(there, tensor({7, 0, 1}).to(npu())), Error);
}

TEST(DevicePlan, ConstantsOfComposites) {
  HotScope hot;
  use_writer([](const Kernel&) { return false; });
  const Tensor here = arange(9, kFloat32).view({3, 3}), there = here.to(npu());
  const auto run = [](const Tensor& x) {
    return tril(x) + one_hot(x.to(kInt64).select(0, 0), 5).sum();
  };
  const auto fast = compile(run);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read(fast(there)), values(run(here)));
}

TEST(DevicePlan, WritersNeedTheirDevice) {
  EXPECT_THROW(register_writer("gpu", [] { return std::unique_ptr<Writer>(); }), Error);
}

TEST(DevicePlan, ProgramsAreRefused) {
  const Tensor x = tensor({1.0f}).to(npu());
  EXPECT_THROW(freeze([](const Tensor& t) { return t + 1; }, {x}), Error);
}

}  // namespace
}  // namespace frit

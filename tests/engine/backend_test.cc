// Backends: what they receive, and what happens when they refuse, fail or reach back into Frit.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <thread>
#include <utility>

#include "frit/frit.h"
#include "src/base/float_mode.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

Tensor affine(const Tensor& x) { return x * 2 + 1; }

// A backend that does `extra` and then interprets.
Backend interpreting(std::function<void()> extra) {
  return [extra](const BackendInput& input) -> CompiledGraph {
    return [extra, graph = input.graph](std::span<const GraphArg> args) {
      extra();
      return interpret(graph, args);
    };
  };
}

// Makes a backend the default one for a scope.
class DefaultBackend {
 public:
  explicit DefaultBackend(const std::string& name) { set_default_backend(name); }
  ~DefaultBackend() { set_default_backend("native"); }
};

TEST(Backend, ReceivesTheProgramsOps) {
  HotScope hot;
  std::string seen;
  register_backend("test_capture", [&](const BackendInput& input) -> CompiledGraph {
    seen = input.graph.print();
    return [graph = input.graph](std::span<const GraphArg> args) { return interpret(graph, args); };
  });
  const auto fast = compile(
      [](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(linear(x, w, b)); },
      {.backend = "test_capture"});
  const Tensor x = full({4, 8}, 1.0), w = full({2, 8}, 0.5), b = full({2}, 1.0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x, w, b)), std::vector<float>(8, 5.0f));
  EXPECT_EQ(seen,
            "graph %trace(%x0: f32[4,8], %x1: f32[2,8], %x2: f32[2]) -> f32[4,2] {\n"
            "  %0: f32[4,2] = linear %x0, %x1, %x2\n"
            "  %1: f32[4,2] = relu %0\n"
            "  return %1\n"
            "}\n");
}

TEST(Backend, NormalizedReceivesCoreOps) {
  HotScope hot;
  std::vector<std::string> seen;
  register_backend("test_normalize", normalized([&](const BackendInput& input) -> CompiledGraph {
                     for (const auto& node : input.graph.nodes()) seen.emplace_back(name(node.op));
                     return [graph = input.graph](std::span<const GraphArg> args) {
                       return interpret(graph, args);
                     };
                   }));
  const auto fast = compile(
      [](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(linear(x, w, b)); },
      {.backend = "test_normalize"});
  const Tensor x = full({4, 8}, 1.0), w = full({2, 8}, 0.5), b = full({2}, 1.0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x, w, b)), std::vector<float>(8, 5.0f));
  EXPECT_EQ(seen, (std::vector<std::string>{"permute", "addmm", "relu"}));
}

TEST(Backend, NormalizedKeepsWhatMakesDenormalsZero) {
  HotScope hot;
  std::vector<std::string> seen;
  register_backend("test_denormals", normalized([&](const BackendInput& input) -> CompiledGraph {
                     for (const auto& node : input.graph.nodes()) seen.emplace_back(name(node.op));
                     return [graph = input.graph](std::span<const GraphArg> args) {
                       return interpret(graph, args);
                     };
                   }));
  const auto fast =
      compile([](const Tensor& x) { return neg(x * 1.0); }, {.backend = "test_denormals"});
  const Tensor x = tensor({1e-40f, 2.0f});
  const unsigned int saved = _mm_getcsr();
  _mm_setcsr(saved | base::kMxcsrFlushToZero | base::kMxcsrDenormalsAreZero);
  std::vector<float> result;
  for (int i = 0; i < 4; ++i) result = values(fast(x));
  _mm_setcsr(saved);
  EXPECT_GE(hot.plan_entries(), 1);
  EXPECT_EQ(seen, (std::vector<std::string>{"mul", "neg"}));
  EXPECT_EQ(result, (std::vector<float>{0, -2}));
}

TEST(Backend, ThatRefusesLeavesTheTraceEager) {
  HotScope hot;
  register_backend("test_refuse", [](const BackendInput&) -> CompiledGraph { return nullptr; });
  const auto fast = compile(affine, {.backend = "test_refuse"});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(tensor({1.0f})))[0], 3.0f);
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_GE(hot.reason("backend_refused"), 1);
}

TEST(Backend, UnknownNamesAreRefused) {
  EXPECT_THROW(compile(affine, {.backend = "nobody"}), Error);
  EXPECT_THROW(set_default_backend("nobody"), Error);
}

TEST(Backend, ThatBecomesTheDefaultServesWhatWasHotBefore) {
  HotScope hot;
  const Tensor x = tensor({1.0f});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(affine(x))[0], 3.0f);
  EXPECT_GE(hot.plan_entries(), 1);
  int calls = 0;
  register_backend("test_default", interpreting([&] { ++calls; }));
  const DefaultBackend scope("test_default");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(affine(x))[0], 3.0f);
  EXPECT_GE(calls, 1);
}

TEST(Backend, ThatIsRegisteredAnewServesFromThenOn) {
  HotScope hot;
  int first = 0, second = 0;
  const Tensor x = tensor({1.0f});
  register_backend("test_again", interpreting([&] { ++first; }));
  const auto fast = compile(affine, {.backend = "test_again"});
  for (int i = 0; i < 3; ++i) fast(x);
  register_backend("test_again", interpreting([&] { ++second; }));
  const int before = first;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x))[0], 3.0f);
  EXPECT_EQ(first, before);
  EXPECT_GE(second, 1);
}

TEST(Backend, ThatReadsWhatItIsToComputeFailsAndEagerServes) {
  HotScope hot;
  Tensor y;
  bool armed = false;
  register_backend("test_reentrant", interpreting([&] {
                     if (armed) y.const_data_ptr<float>();
                   }));
  const DefaultBackend scope("test_reentrant");
  const Tensor x = tensor({1.0f});
  for (int i = 0; i < 6; ++i) {
    armed = i == 5;
    y = affine(x);
    EXPECT_EQ(values(y)[0], 3.0f);
  }
  armed = false;
  EXPECT_GE(hot.reason("plan_failed"), 1);
}

TEST(Backend, MayStartAndJoinThreadsThatUseFrit) {
  HotScope hot;
  register_backend("test_threads", interpreting([] {
                     std::thread worker([] { values(ones({4}) + 1); });
                     worker.join();
                   }));
  const DefaultBackend scope("test_threads");
  const Tensor x = tensor({1.0f});
  Tensor y;
  // Runs of the plan in this thread, and one that the main thread takes over.
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      y = affine(x);
      if (i < 4) {
        EXPECT_EQ(values(y)[0], 3.0f);
      }
    }
    std::thread reader([&] { EXPECT_EQ(values(y)[0], 3.0f); });
    reader.join();
  });
  other.join();
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(Backend, MayReadWhatAnotherThreadHasPending) {
  HotScope hot;
  Tensor theirs;
  const Tensor x = tensor({1.0f});
  float seen = 0;
  register_backend("test_reads", interpreting([&] {
                     if (theirs.defined()) seen = theirs.const_data_ptr<float>()[0];
                   }));
  const auto fast = compile(affine, {.backend = "test_reads"});
  for (int i = 0; i < 2; ++i) fast(x);
  Tensor pending;
  std::thread worker([&] {
    for (int i = 0; i < 6; ++i) {
      pending = x * 4 + 1;
      if (i < 5) values(pending);
    }
    theirs = pending;
    std::thread reader([&] { EXPECT_EQ(values(fast(x))[0], 3.0f); });
    reader.join();
  });
  worker.join();
  EXPECT_EQ(seen, 5.0f);
}

TEST(Backend, MayTrimWhileItBuildsAndRuns) {
  HotScope hot;
  register_backend("test_trims", [](const BackendInput& input) -> CompiledGraph {
    trim();
    return [graph = input.graph](std::span<const GraphArg> args) {
      trim();
      return interpret(graph, args);
    };
  });
  const DefaultBackend scope("test_trims");
  const Tensor x = tensor({1.0f});
  for (int i = 0; i < 12; ++i) EXPECT_EQ(values(affine(x))[0], 3.0f);
}

// A tensor around memory whose owner runs an op as it goes.
Tensor with_busy_owner(int* freed) {
  static float memory[] = {1.0f};
  return from_blob(memory, {1}, [freed](void*) {
    values(ones({2}) + 1);
    ++*freed;
  });
}

TEST(Backend, MayRunOpsAsItsClosuresGo) {
  HotScope hot;
  int freed = 0;
  register_backend("test_owner", [kept = with_busy_owner(&freed)](const BackendInput& input) {
    return CompiledGraph([kept, graph = input.graph](std::span<const GraphArg> args) {
      return interpret(graph, args);
    });
  });
  {
    const auto fast = compile(affine, {.backend = "test_owner"});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(tensor({1.0f})))[0], 3.0f);
  }
  register_backend("test_owner", interpreting([] {}));
  EXPECT_EQ(freed, 0);  // its plan lives
  trim();
  EXPECT_EQ(freed, 1);
  register_backend(
      "test_owner",
      [kept = with_busy_owner(&freed)](const BackendInput&) -> CompiledGraph { return nullptr; });
  register_backend("test_owner", interpreting([] {}));
  EXPECT_EQ(freed, 2);
}

TEST(Backend, MayHoldWhatCallsFritWhenItGoes) {
  HotScope hot;
  struct Last {
    ~Last() {
      for (int i = 0; i < 4; ++i) EXPECT_EQ(values(affine(tensor({2.0f})))[0], 5.0f);
      explain_all();
      trim();
    }
  };
  register_backend("test_last", [](const BackendInput& input) -> CompiledGraph {
    return [graph = input.graph, last = std::make_shared<Last>()](auto args) {
      return interpret(graph, args);
    };
  });
  const auto fast =
      compile([](const Tensor& x, double s) { return relu(x * s + 1); }, {.backend = "test_last"});
  // Plans go when they are replaced, when there are too many, and when the caches are emptied.
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(values(fast(ones({1 + i}), i * 0.5))[0], static_cast<float>(1 + i * 0.5));
    EXPECT_EQ(values(fast(ones({1 + i}), 2))[0], 3.0f);
    if (i % 13 == 12) trim();
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Backend, IsHeldToATolerance) {
  HotScope hot;
  register_backend("test_close", [](const BackendInput& input) -> CompiledGraph {
    return [graph = input.graph](std::span<const GraphArg> args) {
      std::vector<Tensor> results = interpret(graph, args);
      results[0] = results[0] * 1.0000001;  // a float nearby
      return results;
    };
  });
  const auto fast = compile(affine, {.backend = "test_close"});
  const Tensor x = tensor({1.0f});
  fast(x);
  EXPECT_EQ(values(fast(x))[0], 3.0f * 1.0000001f);  // its value, which is not eager's
  EXPECT_GE(hot.plan_entries(), 1);
}

// A backend whose first output is replaced by what `change` makes of it.
Backend changing(std::function<Tensor(const Tensor&)> change) {
  return [change](const BackendInput& input) -> CompiledGraph {
    return [change, graph = input.graph](std::span<const GraphArg> args) {
      std::vector<Tensor> results = interpret(graph, args);
      results[0] = change(results[0]);
      return results;
    };
  };
}

TEST(Backend, IsNotAllowedAnythingWhereEagerIsInfinite) {
  HotScope hot;
  register_backend("test_finite", changing([](const Tensor& y) { return y * 0 + 1; }));
  register_backend("test_infinite", changing([](const Tensor& y) { return y * 1; }));
  const auto run = [](const std::string& backend) {
    const auto fast = compile([](const Tensor& x) { return exp(x) * 2; }, {.backend = backend});
    for (int i = 0; i < 3; ++i) values(fast(tensor({1000.0f})));
  };
  EXPECT_DEATH(run("test_finite"), "expected inf");
  run("test_infinite");
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Backend, IsExplainedAsNotGuaranteed) {
  HotScope hot;
  register_backend("test_foreign", changing([](const Tensor& y) { return y; }));
  for (const auto& [backend, exact] :
       {std::pair<std::string, bool>{"test_foreign", false}, {"interpret", true}}) {
    const auto fast = compile(affine, {.backend = backend});
    for (int i = 0; i < 3; ++i) fast(tensor({1.0f}));
    const Explanation explanation = explain_region(*fast.region());
    ASSERT_EQ(explanation.plans.size(), 1u);
    EXPECT_EQ(explanation.plans[0].forms[0].exact, exact);
    EXPECT_EQ(explanation.str().find("bits not guaranteed") == std::string::npos, exact);
  }
}

}  // namespace
}  // namespace frit

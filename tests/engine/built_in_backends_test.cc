// The backends that come with Frit, lists of them, and graphs that are shared out.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

// Views, reductions, a product and numbers that change from run to run.
Tensor block(const Tensor& x, const Tensor& w, double scale) {
  const Tensor h = layer_norm(x, {x.size(-1)}, ones({x.size(-1)}), zeros({x.size(-1)}));
  const Tensor q = linear(h, w) * scale, k = linear(h, w * 2);
  const Tensor mixed = matmul(softmax(matmul(q, k.transpose(0, 1)), -1), h);
  return x + gelu(mixed.transpose(0, 1).contiguous().transpose(0, 1));
}

void expect_as_eager_by(const std::string& backend) {
  HotScope hot;
  const Tensor w = (remainder(arange(64, kFloat32), 7) * 0.25 - 0.5).reshape({8, 8});
  const Tensor x = (remainder(arange(40, kFloat32), 11) * 0.5 - 2).reshape({5, 8});
  expect_as_eager([&] {
    return [&, f = compile(block, {.backend = backend})](int i) {
      return values(f(x, w, 0.5 + i % 2));
    };
  });
  EXPECT_GE(hot.plan_entries(), 4) << backend;
}

TEST(BuiltInBackends, GiveEagersBits) {
  for (const char* name : {"native", "eager", "interpret"}) expect_as_eager_by(name);
}

TEST(BuiltInBackends, NativeServesOthers) {
  register_backend("test_native", native_backend());
  expect_as_eager_by("test_native");
}

TEST(BuiltInBackends, DumpPrintsAndLeavesTheGraphToTheNext) {
  HotScope hot;
  const auto f = compile([](const Tensor& x) { return relu(x * 2); }, {.backend = "dump, native"});
  testing::internal::CaptureStderr();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(f(tensor({1.0f})))[0], 2.0f);
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 120),
            "graph %trace(%x0: f32[1]) -> f32[1] {\n"
            "  %0: f32[1] = mul %x0, 2\n"
            "  %1: f32[1] = relu %0\n"
            "  return %1\n"
            "}\n"
            "x0: f32[1]\ns0 == 2\n");
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(BuiltInBackends, OfAListTheFirstThatTakesTheGraphHasIt) {
  HotScope hot;
  register_backend("test_cannot", [](const BackendInput&) -> CompiledGraph {
    throw Error(ErrorKind::kNotImplemented, "no unit for relu");
  });
  const auto f =
      compile([](const Tensor& x) { return relu(x * 2); }, {.backend = "test_cannot,native"});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(f(tensor({1.0f})))[0], 2.0f);
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_GE(stats().fallbacks.at("test_cannot refused: no unit for relu"), 1);
}

TEST(BuiltInBackends, NamesOfAListAreChecked) {
  const auto problem = [](const std::string& names) {
    return error_of([&] { compile([](const Tensor& x) { return x; }, {.backend = names}); });
  };
  EXPECT_NE(problem("native, nobody").find("unknown backend 'nobody': known are native, "),
            std::string::npos)
      << problem("native, nobody");
  EXPECT_NE(problem("native,").find("unknown backend ''"), std::string::npos);
  EXPECT_THROW(register_backend("a,b", native_backend()), Error);
}

// A backend that interprets, and notes the graphs it gets.
Backend noting(std::vector<std::string>* seen) {
  return [seen](const BackendInput& input) -> CompiledGraph {
    seen->push_back(input.graph.print());
    return [graph = input.graph](std::span<const GraphArg> args) { return interpret(graph, args); };
  };
}

bool takes_products(const Graph&, const Graph::Node& node) {
  return name(node.op) == "mul" || name(node.op) == "add";
}

TEST(Partitioned, HandsOnTheLargestPartsOfNodesThatAreTaken) {
  HotScope hot;
  std::vector<std::string> seen;
  register_backend("test_parts", partitioned(noting(&seen), takes_products));
  const auto f = compile(
      [](const Tensor& x, const Tensor& y) {
        const Tensor a = x * 2 + y, b = tanh(y);  // taken; left, before all that is taken
        return relu(a) + b * y;                   // left between b * y and the sum
      },
      {.backend = "test_parts"});
  const Tensor x = tensor({1.0f, -2.0f}), y = tensor({0.0f, 0.0f});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(f(x, y)), (std::vector<float>{2.0f, 0.0f}));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0],
            "graph %trace_1(%x0: f32[2], %x1: f32[2], %v4: f32[2]) -> f32[2], f32[2] {\n"
            "  %0: f32[2] = mul %x0, 2\n"
            "  %1: f32[2] = add %0, %x1\n"
            "  %2: f32[2] = mul %v4, %x1\n"
            "  return %1, %2\n"
            "}\n");
  EXPECT_NE(seen[1].find("graph %trace_3("), std::string::npos) << seen[1];
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(Partitioned, GivesEagersBitsWhereverTheGraphIsCut) {
  for (unsigned seed = 1; seed < 8; ++seed) {
    const auto takes = [seed](const Graph&, const Graph::Node& node) {
      return (static_cast<unsigned>(node.results[0]) * (2 * seed + 1) >> 1) % 2 == 0;
    };
    std::vector<std::string> seen;
    register_backend("test_cuts", partitioned(noting(&seen), takes));
    expect_as_eager_by("test_cuts");
    EXPECT_FALSE(seen.empty()) << seed;
  }
}

TEST(Partitioned, PartsThatGiveOtherResultsAreReplayed) {
  for (int fault = 0; fault < 3; ++fault) {
    HotScope hot;
    const Backend wrong = [fault](const BackendInput& input) -> CompiledGraph {
      return [fault, graph = input.graph](std::span<const GraphArg> args) {
        Tensor made = interpret(graph, args)[0];
        if (fault == 0) made = made.t().contiguous().t();
        if (fault == 1) made = ones({1});
        if (fault == 2) made = to(made, kFloat16);
        return std::vector<Tensor>{made};
      };
    };
    const auto takes = [](const Graph&, const Graph::Node& n) { return name(n.op) == "tanh"; };
    register_backend("test_wrong_parts", partitioned(wrong, takes));
    const Tensor x = (arange(6, kFloat32) * 0.25).reshape({2, 3});
    expect_as_eager([&] {
      return [&, f = compile([](const Tensor& t) { return tanh(t + 1) * 2 + t; },
                             {.backend = "test_wrong_parts"})](int) { return values(f(x)); };
    });
  }
}

TEST(Partitioned, WhatIsRefusedIsLeftToTheRest) {
  HotScope hot;
  const Backend refusing = [](const BackendInput&) -> CompiledGraph { return nullptr; };
  register_backend("test_refused_parts", partitioned(refusing, takes_products));
  const auto f = compile([](const Tensor& x) { return tanh(x * 2); },
                         {.backend = "test_refused_parts,native"});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(f(tensor({0.0f})))[0], 0.0f);
  EXPECT_GE(stats().fallbacks.at("test_refused_parts refused: no reason given"), 1);
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_THROW(partitioned(nullptr, takes_products), Error);
}

}  // namespace
}  // namespace frit

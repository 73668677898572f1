// Registered ops as part of what is compiled: one node, no break, eager's values.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

void like_first(const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }

// x + alpha * y, and how often its function has run.
std::atomic<int> calls_of_scale_add{0};

void scale_add_out(const OpArgs& args, std::span<const Tensor> results) {
  ++calls_of_scale_add;
  const Tensor x = args.tensor(0).contiguous(), y = args.tensor(1).contiguous();
  const auto* a = x.const_data_ptr<float>();
  const auto* b = y.const_data_ptr<float>();
  auto* out = results[0].data_ptr<float>();
  const auto alpha = static_cast<float>(args.number(2));
  for (int64_t i = 0; i < results[0].numel(); ++i) out[i] = a[i] + alpha * b[i];
}

CustomOp scale_add() {
  static const CustomOp op =
      register_op("engine_test::scale_add(Tensor x, Tensor y, float alpha=1) -> Tensor",
                  {.eager_out = scale_add_out, .fake = like_first});
  return op;
}

TEST(CustomOp, IsOneNodeOfACompiledFunctionAndNoBreak) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) { return relu(scale_add()({x * 2, x, 3.0}) - 1); });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{4, 0})) << i;
  EXPECT_EQ(hot.plan_entries(), 3);
  const Explanation explanation = explain_region(*fast.region());
  EXPECT_TRUE(explanation.breaks.empty());
  ASSERT_EQ(explanation.plans.size(), 1u);
  const PlanForm& form = explanation.plans[0].forms[0];
  EXPECT_NE(form.captured.find("= engine_test::scale_add %0, %x0, 3.0"), std::string::npos)
      << form.captured;
  EXPECT_EQ(form.kernels.size(), 2u);
  EXPECT_TRUE(form.fallbacks.empty());
}

TEST(CustomOp, IsPartOfWhatIsCompiledUnasked) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 6; ++i) {
    const Tensor y = scale_add()({exp(x), x});
    EXPECT_EQ(values(y * 1), values(y)) << i;
  }
  EXPECT_GE(hot.plan_entries(), 3);
  EXPECT_EQ(hot.reason("untraceable_op"), 0);
  EXPECT_EQ(hot.reason("exposed_operand"), 0);
}

TEST(CustomOp, ANumberThatChangesBecomesAnArgument) {
  expect_as_eager([] {
    return [x = tensor({1.0f, -2.0f})](int i) {
      return values(scale_add()({x + 1, x, 0.5 * i}) * 2);
    };
  });
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(values(scale_add()({x + 1, x, i}) * 2),
              (std::vector<float>{4 + 2.0f * i, -2 - 4.0f * i}));
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(CustomOp, OtherSizesAreServed) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) { return scale_add()({x + 1, x}) * 2; });
  for (int64_t n : {2, 2, 3, 4, 5, 6, 7, 8})
    EXPECT_EQ(values(fast(full({n}, 1.0))), std::vector<float>(static_cast<size_t>(n), 6.0f));
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(CustomOp, ThatReturnsTensorsIsPartOfAPlan) {
  HotScope hot;
  const CustomOp op =
      register_op("engine_test::both_parts(Tensor x, int n) -> (Tensor, Tensor)",
                  {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                     const Tensor x = args.tensor(0);
                     const int64_t n = args.integer(1);
                     return {x.narrow(0, 0, n).clone(), x.narrow(0, n, x.size(0) - n) * 2};
                   },
                   .fake =
                       [](const OpArgs& args, OpTypes& types) {
                         const TensorFacts x = args.facts(0);
                         types.add(x.dtype(), {args.integer(1)});
                         types.add(x.dtype(), {x.size(0) - args.integer(1)});
                       }});
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  for (int i = 0; i < 5; ++i) {
    const std::vector<Tensor> parts = op.call({x + 1, 1});
    EXPECT_EQ(values(cat({parts[1], parts[0]})), (std::vector<float>{6, 8, 2}));
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(CustomOp, WithoutAFakeFunctionRunsAtItsCallAndIsCounted) {
  HotScope hot;
  const CustomOp op = register_op(
      "engine_test::no_fake(Tensor x) -> Tensor",
      {.eager = [](const OpArgs& args) -> std::vector<Tensor> { return {args.tensor(0) + 1}; }});
  const auto fast = compile([&](const Tensor& x) { return op({x * 2}) * 3; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fast(tensor({1.0f}))), (std::vector<float>{9}));
  EXPECT_GE(hot.reason("untraceable_op"), 1);
  for (const PlanReport& plan : explain_region(*fast.region()).plans)
    EXPECT_EQ(plan.forms[0].captured.find("no_fake"), std::string::npos);
}

TEST(CustomOp, WhatItKeepsOfAPlanStaysWhatItWas) {
  HotScope hot;
  std::vector<Tensor> kept;
  const CustomOp op = register_op("engine_test::keeper(Tensor x) -> Tensor",
                                  {.eager = [&](const OpArgs& args) -> std::vector<Tensor> {
                                     kept.push_back(args.tensor(0));
                                     return {args.tensor(0) * 2};
                                   },
                                   .fake = like_first});
  for (int i = 0; i < 6; ++i) {
    const Tensor x = full({4}, 1.0 * i);
    values(op({x + 1}) + 5);
  }
  EXPECT_GE(hot.plan_entries(), 3);
  EXPECT_EQ(values(kept.back()), std::vector<float>(4, 6.0f));
  EXPECT_EQ(values(kept.front()), std::vector<float>(4, 1.0f));
  kept.clear();
}

TEST(CustomOp, MayCallCompiledFunctionsInside) {
  HotScope hot;
  static const auto inner = compile([](const Tensor& x) { return relu(x) * 2 + 1; });
  const CustomOp op = register_op("engine_test::nested(Tensor x) -> Tensor",
                                  {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                     const Tensor y = inner(args.tensor(0));
                                     return {y.item<float>() > 4 ? y * 10 : y};
                                   },
                                   .fake = like_first});
  for (int i = 0; i < 6; ++i) {
    const Tensor y = op({full({1}, 1.0 * i) + 1}) + 1;
    const float once = 2 * static_cast<float>(i + 1) + 1;
    EXPECT_EQ(values(y), (std::vector<float>{(once > 4 ? once * 10 : once) + 1})) << i;
  }
  EXPECT_GE(hot.plan_entries(), 3);
}

// A plan that runs within another one has temporaries of its own, be they smaller or larger.
TEST(CustomOp, MayRunProgramsAndTrimInside) {
  const auto square = [](const Tensor& x) { return relu(matmul(softmax(x * 3, 1), x + 1)); };
  const Program small = freeze(square, {ones({4, 4})}), large = freeze(square, {ones({90, 90})});
  int turn = 0;
  const CustomOp op = register_op("engine_test::programs(Tensor x) -> Tensor",
                                  {.eager = [&](const OpArgs& args) -> std::vector<Tensor> {
                                     if (turn % 2 == 0) small.run({ones({4, 4})});
                                     if (turn % 3 == 0) large.run({ones({90, 90})});
                                     if (turn++ % 5 == 0) trim();
                                     return {args.tensor(0) + 1};
                                   },
                                   .fake = like_first});
  const Tensor x = arange(256, kFloat32).reshape({16, 16}) / 256, w = x.t() - 0.25;
  const auto around = [&](const Tensor& t) {
    const Tensor a = softmax(t * 2, 1), b = matmul(a, w), c = exp(b), n = op({t});
    return relu(matmul(c, w) + a) + n + b;
  };
  set_jit_mode("off");
  const std::vector<float> eager = values(around(x));
  set_jit_mode("on");
  HotScope hot;
  const auto fast = compile(around, {.fullgraph = true});
  for (int i = 0; i < 34; ++i) EXPECT_EQ(values(fast(x)), eager) << i;
  EXPECT_GE(hot.plan_entries(), 30);
}

// ---- errors ----

CustomOp picky() {
  static const CustomOp op = register_op("engine_test::picky(Tensor x) -> Tensor",
                                         {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                            if (args.tensor(0).item<float>() < 0)
                                              throw std::range_error("below zero");
                                            return {args.tensor(0) + 1};
                                          },
                                          .fake = like_first});
  return op;
}

TEST(CustomOp, WhatItsFunctionThrowsReachesTheCaller) {
  HotScope hot;
  const auto fast = compile([&](const Tensor& x) { return picky()({x * 2}) * 3; });
  const Tensor good = full({1}, 1.0), bad = full({1}, -1.0);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(values(fast(good)), (std::vector<float>{9}));
    EXPECT_THROW(fast(bad), std::range_error);
  }
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(CustomOp, WhatItThrowsInAPlanOnceIsNotLost) {
  HotScope hot;
  static bool interrupt = false;
  const CustomOp op = register_op("engine_test::interrupted(Tensor x) -> Tensor",
                                  {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                     if (std::exchange(interrupt, false))
                                       throw std::logic_error("interrupted");
                                     return {args.tensor(0) + 1};
                                   },
                                   .fake = like_first});
  const auto fast = compile([&](const Tensor& x) { return op({x * 2}) * 3; });
  const Tensor x = full({1}, 1.0);
  for (int i = 0; i < 4; ++i) fast(x);
  interrupt = true;
  EXPECT_THROW(fast(x), std::logic_error);
  EXPECT_EQ(values(fast(x)), (std::vector<float>{9}));
}

TEST(CustomOp, AWrongFakeFunctionIsAnErrorOfTheCall) {
  HotScope hot;
  const CustomOp op = register_op(
      "engine_test::liar(Tensor x) -> Tensor",
      {.eager = [](const OpArgs& args) -> std::vector<Tensor> { return {args.tensor(0) + 1}; },
       .fake = [](const OpArgs&, OpTypes& types) { types.add(kFloat32, {7}); }});
  const auto fast = compile([&](const Tensor& x) { return op({x * 2}) * 3; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(full({2}, 1.0))), (std::vector<float>(2, 9)));
  EXPECT_TRUE(explain_region(*fast.region()).plans.empty());
}

// ---- registering again, threads ----

TEST(CustomOp, RegisteredAgainIsReplacedInPlansToo) {
  HotScope hot;
  const auto add = [](float number) {
    return register_op("engine_test::again(Tensor x) -> Tensor",
                       {.eager = [number](const OpArgs& args) -> std::vector<Tensor> {
                          return {args.tensor(0) + number};
                        },
                        .fake = like_first});
  };
  const CustomOp op = add(1);
  const auto fast = compile([&](const Tensor& x) { return op({x * 2}) * 3; });
  const Tensor x = full({1}, 1.0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{9}));
  add(2);
  EXPECT_EQ(values(fast(x)), (std::vector<float>{12}));
  EXPECT_EQ(hot.plan_entries(), 4);
}

TEST(CustomOp, ManyThreadsCallAndRegisterAtOnce) {
  HotScope hot;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string name = "engine_test::of_thread" + std::to_string(t % 2);
      for (int i = 0; i < 50; ++i) {
        const CustomOp op = register_op(name + "(Tensor x) -> Tensor",
                                        {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                           return {args.tensor(0) + 1};
                                         },
                                         .fake = like_first});
        const Tensor y = scale_add()({op({full({8}, 1.0 * i) * 2}), full({8}, 1.0)});
        if (values(y) != std::vector<float>(8, 2.0f * static_cast<float>(i) + 2)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// ---- writing to operands ----

CustomOp add_into() {
  static const CustomOp op =
      register_op("engine_test::add_into(Tensor(a!) x, Tensor y, float scale=1) -> Tensor(a!)",
                  {.eager_out = [](const OpArgs& args, std::span<const Tensor>) {
                    args.tensor(0).add_(args.tensor(1) * args.scalar(2));
                  }});
  return op;
}

TEST(CustomOp, ThatWritesToAnOperandDoesSoInPlansToo) {
  expect_as_eager([] {
    return [x = full({3}, 1.0)](int i) {
      const Tensor same = add_into()({x, full({3}, 1.0 * i) * 2, 0.5});
      const Tensor seen = x * 10;
      EXPECT_TRUE(same.is_same(x));
      return values(seen + same);
    };
  });
  HotScope hot;
  const Tensor x = full({3}, 1.0), y = full({2}, 1.0);
  for (int i = 0; i < 6; ++i) {
    const Tensor before = x + 0;
    add_into()({x.slice(0, 0, 2), y * 2, 0.5});
    const auto now = static_cast<float>(i + 2);
    EXPECT_EQ(values(x), (std::vector<float>{now, now, 1}));
    EXPECT_EQ(values(before), (std::vector<float>{now - 1, now - 1, 1}));
  }
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(CustomOp, ThatWritesGetsTheMemoryItselfWhereItIsNotDeferred) {
  static const void* seen;
  const CustomOp op = register_op("engine_test::see(Tensor(a!) x) -> Tensor",
                                  {.eager_out =
                                       [](const OpArgs& args, std::span<const Tensor> results) {
                                         seen = args.tensor(0).const_data_ptr();
                                         args.tensor(0).add_(1);
                                         results[0].copy_(args.tensor(0) * 2);
                                       },
                                   .fake = like_first});
  const Tensor x = full({3}, 1.0);
  x.with_data<const float>([&](const float* data) {
    for (const char* mode : {"off", "record"}) {
      seen = nullptr;
      set_jit_mode(mode);
      EXPECT_EQ(values(op({x}))[0], mode[0] == 'o' ? 4 : 6) << mode;
      EXPECT_EQ(seen, data) << mode;
    }
  });
  set_jit_mode("on");
  EXPECT_EQ(values(x), std::vector<float>(3, 3.0f));
}

TEST(CustomOp, ThatWritesToTwoOperandsIsOneNodeOfPlans) {
  const CustomOp op = register_op("engine_test::swap(Tensor(a!) x, Tensor(b!) y) -> ()",
                                  {.eager_out = [](const OpArgs& args, std::span<const Tensor>) {
                                    const Tensor kept = args.tensor(0).clone();
                                    args.tensor(0).copy_(args.tensor(1));
                                    args.tensor(1).copy_(kept);
                                  }});
  expect_as_eager([op] {
    return [op, x = full({2}, 1.0), y = full({2}, 2.0)](int i) {
      const Tensor before = x * 10;
      op.call({x, y});
      std::vector<float> all = values(x + before);
      const std::vector<float> second = values(y * static_cast<double>(i));
      all.insert(all.end(), second.begin(), second.end());
      return all;
    };
  });
  HotScope hot;
  const auto fast = compile([&](const Tensor& x, const Tensor& y) {
    op.call({x, y});
    return x + y * 2;
  });
  const Tensor x = full({2}, 1.0), y = full({2}, 2.0);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(values(fast(x, y)), std::vector<float>(2, i % 2 == 0 ? 4.0f : 5.0f)) << i;
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(CustomOp, ThatWritesRefusesMemoryOfAnotherOperand) {
  const Tensor x = full({3}, 1.0);
  EXPECT_EQ(
      error_of([&] {
        add_into()({x, x});
      }),
      "engine_test::add_into(f32[3], f32[3], 1): x is written to, and is another operand too");
  EXPECT_EQ(error_of([&] {
              add_into()({x, x.view({3})});
            }),
            "engine_test::add_into(f32[3], f32[3], 1): x is written to, and another operand shares "
            "its memory: clone that first");
}

// ---- decompositions ----

CustomOp decomposed(std::string_view name, bool with_function) {
  CustomFunctions functions;
  if (with_function)
    functions.eager = [](const OpArgs& args) -> std::vector<Tensor> {
      return {(args.tensor(0) * args.tensor(0)).sum(args.ints(1), args.flag(2)) + args.scalar(3)};
    };
  functions.decomposition = [](OpExpansion& b) {
    const auto x = b.arg(0);
    const OpArgs args = b.args();
    return b.op("add", {b.op("sum", {b.op("mul", {x, x})},
                             {{"dims", args.ints(1)}, {"keepdim", args.flag(2)}}),
                        b.arg(3)});
  };
  return register_op(
      std::string(name) + "(Tensor x, int[] dims, bool keepdim=False, float more=0) -> Tensor",
      std::move(functions));
}

TEST(CustomOp, WithADecompositionIsFused) {
  for (bool with_function : {false, true}) {
    HotScope hot;
    const CustomOp op = decomposed(
        with_function ? "engine_test::squares" : "engine_test::squares_alone", with_function);
    const auto fast = compile([&](const Tensor& x) { return op({x + 1, {1}, true, 2.0}) * 2; });
    const Tensor x = tensor({0.0f, 1.0f, 2.0f, 3.0f}).view({2, 2});
    for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{14, 54}));
    const Explanation explanation = explain_region(*fast.region());
    ASSERT_EQ(explanation.plans.size(), 1u);
    const PlanForm& form = explanation.plans[0].forms[0];
    EXPECT_NE(form.captured.find("engine_test::squares"), std::string::npos);
    EXPECT_EQ(form.normalized.find("engine_test::squares"), std::string::npos);
    EXPECT_EQ(form.kernels.size(), 1u);
  }
}

TEST(CustomOp, WhoseDecompositionGivesAnOperandGivesANewTensor) {
  const CustomOp op = register_op("engine_test::same(Tensor x) -> Tensor",
                                  {.decomposition = [](OpExpansion& b) { return b.arg(0); }});
  expect_as_eager([op] {
    return [op, x = full({2}, 1.0)](int) {
      const Tensor y = op({x});
      x.add_(1);
      return values(y * 2);
    };
  });
}

TEST(CustomOp, WhoseDecompositionIsWrongSaysSo) {
  const CustomOp op = register_op("engine_test::misspelt(Tensor x) -> Tensor",
                                  {.decomposition = [](OpExpansion& b) {
                                    return b.op("addd", {b.arg(0), 1});
                                  }});
  EXPECT_EQ(error_of([&] { op({full({1}, 1.0)}); }),
            "engine_test::misspelt(f32[1]): engine_test::misspelt: its decomposition: no op addd");
}

// ---- FRIT_CHECK_CUSTOM_OPS ----

class CheckScope {
 public:
  CheckScope() { base::mutable_flags().check_custom_ops = true; }
  ~CheckScope() { base::mutable_flags().check_custom_ops = false; }
};

TEST(CheckCustomOps, FindsWritesThatTheSchemaDoesNotSay) {
  const CheckScope check;
  const CustomOp op = register_op("engine_test::sly(Tensor x, Tensor y) -> Tensor",
                                  {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                    args.tensor(1).add_(1);
                                    return {args.tensor(0) + 1};
                                  }});
  EXPECT_EQ(
      error_of([&] {
        op({full({1}, 1.0), full({1}, 1.0)});
      }),
      "engine_test::sly(f32[1], f32[1]): its function has written to operand 2: declare it as "
      "Tensor(a!)");
}

TEST(CheckCustomOps, FindsFakeFunctionsThatAreWrong) {
  const CheckScope check;
  const CustomOp op = register_op(
      "engine_test::liar_again(Tensor x) -> Tensor",
      {.eager = [](const OpArgs& args) -> std::vector<Tensor> { return {args.tensor(0) + 1}; },
       .fake = [](const OpArgs&, OpTypes& types) { types.add(kFloat32, {7}); }});
  EXPECT_EQ(error_of([&] { op({full({2}, 1.0)}); }),
            "engine_test::liar_again: its function gave f32[2], but its fake function said f32[7]");
}

TEST(CheckCustomOps, FindsDecompositionsWithOtherBits) {
  const CheckScope check;
  const CustomOp op = register_op(
      "engine_test::other_bits(Tensor x) -> Tensor",
      {.eager = [](const OpArgs& args) -> std::vector<Tensor> { return {args.tensor(0) + 1}; },
       .decomposition =
           [](OpExpansion& b) {
             return b.op("add", {b.arg(0), 2});
           }});
  EXPECT_EQ(error_of([&] { op({full({2}, 1.0)}); }),
            "engine_test::other_bits(f32[2]): its function and its decomposition give other bits");
}

TEST(CheckCustomOps, LetsGoodOpsPass) {
  const CheckScope check;
  const CustomOp op = decomposed("engine_test::squares", true);
  EXPECT_EQ(values(op({full({2, 2}, 2.0), {0}})), (std::vector<float>{8, 8}));
  EXPECT_EQ(values(scale_add()({full({1}, 2.0), full({1}, 2.0), 0.5})), (std::vector<float>{3}));
}

// ---- programs ----

TEST(CustomOp, IsPartOfFrozenPrograms) {
  const Program program = freeze(
      [](const Tensor& x) {
        return scale_add()({x * 2, x, 3.0}) - 1;
      },
      {tensor({1.0f})});
  EXPECT_EQ(values(program.run({tensor({2.0f})})[0]), (std::vector<float>{9}));
  const std::string path = testing::TempDir() + "/custom.frit";
  program.save(path);
  EXPECT_EQ(values(Program::load(path).run({tensor({2.0f})})[0]), (std::vector<float>{9}));
}

}  // namespace
}  // namespace frit

// Registered ops that compute in a wider type than their operands have.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

void like_first(const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }

// x * x * x - 1 in f32, whatever x is.
void cube_out(const OpArgs& args, std::span<const Tensor> results) {
  const Tensor x = args.tensor(0).contiguous();
  const auto* from = x.const_data_ptr<float>();
  auto* to = results[0].data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] * from[i] * from[i] - 1;
}
Tensor cube_of(const Tensor& x) {
  const Tensor wide = x.to(kFloat32);
  return (wide * wide * wide - 1).to(x.dtype());
}

const Tensor& sample() {
  static const Tensor x = tensor({1.1f, -2.7f, 0.3f, 5.9f});
  return x;
}
std::vector<float> in_f32(const Tensor& t) { return values(t.to(kFloat32)); }

TEST(Autocast, GivesTheFunctionF32AndRoundsItsResultsOnce) {
  const CustomOp op =
      register_op("autocast::cube(Tensor x) -> Tensor",
                  {.eager_out = cube_out, .fake = like_first, .autocast = kFloat32});
  for (const Dtype dtype : {kBFloat16, kFloat16, kFloat32}) {
    const Tensor x = sample().to(dtype), y = op({x});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(in_f32(y), in_f32(cube_of(x)));
  }
}

TEST(Autocast, IsOneNodeOfPlansWithTheTypesOfItsOperands) {
  HotScope hot;
  const CustomOp op =
      register_op("autocast::cube(Tensor x) -> Tensor",
                  {.eager_out = cube_out, .fake = like_first, .autocast = kFloat32});
  const auto fast = compile([&](const Tensor& x) { return op({x + 1}) * 2; }, {.fullgraph = true});
  const Tensor x = sample().to(kBFloat16);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(in_f32(fast(x)), in_f32(cube_of(x + 1) * 2));
  EXPECT_GE(hot.plan_entries(), 2);
  const std::string captured = explain_region(*fast.region()).plans[0].forms[0].captured;
  EXPECT_NE(captured.find(": bf16[4] = autocast::cube %0\n"), std::string::npos) << captured;
}

TEST(Autocast, IsAroundTheDecompositionOfABackendToo) {
  const CustomOp op =
      register_op("autocast::cube(Tensor x) -> Tensor",
                  {.eager_out = cube_out, .fake = like_first, .autocast = kFloat32});
  const auto own = [](OpExpansion& e) {
    const auto x = e.arg(0);
    return e.op("sub", {e.op("mul", {e.op("mul", {x, x}), x}), 1});
  };
  std::string seen;
  register_backend("test_cubes", normalized(
                                     [&](const BackendInput& input) {
                                       seen = input.graph.print();
                                       return native_backend()(input);
                                     },
                                     Decompositions().add("autocast::cube", own)));
  HotScope hot;
  const auto fast =
      compile([&](const Tensor& x) { return op({x + 1}); }, {.backend = "test_cubes"});
  const Tensor x = sample().to(kBFloat16);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(in_f32(fast(x)), in_f32(cube_of(x + 1)));
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_NE(seen.find(": f32[4] = mul "), std::string::npos) << seen;
}

TEST(Autocast, RoundsWhatAFunctionReturns) {
  const auto eager = [](const OpArgs& args) { return std::vector{args.tensor(0) / 3}; };
  const CustomOp op = register_op("autocast::third(Tensor x, Tensor y) -> Tensor",
                                  {.eager = eager, .autocast = kFloat64});
  const Tensor x = sample();
  EXPECT_EQ(op({x, x}).dtype(), kFloat32);
  EXPECT_EQ(values(op({x, x})), values((x.to(kFloat64) / 3).to(kFloat32)));
  // What the operands have in common is the widest.
  EXPECT_EQ(op({x.to(kFloat16), x.to(kFloat64)}).dtype(), kFloat64);
}

TEST(Autocast, KeepsTheTypeThatTheFakeFunctionSays) {
  const CustomOp op =
      register_op("autocast::loss(Tensor x) -> Tensor",
                  {.eager = [](const OpArgs& args) { return std::vector{args.tensor(0).sum()}; },
                   .fake = [](const OpArgs&, OpTypes& types) { types.add(kFloat32, {}); },
                   .autocast = kFloat32});
  const Tensor x = sample().to(kFloat16), y = op({x});
  EXPECT_EQ(y.dtype(), kFloat32);
  EXPECT_EQ(values(y), values(x.to(kFloat32).sum()));
}

TEST(Autocast, RoundsWhatIsWrittenToOperands) {
  const CustomOp op = register_op("autocast::halve_(Tensor(a!) x) -> Tensor(a!)",
                                  {.eager_out =
                                       [](const OpArgs& args, std::span<const Tensor>) {
                                         EXPECT_EQ(args.tensor(0).dtype(), kFloat32);
                                         args.tensor(0).div_(3);
                                       },
                                   .autocast = kFloat32});
  expect_as_eager([&] {
    const Tensor x = full({6}, 1000.0, kFloat16);
    return [=](int) {
      op({x.slice(0, 0, 6, 2)});
      return in_f32(x + 0);
    };
  });
  const Tensor x = sample().to(kBFloat16), expected = x / 3;
  op({x});
  EXPECT_EQ(in_f32(x), in_f32(expected));
}

TEST(Autocast, IsThatOfADecompositionToo) {
  HotScope hot;
  const CustomOp op =
      register_op("autocast::fused(Tensor x) -> Tensor",
                  {.eager_out = cube_out,
                   .fake = like_first,
                   .decomposition =
                       [](OpExpansion& b) {
                         const auto x = b.arg(0);
                         return b.op("sub", {b.op("mul", {b.op("mul", {x, x}), x}), 1});
                       },
                   .autocast = kFloat32});
  base::mutable_flags().check_custom_ops = true;
  const auto fast = compile([&](const Tensor& x) { return op({x}) + 1; });
  for (const Dtype dtype : {kBFloat16, kFloat32}) {
    const Tensor x = sample().to(dtype);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(in_f32(fast(x)), in_f32(cube_of(x) + 1));
  }
  base::mutable_flags().check_custom_ops = false;
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Autocast, LeavesOtherTypesAlone) {
  const CustomOp op = register_op(
      "autocast::as_it_is(Tensor x, Tensor n) -> Tensor",
      {.eager =
           [](const OpArgs& args) {
             EXPECT_EQ(args.tensor(0).dtype(), kFloat64);
             EXPECT_EQ(args.tensor(1).dtype(), kInt32);
             return std::vector{args.tensor(1) + 1};
           },
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(1)); },
       .autocast = kFloat32});
  EXPECT_EQ(op({sample().to(kFloat64), sample().to(kInt32)}).dtype(), kInt32);
}

TEST(Autocast, IsToF32OrF64) {
  EXPECT_EQ(error_of([] {
              register_op("autocast::low(Tensor x) -> Tensor",
                          {.eager_out = cube_out, .fake = like_first, .autocast = kFloat16});
            }),
            "register_op(autocast::low(Tensor x) -> Tensor): autocast is neither kFloat32 nor "
            "kFloat64");
}

}  // namespace
}  // namespace frit

// What freeze() refuses, by name and position.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/error_of.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

template <class F>
std::string refusal(F fn, const Tensor& example = noise({2, 3})) {
  return error_of([&] { freeze(fn, {example}); });
}

TEST(Freeze, RefusesReadingAnElement) {
  EXPECT_EQ(refusal([](const Tensor& x) { return x * (x + 1).sum().item<float>(); }),
            "freeze: item after op 1 (sum): its value depends on an example");
}

TEST(Freeze, RefusesReadingAnExampleBeforeAnyOp) {
  EXPECT_EQ(refusal([](const Tensor& x) { return x.const_data_ptr<float>()[0] > 0 ? x : -x; }),
            "freeze: const_data_ptr before the first op: its value depends on an example");
}

TEST(Freeze, RefusesHandingOutAPointerAndLeavesTheTensorUnexposed) {
  const Tensor x = noise({4});
  EXPECT_EQ(refusal([](const Tensor& t) { return relu(t).data_ptr() != nullptr ? t : t + 1; }, x),
            "freeze: data_ptr after op 0 (relu): its value depends on an example");
  EXPECT_EQ(refusal([](const Tensor& t) { return t.accessor<float, 1>()[0] > 0 ? t : t + 1; }, x),
            "freeze: accessor before the first op: its value depends on an example");
}

TEST(Freeze, RefusesPrinting) {
  EXPECT_EQ(refusal([](const Tensor& x) { return relu(x).str().empty() ? x : x + 1; }),
            "freeze: str after op 0 (relu): its value depends on an example");
}

TEST(Freeze, RefusesNonzero) {
  EXPECT_EQ(refusal([](const Tensor& x) { return nonzero(relu(x)); }),
            "freeze: op 1 (nonzero): the size of its result depends on values");
}

TEST(Freeze, RefusesWritesInPlace) {
  const Tensor x = full({3}, 1.5), w = full({3}, 2.5);
  EXPECT_EQ(refusal([](const Tensor& t) { return t.add_(1); }, x),
            "freeze: op 1 (store): it writes to memory");
  EXPECT_EQ(refusal([&](const Tensor& t) { return w.zero_(), t + w; }, x),
            "freeze: op 0 (store): it writes to memory");
  EXPECT_EQ(x[0].item<float>(), 1.5f);
  EXPECT_EQ(w[0].item<float>(), 2.5f);
}

TEST(Freeze, RefusesIntegerDivisionByATensor) {
  EXPECT_NO_THROW(freeze([](const Tensor& x) { return floor_divide(x, 2); }, {arange(4)}));
  EXPECT_EQ(refusal([](const Tensor& x) { return floor_divide(x, x + 1); }, arange(4)),
            "freeze: op 1 (floor_divide): on integers, an error depends on values");
}

TEST(Freeze, RefusesAViewBeyondItsOperand) {
  const Tensor base = noise({8});
  EXPECT_EQ(
      refusal([](const Tensor& x) { return as_strided(x, {4}, {1}, 1) + 1; }, base.slice(0, 0, 4)),
      "freeze: op 0 (as_strided): it reaches beyond its operand");
}

TEST(Freeze, RefusesACapturedViewOfAnExample) {
  const Tensor x = noise({4}), row = x.slice(0, 0, 4, 2);
  EXPECT_EQ(refusal([&](const Tensor& t) { return t[0] + row; }, x),
            "freeze: a captured tensor (f32[2]{2}) shares memory with example 0");
}

TEST(Freeze, RefusesExamplesThatAreNoInputsOfTheirOwn) {
  const Tensor x = noise({4});
  const auto fn = [](const Tensor& a, const Tensor& b) { return a + b; };
  EXPECT_EQ(error_of([&] {
              freeze(fn, {x, x});
            }),
            "freeze: example 1: the same tensor as an earlier example");
  EXPECT_EQ(error_of([&] { freeze(relu, {x}, {x}); }), "freeze: param 0: it is an example too");
  EXPECT_EQ(error_of([&] { freeze(relu, {Tensor()}); }),
            "freeze: example 0: the tensor is undefined");
  EXPECT_EQ(error_of([&] { freeze(fn, {x}); }), "freeze: the function does not take 1 tensors");
  EXPECT_EQ(error_of([&] { freeze([](const Tensor&) { return Tensor(); }, {x}); }),
            "freeze: output 0: the tensor is undefined");
}

TEST(Freeze, LetsTheFunctionsOwnErrorsThroughAndOpsRunAsBefore) {
  const Tensor x = noise({2, 3});
  EXPECT_EQ(refusal([](const Tensor& t) { return matmul(t, t); }), error_of([&] { matmul(x, x); }));
  EXPECT_EQ((x + 1).sum().item<float>(), (x + 1).sum().item<float>());
}

}  // namespace
}  // namespace frit

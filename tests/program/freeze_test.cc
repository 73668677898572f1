// What freeze() takes for constant, folds and calls an output.
#include <gtest/gtest.h>

#include <functional>

#include "frit/frit.h"
#include "tests/error_of.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Freeze, TheHostCodeRunsOnce) {
  int runs = 0;
  const Program program = freeze([&](const Tensor& x) { return ++runs, x * 2; }, {noise({3})});
  EXPECT_EQ(runs, 1);
  const Tensor x = noise({3}, 5);
  EXPECT_TRUE(same_bits(program.run({x})[0], x * 2));
  EXPECT_EQ(runs, 1);
}

TEST(Freeze, TakesFunctionsOfArgumentsAListOrAVector) {
  const Tensor x = noise({3}), y = noise({3}, 2);
  const Tensor expected = x - y;
  const auto apart = [](const Tensor& a, const Tensor& b) { return a - b; };
  EXPECT_TRUE(same_bits(freeze(apart, {x, y}).run({x, y})[0], expected));
  EXPECT_TRUE(same_bits(freeze(compile(apart), {x, y}).run({x, y})[0], expected));
  EXPECT_TRUE(
      same_bits(freeze([](TensorList t) { return t[0] - t[1]; }, {x, y}).run({x, y})[0], expected));
  const auto vector = [](const std::vector<Tensor>& t) { return t[0] - t[1]; };
  EXPECT_TRUE(same_bits(freeze(vector, {x, y}).run({x, y})[0], expected));
}

TEST(Freeze, ParamsAndCapturesAreConstantsByName) {
  const Tensor w = noise({3, 3}), c = noise({3}, 2);
  const Program program =
      freeze([&](const Tensor& x) { return matmul(x, w) + c; }, {noise({2, 3})}, {w});
  EXPECT_TRUE(contains(program.str(), "(%x0: f32[2,3], %p0: f32[3,3], %c1: f32[3])"))
      << program.str();
}

TEST(Freeze, WhatIsWrittenToAParamLaterDoesNotReachTheProgram) {
  float memory[2] = {1, 2};
  const Tensor w = full({2}, 3.0), exposed = from_blob(memory, {2});
  const Program program =
      freeze([&](const Tensor& x) { return x * w + exposed; }, {ones({2})}, {w});
  w.fill_(100);
  memory[0] = memory[1] = 100;
  EXPECT_TRUE(same_bits(program.run({ones({2})})[0], tensor({4.0f, 5.0f})));
}

TEST(Freeze, AConstantIsWhatItWasAtEachUse) {
  const auto fn = [](const Tensor& x) {
    const Tensor host = zeros({1});
    const Tensor first = x + host;
    host.data_ptr<float>()[0] = 5;
    return first * 100 + (x + host);
  };
  const Tensor x = tensor({2.0f});
  EXPECT_TRUE(same_bits(freeze(fn, {x}).run({x})[0], tensor({207.0f})));
}

TEST(Freeze, WhatDependsOnNoExampleIsComputedOnce) {
  const Tensor w = noise({4, 3}), b = noise({4}, 2);
  const auto fn = [&](const Tensor& x) {
    const float bound = abs(w).max().item<float>();  // of a constant: a number
    const Tensor positions = nonzero(b > 0).squeeze(1);
    return linear(x, exp(w) / bound, sin(b) * 2) + b.index_select(0, positions).sum();
  };
  const Tensor x = noise({2, 3}, 4);
  const Program program = freeze(fn, {x}, {w, b});
  EXPECT_FALSE(contains(program.str(), "= exp ") || contains(program.str(), "= sin") ||
               contains(program.str(), "= index_select"))
      << program.str();
  EXPECT_TRUE(same_bits(program.run({x})[0], fn(x)));
}

TEST(Freeze, WeightsInsideACompositeAreFolded) {
  const Tensor gamma = noise({4}), beta = noise({4}, 2), mean = noise({4}, 3);
  const Tensor variance = abs(noise({4}, 4)) + 1;
  const Tensor x = noise({2, 4, 3}, 5);
  const auto fn = [&](const Tensor& t) { return batch_norm(t, gamma, beta, mean, variance); };
  const Program program = freeze(fn, {x});
  const std::string text = program.str();
  EXPECT_FALSE(contains(text.substr(text.find("normalized:")), "sqrt")) << text;
  EXPECT_TRUE(same_bits(program.run({x})[0], fn(x)));
}

TEST(Freeze, ViewsOfOneWeightShareItsCopy) {
  const Tensor w = noise({6, 2});
  const auto fn = [&](const Tensor& x) {
    const std::vector<Tensor> parts = w.chunk(3);
    return linear(x, parts[0]) + linear(x, parts[1]) * linear(x, parts[2]);
  };
  const Tensor x = noise({4, 2}, 5);
  const Program program = freeze(fn, {x}, {w});
  EXPECT_TRUE(contains(program.str(), "constants 1\n")) << program.str();
  EXPECT_TRUE(same_bits(program.run({x})[0], fn(x)));
}

TEST(Freeze, AWeightThatTheHostMayWriteToIsCopiedOnce) {
  float memory[2] = {1, 2};
  const Tensor w = from_blob(memory, {2});
  const auto fn = [&](const Tensor& x) { return ((x * w) * w) * w; };
  const Program program = freeze(fn, {ones({2})}, {w});
  EXPECT_TRUE(contains(program.str(), "constants 1\n")) << program.str();
}

TEST(Freeze, FillsAreNoConstantsInMemory) {
  const auto fn = [](const Tensor& x) { return x + ones_like(x) * zeros({1}); };
  const Program program = freeze([](const Tensor& x) { return x + ones_like(x); }, {noise({1000})});
  EXPECT_TRUE(contains(program.str(), "constants 0\n")) << program.str();
  const Tensor x = noise({5});
  EXPECT_TRUE(same_bits(freeze(fn, {x}).run({x})[0], fn(x)));
}

TEST(Freeze, OutputsThatAreInputsViewsConstantsOrTwinsAreTensorsOfTheirOwn) {
  const Tensor c = noise({2}), x = noise({2, 3}, 5);
  const auto fn = [&](const Tensor& t) {
    const Tensor y = t * 2;
    return std::vector<Tensor>{t, t.t(), c, y, y, y.slice(1, 0, 3, 2), c.expand({3, 2})};
  };
  const Program program = freeze(fn, {x});
  const std::vector<Tensor> expected = fn(x), outputs = program.run({x});
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_TRUE(same_bits(outputs[i], expected[i])) << i;
    EXPECT_EQ(program.outputs()[i].sizes, outputs[i].sizes().vec());
    EXPECT_EQ(program.outputs()[i].strides, outputs[i].strides().vec());
  }
  EXPECT_EQ(outputs[1].strides(), x.t().strides());
  for (const Tensor& output : outputs) output.fill_(-1);
  EXPECT_TRUE(same_bits(program.run({x})[2], c));
  EXPECT_EQ(x.min().item<float>(), noise({2, 3}, 5).min().item<float>());
}

TEST(Freeze, AnIndexFromAnInputIsLookedUpAtEachRun) {
  const Tensor table = noise({5, 2});
  const auto fn = [&](const Tensor& ids) { return embedding(table, ids) * 2; };
  const Program program = freeze(fn, {tensor({0, 1}, kInt64)}, {table});
  const Tensor ids = tensor({4, 2}, kInt64);
  EXPECT_TRUE(same_bits(program.run({ids})[0], fn(ids)));
  const Tensor beyond = tensor({4, 5}, kInt64);
  EXPECT_NE(error_of([&] { program.run({beyond}); }).find("out of range"), std::string::npos);
}

// Also of what the plan computes in another dtype, or in two steps.
TEST(Freeze, AScatterOutOfRangeIsTheErrorThatItIsEagerly) {
  const Tensor x = noise({5, 2}), rows = noise({2, 2}, 7);
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      [&](const Tensor& ids) { return index_add(x, 0, ids, rows * 3, 2) * 2; },
      [&](const Tensor& ids) { return index_add(x.to(kFloat16), 0, ids, rows.to(kFloat16)) * 2; },
      [&](const Tensor& ids) {
        return scatter_reduce(x, 0, ids.unsqueeze(1), rows, "amax", false) * 2;
      },
      [&](const Tensor& ids) { return index_put(x, {ids}, rows, true) * 2; },
  };
  for (const auto& fn : functions) {
    const Program program = freeze(fn, {tensor({0, 1}, kInt64)}, {x, rows});
    const Tensor ids = tensor({4, 4}, kInt64), beyond = tensor({4, 5}, kInt64);
    EXPECT_TRUE(same_bits(program.run({ids})[0], fn(ids)));
    const std::string error = error_of([&] { program.run({beyond}); });
    EXPECT_NE(error.find("out of range"), std::string::npos) << error;
    EXPECT_EQ(error, error_of([&] { fn(beyond); }));
  }
}

TEST(Freeze, AFunctionWithoutTensorsIsAConstant) {
  const Program program = freeze([] { return ones({2}) * 3; }, {});
  EXPECT_TRUE(same_bits(program.run({})[0], tensor({3.0f, 3.0f})));
}

TEST(Freeze, AProgramMayBeFrozenIntoAnotherOnlyWhereItIsConstant) {
  const Tensor w = noise({3});
  const Program inner = freeze([](const Tensor& x) { return x * 2; }, {w});
  const auto on_constant = [&](const Tensor& x) { return x + inner.run({w})[0]; };
  const Tensor x = noise({3}, 4);
  EXPECT_TRUE(same_bits(freeze(on_constant, {x}).run({x})[0], x + w * 2));
  const auto on_input = [&](const Tensor& t) { return inner.run({t})[0]; };
  EXPECT_EQ(error_of([&] { freeze(on_input, {x}); }),
            "freeze: Program::run before the first op: its value depends on an example");
}

TEST(Freeze, AFrozenFunctionLeavesNoTraceInTheEngine) {
  const Stats before = stats();
  const Program program = freeze([](const Tensor& x) { return x + 1; }, {noise({3})});
  EXPECT_EQ(stats().recordings, before.recordings);
  EXPECT_EQ(stats().plans, before.plans);
}

}  // namespace
}  // namespace frit

// Running a Program: guards, given outputs, threads, and what is pending around it.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

Program doubling(const Tensor& example) {
  return freeze([](const Tensor& x) { return x * 2; }, {example});
}

TEST(Program, AFailedGuardNamesTheInputAndBothSides) {
  const Program program = freeze([](const Tensor& x, const Tensor& y) { return matmul(x, y); },
                                 {noise({2, 3}), noise({3, 4}, 2)});
  const auto run = [&](const Tensor& x, const Tensor& y) {
    return error_of([&] { program.run({x, y}); });
  };
  const Tensor x = noise({2, 3}), y = noise({3, 4});
  EXPECT_EQ(run(x, y), "no error");
  EXPECT_EQ(run(x, noise({3, 5})), "run(x1: f32[3,5]): guard failed: expected f32[3,4]");
  EXPECT_EQ(run(to(x, kFloat64), y), "run(x0: f64[2,3]): guard failed: expected f32[2,3]");
  EXPECT_EQ(run(noise({3, 2}).t(), y), "run(x0: f32[2,3]{1,2}): guard failed: expected f32[2,3]");
  EXPECT_EQ(run(x, Tensor()), "run(x1: undefined): guard failed: expected f32[3,4]");
  EXPECT_EQ(error_of([&] { program.run({x}); }), "run(1 inputs): expected 2");
}

TEST(Program, GuardsTheModesOfTheFloatingPointUnit) {
  const Tensor x = noise({3});
  const Program program = doubling(x);
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  const std::string error = error_of([&] { program.run({x}); });
  _mm_setcsr(saved);
  EXPECT_NE(error.find("run(MXCSR: 0x"), std::string::npos) << error;
  EXPECT_NE(error.find("guard failed: expected 0x"), std::string::npos) << error;
  EXPECT_TRUE(same_bits(program.run({x})[0], x * 2));
}

TEST(Program, AProgramForFlushedDenormalsRunsInThatMode) {
  const unsigned saved = _mm_getcsr();
  const Tensor x = tensor({1e-41f, 1.0f});
  _mm_setcsr(saved | 0x8040);
  const auto fn = [](const Tensor& t) { return t * 1; };
  const Tensor expected = fn(x), output = freeze(fn, {zeros({2})}).run({x})[0];
  _mm_setcsr(saved);
  EXPECT_TRUE(same_bits(output, expected));
  EXPECT_EQ(output[0].item<float>(), 0.0f);
}

TEST(Program, TheNumberOfThreadsMayChange) {
  const Tensor x = noise({300, 300});
  const Program program = freeze([](const Tensor& t) { return softmax(t, 1); }, {x});
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor one = program.run({x})[0];
  set_num_threads(3);
  EXPECT_TRUE(same_bits(program.run({x})[0], one));
  set_num_threads(before);
}

TEST(Program, WritesToGivenTensorsWhereverTheyLie) {
  const Tensor w = noise({3, 3}, 7), x = noise({2, 3});
  const Program program = freeze(
      [&](const Tensor& t) {
        return std::vector<Tensor>{t + 1, matmul(t, w), t.amax({1})};
      },
      {x});
  std::vector<float> memory(40, -7);
  const Tensor all = from_blob(memory.data(), {40});
  const Tensor a = all.slice(0, 1, 7).view({2, 3}), b = all.slice(0, 7, 13).view({2, 3});
  const Tensor c = all.slice(0, 14, 16);
  program.run({x}, {a, b, c});
  EXPECT_TRUE(same_bits(a, x + 1));
  EXPECT_TRUE(same_bits(b, matmul(x, w)));
  EXPECT_TRUE(same_bits(c, x.amax({1})));
  EXPECT_EQ(memory[0], -7);
  EXPECT_EQ(memory[13], -7);
  EXPECT_EQ(memory[16], -7);
}

TEST(Program, RefusesOutputsThatDoNotFitOrShareMemory) {
  const Tensor x = noise({4});
  const Program program = freeze(
      [](const Tensor& t) {
        return std::vector<Tensor>{t + 1, t + 2};
      },
      {x});
  const auto run = [&](TensorList outputs) { return error_of([&] { program.run({x}, outputs); }); };
  const Tensor a = noise({4}, 2), six = noise({6}, 3);
  EXPECT_EQ(run({a}), "run(1 outputs): expected 2");
  EXPECT_EQ(run({a, noise({5})}), "run(output 1: f32[5]): guard failed: expected f32[4]");
  EXPECT_EQ(run({a, x}), "run(output 1): shares memory with input 0");
  EXPECT_EQ(run({six.slice(0, 0, 4), six.slice(0, 2, 6)}),
            "run(output 1): shares memory with output 0");
  EXPECT_TRUE(same_bits(a, noise({4}, 2)));
}

TEST(Program, ReadsWhatIsPending) {
  HotScope hot;
  const Program program = doubling(noise({8}));
  const Tensor a = noise({8}, 2);
  for (int i = 0; i < 6; ++i) {
    const Tensor b = exp(a + i);
    EXPECT_TRUE(same_bits(program.run({b})[0], exp(a + i) * 2)) << i;
  }
}

TEST(Program, WhatWaitsToReadAnOutputRunsBeforeItIsWritten) {
  HotScope hot;
  const Program program = doubling(noise({8}));
  const Tensor x = noise({8}, 2);
  for (int i = 0; i < 6; ++i) {
    const Tensor target = full({8}, 1.0 * i);
    const Tensor old = exp(target) + 1;
    program.run({x}, {target});
    const Tensor fresh = exp(target) + 1;
    EXPECT_TRUE(same_bits(old, exp(full({8}, 1.0 * i)) + 1)) << i;
    EXPECT_TRUE(same_bits(fresh, exp(x * 2) + 1)) << i;
  }
}

TEST(Program, AnyNumberOfThreadsMayRunIt) {
  const Tensor w = noise({32, 32});
  const auto fn = [&](const Tensor& x) { return softmax(matmul(x, w), -1); };
  const Program program = freeze(fn, {noise({4, 32})}, {w});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Tensor x = noise({4, 32}, t + 2), expected = fn(x), given = empty({4, 32});
      for (int i = 0; i < 50; ++i) {
        program.run({x}, {given});
        wrong += !same_bits(given, expected) || !same_bits(program.run({x})[0], expected);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Program, OutlivesItsParamsAndTrim) {
  Program program = doubling(noise({3}));
  {
    const Tensor w = noise({3}, 9);
    program = freeze([&](const Tensor& x) { return x + w; }, {noise({3})}, {w});
  }
  trim();
  const Tensor x = noise({3}, 4);
  EXPECT_TRUE(same_bits(program.run({x})[0], x + noise({3}, 9)));
}

TEST(Program, SaysWhatItIs) {
  const Program program =
      freeze([](const Tensor& x) { return relu(x * 2 + 1); }, {noise({4, 2}).t()});
  EXPECT_EQ(program.inputs()[0].str(), "f32[2,4]{1,2}");
  EXPECT_EQ(program.outputs()[0].str(), "f32[2,4]{1,2}");
  const std::string text = program.str();
  for (const char* part : {"inputs 1, outputs 1, constants 0", "x0: f32[2,4]{1,2}", "MXCSR: 0x",
                           "captured:\ngraph %program", "kernels: 1\n", "by "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace frit

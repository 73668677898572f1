// Frozen models give eager's bits, before and after a round trip through a file.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "frit/frit.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

// For the JIT off and on: several inputs through the program, through the file's, and into given
// tensors, against eager.
template <class F>
void expect_same(F fn, const std::vector<IntArrayRef>& shapes, const std::vector<Tensor>& params) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/model.frit";
  for (const char* mode : {"off", "on"}) {
    set_jit_mode(mode);
    std::vector<Tensor> inputs;
    const auto make = [&](int seed) {
      inputs.clear();
      for (const IntArrayRef& shape : shapes) inputs.push_back(noise(shape, seed));
    };
    make(1);
    const Program program = freeze(fn, inputs, params);
    program.save(path);
    const Program loaded = Program::load(path);
    EXPECT_EQ(loaded.inputs(), program.inputs());
    EXPECT_EQ(loaded.outputs(), program.outputs());
    for (int seed = 2; seed < 6; ++seed) {
      make(seed);
      const Tensor expected = fn(TensorList(inputs));
      EXPECT_TRUE(same_bits(program.run(inputs)[0], expected)) << mode;
      EXPECT_TRUE(same_bits(loaded.run(inputs)[0], expected)) << mode;
      const Tensor given = empty_strided(program.outputs()[0].sizes, program.outputs()[0].strides);
      program.run(inputs, {given});
      EXPECT_TRUE(same_bits(given, expected)) << mode;
    }
  }
}

TEST(Freeze, AnMlpHasEagersBits) {
  const Tensor w0 = noise({64, 32}, 7), b0 = noise({64}, 8), w1 = noise({10, 64}, 9);
  const auto mlp = [=](TensorList x) {
    return softmax(linear(gelu(linear(x[0], w0, b0)), w1) * 0.5, -1);
  };
  expect_same(mlp, {{5, 32}}, {w0, b0, w1});
}

TEST(Freeze, AConvnetHasEagersBits) {
  const Tensor w0 = noise({8, 3, 3, 3}, 7), w1 = noise({16, 8, 3, 3}, 8), w2 = noise({4, 16}, 9);
  const Tensor gamma = noise({8}, 3), beta = noise({8}, 4), mean = noise({8}, 5);
  const Tensor variance = abs(noise({8}, 6)) + 0.1;
  const auto convnet = [=](TensorList x) {
    Tensor h = relu(batch_norm(conv2d(x[0], w0, {}, {1}, {1}), gamma, beta, mean, variance));
    h = max_pool2d(h, {2});
    h = relu(conv2d(h, w1, {}, {2}, {1}));
    return linear(h.mean({2, 3}), w2);
  };
  expect_same(convnet, {{2, 3, 12, 12}}, {w0, w1, w2, gamma, beta, mean, variance});
}

TEST(Freeze, ATransformerBlockHasEagersBits) {
  constexpr int64_t kWidth = 32, kHeads = 4, kLength = 9;
  const Tensor qkv = noise({3 * kWidth, kWidth}, 2) * 0.2, out = noise({kWidth, kWidth}, 3) * 0.2;
  const Tensor up = noise({4 * kWidth, kWidth}, 4) * 0.2,
               down = noise({kWidth, 4 * kWidth}, 5) * 0.2;
  const Tensor scale = noise({kWidth}, 6), shift = noise({kWidth}, 7);
  const auto block = [=](TensorList inputs) {
    const Tensor x = inputs[0];
    const auto heads = [&](const Tensor& t) {
      return t.view({1, kLength, kHeads, kWidth / kHeads}).transpose(1, 2);
    };
    const std::vector<Tensor> parts =
        linear(layer_norm(x, {kWidth}, scale, shift), qkv).chunk(3, -1);
    const Tensor attended =
        scaled_dot_product_attention(heads(parts[0].contiguous()), heads(parts[1].contiguous()),
                                     heads(parts[2].contiguous()), {}, 0.0, true);
    const Tensor h = x + linear(attended.transpose(1, 2).reshape({1, kLength, kWidth}), out);
    return h + linear(gelu(linear(layer_norm(h, {kWidth}, scale, shift), up)), down);
  };
  expect_same(block, {{1, kLength, kWidth}}, {qkv, out, up, down, scale, shift});
}

TEST(Freeze, ALongChainOfOpsHasEagersBits) {
  const auto chain = [](TensorList x) {
    Tensor h = x[0];
    for (int i = 0; i < 700; ++i) h = (h * 1.01 + x[1]).tanh();
    return h;
  };
  expect_same(chain, {{17}, {17}}, {});
}

TEST(Freeze, SpecialValuesKeepTheirBits) {
  const auto fn = [](TensorList x) { return relu(x[0] * 0.0) - x[0] / 3.0; };
  const Tensor x = tensor({0.0f, -0.0f, 1e-42f, -1e-42f, INFINITY, -INFINITY, NAN, 1e38f});
  const Program program = freeze(fn, {zeros({8})});
  EXPECT_TRUE(same_bits(program.run({x})[0], fn({x})));
}

TEST(Freeze, OtherDtypesKeepTheirBits) {
  const Tensor w = noise({4, 8}, 3);
  for (Dtype dtype : {kFloat16, kBFloat16, kFloat64}) {
    const Tensor weight = to(w, dtype);
    const auto fn = [&](const Tensor& x) { return sigmoid(linear(x, weight)) * 3; };
    const Tensor x = to(noise({3, 8}, 5), dtype);
    EXPECT_TRUE(same_bits(freeze(fn, {x}).run({x})[0], fn(x))) << name(dtype);
  }
  const auto ints = [](const Tensor& x) { return where(x > 3, x * 7, x & 1); };
  const Tensor x = arange(10);
  EXPECT_TRUE(same_bits(freeze(ints, {x}).run({x})[0], ints(x)));
}

}  // namespace
}  // namespace frit

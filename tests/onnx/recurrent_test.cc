// Recurrent layers: directions, state and layouts, against steps worked out by hand. ONNX's own
// tests (backend_test) hold the cells to their formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "tests/error_of.h"
#include "tests/onnx/make_model.h"
#include "tests/onnx/one_node.h"

namespace frit::onnx {
namespace {

float sigmoid_of(float x) { return 1 / (1 + std::exp(-x)); }

Floats floats(const Tensor& t) {
  const Tensor flat = t.contiguous();
  const float* p = flat.const_data_ptr<float>();
  return {p, p + flat.numel()};
}

void expect_near(const Tensor& got, const Floats& expected) {
  const Floats values = floats(got);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6f) << i;
}

// An RNN with one input, one hidden value and ReLU: h = x + 2 * h.
struct SmallRnn : OneNode {
  explicit SmallRnn(int64_t directions) : OneNode("RNN", 1, 14) {
    constant(float_tensor("w", {directions, 1, 1}, Floats(directions, 1)));
    constant(float_tensor("r", {directions, 1, 1}, Floats(directions, 2)));
    with("hidden_size", 1);
    AttributeProto& activations = *node->add_attribute();
    activations.set_name("activations");
    activations.set_type(AttributeProto::STRINGS);
    for (int64_t d = 0; d < directions; ++d) activations.add_strings("Relu");
  }
};

TEST(OnnxRecurrent, ForwardCarriesTheStateOn) {
  expect_near(SmallRnn(1).run({f32({3, 1, 1}, {1, 1, 1})}), {1, 3, 7});
}

TEST(OnnxRecurrent, ReverseBeginsAtTheEnd) {
  SmallRnn m(1);
  expect_near(m.with("direction", "reverse").run({f32({3, 1, 1}, {1, 0, 1})}), {5, 2, 1});
}

TEST(OnnxRecurrent, BidirectionalGivesBothAtEachStep) {
  SmallRnn m(2);
  const Tensor y = m.with("direction", "bidirectional").run({f32({2, 1, 1}, {1, 10})});
  EXPECT_EQ(y.sizes().vec(), (Ints{2, 2, 1, 1}));
  expect_near(y, {1, 21, 12, 10});
}

TEST(OnnxRecurrent, BatchFirstPutsTheBatchFirst) {
  SmallRnn m(1);
  const Tensor y = m.with("layout", 1).run({f32({2, 3, 1}, {1, 1, 1, 0, 0, 5})});
  EXPECT_EQ(y.sizes().vec(), (Ints{2, 3, 1, 1}));
  expect_near(y, {1, 3, 7, 0, 0, 5});
}

TEST(OnnxRecurrent, BeginsFromTheGivenState) {
  SmallRnn m(1);
  m.node->add_input("");  // bias
  m.node->add_input("");  // lengths
  m.constant(float_tensor("h", {1, 1, 1}, {4}));
  expect_near(m.run({f32({2, 1, 1}, {1, 1})}), {9, 19});
}

TEST(OnnxRecurrent, GruMayResetAfterTheProduct) {
  OneNode m("GRU", 1, 14);
  m.constant(float_tensor("w", {1, 3, 1}, {0, 0, 1}));
  m.constant(float_tensor("r", {1, 3, 1}, {0, 0, 1}));
  m.constant(float_tensor("b", {1, 6}, {0, 0, 0, 0, 0, 3}));
  m.with("hidden_size", 1).with("linear_before_reset", 1);
  // Both gates are sigmoid(0); the bias of the product is halved with it.
  const float first = 0.5f * std::tanh(1 + 0.5f * 3);
  const float second = 0.5f * std::tanh(1 + 0.5f * (first + 3)) + 0.5f * first;
  expect_near(m.run({f32({2, 1, 1}, {1, 1})}), {first, second});
}

TEST(OnnxRecurrent, LstmGatesAreInputOutputForgetCell) {
  OneNode m("LSTM", 1, 14);
  m.constant(float_tensor("w", {1, 4, 1}, {1, 2, 3, 4}));
  m.constant(float_tensor("r", {1, 4, 1}, {0, 0, 0, 0}));
  m.with("hidden_size", 1);
  const float c = sigmoid_of(1) * std::tanh(4);
  const float next = sigmoid_of(3) * c + c;
  expect_near(m.run({f32({2, 1, 1}, {1, 1})}),
              {sigmoid_of(2) * std::tanh(c), sigmoid_of(2) * std::tanh(next)});
}

TEST(OnnxRecurrent, RefusesOtherActivationsAndLengths) {
  OneNode m("LSTM", 3, 14);
  m.with("hidden_size", 1);
  AttributeProto& activations = *m.node->add_attribute();
  activations.set_name("activations");
  activations.set_type(AttributeProto::STRINGS);
  for (const char* text : {"Sigmoid", "Tanh", "Affine"}) activations.add_strings(text);
  EXPECT_EQ(load_error(m.maker),
            "onnx(m.onnx): unsupported attribute \"activations\": node \"#0\", LSTM");
  SmallRnn short_one(1);
  short_one.node->add_input("");
  short_one.constant(int64_tensor("lengths", {1}, {1}));
  EXPECT_EQ(error_of([&] {
              short_one.run({ones({2, 1, 1})});
            }),
            "onnx(m.onnx): node \"#0\", RNN: sequences of several lengths: 1 of 2");
}

}  // namespace
}  // namespace frit::onnx

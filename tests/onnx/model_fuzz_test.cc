// Thousands of damaged models: each is read, or refused with an Error. Anything else ends the test.
#include <gtest/gtest.h>

#include <random>

#include "src/onnx/model.h"
#include "tests/onnx/make_model.h"

namespace frit::onnx {
namespace {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937;

constexpr int kSeed = 20;
constexpr int kRounds = 5'000;

// A little of everything: a branch, tensors in both forms, attributes of most kinds.
ModelMaker make_seed() {
  ModelMaker m;
  GraphMaker branch;
  branch.node("Add", {"h", "b"}, {"inner"});
  branch.output("inner");
  m.input("x", TensorProto::FLOAT, {-1, 2});
  m.input("c", TensorProto::BOOL, {});
  m.initializer(float_tensor("w", {2, 2}, {1, 2, 3, 4}));
  TensorProto bias = float_tensor("b", {2}, {});
  bias.set_raw_data("12345678");
  m.initializer(bias);
  set(set(m.node("Gemm", {"x", "w", "b"}, {"h"}), "alpha", 1.0f), "transB", 1);
  set(m.node("Constant", {}, {"shape"}), "value", int64_tensor("", {2}, {1, -1}));
  set(set(m.node("If", {"c"}, {"i"}), "then_branch", branch.graph), "else_branch", branch.graph);
  set(m.node("Reshape", {"i", "shape"}, {"y"}), "axes", Ints{0, 1});
  m.output("y");
  return m;
}

// One to four bytes changed, removed, doubled or cut off.
Bytes damage(Bytes bytes, Random& random) {
  for (int n = 1 + random() % 4; n > 0 && !bytes.empty(); --n) {
    const auto at = bytes.begin() + random() % bytes.size();
    switch (random() % 6) {
      case 0:
        *at = std::byte(random());
        break;
      case 1:
        *at ^= std::byte(1 << random() % 8);
        break;
      case 2:
        *at = std::byte(random() % 2 ? 0xFF : 0);
        break;
      case 3:
        bytes.erase(at, at + std::min<ptrdiff_t>(1 + random() % 4, bytes.end() - at));
        break;
      case 4:
        bytes.insert(at, *at);
        break;
      case 5:
        bytes.erase(at, random() % 8 ? at + 1 : bytes.end());
        break;
    }
  }
  return bytes;
}

// Whether the model was read; an Error means that it was not.
bool reads(const Bytes& bytes) {
  try {
    parse_model(bytes, "fuzz.onnx");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(ModelFuzz, DamagedBytesAreReadOrRefused) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const Bytes seed = make_seed().bytes();
  ASSERT_TRUE(reads(seed));
  Random random(kSeed);
  int num_read = 0;
  for (int round = 0; round < kRounds; ++round) num_read += reads(damage(seed, random));
  // Both happen often, or the damage is of the wrong size.
  EXPECT_GT(num_read, kRounds / 50);
  EXPECT_LT(num_read, kRounds / 2);
}

TEST(ModelFuzz, EveryPrefixButTheWholeIsRefused) {
  const Bytes seed = make_seed().bytes();
  for (size_t size = 0; size < seed.size(); ++size)
    EXPECT_FALSE(reads(Bytes(seed.begin(), seed.begin() + size))) << size;
}

// Damage to the meaning: numbers and names in well-formed messages.
TEST(ModelFuzz, DamagedFieldsAreReadOrRefused) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  constexpr int64_t kNumbers[] = {0, 1, -1, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN, 1ll << 33};
  const Strings names = {"", "x", "h", "w", "y", "i", "inner", "nobody"};
  Random random(kSeed);
  const auto number = [&] { return kNumbers[random() % std::size(kNumbers)]; };
  const auto name = [&] { return names[random() % names.size()]; };
  for (int round = 0; round < kRounds; ++round) {
    ModelMaker m = make_seed();
    GraphProto& graph = m.graph;
    NodeProto& node = *graph.mutable_node(random() % graph.node_size());
    TensorProto& tensor = *graph.mutable_initializer(random() % graph.initializer_size());
    switch (random() % 8) {
      case 0:
        tensor.add_dims(number());
        break;
      case 1:
        tensor.set_dims(0, number());
        break;
      case 2:
        tensor.set_data_type(static_cast<int>(random() % 20));
        break;
      case 3:
        tensor.set_name(name());
        break;
      case 4:
        node.add_input(name());
        break;
      case 5:
        node.set_output(0, name());
        break;
      case 6:
        graph.mutable_node()->SwapElements(0, random() % graph.node_size());
        break;
      case 7:
        if (node.attribute_size() > 0)
          node.mutable_attribute(0)->set_type(
              static_cast<AttributeProto::AttributeType>(random() % 15));
        break;
    }
    reads(m.bytes());
  }
}

}  // namespace
}  // namespace frit::onnx

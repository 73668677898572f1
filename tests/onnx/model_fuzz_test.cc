// Thousands of damaged models: each is read, or refused with an Error. Anything else ends the test.
#include <gtest/gtest.h>

#include "src/onnx/model.h"
#include "tests/onnx/damage.h"

namespace frit::onnx {
namespace {

constexpr int kSeed = 20;
constexpr int kRounds = 5'000;

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

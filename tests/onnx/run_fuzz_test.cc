// Thousands of damaged models, loaded and run: each gives an Error or outputs. Anything else ends
// the test.
#include <gtest/gtest.h>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "tests/onnx/damage.h"

namespace frit::onnx {
namespace {

constexpr int kSeed = 30;
constexpr int kRounds = 5'000;

enum class Outcome { kRefused, kFailed, kRan };

Outcome load_and_run(const Bytes& bytes, const std::vector<Tensor>& inputs) {
  std::optional<Model> model;
  try {
    model = Model::parse(bytes, "fuzz.onnx");
    model->run(inputs);
  } catch (const Error&) {
    return model ? Outcome::kFailed : Outcome::kRefused;
  }
  return Outcome::kRan;
}

TEST(RunFuzz, DamagedModelsRunOrAreRefused) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const Bytes seed = make_seed().bytes();
  const std::vector<Tensor> inputs = {ones({3, 2}), tensor(true)};
  ASSERT_EQ(load_and_run(seed, inputs), Outcome::kRan);
  Random random(kSeed);
  int counts[3] = {};
  for (int round = 0; round < kRounds; ++round)
    ++counts[static_cast<int>(load_and_run(damage(seed, random), inputs))];
  // All three happen, or the damage is of the wrong kind.
  for (const int count : counts) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace frit::onnx

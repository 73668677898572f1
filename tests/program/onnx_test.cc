// Imported models freeze like any function, and give eager's bits.
#include <gtest/gtest.h>

#include <filesystem>

#include "frit/frit.h"
#include "frit/onnx.h"
#include "tests/error_of.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

struct Case {
  const char* file;
  std::vector<int64_t> sizes;
};

class FrozenModel : public testing::TestWithParam<Case> {};

TEST_P(FrozenModel, HasEagersBits) {
  const std::string path = std::string("models/") + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there: see tools/setup";
  const onnx::Model model = onnx::Model::load(path);
  const Program program =
      freeze([&](TensorList x) { return model.run(x); }, {noise(GetParam().sizes)});
  set_jit_mode("off");
  for (int seed = 2; seed < 5; ++seed) {
    const Tensor x = noise(GetParam().sizes, seed);
    EXPECT_TRUE(same_bits(program.run({x})[0], model.run({x})[0]));
  }
  set_jit_mode("on");
}

INSTANTIATE_TEST_SUITE_P(Speech, FrozenModel,
                         testing::Values(Case{"melspectrogram.onnx", {1, 1760}},
                                         Case{"embedding_model.onnx", {1, 76, 32, 1}},
                                         Case{"alexa_v0.1.onnx", {1, 16, 96}}));

TEST(FrozenModelTest, WithABranchThatDependsOnAnInputIsRefusedByNode) {
  const std::string path = "models/hey_jarvis_v0.1.onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there: see tools/setup";
  const onnx::Model model = onnx::Model::load(path);
  const std::string error = error_of([&] {
    freeze([&](TensorList x) { return model.run(x); }, {noise({1, 16, 96})});
  });
  EXPECT_NE(error.find("If: freeze: item after op 28 (ge): its value depends on an example"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace frit

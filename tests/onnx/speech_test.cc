// The speech models give onnxruntime's numbers.
#include <gtest/gtest.h>

#include <fstream>

#include "frit/onnx.h"
#include "tests/onnx/speech_cases.h"

namespace frit::onnx {
namespace {

TEST(SpeechModels, GiveOnnxruntimesNumbers) {
  for (const SpeechCase& c : kSpeechCases) {
    const std::string path = "models/" + std::string(c.file) + ".onnx";
    if (!std::ifstream(path)) GTEST_SKIP() << path << " is not here";
    const Tensor output = Model::load(path).run({make_input(c)}).at(0).contiguous();
    const float* p = output.const_data_ptr<float>();
    for (size_t i = 0; i < c.expected.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * c.stride;
      ASSERT_LT(at, output.numel()) << c.file;
      EXPECT_NEAR(p[at], c.expected[i], 1e-4f * std::max(1.0f, std::abs(c.expected[i])))
          << c.file << " at " << at;
    }
  }
}

}  // namespace
}  // namespace frit::onnx

// The speech models compiled: the same bits as eagerly, run after run.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>

#include "frit/compile.h"
#include "frit/onnx.h"
#include "tests/onnx/speech_cases.h"

namespace frit::onnx {
namespace {

using Bits = std::vector<uint32_t>;

Bits bits(const Tensor& t) {
  const Tensor flat = t.contiguous();
  const float* p = flat.const_data_ptr<float>();
  Bits result;
  for (int64_t i = 0; i < flat.numel(); ++i) result.push_back(std::bit_cast<uint32_t>(p[i]));
  return result;
}

TEST(SpeechPlans, GiveEagersBits) {
  const int64_t entries_before = stats().plan_entries;
  for (const SpeechCase& c : kSpeechCases) {
    const std::string path = "models/" + std::string(c.file) + ".onnx";
    if (!std::ifstream(path)) GTEST_SKIP() << path << " is not here";
    const Model model = Model::load(path);
    const std::vector<Tensor> inputs = {make_input(c)};
    set_jit_mode("off");
    const Bits eager = bits(model.run(inputs).at(0));
    set_jit_mode("on");
    const auto compiled = compile([&](const std::vector<Tensor>& x) { return model.run(x); });
    for (int run = 0; run < 6; ++run)
      EXPECT_EQ(bits(compiled(inputs).at(0)), eager) << c.file << ", run " << run;
  }
  EXPECT_GT(stats().plan_entries, entries_before);
}

}  // namespace
}  // namespace frit::onnx

// The three models of the wake-word detector and an input for each.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace frit::bench {

inline std::string models_directory() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return std::string(workspace == nullptr ? "." : workspace) + "/models";
}

struct ModelCase {
  const char* file;
  std::vector<int64_t> shape;
};
inline const ModelCase kModels[] = {{"melspectrogram.onnx", {1, 1760}},
                                    {"embedding_model.onnx", {1, 76, 32, 1}},
                                    {"alexa_v0.1.onnx", {1, 16, 96}}};

inline std::vector<float> input_of(const ModelCase& model) {
  int64_t count = 1;
  for (int64_t size : model.shape) count *= size;
  std::vector<float> input(static_cast<size_t>(count));
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 97) * 0.25f - 10;
  return input;
}

}  // namespace frit::bench

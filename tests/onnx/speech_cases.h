// The speech models with inputs, and what onnxruntime 1.30 gave for them.
#pragma once

#include "frit/ops.h"

namespace frit::onnx {

struct SpeechCase {
  const char* file;
  std::vector<int64_t> sizes;  // of the input
  float scale;                 // of its numbers
  uint32_t seed;               // of its numbers, too
  int64_t stride;              // between the output's elements that are compared
  std::vector<float> expected;
};

inline const SpeechCase kSpeechCases[] = {
    {"melspectrogram",
     {1, 1760},
     1000,
     1,
     31,
     {56.883286, 60.480019, 60.54388, 61.018425, 57.545265, 57.142605, 63.754982, 56.956585}},
    {"embedding_model",
     {1, 76, 32, 1},
     10,
     1,
     13,
     {2.0115709, -10.132015, -31.082905, 33.839428, 1.4878612, 13.27844, -22.437748, 27.424259}},
    {"alexa_v0.1", {1, 16, 96}, 20, 1, 1, {0.17712966}},
    {"hey_jarvis_v0.1", {1, 16, 96}, 20, 1, 1, {0.0074370503}},
    {"hey_jarvis_v0.1", {1, 16, 96}, 20, 25, 1, {0.82428348}},
    {"hey_mycroft_v0.1", {1, 16, 96}, 20, 1, 1, {1}},
    {"hey_rhasspy_v0.1", {1, 16, 96}, 20, 1, 1, {0.61481059}},
    {"timer_v0.1",
     {1, 34, 96},
     20,
     1,
     1,
     {0.047418196, 0.047418196, 0.047418196, 0.088868424, 0.047418196, 0.52462763, 0.19683114}},
    {"weather_v0.1", {1, 22, 96}, 20, 1, 1, {0.97728628}},
};

// Numbers without pattern between -1 and 1, times a scale; the same wherever they are made.
inline Tensor make_input(const SpeechCase& c) {
  int64_t count = 1;
  for (const int64_t size : c.sizes) count *= size;
  std::vector<float> values;
  uint32_t state = c.seed;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back((static_cast<float>(state >> 16) / 32768.0f - 1.0f) * c.scale);
  }
  return from_host(values.data(), c.sizes);
}

}  // namespace frit::onnx

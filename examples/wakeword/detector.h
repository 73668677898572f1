// Detector: listens to 16 kHz audio in hops of 80 ms and says how likely the wake word has just
// been heard.
//
// Three ONNX models in a row: samples -> mel spectrogram -> speech embedding -> score. Frames and
// embeddings live in host buffers between the models, as an application would keep them. Plain
// eager Frit code: nothing here asks for acceleration.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frit/onnx.h"

namespace wakeword {

inline constexpr int kHopSamples = 1280;     // 80 ms at 16 kHz
inline constexpr int kHistorySamples = 480;  // what the spectrogram sees before each hop
inline constexpr int kMelBins = 32;
inline constexpr int kWindowFrames = 76;  // of one embedding
inline constexpr int kWindowStep = 8;     // frames between the windows of whole()
inline constexpr int kEmbeddingSize = 96;
inline constexpr int kScoreEmbeddings = 16;  // of one score

struct Models {
  frit::onnx::Model melspectrogram, embedding, classifier;
};

// Loads melspectrogram.onnx, embedding_model.onnx and NAME.onnx from `directory`.
Models load_models(const std::string& directory, const std::string& name);

class Detector {
 public:
  explicit Detector(const Models& models) : models_(models) { reset(); }

  // Forgets all audio: the history is silence again.
  void reset();
  // Takes kHopSamples samples. The score, once there are enough embeddings.
  std::optional<float> hop(std::span<const int16_t> samples);

  struct Window {
    float score;
    double end_seconds;  // end of the score's audio
  };
  // Scores a whole recording from one spectrogram of it, a window every kWindowStep frames.
  std::vector<Window> whole(std::span<const int16_t> samples);

 private:
  void append_mel(std::span<const float> samples);
  std::vector<float> embed(const float* frames) const;
  float score() const;

  const Models& models_;
  std::vector<float> samples_;                 // history and the current hop
  std::vector<float> frames_;                  // kMelBins values a frame, the latest last
  std::deque<std::vector<float>> embeddings_;  // the latest kScoreEmbeddings
};

}  // namespace wakeword

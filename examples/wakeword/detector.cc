// Runs the three models of the wake-word detector.
#include "examples/wakeword/detector.h"

#include <algorithm>

#include "frit/tensor.h"

namespace wakeword {
namespace {

// One input, one output.
frit::Tensor run(const frit::onnx::Model& model, const frit::Tensor& input) {
  const frit::Tensor inputs[] = {input};
  return model.run(inputs).at(0);
}

// The elements of a model's output, row-major.
std::vector<float> read(const frit::Tensor& output) {
  const frit::Tensor row_major = output.contiguous();
  const float* values = row_major.const_data_ptr<float>();
  return {values, values + row_major.numel()};
}

}  // namespace

Models load_models(const std::string& directory, const std::string& name) {
  return {frit::onnx::Model::load(directory + "/melspectrogram.onnx"),
          frit::onnx::Model::load(directory + "/embedding_model.onnx"),
          frit::onnx::Model::load(directory + "/" + name + ".onnx")};
}

void Detector::reset() {
  samples_.assign(kHistorySamples, 0.0f);
  frames_.clear();
  embeddings_.clear();
}

void Detector::append_mel(std::span<const float> samples) {
  const frit::Tensor input =
      frit::from_host(samples.data(), {1, static_cast<int64_t>(samples.size())});
  for (float value : read(run(models_.melspectrogram, input))) frames_.push_back(value / 10 + 2);
}

std::vector<float> Detector::embed(const float* frames) const {
  return read(run(models_.embedding, frit::from_host(frames, {1, kWindowFrames, kMelBins, 1})));
}

float Detector::score() const {
  std::vector<float> input;
  for (const auto& embedding : embeddings_)
    input.insert(input.end(), embedding.begin(), embedding.end());
  const frit::Tensor t = frit::from_host(input.data(), {1, kScoreEmbeddings, kEmbeddingSize});
  return run(models_.classifier, t).item<float>();
}

std::optional<float> Detector::hop(std::span<const int16_t> samples) {
  samples_.erase(samples_.begin(), samples_.end() - kHistorySamples);
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  append_mel(samples_);
  constexpr size_t kWindowValues = kWindowFrames * kMelBins;
  if (frames_.size() < kWindowValues) return std::nullopt;
  frames_.erase(frames_.begin(), frames_.end() - kWindowValues);
  embeddings_.push_back(embed(frames_.data()));
  if (embeddings_.size() < kScoreEmbeddings) return std::nullopt;
  if (embeddings_.size() > kScoreEmbeddings) embeddings_.pop_front();
  return score();
}

std::vector<Detector::Window> Detector::whole(std::span<const int16_t> samples) {
  reset();
  constexpr size_t kFrameSamples = 512, kFrameStep = 160;
  std::vector<Window> windows;
  if (samples.size() < kFrameSamples) return windows;
  append_mel(std::vector<float>(samples.begin(), samples.end()));
  const size_t frames = frames_.size() / kMelBins;
  for (size_t start = 0; start + kWindowFrames <= frames; start += kWindowStep) {
    embeddings_.push_back(embed(frames_.data() + start * kMelBins));
    if (embeddings_.size() > kScoreEmbeddings) embeddings_.pop_front();
    if (embeddings_.size() < kScoreEmbeddings) continue;
    const double end =
        static_cast<double>((start + kWindowFrames - 1) * kFrameStep + kFrameSamples) / 16000;
    windows.push_back({score(), end});
  }
  return windows;
}

}  // namespace wakeword

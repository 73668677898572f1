// WAV files of 16-bit PCM, as microphones and recorders write them.
//
//   io::Wav wav = io::read_wav("hello.wav");
//   io::require_16k_mono(wav, "hello.wav");     // what the speech models take
//
// Chunks other than "fmt " and "data" are skipped. Other encodings and bit depths are refused,
// other rates and channel counts are read as they are: nothing is resampled or mixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frit::io {

struct Wav {
  int sample_rate = 0;  // frames a second
  int channels = 0;
  std::vector<int16_t> samples;  // interleaved: frame 0 of each channel, frame 1, ...
};

// Throws Error(kRuntime) when the file cannot be read, Error(kValue) when it is malformed,
// Error(kNotImplemented) for encodings other than 16-bit PCM.
Wav read_wav(const std::string& path);

// The same for bytes in memory; `path` names them in errors.
Wav parse_wav(std::span<const std::byte> bytes, const std::string& path);

// Throws Error(kValue) unless the sound has one channel of 16,000 samples a second.
void require_16k_mono(const Wav& wav, const std::string& path);

}  // namespace frit::io

// WAV files: what is read, what is skipped and what is refused.
#include "src/io/wav.h"

#include <gtest/gtest.h>

#include <random>

#include "src/io/file.h"
#include "tests/error_of.h"
#include "tests/io/bytes.h"

namespace frit::io {
namespace {

Bytes chunk(std::string_view name, const Bytes& body) {
  const Bytes pad(body.size() % 2);
  return text_bytes(name) + le<uint32_t>(body.size()) + body + pad;
}

Bytes riff(const Bytes& chunks) {
  return text_bytes("RIFF") + le<uint32_t>(chunks.size() + 4) + text_bytes("WAVE") + chunks;
}

Bytes format(uint16_t encoding, uint16_t channels, uint32_t rate, uint16_t bits) {
  const uint16_t frame = channels * bits / 8;
  return le(encoding) + le(channels) + le(rate) + le<uint32_t>(rate * frame) + le(frame) + le(bits);
}

// A format chunk's body with the encoding in a 16-byte id.
Bytes extensible(uint16_t encoding) {
  const Bytes tail = text_bytes(std::string_view("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14));
  return format(0xFFFE, 1, 16000, 16) + le<uint16_t>(22) + le<uint16_t>(16) + le<uint32_t>(4) +
         le(encoding) + tail;
}

const Bytes kMono16k = chunk("fmt ", format(1, 1, 16000, 16));
const Bytes kTwoSamples = le<int16_t>(-2) + le<int16_t>(300);

Wav parse(const Bytes& bytes) { return parse_wav(bytes, "a.wav"); }
std::string error(const Bytes& bytes) {
  return error_of([&] { parse(bytes); });
}

TEST(Wav, HoldsRateChannelsAndSamples) {
  const Wav wav = parse(riff(chunk("fmt ", format(1, 2, 44100, 16)) + chunk("data", kTwoSamples)));
  EXPECT_EQ(wav.sample_rate, 44100);
  EXPECT_EQ(wav.channels, 2);
  EXPECT_EQ(wav.samples, (std::vector<int16_t>{-2, 300}));
}

TEST(Wav, ReadsFromAFile) {
  const std::string path = testing::TempDir() + "/two.wav";
  write_file(path, riff(kMono16k + chunk("data", kTwoSamples)), "test");
  EXPECT_EQ(read_wav(path).samples, (std::vector<int16_t>{-2, 300}));
}

TEST(Wav, SkipsUnknownChunksAndTheirPadding) {
  const Bytes odd = chunk("LIST", text_bytes("abc"));
  const Wav wav = parse(riff(odd + kMono16k + odd + chunk("data", kTwoSamples) + odd));
  EXPECT_EQ(wav.samples, (std::vector<int16_t>{-2, 300}));
}

TEST(Wav, ReadsExtensiblePcm) {
  const Wav wav = parse(riff(chunk("fmt ", extensible(1)) + chunk("data", kTwoSamples)));
  EXPECT_EQ(wav.samples, (std::vector<int16_t>{-2, 300}));
}

TEST(Wav, MayHoldNoSamples) {
  EXPECT_TRUE(parse(riff(kMono16k + chunk("data", {}))).samples.empty());
}

TEST(Wav, IgnoresTheSizeOfTheWhole) {
  Bytes bytes = riff(kMono16k + chunk("data", kTwoSamples));
  std::fill_n(bytes.begin() + 4, 4, std::byte(0xFF));
  EXPECT_EQ(parse(bytes).samples.size(), 2u);
}

TEST(Wav, RefusesOtherFiles) {
  EXPECT_EQ(error(text_bytes("RIFF")),
            "read_wav(a.wav): not a WAV file: 4 bytes, the header takes 12");
  EXPECT_EQ(error(text_bytes("RIFX\1\2\3\4WAVEfmt ")),
            "read_wav(a.wav): not a WAV file: begins with \"RIFX\" and \"WAVE\", expected \"RIFF\" "
            "and \"WAVE\"");
}

TEST(Wav, RefusesDataLongerThanTheFile) {
  EXPECT_EQ(error(riff(kMono16k + text_bytes("data") + le<uint32_t>(1000) + kTwoSamples)),
            "read_wav(a.wav): truncated: chunk \"data\" says 1000 bytes, the file has 4 left");
}

TEST(Wav, RefusesAFileThatEndsInAChunksHeader) {
  EXPECT_EQ(error(riff(kMono16k + text_bytes("dat"))),
            "read_wav(a.wav): truncated: 3 bytes where a chunk begins");
}

TEST(Wav, RefusesMissingAndMisplacedChunks) {
  EXPECT_EQ(error(riff({})), "read_wav(a.wav): no \"fmt \" chunk");
  EXPECT_EQ(error(riff(kMono16k)), "read_wav(a.wav): no \"data\" chunk");
  EXPECT_EQ(error(riff(chunk("data", kTwoSamples) + kMono16k)),
            "read_wav(a.wav): \"data\" chunk before a \"fmt \" chunk");
  EXPECT_EQ(error(riff(kMono16k + kMono16k)), "read_wav(a.wav): two \"fmt \" chunks");
}

TEST(Wav, RefusesOtherEncodingsByNumber) {
  EXPECT_EQ(error(riff(chunk("fmt ", format(3, 1, 16000, 32)))),
            "read_wav(a.wav): unsupported encoding: 3, only PCM (1) is read");
  EXPECT_EQ(error(riff(chunk("fmt ", extensible(7)))),
            "read_wav(a.wav): unsupported encoding: 7, only PCM (1) is read");
  EXPECT_EQ(error(riff(chunk("fmt ", format(1, 1, 16000, 24)))),
            "read_wav(a.wav): unsupported bit depth: 24, only 16 is read");
}

TEST(Wav, RefusesImpossibleFormats) {
  EXPECT_EQ(error(riff(chunk("fmt ", le<uint16_t>(1)))),
            "read_wav(a.wav): \"fmt \" chunk of 2 bytes, expected at least 16");
  EXPECT_EQ(error(riff(chunk("fmt ", format(0xFFFE, 1, 16000, 16)))),
            "read_wav(a.wav): extensible \"fmt \" chunk of 16 bytes, expected at least 40");
  EXPECT_EQ(error(riff(chunk("fmt ", format(1, 0, 16000, 16)))), "read_wav(a.wav): no channels");
  EXPECT_EQ(error(riff(chunk("fmt ", format(1, 1, 0, 16)))),
            "read_wav(a.wav): impossible sample rate: 0");
  Bytes wide = format(1, 2, 16000, 16);
  wide[12] = std::byte(6);
  EXPECT_EQ(error(riff(chunk("fmt ", wide))),
            "read_wav(a.wav): frames of 6 bytes, expected 4 for 2 channels");
}

TEST(Wav, RefusesPartsOfFrames) {
  EXPECT_EQ(error(riff(kMono16k + chunk("data", text_bytes("abc")))),
            "read_wav(a.wav): \"data\" chunk of 3 bytes is not whole frames of 2");
}

TEST(Wav, OfAnotherRateIsNot16kMono) {
  EXPECT_EQ(error_of([] { require_16k_mono({16000, 1, {}}, "a.wav"); }), "no error");
  EXPECT_EQ(error_of([] {
              require_16k_mono({48000, 2, {}}, "a.wav");
            }),
            "read_wav(a.wav): wrong kind of sound: 2 channels at 48000 Hz, expected 1 at 16000 Hz");
}

TEST(Wav, SurvivesMutatedFiles) {
  const Bytes good = riff(chunk("fmt ", extensible(1)) + chunk("data", kTwoSamples));
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = good;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = std::byte(random());
    bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size());
    error(bytes);  // an Error or none: no other exception, no crash
  }
}

}  // namespace
}  // namespace frit::io

// Reads RIFF chunks up to the sound. The size in the RIFF header is not looked at: programs that
// write to a pipe leave it 0 or all ones.
#include "src/io/wav.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "src/io/file.h"

namespace frit::io {
namespace {

constexpr std::string_view kWhat = "read_wav";
constexpr size_t kRiffHeader = 12;   // "RIFF", size, "WAVE"
constexpr size_t kChunkHeader = 8;   // name, size
constexpr size_t kPlainFormat = 16;  // bytes of a "fmt " chunk
constexpr size_t kExtensibleFormat = 40;
constexpr uint16_t kPcm = 1;
constexpr uint16_t kExtensible = 0xFFFE;

// What follows the encoding's number in the 16-byte id of an extensible format.
constexpr std::array<uint8_t, 14> kSubformatTail = {0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80,
                                                    0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71};

std::string_view text_at(std::span<const std::byte> bytes, size_t offset, size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()) + offset, size};
}

// A chunk's name for a message: what cannot be printed becomes '?'.
std::string printable(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + text + "\"";
}

class WavParser {
 public:
  WavParser(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  Wav parse() {
    check_riff();
    std::optional<Wav> wav;
    for (size_t at = kRiffHeader; at < bytes_.size();) {
      const Chunk chunk = chunk_at(at);
      if (chunk.name == "fmt ") {
        if (wav) fail("two \"fmt \" chunks");
        wav = parse_format(chunk.body);
      } else if (chunk.name == "data") {
        if (!wav) fail("\"data\" chunk before a \"fmt \" chunk");
        read_samples(chunk.body, *wav);
        return *std::move(wav);
      }
      at = chunk.next;
    }
    fail(wav ? "no \"data\" chunk" : "no \"fmt \" chunk");
  }

 private:
  struct Chunk {
    std::string_view name;
    std::span<const std::byte> body;
    size_t next;  // offset of the chunk behind it
  };

  [[noreturn]] void fail(const std::string& problem, ErrorKind kind = ErrorKind::kValue) const {
    throw file_error(kWhat, path_, problem, kind);
  }

  void check_riff() const {
    if (bytes_.size() < kRiffHeader)
      fail("not a WAV file: " + std::to_string(bytes_.size()) + " bytes, the header takes 12");
    const std::string_view riff = text_at(bytes_, 0, 4), wave = text_at(bytes_, 8, 4);
    if (riff == "RIFF" && wave == "WAVE") return;
    fail("not a WAV file: begins with " + printable(riff) + " and " + printable(wave) +
         ", expected \"RIFF\" and \"WAVE\"");
  }

  Chunk chunk_at(size_t at) const {
    const size_t left = bytes_.size() - at;
    if (left < kChunkHeader)
      fail("truncated: " + std::to_string(left) + " bytes where a chunk begins");
    const std::string_view name = text_at(bytes_, at, 4);
    const size_t size = load_le<uint32_t>(bytes_.data() + at + 4);
    if (size > left - kChunkHeader)
      fail("truncated: chunk " + printable(name) + " says " + std::to_string(size) +
           " bytes, the file has " + std::to_string(left - kChunkHeader) + " left");
    const size_t next = at + kChunkHeader + size + size % 2;  // chunks begin at even offsets
    return {name, bytes_.subspan(at + kChunkHeader, size), next};
  }

  Wav parse_format(std::span<const std::byte> body) const {
    if (body.size() < kPlainFormat)
      fail("\"fmt \" chunk of " + std::to_string(body.size()) + " bytes, expected at least 16");
    check_pcm(body);
    const int channels = load_le<uint16_t>(body.data() + 2);
    const uint32_t rate = load_le<uint32_t>(body.data() + 4);
    const int frame_bytes = load_le<uint16_t>(body.data() + 12);
    const int bits = load_le<uint16_t>(body.data() + 14);
    if (bits != 16)
      fail("unsupported bit depth: " + std::to_string(bits) + ", only 16 is read",
           ErrorKind::kNotImplemented);
    if (channels == 0) fail("no channels");
    if (rate == 0 || rate > INT32_MAX) fail("impossible sample rate: " + std::to_string(rate));
    if (frame_bytes != channels * 2)
      fail("frames of " + std::to_string(frame_bytes) + " bytes, expected " +
           std::to_string(channels * 2) + " for " + std::to_string(channels) + " channels");
    Wav wav;
    wav.sample_rate = static_cast<int>(rate);
    wav.channels = channels;
    return wav;
  }

  void check_pcm(std::span<const std::byte> body) const {
    uint16_t encoding = load_le<uint16_t>(body.data());
    if (encoding == kExtensible) {
      if (body.size() < kExtensibleFormat)
        fail("extensible \"fmt \" chunk of " + std::to_string(body.size()) +
             " bytes, expected at least 40");
      encoding = load_le<uint16_t>(body.data() + 24);
      if (std::memcmp(body.data() + 26, kSubformatTail.data(), kSubformatTail.size()) != 0)
        fail("unsupported encoding: an extensible format of unknown id",
             ErrorKind::kNotImplemented);
    }
    if (encoding != kPcm)
      fail("unsupported encoding: " + std::to_string(encoding) + ", only PCM (1) is read",
           ErrorKind::kNotImplemented);
  }

  void read_samples(std::span<const std::byte> body, Wav& wav) const {
    const size_t frame_bytes = static_cast<size_t>(wav.channels) * 2;
    if (body.size() % frame_bytes != 0)
      fail("\"data\" chunk of " + std::to_string(body.size()) + " bytes is not whole frames of " +
           std::to_string(frame_bytes));
    wav.samples.resize(body.size() / 2);
    if (!body.empty()) std::memcpy(wav.samples.data(), body.data(), body.size());
  }

  std::span<const std::byte> bytes_;
  const std::string& path_;
};

}  // namespace

Wav read_wav(const std::string& path) { return parse_wav(read_file(path, kWhat), path); }

Wav parse_wav(std::span<const std::byte> bytes, const std::string& path) {
  return WavParser(bytes, path).parse();
}

void require_16k_mono(const Wav& wav, const std::string& path) {
  if (wav.sample_rate == 16000 && wav.channels == 1) return;
  throw file_error(kWhat, path,
                   "wrong kind of sound: " + std::to_string(wav.channels) + " channels at " +
                       std::to_string(wav.sample_rate) + " Hz, expected 1 at 16000 Hz");
}

}  // namespace frit::io

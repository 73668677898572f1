// The file of a program: what comes back, and what is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include "frit/frit.h"
#include "src/base/hash.h"
#include "tests/error_of.h"
#include "tests/program/same_bits.h"

namespace frit {
namespace {

using Bytes = std::string;
constexpr size_t kHeader = 40, kChecksum = 8;

std::string path_of(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Program parse(const Bytes& bytes) {
  return Program::parse(std::as_bytes(std::span(bytes)), "FILE");
}

std::string load_error(const Bytes& bytes) {
  return error_of([&] { parse(bytes); });
}

// With a header and a checksum that fit the text and the constants.
Bytes file_of(const Bytes& like, const Bytes& text, const Bytes& constants, uint64_t num_inputs) {
  Bytes bytes = like.substr(0, kHeader) + text + constants;
  const uint64_t sizes[] = {bytes.size() + kChecksum, text.size(), num_inputs};
  std::memcpy(bytes.data() + 16, sizes, sizeof sizes);
  const uint64_t checksum = base::hash_bytes(bytes.data(), bytes.size());
  return bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

class ProgramFile : public testing::Test {
 protected:
  ProgramFile() {
    program_.save(path_);
    bytes_ = read(path_);
    uint64_t text_size;
    std::memcpy(&text_size, bytes_.data() + 24, sizeof text_size);
    text_ = bytes_.substr(kHeader, text_size);
    constants_ = bytes_.substr(kHeader + text_size);
    constants_.resize(constants_.size() - kChecksum);
  }

  const Tensor w_ = noise({3, 4}), b_ = noise({4}, 2).slice(0, 0, 4, 2).expand({3, 2});
  const std::string path_ = path_of("program.frit");
  const Program program_ =
      freeze([this](const Tensor& x) { return matmul(x, w_).chunk(2, 1)[0].exp() + b_.sum(); },
             {noise({2, 3})});
  Bytes bytes_, text_, constants_;
};

TEST_F(ProgramFile, ComesBackWithTheSameBitsAndText) {
  const Program loaded = Program::load(path_);
  const Tensor x = noise({2, 3}, 9);
  EXPECT_TRUE(same_bits(loaded.run({x})[0], program_.run({x})[0]));
  loaded.save(path_of("again.frit"));
  EXPECT_EQ(read(path_of("again.frit")), bytes_);
}

// A change of the form, of the text or of the hash needs another version.
TEST_F(ProgramFile, OfVersionOneIsThis) {
  const auto number = [](auto n) { return Bytes(reinterpret_cast<const char*>(&n), sizeof n); };
  const Bytes text =
      "graph %program(%x0: f32[2], %p0: f32[2]) -> f32[2] {\n  %0: f32[2] = add %x0, %p0\n"
      "  return %0\n}\n";
  const Bytes bytes = "FRITPROG" + number(uint32_t{1}) + number(uint32_t{0x1f80}) +
                      number(uint64_t{151}) + number(uint64_t{95}) + number(uint64_t{1}) + text +
                      number(1.0f) + number(-2.0f) + number(uint64_t{0xac9b256afc5a3cba});
  const Tensor x = tensor({3.0f, 5.0f}), w = tensor({1.0f, -2.0f});
  EXPECT_TRUE(same_bits(parse(bytes).run({x})[0], x + w));
  freeze([&](const Tensor& t) { return t + w; }, {x}, {w}).save(path_);
  EXPECT_EQ(read(path_), bytes);
}

TEST_F(ProgramFile, KeepsConstantsWithGapsAndBroadcasts) {
  const Tensor gaps = noise({4, 4}).slice(1, 0, 4, 2), broadcast = noise({1, 2}, 3).expand({4, 2});
  const auto fn = [&](const Tensor& x) { return x * gaps + broadcast; };
  const Tensor x = noise({4, 2}, 5);
  freeze(fn, {x}).save(path_);
  EXPECT_TRUE(same_bits(Program::load(path_).run({x})[0], fn(x)));
}

TEST_F(ProgramFile, IsRefusedWhereverItIsCutOff) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    const std::string error = load_error(bytes_.substr(0, size));
    EXPECT_TRUE(error.starts_with("Program::load(FILE): damaged: ") ||
                error == "Program::load(FILE): not a Frit program")
        << size << ": " << error;
  }
  EXPECT_TRUE(load_error(bytes_ + "x").starts_with("Program::load(FILE): damaged: "));
}

TEST_F(ProgramFile, IsRefusedWhicheverBitIsFlipped) {
  for (size_t i = 0; i < bytes_.size() * 8; ++i) {
    Bytes flipped = bytes_;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    EXPECT_TRUE(load_error(flipped).starts_with("Program::load(FILE): ")) << "bit " << i;
  }
}

TEST_F(ProgramFile, OfANewerVersionIsRefusedAsSuch) {
  Bytes newer = bytes_;
  newer[8] = 2;
  EXPECT_EQ(load_error(newer), "Program::load(FILE): version 2 is newer than this Frit's, 1");
}

TEST_F(ProgramFile, WithHostileSizesAsksForNoMemory) {
  const auto error = [&](const Bytes& text, uint64_t num_inputs = 1) {
    return load_error(file_of(bytes_, text, constants_, num_inputs));
  };
  EXPECT_EQ(error(text_), "no error");
  EXPECT_NE(error(text_, 9).find("more inputs than the graph has"), std::string::npos);
  EXPECT_NE(error(text_, 0).find("is longer than the file"), std::string::npos);
  EXPECT_NE(error(text_, 2).find("bytes too many"), std::string::npos);
  const std::string huge = "[1000000000,1000000000]";
  EXPECT_NE(error("graph %g(%x: f32[2], %c: f32" + huge + ") -> f32[2] {\n %0: f32[2] = relu %x\n" +
                  "  return %0\n}\n")
                .find("is longer than the file"),
            std::string::npos);
  EXPECT_NE(error("graph %g(%x: f32[9], %c: f32[2]{-4}) -> f32[9] {\n  %0: f32[9] = relu %x\n"
                  "  return %0\n}\n")
                .find("negative stride"),
            std::string::npos);
}

TEST_F(ProgramFile, WithAGraphThatNoRecordingGivesIsRefused) {
  const auto error = [&](const std::string& in, const std::string& out, const std::string& node) {
    return load_error(file_of(bytes_,
                              "graph %g(%x: " + in + ") -> " + out + " {\n  %0: " + out + " = " +
                                  node + "\n  return %0\n}\n",
                              "", 1));
  };
  EXPECT_EQ(error("f32[4]", "f32[4]", "relu %x"), "no error");
  EXPECT_NE(error("i64[4]", "i64[4]", "floor_divide %x, %x").find("on integers"),
            std::string::npos);
  EXPECT_NE(error("f32[4]", "f32[4]", "as_strided %x {offset=2, sizes=[4], strides=[1]}")
                .find("reaches beyond"),
            std::string::npos);
  EXPECT_NE(error("f32[4,4]", "f32[4,4]", "softmax %x {dim=1}").find("composite"),
            std::string::npos);
  EXPECT_NE(error("f32[4]", "f32[5]", "relu %x").find("by the rule of relu"), std::string::npos);
}

// Damage that a checksum made for it hides: the file is refused, or is a program that runs.
TEST_F(ProgramFile, WithADamagedTextNeverCrashes) {
  std::minstd_rand random(1);
  int loaded = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes text = text_;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits)
      text[random() % text.size()] = "0123456789,[]{}%-= fx"[random() % 21];
    try {
      const Program program = parse(file_of(bytes_, text, constants_, 1));
      std::vector<Tensor> inputs;
      for (const TensorType& type : program.inputs())
        inputs.push_back(empty_strided(type.sizes, type.strides, type.dtype));
      program.run(inputs);
      ++loaded;
    } catch (const Error&) {
    }
  }
  EXPECT_LT(loaded, 20000);
}

TEST_F(ProgramFile, IsReplacedWholeOrNotAtAll) {
  EXPECT_NE(error_of([&] {
              program_.save(path_of("no/such/folder.frit"));
            }).find("No such file or directory"),
            std::string::npos);
  std::filesystem::create_directory(path_of("folder"));
  EXPECT_NE(error_of([&] { program_.save(path_of("folder")); }).find("cannot rename"),
            std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator(path_of("")))
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
}

TEST_F(ProgramFile, ThatDoesNotExistIsAnErrorWithTheSystemsReason) {
  EXPECT_EQ(error_of([] { Program::load("/no/such/file.frit"); }),
            "Program::load(/no/such/file.frit): cannot open: No such file or directory");
}

}  // namespace
}  // namespace frit

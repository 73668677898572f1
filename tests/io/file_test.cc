// Whole files: round trip and the system's reasons.
#include "src/io/file.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"
#include "tests/io/bytes.h"

namespace frit::io {
namespace {

TEST(File, HoldsWhatWasWritten) {
  const std::string path = testing::TempDir() + "/round_trip";
  Bytes bytes(200'000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 7);

  write_file(path, bytes, "test");

  EXPECT_EQ(read_file(path, "test"), bytes);
}

TEST(File, IsReplacedByAShorterOne) {
  const std::string path = testing::TempDir() + "/replaced";
  write_file(path, text_bytes("a long text"), "test");
  write_file(path, text_bytes("short"), "test");
  EXPECT_EQ(read_file(path, "test"), text_bytes("short"));
}

TEST(File, MayBeEmpty) {
  const std::string path = testing::TempDir() + "/empty";
  write_file(path, {}, "test");
  EXPECT_TRUE(read_file(path, "test").empty());
}

TEST(File, ThatDoesNotTellItsSizeIsReadToTheEnd) {
  EXPECT_GT(read_file("/proc/self/status", "test").size(), 100u);
}

TEST(File, ThatIsMissingIsNamed) {
  EXPECT_EQ(error_of([] { read_file("/nowhere/x.npy", "read_npy"); }),
            "read_npy(/nowhere/x.npy): cannot open: No such file or directory");
}

TEST(File, MayNotBeAFolder) {
  EXPECT_EQ(error_of([] { read_file("/", "read_npy"); }),
            "read_npy(/): cannot read: Is a directory");
}

TEST(File, ThatCannotBeWrittenIsNamed) {
  EXPECT_EQ(error_of([] { write_file("/dev/full", text_bytes("x"), "write_npy"); }),
            "write_npy(/dev/full): cannot write: No space left on device");
}

}  // namespace
}  // namespace frit::io

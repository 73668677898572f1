// Code memory runs what it is given, is never writable and executable at one address, and survives
// fork().
#include "src/base/code_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "src/base/flags.h"

namespace frit::base {
namespace {

// mov eax, value; ret
std::array<unsigned char, 6> returns(unsigned char value) { return {0xb8, value, 0, 0, 0, 0xc3}; }

void* publish(CodeMemory& memory, unsigned char value) {
  const auto code = returns(value);
  return memory.publish(code.data(), code.size(), "test");
}

int run(void* entry) { return reinterpret_cast<int (*)()>(entry)(); }

TEST(CodeMemory, RunsWhatWasPublished) {
  CodeMemory& memory = CodeMemory::shared();
  void* one = publish(memory, 1);
  void* two = publish(memory, 2);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(run(one), 1);
  EXPECT_EQ(run(two), 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(two) % 64, 0u);
  memory.release(one);
  memory.release(two);
}

TEST(CodeMemory, IsNeverWritableAndExecutable) {
  void* entry = publish(CodeMemory::shared(), 3);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
  CodeMemory::shared().release(entry);
}

TEST(CodeMemory, UsesReleasedPlacesAgainAndCountsBytes) {
  CodeMemory memory;
  void* entry = publish(memory, 4);
  const int64_t bytes = memory.bytes();
  memory.release(entry);
  EXPECT_EQ(memory.bytes(), bytes - 64);
  EXPECT_EQ(publish(memory, 5), entry);
  EXPECT_EQ(run(entry), 5);
  EXPECT_EQ(memory.bytes(), bytes);
}

// Code of `size` bytes that returns.
void* publish_sized(CodeMemory& memory, size_t size) {
  const std::vector<unsigned char> code(size, 0xc3);
  return memory.publish(code.data(), code.size(), "test");
}

TEST(CodeMemory, JoinsReleasedPlaces) {
  CodeMemory memory;
  std::vector<void*> small;
  for (int i = 0; i < 4; ++i) small.push_back(publish_sized(memory, 64));
  publish_sized(memory, 64);
  for (int i : {0, 2, 3, 1}) memory.release(small[i]);
  EXPECT_EQ(publish_sized(memory, 256), small[0]);
}

TEST(CodeMemory, UnmapsBlocksThatAreFree) {
  CodeMemory memory;
  constexpr size_t kLarge = 1 << 20;
  void* first = publish_sized(memory, kLarge);
  void* second = publish_sized(memory, kLarge);
  EXPECT_EQ(memory.reserved(), int64_t{2 * kLarge});
  memory.release(first);
  EXPECT_EQ(memory.reserved(), int64_t{kLarge});
  memory.release(second);
  EXPECT_EQ(memory.reserved(), int64_t{kLarge});
}

TEST(CodeMemory, NeverMapsMoreThanTheLimit) {
  const int saved = flags().code_bytes;
  mutable_flags().code_bytes = 10000;
  CodeMemory memory;
  std::vector<void*> codes;
  while (void* code = publish_sized(memory, 1024)) codes.push_back(code);
  EXPECT_EQ(codes.size(), 8u);
  EXPECT_EQ(memory.reserved(), 8192);
  EXPECT_TRUE(memory.full(1024));
  memory.release(codes[3]);
  EXPECT_FALSE(memory.full(1024));
  EXPECT_EQ(publish_sized(memory, 1024), codes[3]);
  mutable_flags().code_bytes = saved;
}

TEST(CodeMemory, IsRefusedUnderTheFlag) {
  mutable_flags().no_exec = true;
  EXPECT_EQ(publish(CodeMemory::shared(), 6), nullptr);
  EXPECT_FALSE(CodeMemory::shared().available());
  mutable_flags().no_exec = false;
  EXPECT_TRUE(CodeMemory::shared().available());
}

TEST(CodeMemory, OfAChildIsNotTheParents) {
  CodeMemory& memory = CodeMemory::shared();
  void* mine = publish(memory, 7);
  void* released = publish(memory, 8);
  memory.release(released);
  const pid_t child = fork();
  if (child == 0) {
    memory.release(mine);  // the parent still runs it
    bool fine = true;
    for (unsigned char value = 20; value < 30; ++value)
      fine = fine && run(publish(memory, value)) == value;
    _exit(fine ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run(mine), 7);
  memory.release(mine);
}

// No file can be opened, so no memory can be mapped twice.
TEST(CodeMemory, FallsBackToPagesOfTheirOwn) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    CodeMemory memory;
    void* one = publish(memory, 9);
    void* two = publish(memory, 10);
    const bool ran =
        one != nullptr && run(one) == 9 && run(two) == 10 && memory.reserved() == 2 * 4096;
    memory.release(one);
    _exit(ran && run(two) == 10 && memory.bytes() == 4096 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace frit::base

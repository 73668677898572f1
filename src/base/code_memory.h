// CodeMemory: executable memory that is never writable and executable at the same address.
//
//   CodeMemory& memory = CodeMemory::shared();
//   if (void* entry = memory.publish(code, size, "k0")) call(entry);
//   memory.release(entry);
//
// Blocks are views of one anonymous file, mapped once to write and once to run. A child process after fork() gets blocks of its own,
// since the parent's are shared with it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace frit::base {

class CodeMemory {
 public:
  static CodeMemory& shared();

  // Copies position-independent code and returns its executable address, 64-byte aligned; null where
  // executable memory is refused or the flag `no_exec` is set. With FRIT_PERF_MAP=1, `name` is written to
  // /tmp/perf-PID.map.
  void* publish(const void* code, size_t size, std::string_view name);
  // Gives the place of a published code back; nothing may run it any more.
  void release(void* entry);
  // Whether code can be published at all.
  bool available();

  int64_t bytes() const;     // in use
  int64_t reserved() const;  // mapped

 private:
  struct Block {
    std::byte* writable;
    std::byte* executable;
    size_t size, used;
    int pid;
  };
  struct Place {
    std::byte* executable;
    size_t size;
    std::byte* writable;
  };

  Block* block_for(size_t size);
  bool map_block(size_t size, Block* block);
  std::byte* take_free(size_t size, std::byte** writable);

  mutable std::mutex mutex_;
  std::vector<Block> blocks_;
  std::vector<Place> used_, free_;
  int64_t bytes_ = 0;
};

}  // namespace frit::base

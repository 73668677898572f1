// CodeMemory: executable memory that is never writable and executable at the same address.
//
//   CodeMemory& memory = CodeMemory::shared();
//   if (void* entry = memory.publish(code, size, "k0")) call(entry);
//   memory.release(entry);
//
// Blocks are views of one anonymous file, mapped once to write and once to run. Where that is
// refused, each code gets pages of its own, made executable after they are written. No more than
// the flag `code_bytes` is ever mapped: what does not fit is refused. A child process after fork()
// gets blocks of its own, since the parent's are shared with it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "src/base/fork.h"

namespace frit::base {

class CodeMemory {
 public:
  static CodeMemory& shared();

  // Copies position-independent code and returns its executable address, 64-byte aligned; null
  // where executable memory is refused, the limit is reached or the flag `no_exec` is set. With
  // FRIT_PERF_MAP=1, `name` is written to /tmp/perf-PID.map.
  void* publish(const void* code, size_t size, std::string_view name);
  // Gives the place of a published code back; nothing may run it any more.
  void release(void* entry);
  // Whether code can be published at all.
  bool available();
  // Whether the limit keeps out code of this size.
  bool full(size_t size) const;

  int64_t bytes() const;     // in use
  int64_t reserved() const;  // mapped

 private:
  struct Block {
    std::byte* writable;
    std::byte* executable;
    size_t size;
    int pid;                        // the process whose code may be here
    std::map<size_t, size_t> free;  // offset -> size; no two adjoin
  };
  struct Place {
    std::byte* executable;
    size_t size;
    std::byte* writable;  // null: pages of its own
  };

  // The caller of all these but place_code and publish_for_perf holds the lock.
  void* publish_for_perf(const void* code, size_t size, std::string_view name);
  size_t room() const;
  int64_t mapped_bytes() const;
  Block* map_block(size_t size);
  bool take_from(Block* block, size_t size, Place* place);
  bool take_place(size_t size, Place* place);
  void give_place(const Place& place);
  bool map_pages(const void* code, size_t size, Place* place);
  void* place_code(const void* code, size_t size);
  void* hold(const Place& place);

  mutable ForkMutex mutex_{ForkLevel::kCode};
  std::vector<Block> blocks_;
  std::map<std::byte*, Place> used_;  // by their entry
  int64_t bytes_ = 0;
};

}  // namespace frit::base

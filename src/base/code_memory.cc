// Executable memory through two mappings of one anonymous file, or through pages of its own.
#include "src/base/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "src/base/flags.h"

namespace frit::base {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kAlign = 64;
constexpr size_t kPage = 4096;

constexpr size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

void note_for_perf(const void* entry, size_t size, std::string_view name) {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%lx %zx frit:%.*s\n", reinterpret_cast<unsigned long>(entry), size,
                 static_cast<int>(name.size()), name.data());
    std::fclose(file);
  }
}

}  // namespace

CodeMemory& CodeMemory::shared() {
  static CodeMemory* memory = new CodeMemory;
  return *memory;
}

bool CodeMemory::map_block(size_t size, Block* block) {
  const int file = memfd_create("frit-code", MFD_CLOEXEC);
  if (file < 0) return false;
  void* writable = MAP_FAILED;
  void* executable = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    writable = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    executable = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  }
  close(file);
  if (writable != MAP_FAILED && executable != MAP_FAILED) {
    *block = {static_cast<std::byte*>(writable), static_cast<std::byte*>(executable), size, 0,
              static_cast<int>(getpid())};
    return true;
  }
  if (writable != MAP_FAILED) munmap(writable, size);
  if (executable != MAP_FAILED) munmap(executable, size);
  return false;
}

CodeMemory::Block* CodeMemory::block_for(size_t size) {
  const int pid = static_cast<int>(getpid());
  for (Block& block : blocks_)
    if (block.pid == pid && block.size - block.used >= size) return &block;
  Block block;
  if (!map_block(std::max(kBlockBytes, round_up(size, kPage)), &block)) return nullptr;
  blocks_.push_back(block);
  return &blocks_.back();
}

// A released place of about this size. The parent's are not the child's to write.
bool CodeMemory::take_free(size_t size, Place* place) {
  const int pid = static_cast<int>(getpid());
  const auto it = std::find_if(free_.begin(), free_.end(), [&](const Place& p) {
    return p.pid == pid && p.size >= size && p.size <= 2 * size;
  });
  if (it == free_.end()) return false;
  *place = *it;
  free_.erase(it);
  return true;
}

bool CodeMemory::take_place(size_t size, Place* place) {
  if (take_free(size, place)) return true;
  Block* block = block_for(size);
  if (block == nullptr) return false;
  *place = {block->executable + block->used, size, block->writable + block->used, block->pid};
  block->used += size;
  return true;
}

bool CodeMemory::map_pages(const void* code, size_t size, Place* place) {
  const size_t mapped = round_up(std::max<size_t>(size, 1), kPage);
  void* pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  std::memcpy(pages, code, size);
  if (mprotect(pages, mapped, PROT_READ | PROT_EXEC) != 0) {
    munmap(pages, mapped);
    return false;
  }
  *place = {static_cast<std::byte*>(pages), mapped, nullptr, static_cast<int>(getpid())};
  return true;
}

void* CodeMemory::place_code(const void* code, size_t size) {
  if (flags().no_exec) return nullptr;
  std::lock_guard lock(mutex_);
  Place place;
  if (take_place(round_up(std::max<size_t>(size, 1), kAlign), &place)) {
    std::memcpy(place.writable, code, size);
  } else if (!map_pages(code, size, &place)) {
    return nullptr;
  }
  return hold(place);
}

void* CodeMemory::hold(const Place& place) {
  used_.push_back(place);
  bytes_ += static_cast<int64_t>(place.size);
  return place.executable;
}

// perf finds names only for anonymous memory: pages of its own for each code, written first, then
// made executable.
void* CodeMemory::publish_for_perf(const void* code, size_t size, std::string_view name) {
  if (flags().no_exec) return nullptr;
  std::lock_guard lock(mutex_);
  Place place;
  if (!map_pages(code, size, &place)) return nullptr;
  note_for_perf(place.executable, size, name);
  return hold(place);
}

void* CodeMemory::publish(const void* code, size_t size, std::string_view name) {
  return flags().perf_map ? publish_for_perf(code, size, name) : place_code(code, size);
}

void CodeMemory::release(void* entry) {
  std::lock_guard lock(mutex_);
  const auto it = std::find_if(used_.begin(), used_.end(),
                               [&](const Place& p) { return p.executable == entry; });
  if (it == used_.end()) return;
  bytes_ -= static_cast<int64_t>(it->size);
  if (it->writable == nullptr) {
    munmap(it->executable, it->size);
  } else {
    free_.push_back(*it);
  }
  used_.erase(it);
}

bool CodeMemory::available() {
  static constexpr unsigned char kReturn[] = {0xc3};
  void* probe = place_code(kReturn, sizeof kReturn);
  if (probe == nullptr) return false;
  release(probe);
  return true;
}

int64_t CodeMemory::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t CodeMemory::reserved() const {
  std::lock_guard lock(mutex_);
  int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<int64_t>(block.size);
  for (const Place& place : used_)
    if (place.writable == nullptr) total += static_cast<int64_t>(place.size);
  return total;
}

}  // namespace frit::base

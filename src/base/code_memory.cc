// Executable memory through two mappings of one anonymous file, or through pages of its own.
#include "src/base/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

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

// What the limit leaves to be mapped.
size_t CodeMemory::room() const {
  const int64_t limit = flags().code_bytes, mapped = mapped_bytes();
  return limit > mapped ? static_cast<size_t>(limit - mapped) : 0;
}

CodeMemory::Block* CodeMemory::map_block(size_t size) {
  const size_t mapped = std::min(std::max(kBlockBytes, round_up(size, kPage)), room() & -kPage);
  if (mapped < size) return nullptr;
  const int file = memfd_create("frit-code", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* writable = MAP_FAILED;
  void* executable = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(mapped)) == 0) {
    writable = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    executable = mmap(nullptr, mapped, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  }
  close(file);
  if (writable != MAP_FAILED && executable != MAP_FAILED) {
    blocks_.push_back({static_cast<std::byte*>(writable),
                       static_cast<std::byte*>(executable),
                       mapped,
                       static_cast<int>(getpid()),
                       {{0, mapped}}});
    return &blocks_.back();
  }
  if (writable != MAP_FAILED) munmap(writable, mapped);
  if (executable != MAP_FAILED) munmap(executable, mapped);
  return nullptr;
}

// From the first free place that is large enough. The parent's are not the child's to write.
bool CodeMemory::take_from(Block* block, size_t size, Place* place) {
  if (block->pid != static_cast<int>(getpid())) return false;
  const auto it = std::find_if(block->free.begin(), block->free.end(),
                               [&](const auto& hole) { return hole.second >= size; });
  if (it == block->free.end()) return false;
  const auto [offset, free_size] = *it;
  block->free.erase(it);
  if (free_size > size) block->free.emplace(offset + size, free_size - size);
  *place = {block->executable + offset, size, block->writable + offset};
  return true;
}

bool CodeMemory::take_place(size_t size, Place* place) {
  if (bytes_ + static_cast<int64_t>(size) > flags().code_bytes) return false;
  for (Block& block : blocks_)
    if (take_from(&block, size, place)) return true;
  Block* block = map_block(size);
  return block != nullptr && take_from(block, size, place);
}

// Joins the place with the free ones beside it. A block that is free as a whole is unmapped, but
// for the last one of this process.
void CodeMemory::give_place(const Place& place) {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
    return place.executable >= b.executable && place.executable < b.executable + b.size;
  });
  size_t offset = static_cast<size_t>(place.executable - block->executable), size = place.size;
  auto next = block->free.lower_bound(offset);
  if (next != block->free.end() && next->first == offset + size) {
    size += next->second;
    next = block->free.erase(next);
  }
  if (next != block->free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      block->free.erase(before);
    }
  }
  block->free.emplace(offset, size);
  if (size < block->size) return;
  const int pid = static_cast<int>(getpid());
  if (block->pid == pid && std::count_if(blocks_.begin(), blocks_.end(),
                                         [&](const Block& b) { return b.pid == pid; }) == 1)
    return;
  munmap(block->writable, block->size);
  munmap(block->executable, block->size);
  blocks_.erase(block);
}

bool CodeMemory::map_pages(const void* code, size_t size, Place* place) {
  const size_t mapped = round_up(std::max<size_t>(size, 1), kPage);
  if (mapped > room() || bytes_ + static_cast<int64_t>(mapped) > flags().code_bytes) return false;
  void* pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  std::memcpy(pages, code, size);
  if (mprotect(pages, mapped, PROT_READ | PROT_EXEC) != 0) {
    munmap(pages, mapped);
    return false;
  }
  *place = {static_cast<std::byte*>(pages), mapped, nullptr};
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
  used_.emplace(place.executable, place);
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
  const auto it = used_.find(static_cast<std::byte*>(entry));
  if (it == used_.end()) return;
  const Place place = it->second;
  used_.erase(it);
  bytes_ -= static_cast<int64_t>(place.size);
  if (place.writable == nullptr) {
    munmap(place.executable, place.size);
  } else {
    give_place(place);
  }
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
  return mapped_bytes();
}

bool CodeMemory::full(size_t size) const {
  std::lock_guard lock(mutex_);
  if (bytes_ + static_cast<int64_t>(round_up(size, kAlign)) > flags().code_bytes) return true;
  const int pid = static_cast<int>(getpid());
  for (const Block& block : blocks_)
    for (const auto& [offset, free_size] : block.free)
      if (block.pid == pid && free_size >= size) return false;
  return round_up(size, kPage) > room();
}

int64_t CodeMemory::mapped_bytes() const {
  int64_t total = 0;
  for (const Block& block : blocks_) total += static_cast<int64_t>(block.size);
  for (const auto& [entry, place] : used_)
    if (place.writable == nullptr) total += static_cast<int64_t>(place.size);
  return total;
}

}  // namespace frit::base

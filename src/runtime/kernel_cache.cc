// Kernels by their text. A placeholder stands for a kernel while it is compiled: two threads never
// compile the same one.
#include "src/runtime/kernel_cache.h"

#include <iterator>

#include "src/base/code_memory.h"
#include "src/base/cpu.h"
#include "src/base/flags.h"

namespace frit::runtime {
namespace {

constexpr size_t kMaxKernels = 4096;

// What the code depends on: the kernel, who is asked, and what they may use.
std::string key_of(const Kernel& kernel, std::span<Writer* const> writers) {
  std::string key(name(base::isa()));
  if (base::flags().no_exec) key += " no_exec";
  // By their addresses: a writer that takes another one's place may have its name.
  for (const Writer* writer : writers)
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(writer));
  // The kernel's name is no part of what it does.
  Kernel anonymous = kernel;
  anonymous.name = "k";
  return key + "\n" + anonymous.print();
}

// Whether it might have been machine code if there had been room; there may be the next time.
bool wants_room(const KernelCode& made) {
  constexpr size_t kUsualBytes = 4096;
  return made.code->code_bytes() == 0 && base::CodeMemory::shared().full(kUsualBytes);
}

}  // namespace

KernelCache::KernelCache() {
  base::at_fork(nullptr, [] { get().forget_other_threads(); });
}

KernelCache& KernelCache::get() {
  static KernelCache* cache = new KernelCache;
  return *cache;
}

KernelCode KernelCache::find_or_compile(const Kernel& kernel, std::span<Writer* const> writers) {
  const std::string key = key_of(kernel, writers);
  std::shared_ptr<Making> making;
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    if (KernelCode known; find(key, &known)) return known;
    std::shared_ptr<Making>& place = making_[key];
    first = place == nullptr;
    if (first) place = std::make_shared<Making>();
    making = place;
  }
  if (first) return make(key, making, kernel, writers);
  // A writer that runs ops of its own may come to the kernel that it is asked for.
  if (making->by == std::this_thread::get_id()) return compile(kernel, writers);
  making->done.wait(false, std::memory_order_acquire);
  return making->thrown ? find_or_compile(kernel, writers) : making->code;
}

KernelCode KernelCache::compile(const Kernel& kernel, std::span<Writer* const> writers) {
  std::string refusals;
  for (Writer* writer : writers) {
    if (writer == nullptr) continue;
    const std::string name(writer->name());
    std::string reason;
    if (auto code = writer->compile(kernel, &reason))
      return {std::move(code), refusals.empty() ? name : name + " (" + refusals + ")", writer};
    const std::string refusal = name + ": " + reason;
    note_refusal(refusal);
    refusals += (refusals.empty() ? "" : "; ") + refusal;
  }
  return {nullptr, refusals, nullptr};
}

void KernelCache::note_refusal(const std::string& text) {
  constexpr size_t kMaxTexts = 256;  // a plug-in's may name anything
  std::lock_guard lock(mutex_);
  const bool room = refusals_.size() < kMaxTexts || refusals_.contains(text);
  ++refusals_[room ? text : "others"];
}

// The caller holds the lock.
bool KernelCache::find(const std::string& key, KernelCode* code) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return false;
  ++hits_;
  recent_.splice(recent_.begin(), recent_, it->second);
  *code = it->second->code;
  return true;
}

KernelCode KernelCache::make(const std::string& key, const std::shared_ptr<Making>& making,
                             const Kernel& kernel, std::span<Writer* const> writers) {
  try {
    making->code = compile(kernel, writers);
  } catch (...) {
    making->thrown = true;
    finish(key, making);
    throw;
  }
  finish(key, making);
  return making->code;
}

// Files what was made and wakes those who wait for it. A plug-in's kernel may do anything when it
// is asked or destroyed: neither is done under the lock.
void KernelCache::finish(const std::string& key, const std::shared_ptr<Making>& making) {
  Entries dropped;
  try {
    file(key, making->code, &dropped);
  } catch (const std::bad_alloc&) {
    // It is used and not kept.
  }
  {
    std::lock_guard lock(mutex_);
    const auto it = making_.find(key);
    if (it != making_.end() && it->second == making) making_.erase(it);
  }
  making->done.store(true, std::memory_order_release);
  making->done.notify_all();
}

void KernelCache::file(const std::string& key, const KernelCode& made, Entries* dropped) {
  if (made.code == nullptr) return;
  const std::string writer(made.made_by->name());
  Entries entry;
  if (!wants_room(made)) entry.push_front({key, made});
  std::lock_guard lock(mutex_);
  ++compiled_;
  ++writers_[writer];
  if (entry.empty()) return;
  by_key_.emplace(entry.front().key, entry.begin());
  recent_.splice(recent_.begin(), entry);
  if (recent_.size() > kMaxKernels) drop(std::prev(recent_.end()), dropped);
}

// The caller holds the lock.
void KernelCache::drop(Entries::iterator entry, Entries* dropped) {
  by_key_.erase(entry->key);
  dropped->splice(dropped->begin(), recent_, entry);
}

void KernelCache::drop_unused() {
  Entries dropped;  // destroyed when the lock is free
  std::lock_guard lock(mutex_);
  for (auto entry = recent_.begin(); entry != recent_.end();) {
    const auto next = std::next(entry);
    if (entry->code.code.use_count() == 1) drop(entry, &dropped);
    entry = next;
  }
}

// In a child after fork(): who was at these kernels is not here.
void KernelCache::forget_other_threads() {
  std::lock_guard lock(mutex_);
  std::erase_if(making_,
                [](const auto& entry) { return entry.second->by != std::this_thread::get_id(); });
}

KernelCache::Stats KernelCache::stats() {
  std::lock_guard lock(mutex_);
  return {compiled_, hits_, static_cast<int64_t>(recent_.size()), writers_, refusals_};
}

void KernelCache::clear() {
  Entries dropped;  // destroyed when the lock is free
  std::lock_guard lock(mutex_);
  by_key_.clear();
  dropped.swap(recent_);
}

}  // namespace frit::runtime

// Kernels by their text. The lock is held while compiling: two threads never compile the same
// kernel.
#include "src/runtime/kernel_cache.h"

#include "src/base/cpu.h"
#include "src/base/flags.h"

namespace frit::runtime {
namespace {

constexpr size_t kMaxKernels = 4096;

// What the code depends on: the kernel, who is asked, and what they may use.
std::string key_of(const Kernel& kernel, std::span<Writer* const> writers) {
  std::string key(name(base::isa()));
  if (base::flags().no_exec) key += " no_exec";
  for (const Writer* writer : writers)
    if (writer != nullptr) key += " " + std::string(writer->name());
  // The kernel's name is no part of what it does.
  Kernel anonymous = kernel;
  anonymous.name = "k";
  return key + "\n" + anonymous.print();
}

}  // namespace

KernelCache& KernelCache::get() {
  static KernelCache* cache = new KernelCache;
  return *cache;
}

KernelCode KernelCache::find_or_compile(const Kernel& kernel, std::span<Writer* const> writers) {
  std::string key = key_of(kernel, writers);
  std::lock_guard lock(mutex_);
  if (const auto it = by_key_.find(key); it != by_key_.end()) {
    ++hits_;
    recent_.splice(recent_.begin(), recent_, it->second);
    return it->second->code;
  }
  KernelCode made = compile(kernel, writers);
  if (made.code == nullptr) {
    ++refused_;
    return made;
  }
  ++compiled_;
  code_bytes_ += made.code->code_bytes();
  recent_.push_front({std::move(key), made});
  by_key_.emplace(recent_.front().key, recent_.begin());
  evict();
  return made;
}

KernelCode KernelCache::compile(const Kernel& kernel, std::span<Writer* const> writers) {
  std::string refusals;
  for (Writer* writer : writers) {
    if (writer == nullptr) continue;
    const std::string name(writer->name());
    std::string reason;
    if (auto code = writer->compile(kernel, &reason)) {
      ++writers_[name];
      return {std::move(code), refusals.empty() ? name : name + " (" + refusals + ")"};
    }
    refusals += (refusals.empty() ? "" : "; ") + name + ": " + reason;
  }
  return {nullptr, refusals};
}

void KernelCache::evict() {
  while (recent_.size() > kMaxKernels ||
         (code_bytes_ > base::flags().code_bytes && recent_.size() > 1)) {
    code_bytes_ -= recent_.back().code.code->code_bytes();
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

KernelCache::Stats KernelCache::stats() {
  std::lock_guard lock(mutex_);
  return {compiled_,   hits_,
          refused_,    static_cast<int64_t>(recent_.size()),
          code_bytes_, base::flags().code_bytes,
          writers_};
}

void KernelCache::clear() {
  std::lock_guard lock(mutex_);
  by_key_.clear();
  recent_.clear();
  code_bytes_ = 0;
}

}  // namespace frit::runtime

// Kernels by their text. The lock is held while compiling: two threads never compile the same
// kernel.
#include "src/runtime/kernel_cache.h"

#include "src/base/cpu.h"
#include "src/base/flags.h"

namespace frit::runtime {
namespace {

constexpr size_t kMaxKernels = 4096;

std::string key_of(const Kernel& kernel, Writer* preferred) {
  std::string key(name(base::isa()));
  key += preferred != nullptr ? preferred->name() : std::string_view();
  // The kernel's name is no part of what it does.
  Kernel anonymous = kernel;
  anonymous.name = "k";
  return key + "\n" + anonymous.print();
}

std::shared_ptr<const CompiledKernel> compile(const Kernel& kernel, Writer* writer,
                                              std::string* reason) {
  return writer == nullptr ? nullptr
                           : std::shared_ptr<const CompiledKernel>(writer->compile(kernel, reason));
}

}  // namespace

KernelCache& KernelCache::get() {
  static KernelCache* cache = new KernelCache;
  return *cache;
}

std::shared_ptr<const CompiledKernel> KernelCache::find_or_compile(const Kernel& kernel,
                                                                   Writer* preferred,
                                                                   Writer* fallback,
                                                                   std::string* reason) {
  std::string key = key_of(kernel, preferred);
  std::lock_guard lock(mutex_);
  if (const auto it = by_key_.find(key); it != by_key_.end()) {
    ++hits_;
    recent_.splice(recent_.begin(), recent_, it->second);
    return it->second->code;
  }
  auto code = compile(kernel, preferred, reason);
  if (code == nullptr) code = compile(kernel, fallback, reason);
  if (code == nullptr) {
    ++refused_;
    return nullptr;
  }
  ++compiled_;
  code_bytes_ += code->code_bytes();
  recent_.push_front({std::move(key), code});
  by_key_.emplace(recent_.front().key, recent_.begin());
  evict();
  return code;
}

void KernelCache::evict() {
  while (recent_.size() > kMaxKernels ||
         (code_bytes_ > base::flags().code_bytes && recent_.size() > 1)) {
    code_bytes_ -= recent_.back().code->code_bytes();
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

KernelCache::Stats KernelCache::stats() {
  std::lock_guard lock(mutex_);
  return {compiled_,   hits_,
          refused_,    static_cast<int64_t>(recent_.size()),
          code_bytes_, base::flags().code_bytes};
}

void KernelCache::clear() {
  std::lock_guard lock(mutex_);
  by_key_.clear();
  recent_.clear();
  code_bytes_ = 0;
}

}  // namespace frit::runtime

// Kernel cache: one compiled kernel per text and instruction set, shared by all plans and threads.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "frit/kernel.h"
#include "src/base/fork.h"

namespace frit::runtime {

class KernelCache {
 public:
  static KernelCache& get();

  // The code of `kernel`, from `preferred` if it is not null and supports it, else from `fallback`.
  // Null, with the reason, when neither does. Found by hash, accepted by comparing the whole text.
  std::shared_ptr<const CompiledKernel> find_or_compile(const Kernel& kernel, Writer* preferred,
                                                        Writer* fallback, std::string* reason);
  struct Stats {
    int64_t compiled, hits, refused, count, code_bytes, limit;
  };
  Stats stats();
  // Forgets all kernels; those in use live on with their plans.
  void clear();

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const CompiledKernel> code;
  };
  void evict();

  base::ForkMutex mutex_{base::ForkLevel::kCompile};
  std::list<Entry> recent_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  int64_t compiled_ = 0, hits_ = 0, refused_ = 0, code_bytes_ = 0;
};

}  // namespace frit::runtime

// Kernel cache: one compiled kernel per text and instruction set, shared by all plans and threads.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "frit/kernel.h"
#include "src/base/fork.h"

namespace frit::runtime {

struct KernelCode {
  std::shared_ptr<const CompiledKernel> code;  // null: refused
  // The name of the writer that made it, and in brackets why those before it did not. Of a kernel
  // that is refused, all the reasons.
  std::string writer;
};

class KernelCache {
 public:
  static KernelCache& get();

  // The code of `kernel` by the first of the writers that supports it. Nulls are passed over. Found
  // by hash, accepted by comparing the whole text.
  KernelCode find_or_compile(const Kernel& kernel, std::span<Writer* const> writers);
  struct Stats {
    int64_t compiled, hits, refused, count, code_bytes, limit;
    std::map<std::string, int64_t> writers;  // how many each compiled
  };
  Stats stats();
  // Forgets all kernels; those in use live on with their plans.
  void clear();

 private:
  struct Entry {
    std::string key;
    KernelCode code;
  };
  KernelCode compile(const Kernel& kernel, std::span<Writer* const> writers);
  void evict();

  base::ForkMutex mutex_{base::ForkLevel::kCompile};
  std::list<Entry> recent_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  int64_t compiled_ = 0, hits_ = 0, refused_ = 0, code_bytes_ = 0;
  std::map<std::string, int64_t> writers_;
};

}  // namespace frit::runtime

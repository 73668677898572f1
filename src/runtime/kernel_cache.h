// Kernel cache: one compiled kernel per text and instruction set, shared by all plans and threads.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>

#include "frit/kernel.h"
#include "src/base/fork.h"

namespace frit::runtime {

struct KernelCode {
  std::shared_ptr<const CompiledKernel> code;  // null: refused
  // The name of the writer that made it, and in brackets why those before it did not. Of a kernel
  // that is refused, all the reasons.
  std::string writer;
  const Writer* made_by = nullptr;
};

class KernelCache {
 public:
  static KernelCache& get();

  // The code of `kernel` by the first of the writers that supports it. Nulls are passed over. Found
  // by hash, accepted by comparing the whole text. Writers are called without a lock; a thread that
  // asks for a kernel that another is at waits for it.
  KernelCode find_or_compile(const Kernel& kernel, std::span<Writer* const> writers);
  struct Stats {
    int64_t compiled, hits, count;
    std::map<std::string, int64_t> writers;   // how many each compiled
    std::map<std::string, int64_t> refusals;  // how many each did not, "mine: no loops"
  };
  Stats stats();
  // Forgets the kernels that no plan uses, so that their memory is free.
  void drop_unused();
  // Forgets all kernels; those in use live on with their plans.
  void clear();

 private:
  struct Entry {
    std::string key;
    KernelCode code;
  };
  // A kernel that a thread is compiling.
  struct Making {
    std::thread::id by = std::this_thread::get_id();
    std::atomic<bool> done{false};  // from then on `code` and `thrown` stand
    KernelCode code;
    bool thrown = false;  // the writer threw: nothing was made
  };
  using Entries = std::list<Entry>;

  KernelCache();
  bool find(const std::string& key, KernelCode* code);
  KernelCode compile(const Kernel& kernel, std::span<Writer* const> writers);
  void note_refusal(const std::string& text);
  KernelCode make(const std::string& key, const std::shared_ptr<Making>& making,
                  const Kernel& kernel, std::span<Writer* const> writers);
  void finish(const std::string& key, const std::shared_ptr<Making>& making);
  void drop(Entries::iterator entry, Entries* dropped);
  // Keeps what was made for the next time.
  void file(const std::string& key, const KernelCode& made, Entries* dropped);
  void forget_other_threads();

  base::ForkMutex mutex_{base::ForkLevel::kTables};
  Entries recent_;  // most recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::unordered_map<std::string, std::shared_ptr<Making>> making_;
  int64_t compiled_ = 0, hits_ = 0;
  std::map<std::string, int64_t> writers_, refusals_;
};

}  // namespace frit::runtime

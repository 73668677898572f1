// ScratchPool: memory that one call needs while it runs, kept between calls for whoever comes next.
//
//   ScratchPool::Loan scratch(ScratchPool::get(), bytes);
//   use(scratch.data());
//
// Thread-safe. Holds one piece for each call that ever ran at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/fork.h"

namespace frit::runtime {

class ScratchPool {
 public:
  static ScratchPool& get();

  // A piece of at least `bytes` bytes, aligned to 64, as long as the object lives. Throws
  // Error(kOutOfMemory).
  class Loan {
   public:
    Loan(ScratchPool& pool, int64_t bytes);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    std::byte* data() const { return piece_.data; }

   private:
    ScratchPool& pool_;
    struct Piece {
      std::byte* data;
      int64_t bytes;
    } piece_;
    friend class ScratchPool;
  };

  // Gives back what no call uses.
  void clear();

 private:
  base::ForkMutex mutex_{base::ForkLevel::kMemory};
  std::vector<Loan::Piece> free_;
};

}  // namespace frit::runtime

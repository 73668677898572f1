// Pieces of memory, last used first.
#include "src/runtime/scratch_pool.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include "frit/error.h"
#include "src/base/memory.h"

namespace frit::runtime {

ScratchPool& ScratchPool::get() {
  static ScratchPool* pool = new ScratchPool;
  return *pool;
}

ScratchPool::Loan::Loan(ScratchPool& pool, int64_t bytes) : pool_(pool), piece_{nullptr, 0} {
  {
    std::lock_guard lock(pool.mutex_);
    if (!pool.free_.empty()) {
      piece_ = pool.free_.back();
      pool.free_.pop_back();
    }
  }
  if (piece_.bytes >= bytes) return;
  std::free(piece_.data);
  const int64_t rounded = (bytes + 63) & ~int64_t{63};
  piece_ = {nullptr, rounded};
  if (base::allows_allocation())
    piece_.data = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(rounded)));
  if (piece_.data == nullptr)
    throw Error(ErrorKind::kOutOfMemory,
                "kernel: out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
}

ScratchPool::Loan::~Loan() {
  try {
    std::lock_guard lock(pool_.mutex_);
    pool_.free_.push_back(piece_);
  } catch (const std::bad_alloc&) {
    std::free(piece_.data);  // no room to note it
  }
}

void ScratchPool::clear() {
  std::lock_guard lock(mutex_);
  for (const Loan::Piece& piece : free_) std::free(piece.data);
  free_.clear();
}

}  // namespace frit::runtime

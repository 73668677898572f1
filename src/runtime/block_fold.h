// Folds of a block program's reductions, in the canonical order: element i of a block of 4,096
// belongs to lane i mod 32, and the results of blocks are folded in the same way.
//
// Folds are `width` neighbours wide: element by element over vectors of that many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "frit/dtype.h"
#include "src/eager/blocks/blocks.h"
#include "src/eager/blocks/reduce_blocks.h"
#include "src/ops/op.h"

namespace frit::runtime {

// What folds values of one dtype by sum, prod, amax or amin.
struct BlockFold {
  eager::ReduceBlocks blocks;  // of at most 4,096 elements in memory
  eager::BinaryBlock combine;  // of two vectors
  eager::CastBlock narrow;     // null, or: `blocks` give i64, which becomes `dtype`
  uint64_t identity;
  Dtype dtype;
  bool adds_zero;  // at the end of a sum of floats

  // Nothing where there is no block kernel for it.
  static std::optional<BlockFold> make(Op op, Dtype dtype);
};

// 32 lanes of a block on its way, `width` neighbours each.
class FoldLanes {
 public:
  // Memory for `bytes_of` bytes, which need not be initialised.
  FoldLanes(const BlockFold& fold, int64_t width, std::byte* memory)
      : fold_(fold), width_(width), lanes_(memory) {}
  static int64_t bytes_of(int64_t width, Dtype dtype);

  void start();
  int64_t count() const { return count_; }
  // Folds in `n` vectors, which lie one behind the other.
  void add(const std::byte* vectors, int64_t n);
  // The block's result, `width` elements; ends it.
  const std::byte* join();

 private:
  std::byte* lane(int64_t i) const;

  const BlockFold& fold_;
  int64_t width_, count_ = 0;
  std::byte* lanes_;
};

// The results of a long row's blocks, as levels that carry into one another.
class FoldLevels {
 public:
  FoldLevels(const BlockFold& fold, int64_t width, std::byte* memory);
  static int64_t bytes_of(int64_t width, Dtype dtype);

  void push(const std::byte* partial) { push_at(0, partial); }
  const std::byte* finish();

 private:
  // Rows of 2^48 elements.
  static constexpr int kLevels = 3;
  void push_at(int level, const std::byte* partial);

  FoldLanes levels_[kLevels];
};

}  // namespace frit::runtime

// PointwiseLoop: runs a contiguous block kernel over a loop nest of any strides and dtypes.
//
// The nest is walked in chunks. An operand that lies contiguously for a chunk is passed as it is,
// one that does not change in it as a broadcast element; any other is gathered into a buffer on the
// stack, and one of another dtype than the kernel's is cast there. Results likewise. How a range is
// cut into chunks never changes a result, so ranges may run on different threads.
#pragma once

#include <cstddef>

#include "src/eager/blocks/blocks.h"
#include "src/eager/loop_nest.h"

namespace frit::eager {

// A block kernel of one, two or three operands.
struct Block {
  int arity = 1;
  UnaryBlock unary = nullptr;
  BinaryBlock binary = nullptr;
  TernaryBlock ternary = nullptr;

  bool defined() const { return unary || binary || ternary; }
  // `broadcast` has bit i set where operand i is one element (BlockMode).
  void operator()(const void* const* in, void* out, int64_t n, int broadcast) const {
    switch (arity) {
      case 1:
        return unary(in[0], out, n);
      case 2:
        return binary(in[0], in[1], out, n, broadcast);
      default:
        return ternary(in[0], in[1], in[2], out, n, broadcast);
    }
  }
};

class PointwiseLoop {
 public:
  struct Operand {
    std::byte* data;  // written only in the output's case
    Dtype memory;     // as it is stored
    Dtype kernel;     // as the kernel reads or writes it
  };

  // `nest` holds the output and then the inputs, collapsed, and outlives the loop.
  PointwiseLoop(const LoopNest& nest, const Block& block, const Operand& out,
                const Operand* inputs);

  // Elements [begin, end) in loop order.
  void run(int64_t begin, int64_t end) const;

 private:
  enum class Access : uint8_t { kDirect, kConstant, kRowConstant, kGather };
  struct Plan {
    Operand operand;
    CastBlock cast;  // null where memory and kernel dtypes are equal
    Access access;
    alignas(8) std::byte constant[8];  // of kConstant, in the kernel's dtype
  };
  struct Buffers;

  bool plan_output(const Operand& out);  // whether it needs a buffer
  bool plan_input(int i, const Operand& in);
  void gather(Odometer& at, int64_t n, Buffers& buffers) const;
  const void* fetch(int i, const Odometer& at, int64_t n, Buffers& buffers, int* broadcast) const;
  void scatter(Odometer at, int64_t n, const std::byte* values) const;

  const LoopNest& nest_;
  Block block_;
  bool by_rows_;  // chunks end with the innermost loop
  int64_t max_chunk_;
  Plan plans_[LoopNest::kMaxOperands];  // as in the nest: the output first
};

// Elements that are worth a thread, where each costs about an addition.
inline constexpr int64_t kGrain = 1 << 16;

// Runs the loop over the whole nest, on several threads where it is longer than `grain`.
void run_parallel(const PointwiseLoop& loop, int64_t numel, int64_t grain);

}  // namespace frit::eager

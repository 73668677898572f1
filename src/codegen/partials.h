// The partials of reductions over more than one block of 4,096, folded in the canonical order by
// C++ functions that generated code calls once per block.
#pragma once

#include <cstdint>

#include "src/codegen/slow_call.h"
#include "src/ops/math/program.h"
#include "src/ops/op.h"

namespace frit::codegen {

// How many bytes a partial has: one element (padded to 8), or a vector of elements of as many
// columns.
enum class PartialWidth : int { kElement = 8, kVector = 32 };

constexpr int kPartialLevels = 3;  // rows of up to 4,096^4 elements
// A level is its count, which generated code sets to 0, and 32 lanes.
constexpr int level_bytes(PartialWidth width) { return 8 + 32 * static_cast<int>(width); }
constexpr int state_bytes(PartialWidth width) { return kPartialLevels * level_bytes(width); }

struct PartialFunctions {
  uint64_t identity = 0;           // bits of what lanes start with
  FrameFunction push = nullptr;    // (state, partial); null: no such reduction
  FrameFunction finish = nullptr;  // (result, state)
};

PartialFunctions partial_functions(Op op, math::Type type, PartialWidth width);

}  // namespace frit::codegen

// Scans along the rows of block programs, tile by tile.
#pragma once

#include "frit/dtype.h"
#include "src/ops/op.h"
#include "src/runtime/block_copy.h"

namespace frit::runtime {

// Whether tiles lie row by row, or neighbours in memory are rows.
enum class ScanAlong : uint8_t { kFast, kSlow };

// What a scan has come to in each row before its first tile.
void begin_scan(Op op, Dtype dtype, int64_t rows, std::byte* state);
// Dense results of one tile, and on with `state`. See ops/reference/scan_step.h.
void scan_tile(Op op, Dtype dtype, Shape shape, ScanAlong along, std::byte* to, Elements from,
               std::byte* state);

}  // namespace frit::runtime

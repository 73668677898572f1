// How a loop around one that scans is best written.
#pragma once

#include "frit/kernel.h"

namespace frit::codegen {

enum class WayOfScans : uint8_t {
  kInTurn,   // one row after the other, one element after the other; also where nothing scans
  kRows,     // several contiguous rows at once
  kColumns,  // neighbouring columns at once, or rows with a lane each
};
WayOfScans way_of_scans(const KernelStmt& loop, const Kernel& kernel);

}  // namespace frit::codegen

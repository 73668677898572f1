// The steps of scans as instructions: those of src/ops/math/scan.h, one for one.
#pragma once

#include <optional>

#include "src/ops/math/program.h"
#include "src/ops/op.h"

namespace frit::codegen {

// Appends what a scan comes to after x. Nothing where it has no sequence for their type.
std::optional<int32_t> record_scan(math::Program* program, Op op, int32_t so_far, int32_t x);

}  // namespace frit::codegen

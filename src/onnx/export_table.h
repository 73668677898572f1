// How ops are exported: a row each. Ops without one are exported as what they are composed of, or
// not at all.
#pragma once

#include <span>

#include "src/onnx/export_node.h"

namespace frit::onnx {

// Null where the op has no row.
const ExportRow* find_export(Op op);

}  // namespace frit::onnx

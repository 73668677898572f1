// The ops that models may use: one row per ONNX op.
#pragma once

#include <string_view>

#include "src/onnx/node.h"

namespace frit::onnx {

inline constexpr int kAnyNumber = -1;

struct OpRow {
  std::string_view op_type;
  Runner (*bind)(Node& node);
  int min_inputs;  // these may not be left out
  int max_inputs;
  int max_outputs;
};

// Null for an op that Frit does not have.
const OpRow* find_op(std::string_view op_type);

}  // namespace frit::onnx

// Inverse and hyperbolic functions.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

Runner unary(Tensor (*op)(const Tensor&)) {
  return [op](Call& call) { call.result(op(call[0])); };
}

}  // namespace

Runner bind_acos(Node&) { return unary(acos); }
Runner bind_asin(Node&) { return unary(asin); }
Runner bind_atan(Node&) { return unary(atan); }
Runner bind_cosh(Node&) { return unary(cosh); }
Runner bind_sinh(Node&) { return unary(sinh); }
Runner bind_acosh(Node&) { return unary(acosh); }
Runner bind_asinh(Node&) { return unary(asinh); }
Runner bind_atanh(Node&) { return unary(atanh); }

}  // namespace frit::onnx::ops

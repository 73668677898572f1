// Fourier transforms: ONNX's DFT, which has the pairs of complex numbers in a last dimension, too.
#include "src/onnx/export_ops.h"

namespace frit::onnx::exports {
namespace {

OnnxValue scaled_by(NodeWriter& w, const OnnxValue& x, double more) {
  const OnnxValue made = w.op("Mul", {x, w.operand(1, x.dtype)});
  return more == 1 ? made : w.op("Mul", {made, w.number(more, x.dtype)});
}

}  // namespace

// ONNX divides the inverse by n.
void fft(NodeWriter& w) {
  const int64_t dim = w.int_attr("dim"), rank = w.layout(0).rank - 1;
  const int64_t axis = dim < 0 ? dim + rank : dim, inverse = w.int_attr("inverse");
  const OnnxValue x = w.operand(0);
  const OnnxValue made = w.op("DFT", {x}, {{"axis", axis}, {"inverse", inverse}});
  w.result(scaled_by(w, made,
                     inverse ? static_cast<double>(w.layout(0).size(static_cast<int>(axis))) : 1));
}

void rfft(NodeWriter& w) {
  const OnnxValue pairs = w.op("Unsqueeze", {w.operand(0), w.ints({-1})});
  w.result(scaled_by(
      w, w.op("DFT", {pairs}, {{"axis", w.dim_attr("dim")}, {"onesided", int64_t{1}}}), 1));
}

}  // namespace frit::onnx::exports

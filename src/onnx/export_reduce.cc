// Reductions, scans, softmax and order.
#include <cmath>

#include "src/onnx/export_ops.h"
#include "src/ops/infer.h"
#include "src/ops/op.h"

namespace frit::onnx::exports {
namespace {

// ONNX's keepdims and, since opset 13 for ReduceSum alone, axes as an input.
OnnxValue reduced(NodeWriter& w, const OnnxValue& x, const std::vector<int64_t>& axes) {
  Attributes attributes;
  const bool as_input = w.row().type == "ReduceSum";
  if (!as_input) attributes.emplace_back("axes", axes);
  attributes.emplace_back("keepdims", w.int_attr("keepdim"));
  OnnxValues inputs = {x};
  if (as_input) inputs.push_back(w.ints(axes));
  return w.op(w.row().type, inputs, std::move(attributes));
}

// The value and the index of TopK, of a dimension that `dim` is.
void write_topk(NodeWriter& w, int64_t k, bool largest) {
  if (w.layout(0).rank == 0) {
    w.result(w.operand(0));
    return w.result(w.number(0, kInt64), 1);
  }
  const OnnxValue x = w.widened(0);
  const OnnxValues made = w.op_giving(
      {x.dtype, kInt64}, "TopK", {x, w.ints({k})},
      {{"axis", w.dim_attr("dim")}, {"largest", int64_t{largest}}, {"sorted", int64_t{1}}});
  w.result(made[0]);
  w.result(made[1], 1);
}

}  // namespace

void reduce(NodeWriter& w) {
  const std::vector<int64_t> list = w.list_attr("dims");
  const Dims dims = normalize_dims(w.op(), w.layout(0), list);
  // Sums of integers are i64.
  const bool sums = info(w.op()).dtype == DtypeRule::Sum;
  const OnnxValue x =
      w.operand(0, w.written_in(sums ? w.result_layout().dtype : w.layout(0).dtype));
  if (w.layout(0).rank == 0) return w.result(x);
  // The largest bool of none is false, the smallest true; other dtypes have none.
  if (w.layout(0).numel == 0 && w.layout(0).dtype == kBool && !sums)
    return w.result(w.expand_to(w.number(w.op() == Op::amin, x.dtype), w.result_layout().sizes()));
  // Of no elements NaN, where runtimes give 0.
  if (w.op() == Op::mean && w.layout(0).numel == 0)
    return w.result(w.expand_to(w.number(std::nan(""), x.dtype), w.result_layout().sizes()));
  w.result(reduced(w, x, dims.ref().vec()));
}

void arg_reduce(NodeWriter& w) {
  const std::vector<int64_t> dim = w.list_attr("dim");
  OnnxValue x = w.widened(0);
  const bool whole = dim.empty() || w.layout(0).rank == 0;
  if (whole) x = w.reshape(x, {-1});
  const int64_t axis = whole ? 0 : dim[0] < 0 ? dim[0] + w.layout(0).rank : dim[0];
  const int64_t keep = whole ? 0 : w.int_attr("keepdim");
  const OnnxValue made =
      w.op_giving(kInt64, w.row().type, {x}, {{"axis", axis}, {"keepdims", keep}});
  w.result(whole ? w.reshape(made, w.result_layout().sizes()) : made);
}

void cumsum(NodeWriter& w) {
  const OnnxValue x = w.operand(0, w.written_in(w.result_layout().dtype));
  if (w.layout(0).rank == 0) return w.result(x);
  w.result(w.op("CumSum", {x, w.number(w.dim_attr("dim"), kInt64)}));
}

void softmax(NodeWriter& w) {
  if (w.layout(0).rank == 0) return w.expand();
  w.result(w.op(w.row().type, {w.widened(0)}, {{"axis", w.dim_attr("dim")}}));
}

void topk(NodeWriter& w) { write_topk(w, w.int_attr("k"), w.bool_attr("largest")); }

// Equal elements keep their order in TopK.
void sort(NodeWriter& w) {
  const int64_t n =
      w.layout(0).rank == 0 ? 1 : w.layout(0).size(static_cast<int>(w.dim_attr("dim")));
  write_topk(w, n, w.bool_attr("descending"));
}

}  // namespace frit::onnx::exports

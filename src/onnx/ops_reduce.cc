// Reductions, softmax and its like.
#include <numeric>

#include "src/onnx/broadcast.h"
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;
using Reduction = Tensor (*)(const Tensor&, IntArrayRef, bool);

// `axes` is an input from `input_since` on; without axes over all dimensions, or, on request, none.
Runner reduction(Node& node, Reduction reduce, int64_t input_since) {
  const IntList axes = node.int_list("axes", input_since, 1);
  const bool keep = node.int_or("keepdims", 1) != 0;
  const bool none_if_empty =
      node.opset() >= input_since && node.int_or("noop_with_empty_axes", 0) != 0;
  return [=](Call& call) {
    const Ints dims = axes.get(call);
    if (dims.empty() && none_if_empty) return call.result(call[0]);
    // Integers are summed as i64, ONNX keeps their type.
    call.result(reduce(call[0], dims, keep).to(call[0].dtype()));
  };
}

constexpr int64_t kNever = 18;  // ONNX made these axes inputs in opset 18

Tensor reduce_sum(const Tensor& x, IntArrayRef dims, bool keep) { return sum(x, dims, keep); }
Tensor reduce_mean(const Tensor& x, IntArrayRef dims, bool keep) { return mean(x, dims, keep); }
Tensor reduce_max(const Tensor& x, IntArrayRef dims, bool keep) { return amax(x, dims, keep); }
Tensor reduce_min(const Tensor& x, IntArrayRef dims, bool keep) { return amin(x, dims, keep); }

Tensor reduce_l1(const Tensor& x, IntArrayRef dims, bool keep) { return sum(abs(x), dims, keep); }
Tensor reduce_sum_square(const Tensor& x, IntArrayRef dims, bool keep) {
  return sum(x * x, dims, keep);
}
Tensor reduce_l2(const Tensor& x, IntArrayRef dims, bool keep) {
  return sqrt(reduce_sum_square(x, dims, keep));
}
Tensor reduce_log_sum(const Tensor& x, IntArrayRef dims, bool keep) {
  return log(sum(x, dims, keep));
}
Tensor reduce_log_sum_exp(const Tensor& x, IntArrayRef dims, bool keep) {
  return logsumexp(x, dims, keep);
}
// From the last dimension on, so that those to come keep their numbers.
Tensor reduce_prod(const Tensor& x, IntArrayRef dims, bool keep) {
  std::vector<bool> chosen(static_cast<size_t>(x.dim()), dims.empty());
  for (const int64_t dim : dims) chosen[static_cast<size_t>(wrap_axis(dim, x.dim()))] = true;
  Tensor result = x;
  for (int64_t dim = x.dim(); dim-- > 0;)
    if (chosen[static_cast<size_t>(dim)]) result = prod(result, dim, keep);
  return result;
}

Tensor hardmax(const Tensor& x, int64_t dim) {
  dim = wrap_axis(dim, x.dim());
  return eq(argmax(x, dim, true), places(x.size(dim), dim, x.dim())).to(x.dtype());
}

using ArgReduction = Tensor (*)(const Tensor&, std::optional<int64_t>, bool);

Runner arg_reduction(Node& node, ArgReduction reduce) {
  const int64_t axis = node.int_or("axis", 0);
  const bool keep = node.int_or("keepdims", 1) != 0;
  const bool from_end = node.int_or("select_last_index", 0) != 0;
  return [=](Call& call) {
    if (!from_end) return call.result(reduce(call[0], axis, keep));
    const int64_t last = call[0].size(wrap_axis(axis, call[0].dim())) - 1;
    const Tensor backwards = index_select(call[0], axis, last - arange(last + 1));
    call.result(last - reduce(backwards, axis, keep));
  };
}

using Normalization = Tensor (*)(const Tensor&, int64_t);

// Before opset 13, over all dimensions from `axis` on.
Tensor over_tail(const Tensor& x, int64_t axis, Normalization normalize) {
  axis = wrap_axis(axis, x.dim());
  if (axis == x.dim() - 1) return normalize(x, axis);
  const Ints sizes = x.sizes().vec();
  const int64_t rows =
      std::accumulate(sizes.begin(), sizes.begin() + axis, int64_t{1}, std::multiplies<>());
  const int64_t columns =
      std::accumulate(sizes.begin() + axis, sizes.end(), int64_t{1}, std::multiplies<>());
  return normalize(x.reshape({rows, columns}), 1).reshape(sizes);
}

Runner normalization(Node& node, Normalization normalize) {
  const bool tail = node.opset() < 13;
  const int64_t axis = node.int_or("axis", tail ? 1 : -1);
  return [=](Call& call) {
    call.result(tail ? over_tail(call[0], axis, normalize) : normalize(call[0], axis));
  };
}

}  // namespace

Runner bind_reduce_l1(Node& node) { return reduction(node, reduce_l1, kNever); }
Runner bind_reduce_l2(Node& node) { return reduction(node, reduce_l2, kNever); }
Runner bind_reduce_log_sum(Node& node) { return reduction(node, reduce_log_sum, kNever); }
Runner bind_reduce_log_sum_exp(Node& node) { return reduction(node, reduce_log_sum_exp, kNever); }
Runner bind_reduce_prod(Node& node) { return reduction(node, reduce_prod, kNever); }
Runner bind_reduce_sum_square(Node& node) { return reduction(node, reduce_sum_square, kNever); }
Runner bind_reduce_max(Node& node) { return reduction(node, reduce_max, kNever); }
Runner bind_reduce_mean(Node& node) { return reduction(node, reduce_mean, kNever); }
Runner bind_reduce_min(Node& node) { return reduction(node, reduce_min, kNever); }
Runner bind_reduce_sum(Node& node) { return reduction(node, reduce_sum, 13); }
Runner bind_arg_max(Node& node) { return arg_reduction(node, argmax); }
Runner bind_arg_min(Node& node) { return arg_reduction(node, argmin); }
Runner bind_softmax(Node& node) { return normalization(node, softmax); }
Runner bind_hardmax(Node& node) { return normalization(node, hardmax); }
Runner bind_log_softmax(Node& node) { return normalization(node, log_softmax); }

}  // namespace frit::onnx::ops

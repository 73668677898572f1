// Ops that choose elements: by their place, by an index, or by a mask.
#include <algorithm>

#include "src/onnx/broadcast.h"
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

Tensor zero(Dtype dtype) { return full({}, 0, dtype); }

// The one number of an input that says how many or which one.
int64_t integer(const Tensor& tensor) {
  if (tensor.numel() != 1)
    throw Error(ErrorKind::kValue,
                "expected one number, got " + std::to_string(tensor.numel()) + " elements");
  return tensor.reshape({}).to(kInt64).item<int64_t>();
}

// Column minus row of the last two dimensions.
Tensor diagonals(const Tensor& x) {
  if (x.dim() < 2)
    throw Error(ErrorKind::kValue,
                "expected at least 2 dimensions, got " + std::to_string(x.dim()));
  return places(x.size(-1), 1, 2) - places(x.size(-2), 0, 2);
}

Tensor one_hot(const Tensor& indices, int64_t depth, const Tensor& values, int64_t axis) {
  if (values.dim() != 1 || values.size(0) != 2)
    throw Error(ErrorKind::kValue, "values are not [off, on]");
  const int64_t rank = indices.dim() + 1;
  axis = wrap_axis(axis, rank);
  const Tensor index = indices.to(kInt64);
  const Tensor counted = where(index < 0, index + depth, index);  // from the front
  const Tensor hit = eq(counted.unsqueeze(axis), places(depth, axis, rank));
  return where(hit, values.select(0, 1), values.select(0, 0));
}

// x[index[..., 0], index[..., 1], ...], for each of the leading `batch_dims` dimensions by itself.
Tensor gather_nd(const Tensor& x, const Tensor& index, int64_t batch_dims) {
  const int64_t rank = index.dim() - 1;  // of what is gathered
  if (rank < 0 || batch_dims < 0 || batch_dims > rank || batch_dims >= x.dim())
    throw Error(ErrorKind::kValue, "batch_dims is " + std::to_string(batch_dims) + " for " +
                                       std::to_string(x.dim()) + " and " +
                                       std::to_string(index.dim()) + " dimensions");
  if (index.size(-1) > x.dim() - batch_dims)
    throw Error(ErrorKind::kValue, "an index of " + std::to_string(index.size(-1)) +
                                       " numbers for " + std::to_string(x.dim() - batch_dims) +
                                       " dimensions");
  std::vector<TensorIndex> indices;
  for (int64_t d = 0; d < batch_dims; ++d) indices.push_back(places(x.size(d), d, rank));
  const Tensor wide = index.to(kInt64);
  for (int64_t i = 0; i < wide.size(-1); ++i) {
    const Tensor one = wide.select(-1, i);
    indices.push_back(one.dim() > 0 ? one : one.reshape({1}));
  }
  const Tensor result = frit::index(x, indices);
  return rank > 0 ? result : result.squeeze(0);
}

// The first lengths[b] elements of the time axis backwards, the others as they are.
Tensor reverse_sequences(const Tensor& x, const Tensor& lengths, int64_t batch_axis,
                         int64_t time_axis) {
  Ints sizes(static_cast<size_t>(x.dim() - batch_axis), 1);
  sizes[0] = lengths.numel();
  const Tensor length = lengths.to(kInt64).reshape(sizes);
  const Tensor time = places(x.size(time_axis), time_axis, x.dim());
  const Tensor source = where(time < length, length - 1 - time, time);
  return gather(x, time_axis, source.expand(x.sizes()));
}

}  // namespace

Runner bind_compress(Node& node) {
  const bool along = node.has_attribute("axis");
  const int64_t axis = node.int_or("axis", 0);
  return [=](Call& call) {
    const Tensor x = along ? call[0] : call[0].flatten();
    call.result(index_select(x, axis, nonzero(call[1]).reshape({-1})));
  };
}

Runner bind_eye_like(Node& node) {
  const int64_t k = node.int_or("k", 0);
  std::optional<Dtype> dtype;
  if (node.has_attribute("dtype")) dtype = node.dtype_or("dtype", kFloat32);
  return [=](Call& call) {
    call.result(eq(diagonals(call[0]), k).to(dtype.value_or(call[0].dtype())));
  };
}

Runner bind_gather_nd(Node& node) {
  const int64_t batch_dims = node.int_or("batch_dims", 0);
  return [=](Call& call) { call.result(gather_nd(call[0], call[1], batch_dims)); };
}

Runner bind_non_zero(Node&) {
  return [](Call& call) { call.result(nonzero(call[0]).t().contiguous()); };
}

Runner bind_one_hot(Node& node) {
  const int64_t axis = node.int_or("axis", -1);
  return [axis](Call& call) { call.result(one_hot(call[0], integer(call[1]), call[2], axis)); };
}

Runner bind_reverse_sequence(Node& node) {
  const int64_t batch_axis = node.int_or("batch_axis", 1), time_axis = node.int_or("time_axis", 0);
  if (batch_axis == time_axis || std::min(batch_axis, time_axis) < 0)
    node.fail("batch_axis and time_axis are " + std::to_string(batch_axis) + " and " +
              std::to_string(time_axis));
  return [=](Call& call) {
    wrap_axis(std::max(batch_axis, time_axis), call[0].dim());
    call.result(reverse_sequences(call[0], call[1], batch_axis, time_axis));
  };
}

Runner bind_top_k(Node& node) {
  const int64_t axis = node.int_or("axis", -1);
  const bool largest = node.int_or("largest", 1) != 0;
  node.ignore("sorted");  // the result always is
  const bool by_input = node.opset() >= 10;
  const int64_t known = by_input ? 0 : node.required_int("k");
  if (by_input && !node.has_input(1)) node.fail("no k");
  return [=](Call& call) {
    auto [values, indices] = topk(call[0], by_input ? integer(call[1]) : known, axis, largest);
    call.result(std::move(values), 0);
    call.result(std::move(indices), 1);
  };
}

Runner bind_trilu(Node& node) {
  const bool upper = node.int_or("upper", 1) != 0;
  return [upper](Call& call) {
    const int64_t k = call.has(1) ? integer(call[1]) : 0;
    const Tensor diagonal = diagonals(call[0]);
    call.result(where(upper ? diagonal >= k : diagonal <= k, call[0], zero(call[0].dtype())));
  };
}

}  // namespace frit::onnx::ops

// Views, copies and creation. Which views share memory is no concern of a model.
#include <algorithm>
#include <array>

#include "src/onnx/export_ops.h"

namespace frit::onnx::exports {
namespace {

// Slice along one dimension.
OnnxValue sliced(NodeWriter& w, const OnnxValue& x, int64_t dim, std::array<int64_t, 3> range) {
  const auto [start, end, step] = range;
  return w.op("Slice", {x, w.ints({start}), w.ints({end}), w.ints({dim}), w.ints({step})});
}

// The first and every step-th element from it on, `count` of them.
int64_t end_of(int64_t start, int64_t step, int64_t count) {
  return count == 0 ? start : start + (count - 1) * step + 1;
}

}  // namespace

// Of any op whose result has the operand's elements in their order.
void reshape(NodeWriter& w) {
  if (w.layout(0).sizes() == w.result_layout().sizes()) return identity(w);
  w.result(w.reshape(w.operand(0), w.result_layout().sizes()));
}

void permute(NodeWriter& w) {
  std::vector<int64_t> dims = w.list_attr("dims");
  for (int64_t& d : dims) d += d < 0 ? w.layout(0).rank : 0;
  w.result(w.permute(w.operand(0), dims));
}

void expand(NodeWriter& w) { w.result(w.expand_to(w.widened(0), w.result_layout().sizes())); }

void slice(NodeWriter& w) {
  const int64_t dim = w.dim_attr("dim");
  const int64_t size = w.layout(0).size(static_cast<int>(dim)), step = w.int_attr("step");
  int64_t start = w.int_attr("start");
  start = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
  const int64_t count = w.result_layout().size(static_cast<int>(dim));
  w.result(sliced(w, w.operand(0), dim, {start, end_of(start, step, count), step}));
}

// Gather by an index without dimensions drops the dimension.
void select(NodeWriter& w) {
  w.result(w.op("Gather", {w.operand(0), w.number(w.int_attr("index"), kInt64)},
                {{"axis", w.dim_attr("dim")}}));
}

// Slice from the last element down to before the first.
void flip(NodeWriter& w) {
  const std::vector<int64_t> dims = w.list_attr("dims");
  if (dims.empty() || w.layout(0).rank == 0) return identity(w);
  const auto all = [&](int64_t value) { return w.ints(std::vector<int64_t>(dims.size(), value)); };
  w.result(w.op("Slice", {w.operand(0), all(-1), all(INT64_MIN), w.ints(dims), all(-1)}));
}

// PyTorch skips operands of sizes [0], whatever the others' rank.
void cat(NodeWriter& w) {
  OnnxValues operands;
  const int rank = w.result_layout().rank;
  for (int i = 0; i < w.num_operands(); ++i)
    if (w.layout(i).rank == rank) operands.push_back(w.operand(i, w.result_layout().dtype));
  const int64_t dim = w.int_attr("dim");
  w.result(w.op("Concat", operands, {{"axis", dim < 0 ? dim + rank : dim}}));
}

// Before and after from the last dimension on; ONNX has all that come before, then all after.
void pad(NodeWriter& w) {
  const std::vector<int64_t> pads = w.list_attr("pads");
  const size_t rank = w.layout(0).rank;
  std::vector<int64_t> both(2 * rank);
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    both[rank - 1 - i] = pads[2 * i];
    both[2 * rank - 1 - i] = pads[2 * i + 1];
  }
  const OnnxValue x = w.widened(0);
  const OnnxValue value = w.cast(w.operand(1, w.layout(0).dtype), x.dtype);
  w.result(w.op("Pad", {x, w.ints(both), value}));
}

void full(NodeWriter& w) {
  const OnnxValue value = w.operand(0, w.result_layout().dtype);
  if (w.result_layout().rank == 0) return w.result(value);
  const OnnxValue wide = w.cast(value, w.written_in(value.dtype));
  w.result(w.expand_to(wide, w.result_layout().sizes()));
}

// start + step * [0, 1, ...]
void arange(NodeWriter& w) {
  const Dtype dtype = is_floating_point(w.result_layout().dtype) ? kFloat64 : kInt64;
  const OnnxValue n = w.number(w.result_layout().numel, kInt64);
  const OnnxValue count =
      w.cast(w.op("Range", {w.number(0, kInt64), n, w.number(1, kInt64)}), dtype);
  w.result(w.op("Add", {w.operand(0, dtype), w.op("Mul", {count, w.operand(1, dtype)})}));
}

void triangle(NodeWriter& w) {
  const int64_t upper = w.row().type == "upper";
  w.result(
      w.op("Trilu", {w.widened(0), w.number(w.int_attr("diagonal"), kInt64)}, {{"upper", upper}}));
}

}  // namespace frit::onnx::exports

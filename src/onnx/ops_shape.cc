// Ops that move elements and change shapes.
#include <algorithm>
#include <limits>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

[[noreturn]] void fail_run(const std::string& problem) { throw Error(ErrorKind::kValue, problem); }

int64_t product(IntArrayRef sizes, size_t begin, size_t end) {
  int64_t result = 1;
  for (size_t d = begin; d < end; ++d) result *= sizes[d];
  return result;
}

// ONNX's 0 keeps a size, unless `allow_zero`.
Ints reshaped_sizes(const Tensor& x, Ints sizes, bool allow_zero) {
  for (size_t d = 0; d < sizes.size() && !allow_zero; ++d) {
    if (sizes[d] != 0) continue;
    if (static_cast<int64_t>(d) >= x.dim())
      fail_run("size 0 at " + std::to_string(d) + " keeps none of " + std::to_string(x.dim()) +
               " dimensions");
    sizes[d] = x.size(static_cast<int64_t>(d));
  }
  return sizes;
}

// Axes counted from the front, in order, each once.
Ints sorted_axes(Ints axes, int64_t rank) {
  for (int64_t& axis : axes) axis = wrap_axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) fail_run("an axis twice");
  return axes;
}

Tensor squeeze_axes(Tensor x, const Ints& axes) {
  const Ints sorted = sorted_axes(axes, x.dim());
  for (size_t i = sorted.size(); i-- > 0;) {
    if (x.size(sorted[i]) != 1)
      fail_run("dimension " + std::to_string(sorted[i]) + " has size " +
               std::to_string(x.size(sorted[i])) + ", not 1");
    x = x.squeeze(sorted[i]);
  }
  return x;
}

Tensor unsqueeze_axes(Tensor x, const Ints& axes) {
  for (const int64_t axis : sorted_axes(axes, x.dim() + static_cast<int64_t>(axes.size())))
    x = x.unsqueeze(axis);
  return x;
}

// One dimension's slice, with NumPy's rules for ends out of range.
Tensor slice_axis(const Tensor& x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const int64_t size = x.size(axis);
  if (step == 0) fail_run("step 0");
  step = std::clamp(step, -std::max<int64_t>(size, 1), std::max<int64_t>(size, 1));
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0)
    return x.slice(axis, std::clamp<int64_t>(start, 0, size), std::clamp<int64_t>(end, 0, size),
                   step);
  start = std::clamp<int64_t>(start, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  if (start <= end) return x.slice(axis, 0, 0);
  return index_select(x, axis, arange(start, end, step, kInt64));
}

struct SliceLists {
  IntList starts, ends, axes, steps;
};

Tensor slice_all(Tensor x, const SliceLists& lists, const Call& call) {
  const Ints starts = lists.starts.get(call), ends = lists.ends.get(call);
  Ints axes = lists.axes.get(call), steps = lists.steps.get(call);
  if (!lists.axes.given())
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (!lists.steps.given()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    fail_run("starts, ends, axes and steps are not of one length");
  for (size_t i = 0; i < starts.size(); ++i)
    x = slice_axis(x, wrap_axis(axes[i], x.dim()), starts[i], ends[i], steps[i]);
  return x;
}

// Rows by index, counted from the end where negative. Indices of any rank take the place of the
// axis.
Tensor gather_axis(const Tensor& x, int64_t axis, const Tensor& index) {
  axis = wrap_axis(axis, x.dim());
  std::vector<TensorIndex> indices(static_cast<size_t>(axis), Slice());
  if (index.dim() > 0) {
    indices.push_back(index.to(kInt64));
    return frit::index(x, indices);
  }
  indices.push_back(index.to(kInt64).reshape({1}));
  return frit::index(x, indices).squeeze(axis);
}

Ints equal_parts(int64_t size, int parts) {
  if (size % parts != 0)
    fail_run("size " + std::to_string(size) + " is not divided by " + std::to_string(parts));
  return Ints(parts, size / parts);
}

// Puts a dimension of `repeats` before each, and merges the pairs.
Tensor tile(const Tensor& x, const Ints& repeats) {
  if (static_cast<int64_t>(repeats.size()) != x.dim())
    fail_run(std::to_string(repeats.size()) + " repeats for " + std::to_string(x.dim()) +
             " dimensions");
  Ints split, repeated, merged;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (repeats[d] < 0) fail_run("repeats " + std::to_string(repeats[d]) + " times");
    split.insert(split.end(), {1, x.size(d)});
    repeated.insert(repeated.end(), {repeats[d], x.size(d)});
    merged.push_back(0);
    if (__builtin_mul_overflow(repeats[d], x.size(d), &merged.back()))
      throw Error(ErrorKind::kOutOfMemory,
                  "out of memory: repeats " + std::to_string(repeats[d]) + " times");
  }
  return x.reshape(split).expand(repeated).reshape(merged);
}

// NumPy's broadcasting of two shapes.
Ints broadcast_sizes(IntArrayRef a, const Ints& b) {
  Ints sizes(std::max(a.size(), b.size()), 1);
  std::copy(a.begin(), a.end(), sizes.end() - static_cast<ptrdiff_t>(a.size()));
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = sizes[sizes.size() - b.size() + i];
    if (size != b[i] && size != 1 && b[i] != 1)
      fail_run("sizes do not broadcast: " + std::to_string(size) + " and " + std::to_string(b[i]));
    if (size == 1) size = b[i];
  }
  return sizes;
}

}  // namespace

Runner bind_reshape(Node& node) {
  const IntList sizes = node.int_list(1);
  const bool allow_zero = node.int_or("allowzero", 0) != 0;
  return [=](Call& call) {
    call.result(call[0].reshape(reshaped_sizes(call[0], sizes.get(call), allow_zero)));
  };
}

Runner bind_flatten(Node& node) {
  const int64_t axis = node.int_or("axis", 1);
  return [axis](Call& call) {
    const IntArrayRef sizes = call[0].sizes();
    const int64_t rank = call[0].dim();
    const size_t at = axis == rank ? sizes.size() : static_cast<size_t>(wrap_axis(axis, rank));
    call.result(call[0].reshape({product(sizes, 0, at), product(sizes, at, sizes.size())}));
  };
}

Runner bind_transpose(Node& node) {
  const bool given = node.has_attribute("perm");
  const Ints perm = node.ints_or("perm", {});
  return [=](Call& call) {
    if (given) return call.result(call[0].permute(perm));
    Ints reversed;
    for (int64_t d = call[0].dim(); d-- > 0;) reversed.push_back(d);
    call.result(call[0].permute(reversed));
  };
}

Runner bind_squeeze(Node& node) {
  const IntList axes = node.int_list("axes", 13, 1);
  return [axes](Call& call) {
    call.result(axes.given() ? squeeze_axes(call[0], axes.get(call)) : call[0].squeeze());
  };
}

Runner bind_unsqueeze(Node& node) {
  const IntList axes = node.int_list("axes", 13, 1);
  if (!axes.given()) node.fail("no axes");
  return [axes](Call& call) { call.result(unsqueeze_axes(call[0], axes.get(call))); };
}

Runner bind_concat(Node& node) {
  const int64_t axis = node.required_int("axis");
  return [axis](Call& call) { call.result(cat(call.inputs(), axis)); };
}

Runner bind_slice(Node& node) {
  const SliceLists lists{node.int_list("starts", 10, 1), node.int_list("ends", 10, 2),
                         node.int_list("axes", 10, 3),
                         node.opset() >= 10 ? node.int_list(4) : IntList()};
  if (!lists.starts.given() || !lists.ends.given()) node.fail("no starts or ends");
  return [lists](Call& call) { call.result(slice_all(call[0], lists, call)); };
}

Runner bind_split(Node& node) {
  const int64_t axis = node.int_or("axis", 0);
  const IntList sizes = node.int_list("split", 13, 1);
  return [=](Call& call) {
    const int64_t size = call[0].size(wrap_axis(axis, call[0].dim()));
    const Ints parts = sizes.given() ? sizes.get(call) : equal_parts(size, call.num_outputs());
    if (static_cast<int>(parts.size()) != call.num_outputs())
      fail_run(std::to_string(parts.size()) + " sizes for " + std::to_string(call.num_outputs()) +
               " outputs");
    std::vector<Tensor> pieces = split(call[0], IntArrayRef(parts), axis);
    for (int i = 0; i < call.num_outputs(); ++i) call.result(std::move(pieces[i]), i);
  };
}

Runner bind_gather(Node& node) {
  const int64_t axis = node.int_or("axis", 0);
  // One known index is a view.
  if (const Tensor* index = node.constant(1); index && index->dim() == 0) {
    const int64_t row = to_ints(*index).at(0);
    return [=](Call& call) { call.result(call[0].select(wrap_axis(axis, call[0].dim()), row)); };
  }
  return [axis](Call& call) { call.result(gather_axis(call[0], axis, call[1])); };
}

Runner bind_gather_elements(Node& node) {
  const int64_t axis = node.int_or("axis", 0);
  return [axis](Call& call) {
    const int64_t size = call[0].size(wrap_axis(axis, call[0].dim()));
    const Tensor index = call[1].to(kInt64);
    call.result(gather(call[0], axis, where(index < 0, index + size, index)));
  };
}

// Of one dtype.
bool is_less(const Scalar& a, const Scalar& b) {
  return a.is_float() ? a.to_double() < b.to_double() : a.to_int() < b.to_int();
}

Runner bind_range(Node&) {
  return [](Call& call) {
    const Scalar step = call[2].item();
    if (step.to_double() == 0) fail_run("step 0");
    const Scalar start = call[0].item(), end = call[1].item();
    // Empty where ONNX says so and arange() refuses: the step leads away from the end.
    const bool away = step.to_double() > 0 ? is_less(end, start) : is_less(start, end);
    call.result(arange(start, away ? start : end, step, call[0].dtype()));
  };
}

Runner bind_size(Node&) {
  return [](Call& call) { call.result(tensor(call[0].numel(), kInt64)); };
}

Runner bind_tile(Node& node) {
  const IntList repeats = node.int_list(1);
  return [repeats](Call& call) { call.result(tile(call[0], repeats.get(call))); };
}

Runner bind_shape(Node& node) {
  const int64_t start = node.int_or("start", 0);
  const int64_t end = node.int_or("end", std::numeric_limits<int64_t>::max());
  return [=](Call& call) {
    const IntArrayRef sizes = call[0].sizes();
    const int64_t rank = call[0].dim();
    const int64_t from = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
    const int64_t to = std::clamp<int64_t>(end < 0 ? end + rank : end, from, rank);
    call.result(from_host(sizes.data() + from, {to - from}, kInt64));
  };
}

Runner bind_expand(Node& node) {
  const IntList sizes = node.int_list(1);
  return [sizes](Call& call) {
    call.result(call[0].expand(broadcast_sizes(call[0].sizes(), sizes.get(call))));
  };
}

}  // namespace frit::onnx::ops

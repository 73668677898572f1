// Ops that frit has as they are, but for attributes: scans, scatters, products by names, sampling
// by grids, convolutions backwards.
#include <algorithm>

#include "src/onnx/ops.h"
#include "src/onnx/window.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

// Each sum without its own element.
Tensor shifted(const Tensor& sums, int64_t axis) {
  const int64_t n = sums.size(axis);
  if (n == 0) return sums;
  return cat({zeros_like(narrow(sums, axis, 0, 1)), narrow(sums, axis, 0, n - 1)}, axis);
}

Tensor running_sum(const Tensor& x, int64_t axis, bool exclusive, bool reverse) {
  const Tensor in_order = reverse ? flip(x, {axis}) : x;
  const Tensor sums = to(cumsum(in_order, axis), x.dtype());
  const Tensor result = exclusive ? shifted(sums, axis) : sums;
  return reverse ? flip(result, {axis}) : result;
}

// frit's name of a reduction; empty for none.
std::string read_reduction(Node& node) {
  const std::string text = node.string_or("reduction", "none");
  if (text == "none") return "";
  if (text == "add") return "sum";
  if (text == "mul") return "prod";
  if (text == "max") return "amax";
  if (text == "min") return "amin";
  node.fail("reduction is " + text);
}

Tensor scattered(const Tensor& x, const Tensor& indices, const Tensor& updates, int64_t axis,
                 const std::string& reduce) {
  const Tensor raw = to(indices, kInt64);
  const int64_t dim = wrap_axis(axis, x.dim());
  const Tensor index = where(raw < 0, raw + x.size(dim), raw);
  return reduce.empty() ? scatter(x, dim, index, updates)
                        : scatter_reduce(x, dim, index, updates, reduce);
}

// One index tensor for each of the first dimensions.
std::vector<TensorIndex> index_columns(const Tensor& indices) {
  std::vector<TensorIndex> columns;
  for (const Tensor& column : unbind(to(indices, kInt64), -1)) columns.emplace_back(column);
  return columns;
}

// What is cut off the whole output of a transposed convolution, or added at its end.
struct Cut {
  Ints before, after;
};

int64_t nth_or(const Ints& list, size_t i, int64_t fallback) {
  return list.empty() ? fallback : list[i];
}

struct Transposed {
  WindowAttributes window;
  Ints added, output_shape;
  int64_t groups = 1;

  Cut cut_of(const Tensor& x, const Tensor& weight) const;
  Tensor run(const Tensor& x, const Tensor& weight, const Tensor& bias) const;
};

Cut Transposed::cut_of(const Tensor& x, const Tensor& weight) const {
  const size_t rank = static_cast<size_t>(x.dim() - 2);
  Cut cut;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t at = static_cast<int64_t>(d) + 2, stride = nth_or(window.strides, d, 1);
    const int64_t reach = (weight.size(at) - 1) * nth_or(window.dilations, d, 1) + 1;
    const int64_t whole = (x.size(at) - 1) * stride + reach + nth_or(added, d, 0);
    const bool same =
        window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower;
    if (output_shape.empty() && !same) {
      cut.before.push_back(nth_or(window.pads, d, 0));
      cut.after.push_back(nth_or(window.pads, d + rank, 0));
      continue;
    }
    const size_t own = output_shape.size() > rank ? d + 2 : d;
    const int64_t total = whole - (output_shape.empty() ? x.size(at) * stride : output_shape[own]);
    // A shape beyond what windows reach goes on behind them.
    const int64_t half = total / 2,
                  front = window.auto_pad == AutoPad::kSameUpper ? half : total - half;
    cut.before.push_back(std::max<int64_t>(front, 0));
    cut.after.push_back(total - cut.before.back());
  }
  return cut;
}

Tensor Transposed::run(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
  const int64_t rank = x.dim() - 2;
  const auto list = [&](const Ints& values, int64_t fallback) {
    return values.empty() ? Ints(static_cast<size_t>(rank), fallback) : values;
  };
  const Ints stride = list(window.strides, 1), dilation = list(window.dilations, 1),
             none = list({}, 0);
  const Cut cut = cut_of(x, weight);
  Ints more = list(added, 0);
  for (size_t d = 0; d < more.size(); ++d) more[d] += std::max<int64_t>(-cut.after[d], 0);
  Tensor y = rank == 1   ? conv_transpose1d(x, weight, bias, stride, none, more, groups, dilation)
             : rank == 2 ? conv_transpose2d(x, weight, bias, stride, none, more, groups, dilation)
                         : conv_transpose3d(x, weight, bias, stride, none, more, groups, dilation);
  for (int64_t d = 0; d < rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    const int64_t cut_off = cut.before[i] + std::max<int64_t>(cut.after[i], 0);
    y = narrow(y, d + 2, cut.before[i], y.size(d + 2) - cut_off);
  }
  return y;
}

}  // namespace

Runner bind_conv_transpose(Node& node) {
  Transposed t;
  t.window = read_window(node);
  t.added = node.ints_or("output_padding", {});
  t.output_shape = node.ints_or("output_shape", {});
  t.groups = node.int_or("group", 1);
  return [=](Call& call) { call.result(t.run(call[0], call[1], call[2])); };
}

Runner bind_cum_sum(Node& node) {
  const IntList axis = node.int_list(1);
  const bool exclusive = node.int_or("exclusive", 0) != 0;
  const bool reverse = node.int_or("reverse", 0) != 0;
  return [=](Call& call) {
    const Ints axes = axis.get(call);
    check_length(axes.size(), 1, "axis");
    call.result(running_sum(call[0], wrap_axis(axes[0], call[0].dim()), exclusive, reverse));
  };
}

Runner bind_einsum(Node& node) {
  const std::string equation = node.string_or("equation", "");
  return [=](Call& call) { call.result(einsum(equation, call.inputs())); };
}

Runner bind_grid_sample(Node& node) {
  const bool align_corners = node.int_or("align_corners", 0) != 0;
  const std::string mode = node.string_or("mode", "bilinear");
  const std::string padding = node.string_or("padding_mode", "zeros");
  return
      [=](Call& call) { call.result(grid_sample(call[0], call[1], mode, padding, align_corners)); };
}

Runner bind_scatter_elements(Node& node) {
  const int64_t axis = node.int_or("axis", 0);
  const std::string reduce = read_reduction(node);
  return [=](Call& call) { call.result(scattered(call[0], call[1], call[2], axis, reduce)); };
}

Runner bind_scatter_nd(Node& node) {
  const std::string reduce = read_reduction(node);
  if (!reduce.empty() && reduce != "sum") node.fail_unsupported("this reduction");
  return [=](Call& call) {
    call.result(index_put(call[0], index_columns(call[1]), call[2], !reduce.empty()));
  };
}

}  // namespace frit::onnx::ops

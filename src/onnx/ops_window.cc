// Convolution and pooling over one or two dimensions.
//
// ONNX pads before and after each dimension by different amounts, and may derive them from the
// input's size (auto_pad). frit's ops pad both sides alike, so what they cannot do is padded ahead
// of them.
#include <algorithm>
#include <limits>

#include "src/onnx/ops.h"
#include "src/onnx/window.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

AutoPad read_auto_pad(Node& node) {
  const std::string text = node.string_or("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::kGiven;
  if (text == "VALID") return AutoPad::kValid;
  if (text == "SAME_UPPER") return AutoPad::kSameUpper;
  if (text == "SAME_LOWER") return AutoPad::kSameLower;
  node.fail("auto_pad is " + text);
}

// The window over one dimension of an input.
struct Axis {
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t before = 0, after = 0;  // padding

  int64_t reach() const { return dilation * (kernel - 1) + 1; }
  // How many windows fit. In ceil mode the last one may hang over, but must start inside the input
  // or the padding before it.
  int64_t count(int64_t size, bool ceil_mode) const {
    const int64_t room = size + before + after - reach();
    if (room < 0) return 0;
    int64_t n = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    if (ceil_mode && (n - 1) * stride >= size + before) --n;
    return n;
  }
};

void pad_same(Axis& axis, int64_t size, bool extra_after) {
  const int64_t windows = (size + axis.stride - 1) / axis.stride;
  const int64_t total = std::max<int64_t>((windows - 1) * axis.stride + axis.reach() - size, 0);
  axis.before = extra_after ? total / 2 : total - total / 2;
  axis.after = total - axis.before;
}

// Lists that a model need not have.
void check_if_given(const Ints& list, size_t expected, const char* what) {
  if (!list.empty()) check_length(list.size(), expected, what);
}

// The axes for an input of these spatial sizes.
std::vector<Axis> resolve(const WindowAttributes& w, IntArrayRef kernel, IntArrayRef sizes) {
  const size_t rank = sizes.size();
  check_if_given(w.kernel, rank, "kernel_shape");
  check_if_given(w.strides, rank, "strides");
  check_if_given(w.dilations, rank, "dilations");
  check_if_given(w.pads, 2 * rank, "pads");
  std::vector<Axis> axes(rank);
  for (size_t d = 0; d < rank; ++d) {
    Axis& axis = axes[d];
    axis.kernel = kernel[d];
    if (!w.strides.empty()) axis.stride = w.strides[d];
    if (!w.dilations.empty()) axis.dilation = w.dilations[d];
    if (w.auto_pad == AutoPad::kGiven && !w.pads.empty()) {
      axis.before = w.pads[d];
      axis.after = w.pads[rank + d];
    } else if (w.auto_pad == AutoPad::kSameUpper || w.auto_pad == AutoPad::kSameLower) {
      pad_same(axis, sizes[d], w.auto_pad == AutoPad::kSameUpper);
    }
  }
  return axes;
}

IntArrayRef spatial(const Tensor& x) {
  if (x.dim() != 3 && x.dim() != 4)
    throw Error(ErrorKind::kNotImplemented,
                "expected 3 or 4 dimensions, got " + std::to_string(x.dim()));
  return IntArrayRef(x.sizes().subspan(2));
}

Ints each(const std::vector<Axis>& axes, int64_t Axis::*member) {
  Ints result;
  for (const Axis& axis : axes) result.push_back(axis.*member);
  return result;
}

// Pads x by what the axes say, and clears that from them.
Tensor pad_ahead(const Tensor& x, std::vector<Axis>& axes, const Scalar& value) {
  Ints pads;
  for (size_t d = axes.size(); d-- > 0;) {
    pads.insert(pads.end(), {axes[d].before, axes[d].after});
    axes[d].before = axes[d].after = 0;
  }
  return pad(x, pads, value);
}

bool pads_alike(const std::vector<Axis>& axes) {
  return std::ranges::all_of(axes, [](const Axis& a) { return a.before == a.after; });
}

// Pooling in two dimensions; one dimension is a row of height 1.
struct Pooling {
  Tensor x;
  std::vector<Axis> axes;
  bool ceil_mode;
  bool one_dimension;

  Tensor finish(const Tensor& y) const { return one_dimension ? y.squeeze(2) : y; }
};

Pooling pooling_of(const Tensor& x, const WindowAttributes& w, bool ceil_mode) {
  check_if_given(w.kernel, spatial(x).size(), "kernel_shape");
  Pooling p{x, resolve(w, w.kernel, spatial(x)), ceil_mode, x.dim() == 3};
  if (p.one_dimension) {
    p.x = x.unsqueeze(2);
    p.axes.insert(p.axes.begin(), Axis());
  }
  return p;
}

// Whether frit's pooling pads as these axes say: alike on both sides, by at most half a window.
bool pads_natively(const Pooling& p) {
  return pads_alike(p.axes) &&
         std::ranges::all_of(p.axes, [](const Axis& a) { return a.before <= a.kernel / 2; });
}

// Pads ahead with `value`, and in ceil mode as far as the last window hangs over.
void pad_ahead(Pooling& p, const Scalar& value) {
  for (size_t d = 0; d < p.axes.size(); ++d) {
    Axis& axis = p.axes[d];
    const int64_t size = p.x.size(static_cast<int64_t>(d) + 2);
    const int64_t end = (axis.count(size, p.ceil_mode) - 1) * axis.stride + axis.reach();
    axis.after = std::max(axis.after, end - size - axis.before);
  }
  p.x = pad_ahead(p.x, p.axes, value);
  p.ceil_mode = false;
}

// What loses against every number.
Scalar lowest(Dtype dtype) {
  if (is_floating_point(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == kUInt8) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * byte_size(dtype));
}

Tensor max_pool(const Tensor& x, const WindowAttributes& w, bool ceil_mode) {
  Pooling p = pooling_of(x, w, ceil_mode);
  if (!pads_natively(p)) pad_ahead(p, lowest(x.dtype()));
  return p.finish(max_pool2d(p.x, each(p.axes, &Axis::kernel), each(p.axes, &Axis::stride),
                             each(p.axes, &Axis::before), each(p.axes, &Axis::dilation),
                             p.ceil_mode));
}

Tensor average(const Pooling& p, bool count_padding) {
  return avg_pool2d(p.x, each(p.axes, &Axis::kernel), each(p.axes, &Axis::stride),
                    each(p.axes, &Axis::before), p.ceil_mode, count_padding);
}

Tensor average_pool(const Tensor& x, const WindowAttributes& w, bool ceil_mode,
                    bool count_padding) {
  Pooling p = pooling_of(x, w, ceil_mode);
  if (pads_natively(p)) return p.finish(average(p, count_padding));
  if (count_padding && ceil_mode)
    throw Error(ErrorKind::kNotImplemented, "ceil_mode with padding that differs by side");
  // Padding that does not count: the mean of the elements over the mean of ones in their places.
  Pooling ones = p;
  ones.x = ones_like(p.x);
  pad_ahead(p, 0);
  if (count_padding) return p.finish(average(p, true));
  pad_ahead(ones, 0);
  return p.finish(average(p, true) / average(ones, true));
}

Ints dims_behind_channels(const Tensor& x) {
  Ints dims;
  for (int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  if (dims.empty()) throw Error(ErrorKind::kValue, "no dimension to pool over");
  return dims;
}

void require_kernel(const Node& node, const WindowAttributes& w) {
  if (w.kernel.empty()) node.fail("no attribute \"kernel_shape\"");
}

}  // namespace

WindowAttributes read_window(Node& node) {
  WindowAttributes w;
  w.kernel = node.ints_or("kernel_shape", {});
  w.strides = node.ints_or("strides", {});
  w.pads = node.ints_or("pads", {});
  w.dilations = node.ints_or("dilations", {});
  w.auto_pad = read_auto_pad(node);
  for (const Ints* list : {&w.kernel, &w.strides, &w.dilations})
    for (const int64_t value : *list)
      if (value < 1 || value > std::numeric_limits<int32_t>::max())
        node.fail("a kernel size, stride or dilation is " + std::to_string(value));
  for (const int64_t pad : w.pads)
    if (pad < 0 || pad > std::numeric_limits<int32_t>::max())
      node.fail("a pad is " + std::to_string(pad));
  if (w.kernel.size() > 2)
    node.fail_unsupported(std::to_string(w.kernel.size()) + "-dimensional window");
  return w;
}

Tensor convolve(Tensor x, const Tensor& weight, const Tensor& bias, const WindowAttributes& w,
                int64_t groups) {
  if (x.dim() != weight.dim())
    throw Error(ErrorKind::kValue, "the input has " + std::to_string(x.dim()) +
                                       " dimensions, the weight " + std::to_string(weight.dim()));
  const IntArrayRef kernel = spatial(weight);
  if (!w.kernel.empty() && !(IntArrayRef(w.kernel) == kernel))
    throw Error(ErrorKind::kValue, "kernel_shape is not the weight's");
  std::vector<Axis> axes = resolve(w, kernel, spatial(x));
  if (!pads_alike(axes)) x = pad_ahead(x, axes, 0);
  const auto run = axes.size() == 1 ? conv1d : conv2d;
  return run(x, weight, bias, each(axes, &Axis::stride), each(axes, &Axis::before),
             each(axes, &Axis::dilation), groups);
}

Runner bind_conv(Node& node) {
  const WindowAttributes w = read_window(node);
  const int64_t groups = node.int_or("group", 1);
  return [=](Call& call) { call.result(convolve(call[0], call[1], call[2], w, groups)); };
}

Runner bind_max_pool(Node& node) {
  const WindowAttributes w = read_window(node);
  require_kernel(node, w);
  const bool ceil_mode = node.int_or("ceil_mode", 0) != 0;
  node.ignore("storage_order");  // of the indices, which are not made
  return [=](Call& call) { call.result(max_pool(call[0], w, ceil_mode)); };
}

Runner bind_average_pool(Node& node) {
  const WindowAttributes w = read_window(node);
  require_kernel(node, w);
  if (!w.dilations.empty()) node.fail_unsupported("attribute \"dilations\"");
  const bool ceil_mode = node.int_or("ceil_mode", 0) != 0;
  const bool count_padding = node.int_or("count_include_pad", 0) != 0;
  return [=](Call& call) { call.result(average_pool(call[0], w, ceil_mode, count_padding)); };
}

Runner bind_global_average_pool(Node&) {
  return [](Call& call) { call.result(mean(call[0], dims_behind_channels(call[0]), true)); };
}

Runner bind_global_max_pool(Node&) {
  return [](Call& call) { call.result(amax(call[0], dims_behind_channels(call[0]), true)); };
}

}  // namespace frit::onnx::ops

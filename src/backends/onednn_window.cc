// Pooling and resampling.
#include <algorithm>
#include <string_view>

#include "src/backends/onednn_lowering.h"

namespace frit::onednn {
namespace {

using dnnl::algorithm;

// An image with a batch dimension in front, if it has none.
Desc as_image(const Desc& desc, size_t dims) { return with_rank(desc, static_cast<int>(dims) + 2); }

struct Windows {
  algorithm kind;
  Dims kernel, stride, dilation, before, after;
};

// Padding behind the image, so that the last window fits.
void set_after(const Dims& in, const Dims& out, Windows* w) {
  for (size_t d = 0; d < w->kernel.size(); ++d)
    w->after.push_back(std::max<int64_t>((out[d + 2] - 1) * w->stride[d] +
                                             w->dilation[d] * (w->kernel[d] - 1) + w->kernel[d] -
                                             in[d + 2] - w->before[d],
                                         0));
}

Windows windows_of(const Graph::Node& node) {
  const bool max = name(node.op) == "max_pool2d";
  Windows w{algorithm::pooling_max, {}, {}, {}, {}, {}};
  w.kernel = to_dims(attribute(node, "kernel").to_ints());
  w.stride = to_dims(attribute(node, "stride").to_ints());
  w.before = to_dims(attribute(node, "padding").to_ints());
  w.dilation.assign(w.kernel.size(), 0);
  if (max) {
    const IntArrayRef dilation = attribute(node, "dilation").to_ints();
    for (size_t d = 0; d < w.kernel.size(); ++d) w.dilation[d] = dilation[d] - 1;
    return w;
  }
  if (name(node.op) == "avg_pool" && attribute(node, "divisor").to_int() != 0)
    throw Refused("a divisor");
  if (attribute(node, "ceil_mode").to_bool()) throw Refused("ceil_mode");
  w.kind = attribute(node, "count_include_pad").to_bool() ? algorithm::pooling_avg_include_padding
                                                          : algorithm::pooling_avg_exclude_padding;
  return w;
}

// Windows that divide the image without a rest are all alike.
Windows adaptive_windows(const Dims& in, const Dims& out) {
  Windows w{algorithm::pooling_avg_exclude_padding, {}, {}, {}, {}, {}};
  for (size_t d = 2; d < in.size(); ++d) {
    if (in[d] % out[d] != 0) throw Refused("windows of different sizes");
    w.kernel.push_back(in[d] / out[d]);
    w.stride.push_back(in[d] / out[d]);
    w.dilation.push_back(0);
    w.before.push_back(0);
  }
  return w;
}

void lower_pool(Lowering& lowering, const Graph::Node& node, size_t dims, bool adaptive) {
  const SlotId from = lowering.operand(node, 0), to = lowering.result(node.results[0]);
  const SlotId x = lowering.view(from, as_image(lowering.desc(from), dims));
  const SlotId y = lowering.view(to, as_image(lowering.desc(to), dims));
  const Dims in = dims_of(lowering.desc(x)), out = dims_of(lowering.desc(y));
  Windows w = adaptive ? adaptive_windows(in, out) : windows_of(node);
  set_after(in, out, &w);
  const dnnl::pooling_v2_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, w.kind, lowering.desc(x), lowering.desc(y), w.stride,
       w.kernel, w.dilation, w.before, w.after},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::pooling_v2_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

// Mode 2 is linear. oneDNN takes pixels for areas, and the scale from the sizes.
void lower_interpolate(Lowering& lowering, const Graph::Node& node) {
  constexpr int64_t kLinear = 2;
  if (attribute(node, "mode").to_int() != kLinear) throw Refused("a mode that is not linear");
  if (attribute(node, "align_corners").to_bool()) throw Refused("align_corners");
  const size_t dims = attribute(node, "sizes").to_ints().size();
  const SlotId from = lowering.operand(node, 0), to = lowering.result(node.results[0]);
  const SlotId x = lowering.view(from, as_image(lowering.desc(from), dims));
  const SlotId y = lowering.view(to, as_image(lowering.desc(to), dims));
  const Dims in = dims_of(lowering.desc(x)), out = dims_of(lowering.desc(y));
  for (size_t d = 0; d < dims; ++d) {
    const double scale = lowering.needed_literal(node, d + 1, "a scale");
    if (scale != 0 && scale * static_cast<double>(in[d + 2]) != static_cast<double>(out[d + 2]))
      throw Refused("a scale that is not that of the sizes");
  }
  const dnnl::resampling_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, algorithm::resampling_linear, lowering.desc(x),
       lowering.desc(y)},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::resampling_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
}

}  // namespace

bool lower_window(Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "max_pool2d" || op == "avg_pool2d") return lower_pool(lowering, node, 2, false), true;
  if (op == "avg_pool")
    return lower_pool(lowering, node, attribute(node, "kernel").to_ints().size(), false), true;
  if (op == "adaptive_avg_pool")
    return lower_pool(lowering, node, attribute(node, "sizes").to_ints().size(), true), true;
  if (op == "interpolate") return lower_interpolate(lowering, node), true;
  return false;
}

}  // namespace frit::onednn

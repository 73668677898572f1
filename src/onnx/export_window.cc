// Pooling and resampling.
#include <algorithm>

#include "src/onnx/export_ops.h"
#include "src/ops/op.h"
#include "src/ops/resample.h"

namespace frit::onnx::exports {
namespace {

// The windows of a pool. What ceil_mode adds is padding behind: runtimes differ in what they make
// of ceil_mode itself.
struct Windows {
  std::vector<int64_t> kernel, stride, dilation, pads;  // pads: all before, then all behind
  bool reach_further = false;                           // than the padding that was asked for
};

std::vector<int64_t> repeated(const std::vector<int64_t>& list, size_t count) {
  return list.size() == 1 ? std::vector<int64_t>(count, list[0]) : list;
}

bool is_2d(const NodeWriter& w) { return w.op() == Op::max_pool2d || w.op() == Op::avg_pool2d; }

Windows windows_of(const NodeWriter& w, bool dilated) {
  Windows made;
  made.kernel = w.list_attr("kernel");
  const size_t n = is_2d(w) ? 2 : made.kernel.size();
  made.kernel = repeated(made.kernel, n);
  made.stride = repeated(w.list_attr("stride"), n);
  made.dilation = dilated ? repeated(w.list_attr("dilation"), n) : std::vector<int64_t>(n, 1);
  made.pads = repeated(w.list_attr("padding"), n);
  for (size_t d = 0; d < n; ++d) {
    const int at = w.layout(0).rank - static_cast<int>(n - d);
    const int64_t last = (w.result_layout().size(at) - 1) * made.stride[d];
    const int64_t reach = last + made.dilation[d] * (made.kernel[d] - 1) + 1;
    const int64_t behind = std::max<int64_t>(reach - w.layout(0).size(at) - made.pads[d], 0);
    made.reach_further |= behind > made.pads[d];
    made.pads.push_back(behind);
  }
  return made;
}

// ONNX wants a batch and channels before the pooled dimensions.
OnnxValue batched(const NodeWriter& w, const OnnxValue& x, size_t pooled) {
  std::vector<int64_t> sizes = w.layout(0).sizes().vec();
  if (sizes.size() == pooled + 2) return x;
  sizes.insert(sizes.begin(), 1);
  return w.reshape(x, sizes);
}

void give(const NodeWriter& w, const OnnxValue& made, size_t pooled, int i = 0) {
  const bool batched = w.layout(0).rank == static_cast<int>(pooled) + 2;
  w.result(batched ? made : w.reshape(made, w.result_layout(i).sizes()), i);
}

// ONNX counts places through the whole batch, PyTorch within a channel's image.
OnnxValue in_image(const NodeWriter& w, const OnnxValue& places, size_t pooled) {
  int64_t size = 1;
  for (size_t d = 0; d < pooled; ++d)
    size *= w.layout(0).size(w.layout(0).rank - 1 - static_cast<int>(d));
  return w.op("Mod", {places, w.number(size, kInt64)});
}

void write_max_pool(NodeWriter& w, const Windows& windows) {
  const size_t n = windows.kernel.size();
  const OnnxValue x = batched(w, w.widened(0), n);
  const bool places = w.result_count() > 1 && w.is_used(1);
  std::vector<Dtype> results = {x.dtype};
  if (places) results.push_back(kInt64);
  const OnnxValues made = w.op_giving(results, "MaxPool", {x},
                                      {{"dilations", windows.dilation},
                                       {"kernel_shape", windows.kernel},
                                       {"pads", windows.pads},
                                       {"strides", windows.stride}});
  give(w, made[0], n);
  if (places) give(w, in_image(w, made[1], n), n, 1);
}

// Evenly divided windows, whose size is their stride.
Windows adaptive_windows(const NodeWriter& w) {
  const std::vector<int64_t> outs = w.list_attr("sizes");
  Windows made;
  for (size_t d = 0; d < outs.size(); ++d) {
    const int64_t in = w.layout(0).size(w.layout(0).rank - static_cast<int>(outs.size() - d));
    if (outs[d] == 0 || in % outs[d] != 0)
      w.refuse(std::to_string(in) + " elements do not divide into " + std::to_string(outs[d]) +
               " windows of one size");
    made.kernel.push_back(in / outs[d]);
  }
  made.stride = made.kernel;
  made.dilation.assign(outs.size(), 1);
  made.pads.assign(2 * outs.size(), 0);
  return made;
}

OnnxValue write_avg_pool(NodeWriter& w, const Windows& windows, int64_t count_padding) {
  const size_t n = windows.kernel.size();
  return w.op("AveragePool", {batched(w, w.widened(0), n)},
              {{"count_include_pad", count_padding},
               {"kernel_shape", windows.kernel},
               {"pads", windows.pads},
               {"strides", windows.stride}});
}

}  // namespace

void max_pool(NodeWriter& w) { write_max_pool(w, windows_of(w, true)); }

// Another divisor than the count is a factor afterwards.
void avg_pool(NodeWriter& w) {
  const Windows windows = windows_of(w, false);
  const int64_t divisor = w.op() == Op::avg_pool ? w.int_attr("divisor") : 0;
  const bool counts = w.bool_attr("count_include_pad") || divisor != 0;
  if (counts && divisor == 0 && windows.reach_further)
    w.refuse("padding counts, and windows reach beyond it");
  if (!is_floating_point(w.layout(0).dtype)) w.refuse("means of integers");
  OnnxValue made = write_avg_pool(w, windows, counts);
  if (divisor != 0) {
    double size = 1;
    for (const int64_t k : windows.kernel) size *= static_cast<double>(k);
    made = w.op("Mul", {made, w.number(size / static_cast<double>(divisor), made.dtype)});
  }
  give(w, made, windows.kernel.size());
}

void adaptive_pool(NodeWriter& w) {
  const Windows windows = adaptive_windows(w);
  if (w.op() == Op::adaptive_max_pool) return write_max_pool(w, windows);
  give(w, write_avg_pool(w, windows, 0), windows.kernel.size());
}

namespace {

// The nearest elements as Frit finds them: where sizes do not divide evenly, Resize's own scales
// find others.
template <class T>
void write_nearest(NodeWriter& w) {
  std::vector<Operand> operands(1);
  for (int i = 1; i < w.num_operands(); ++i) operands.emplace_back(w.known(i));
  const Attrs attrs(w.attrs());
  const ResampledDims<T> resampled({w.op(), operands, attrs}, w.layout(0));
  OnnxValue x = w.operand(0);
  for (int d = 4 - w.num_operands(); d < 3; ++d)
    x = w.op("Gather", {x, w.ints(resampled.dims[d].indices)},
             {{"axis", int64_t{w.layout(0).rank} - 3 + d}});
  w.result(x);
}

// Resize's names for where pixels lie and how they are mixed.
Attributes resize_attributes(bool cubic, bool align_corners) {
  Attributes attributes = {{"coordinate_transformation_mode",
                            std::string(align_corners ? "align_corners" : "half_pixel")},
                           {"mode", std::string(cubic ? "cubic" : "linear")}};
  if (cubic) attributes.emplace_back("cubic_coeff_a", -0.75f);
  return attributes;
}

}  // namespace

// Resize takes the scales or the sizes; the other one follows.
void interpolate(NodeWriter& w) {
  const bool align_corners = w.bool_attr("align_corners");
  const auto mode = static_cast<Resampling>(w.int_attr("mode"));
  if (w.layout(0).numel == 0 || w.result_layout().numel == 0) w.refuse("an empty image");
  if (mode == Resampling::kNearest || mode == Resampling::kNearestExact)
    return w.layout(0).dtype == kFloat64 ? write_nearest<double>(w) : write_nearest<float>(w);
  for (int i = 1; i < w.num_operands(); ++i)
    if (w.known(i).to_double() != 0 && !align_corners) w.refuse("a scale beside the sizes");
  const OnnxValue none{"", kFloat32};
  w.result(w.op("Resize", {w.widened(0), none, none, w.ints(w.result_layout().sizes())},
                resize_attributes(mode == Resampling::kCubic, align_corners)));
}

}  // namespace frit::onnx::exports

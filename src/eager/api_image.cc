// Public ops on images: borders of other kinds, windows as columns and back.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>

#include "src/eager/api.h"

namespace frit {

using api::text;

namespace {

enum class Border { kReflect, kReplicate, kCircular };

// The elements that go in front of a dimension, or behind it.
Tensor border(const Tensor& x, int64_t dim, int64_t count, Border kind, bool front) {
  const int64_t size = x.size(dim);
  if (kind == Border::kCircular) return narrow(x, dim, front ? size - count : 0, count);
  if (kind == Border::kReflect)
    return flip(narrow(x, dim, front ? 1 : size - 1 - count, count), {dim});
  Dims sizes(x.sizes());
  sizes[static_cast<int>(dim)] = count;
  return expand(narrow(x, dim, front ? 0 : size - 1, 1), sizes);
}

void check_border(const Tensor& x, int64_t dim, int64_t count, Border kind) {
  const int64_t size = x.size(dim);
  if (size == 0 || (kind == Border::kReflect && count >= size) ||
      (kind == Border::kCircular && count > size))
    api::fail(ErrorKind::kRuntime, "pad", x,
              text("a border of ", count, " does not fit dimension ", dim, " of size ", size));
}

Border border_named(const Tensor& x, const std::string& mode) {
  if (mode == "reflect") return Border::kReflect;
  if (mode == "replicate") return Border::kReplicate;
  if (mode == "circular") return Border::kCircular;
  api::fail(ErrorKind::kNotImplemented, "pad", x, "no such mode: " + mode);
}

}  // namespace

// Borders of one dimension after the other: each takes part in those of the next.
Tensor pad_border(const Tensor& x, IntArrayRef pads, const std::string& mode, const Scalar& value) {
  if (mode == "constant") return pad(x, pads, value);
  const Border kind = border_named(api::checked("pad", x), mode);
  const int64_t dims = static_cast<int64_t>(pads.size()) / 2;
  if (pads.size() % 2 != 0 || dims < 1 || dims > 3 ||
      (x.dim() != dims + 2 && (kind == Border::kCircular || x.dim() != dims + 1)))
    api::fail(ErrorKind::kNotImplemented, "pad", x,
              text("mode ", mode, " does not take ", pads.size(), " values for ", x.dim(),
                   " dimensions"));
  Tensor y = x;
  for (int64_t i = 0; i < dims; ++i) {
    const int64_t dim = x.dim() - 1 - i, before = pads[static_cast<size_t>(2 * i)],
                  after = pads[static_cast<size_t>(2 * i + 1)];
    for (int64_t count : {before, after})
      if (count > 0) check_border(x, dim, count, kind);
    const Tensor kept =
        slice(y, dim, std::max<int64_t>(-before, 0), y.size(dim) - std::max<int64_t>(-after, 0));
    // What goes round is what is left; mirrors stand where the image ended.
    const Tensor& shown = kind == Border::kCircular ? kept : y;
    std::vector<Tensor> parts;
    if (before > 0) parts.push_back(border(shown, dim, before, kind, true));
    parts.push_back(kept);
    if (after > 0) parts.push_back(border(shown, dim, after, kind, false));
    y = cat(parts, dim);
  }
  return y;
}

namespace {

struct Blocks {
  Dims kernel, dilation, padding, stride, counts;  // of rows and columns

  Blocks(std::string_view op, const Tensor& x, IntArrayRef image, IntArrayRef kernel_size,
         IntArrayRef dilations, IntArrayRef paddings, IntArrayRef strides)
      : kernel(api::per_dim(op, x, kernel_size, 2, "kernel_size")),
        dilation(api::per_dim(op, x, dilations, 2, "dilation")),
        padding(api::per_dim(op, x, paddings, 2, "padding")),
        stride(api::per_dim(op, x, strides, 2, "stride")) {
    for (int d = 0; d < 2; ++d) {
      if (kernel[d] < 1 || dilation[d] < 1 || padding[d] < 0 || stride[d] < 1)
        api::fail(ErrorKind::kRuntime, op, x, "a size, stride or padding is out of range");
      const int64_t room =
          image[static_cast<size_t>(d)] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
      if (room < 0) api::fail(ErrorKind::kRuntime, op, x, "no window fits");
      counts.push_back(room / stride[d] + 1);
    }
  }
};

}  // namespace

Tensor im2col(const Tensor& x, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
              IntArrayRef stride) {
  if (api::checked("unfold", x).dim() == 3)
    return squeeze(im2col(unsqueeze(x, 0), kernel_size, dilation, padding, stride), 0);
  if (x.dim() != 4)
    api::fail(ErrorKind::kRuntime, "unfold", x, text("expected 3 or 4 dimensions, got ", x.dim()));
  const Blocks b("unfold", x, {x.size(2), x.size(3)}, kernel_size, dilation, padding, stride);
  const Tensor image = b.padding[0] + b.padding[1] == 0
                           ? x
                           : pad(x, {b.padding[1], b.padding[1], b.padding[0], b.padding[0]});
  const Dims sizes({x.size(0), x.size(1), b.kernel[0], b.kernel[1], b.counts[0], b.counts[1]});
  const Dims strides({image.stride(0), image.stride(1), image.stride(2) * b.dilation[0],
                      image.stride(3) * b.dilation[1], image.stride(2) * b.stride[0],
                      image.stride(3) * b.stride[1]});
  const Tensor windows =
      call(Op::as_strided, {image}, Attrs().add(int64_t{0}).add_list(sizes).add_list(strides));
  return reshape(windows,
                 {x.size(0), x.size(1) * b.kernel[0] * b.kernel[1], b.counts[0] * b.counts[1]});
}

// Every column's elements are added to where the window had them.
Tensor col2im(const Tensor& x, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  if (api::checked("fold", x).dim() == 2)
    return squeeze(col2im(unsqueeze(x, 0), output_size, kernel_size, dilation, padding, stride), 0);
  if (x.dim() != 3)
    api::fail(ErrorKind::kRuntime, "fold", x, text("expected 2 or 3 dimensions, got ", x.dim()));
  const Dims out = api::per_dim("fold", x, output_size, 2, "output_size");
  const Blocks b("fold", x, out, kernel_size, dilation, padding, stride);
  const int64_t positions = b.kernel[0] * b.kernel[1], windows = b.counts[0] * b.counts[1];
  if (x.size(1) % positions != 0 || x.size(2) != windows)
    api::fail(ErrorKind::kRuntime, "fold", x,
              text("expected a multiple of ", positions, " rows and ", windows, " columns"));
  const int64_t height = out[0] + 2 * b.padding[0], width = out[1] + 2 * b.padding[1];
  std::vector<int64_t> places;
  for (int64_t i = 0; i < b.kernel[0]; ++i)
    for (int64_t j = 0; j < b.kernel[1]; ++j)
      for (int64_t r = 0; r < b.counts[0]; ++r)
        for (int64_t c = 0; c < b.counts[1]; ++c)
          places.push_back((i * b.dilation[0] + r * b.stride[0]) * width + j * b.dilation[1] +
                           c * b.stride[1]);
  const int64_t channels = x.size(1) / positions;
  const DefaultDeviceScope beside(x.device());
  const Tensor index = from_host(places.data(), {static_cast<int64_t>(places.size())}, kInt64);
  const Tensor flat = index_add(zeros({x.size(0), channels, height * width}, x.dtype()), 2, index,
                                reshape(x, {x.size(0), channels, positions * windows}));
  const Tensor image = view(flat, {x.size(0), channels, height, width});
  return contiguous(narrow(narrow(image, 2, b.padding[0], out[0]), 3, b.padding[1], out[1]));
}

}  // namespace frit

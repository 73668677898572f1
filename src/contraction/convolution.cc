// Brings a convolution into the form that its path wants: three spatial dimensions, channels last.
#include "src/contraction/convolution.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "src/contraction/choose.h"
#include "src/contraction/convolution_tiles.h"
#include "src/contraction/matmul.h"
#include "src/contraction/pack.h"

namespace frit::contraction {
namespace {

std::atomic<int64_t> num_conversions{0};

// Dimensions of size one before those that there are.
ConvolutionArgs with_three_dims(const ConvolutionArgs& args) {
  ConvolutionArgs wide = args;
  const int missing = kMaxSpatial - args.spatial;
  wide.spatial = kMaxSpatial;
  for (int d = 0; d < kMaxSpatial; ++d) {
    const bool is_new = d < missing;
    wide.dims[d] = is_new ? ConvolvedDim{} : args.dims[d - missing];
    wide.x.strides[d + 2] = is_new ? 0 : args.x.strides[d - missing + 2];
    wide.w.strides[d + 2] = is_new ? 0 : args.w.strides[d - missing + 2];
    wide.out.strides[d + 2] = is_new ? 0 : args.out.strides[d - missing + 2];
  }
  return wide;
}

// One group as a product, pixels in rows.
MatmulArgs as_product(const ConvolutionArgs& args, const ProductView& view) {
  MatmulArgs product;
  product.dtype = args.dtype;
  product.batch = args.batch;
  product.m = view.pixels;
  product.n = args.out_channels / args.groups;
  product.k = view.k;
  product.a = {args.x.data, args.x.strides[0], view.x_pixel, view.x_k};
  product.b = {args.w.data, 0, view.w_k, args.w.strides[0]};
  product.out = args.out.data;
  product.out_batch = args.out.strides[0];
  product.out_row = view.out_pixel;
  product.bias = {args.bias, 0, 0, 1};
  product.b_key = args.w_key;
  product.epilogue = args.epilogue;
  return product;
}

// The transpose: channels in rows.
MatmulArgs as_transposed_product(const ConvolutionArgs& args, const ProductView& view) {
  MatmulArgs product = as_product(args, view);
  std::swap(product.m, product.n);
  product.a = {args.w.data, 0, args.w.strides[0], view.w_k};
  product.b = {args.x.data, args.x.strides[0], view.x_k, view.x_pixel};
  product.out_row = args.out.strides[1];
  product.bias = {args.bias, 0, 1, 0};
  product.b_key = {};
  return product;
}

void move(const void*& data, int64_t elements, int element_size) {
  if (data != nullptr) data = static_cast<const std::byte*>(data) + elements * element_size;
}

void multiply_groups(const ConvolutionArgs& args, ConvolutionPath path) {
  const int element = byte_size(args.dtype);
  const int64_t in_group = args.in_channels / args.groups,
                out_group = args.out_channels / args.groups;
  const ProductView view = product_view(args);
  ConvolutionArgs group = args;
  for (int64_t g = 0; g < args.groups; ++g) {
    matmul(path == ConvolutionPath::kMatmul ? as_product(group, view)
                                            : as_transposed_product(group, view));
    move(group.x.data, in_group * args.x.strides[1], element);
    move(group.w.data, out_group * args.w.strides[0], element);
    move(group.bias, out_group, element);
    group.out.data =
        static_cast<std::byte*>(group.out.data) + out_group * args.out.strides[1] * element;
  }
}

// Strides of a dense channels-last tensor.
struct Image {
  int64_t batch, channels, sizes[kMaxSpatial];
  int64_t pixels() const { return sizes[0] * sizes[1] * sizes[2]; }
  int64_t numel() const { return batch * channels * pixels(); }
};

void set_channels_last(const Image& image, int64_t* strides) {
  strides[4] = image.channels;
  strides[3] = strides[4] * image.sizes[2];
  strides[2] = strides[3] * image.sizes[1];
  strides[0] = strides[2] * image.sizes[0];
  strides[1] = 1;
}

// Copies between two layouts of one image, a row of pixels at a time.
template <class T>
void copy_image(const Image& image, const Strided<const T>& from, const Strided<T>& to) {
  const int64_t *fs = from.strides, *ts = to.strides;
  for (int64_t n = 0; n < image.batch; ++n)
    for (int64_t d = 0; d < image.sizes[0]; ++d)
      for (int64_t h = 0; h < image.sizes[1]; ++h) {
        const T* source = from.data + n * fs[0] + d * fs[2] + h * fs[3];
        T* target = to.data + n * ts[0] + d * ts[2] + h * ts[3];
        if (ts[1] == 1) {
          copy_matrix(CopySource<T>{source, fs[4], fs[1]}, image.sizes[2], image.channels, target,
                      ts[4]);
        } else if (ts[4] == 1) {
          copy_matrix(CopySource<T>{source, fs[1], fs[4]}, image.channels, image.sizes[2], target,
                      ts[1]);
        } else {
          for (int64_t w = 0; w < image.sizes[2]; ++w)
            for (int64_t c = 0; c < image.channels; ++c)
              target[w * ts[4] + c * ts[1]] = source[w * fs[4] + c * fs[1]];
        }
      }
}

template <class T>
Strided<T> typed(const void* data, const int64_t* strides) {
  Strided<T> result{static_cast<T*>(const_cast<void*>(data)), {}};
  std::copy_n(strides, 2 + kMaxSpatial, result.strides);
  return result;
}

// Runs compute on channels-last copies of what is not channels last.
template <class T, class F>
void with_channels_last(const ConvolutionArgs& args, F compute) {
  ConvolutionArgs last = args;
  const auto& [d, h, w] = args.dims;
  const Image in{args.batch, args.in_channels, {d.in, h.in, w.in}};
  const Image out{args.batch, args.out_channels, {d.out, h.out, w.out}};
  std::unique_ptr<T[]> x_copy, out_copy;
  if (!is_channels_last(args.in_channels, args.x.strides)) {
    ++num_conversions;
    x_copy.reset(new T[static_cast<size_t>(in.numel())]);
    set_channels_last(in, last.x.strides);
    last.x.data = x_copy.get();
    copy_image<T>(in, typed<const T>(args.x.data, args.x.strides),
                  typed<T>(x_copy.get(), last.x.strides));
  }
  if (!is_channels_last(args.out_channels, args.out.strides)) {
    ++num_conversions;
    out_copy.reset(new T[static_cast<size_t>(out.numel())]);
    set_channels_last(out, last.out.strides);
    last.out.data = out_copy.get();
  }
  compute(last);
  if (out_copy == nullptr) return;
  copy_image<T>(out, typed<const T>(out_copy.get(), last.out.strides),
                typed<T>(args.out.data, args.out.strides));
}

}  // namespace

void convolution(const ConvolutionArgs& args) {
  const ConvolutionArgs wide = with_three_dims(args);
  const auto& [d, h, w] = wide.dims;
  if (args.batch * args.out_channels * d.out * h.out * w.out == 0) return;
  const ConvolutionPath path = choose_convolution(wide);
  switch (path) {
    case ConvolutionPath::kLoop:
      return convolution_reference(wide);
    case ConvolutionPath::kMatmul:
    case ConvolutionPath::kMatmulT:
      return multiply_groups(wide, path);
    case ConvolutionPath::kDepthwise:
    case ConvolutionPath::kTiles:
      break;
  }
  const auto compute = path == ConvolutionPath::kDepthwise ? convolve_depthwise : convolve_tiles;
  if (args.dtype == Dtype::kF64) return with_channels_last<double>(wide, compute);
  with_channels_last<float>(wide, compute);
}

int64_t conversions() { return num_conversions.load(std::memory_order_relaxed); }

}  // namespace frit::contraction

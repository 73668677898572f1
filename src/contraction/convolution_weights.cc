// Packs weights, or finds them packed in the cache.
#include "src/contraction/convolution_weights.h"

#include <algorithm>
#include <cstring>

#include "src/contraction/pack.h"

namespace frit::contraction {
namespace {

enum class Form : int64_t { kPanels = 2, kDepthwise = 3 };  // matmul's is 1

PackKey weight_key(const ConvolutionArgs& args, Form form, int64_t width) {
  PackKey key;
  for (int64_t word : {static_cast<int64_t>(form), static_cast<int64_t>(args.w_key.storage),
                       static_cast<int64_t>(args.w_key.version), static_cast<int64_t>(args.dtype),
                       args.out_channels, args.in_channels, args.groups, width})
    key.add(word);
  key.add(args.w.data);
  for (const ConvolvedDim& dim : args.dims) key.add(dim.kernel);
  for (int64_t stride : args.w.strides) key.add(stride);
  return key;
}

PackedRef cached(const ConvolutionArgs& args, const PackKey& key,
                 base::FunctionRef<PackedRef()> make) {
  if (!args.w_key.valid()) return make();
  PackedRef packed = pack_cache().find(key, make);
  return packed != nullptr ? packed : make();
}

// Calls fn(offset of the position in w) in row-major order.
template <class F>
void each_position(const ConvolutionArgs& args, F fn) {
  const int64_t* ws = args.w.strides;
  for (int64_t d = 0; d < args.dims[0].kernel; ++d)
    for (int64_t h = 0; h < args.dims[1].kernel; ++h)
      for (int64_t w = 0; w < args.dims[2].kernel; ++w) fn(d * ws[2] + h * ws[3] + w * ws[4]);
}

// Column `c` of a panel: one output channel's weights in the order of the chain.
template <class T>
void pack_channel(const ConvolutionArgs& args, const T* w, int64_t width, T* to) {
  const int64_t in_group = args.in_channels / args.groups, step = args.w.strides[1];
  for (int64_t block = 0; block < in_group; block += kChannelBlock)
    each_position(args, [&](int64_t offset) {
      const int64_t end = std::min(block + kChannelBlock, in_group);
      for (int64_t c = block; c < end; ++c, to += width) *to = w[offset + c * step];
    });
}

int64_t num_positions(const ConvolutionArgs& args) {
  return args.dims[0].kernel * args.dims[1].kernel * args.dims[2].kernel;
}

template <class T>
PackedRef pack_panels(const ConvolutionArgs& args, int64_t width) {
  const int64_t out_group = args.out_channels / args.groups;
  const int64_t k = args.in_channels / args.groups * num_positions(args);
  const int64_t group_elements = num_panels(out_group, width) * width * k;
  auto packed =
      std::make_shared<Packed>(static_cast<size_t>(group_elements * args.groups) * sizeof(T));
  packed->panel_width = width;
  packed->batch_bytes = group_elements * static_cast<int64_t>(sizeof(T));
  std::memset(packed->data(), 0, static_cast<size_t>(packed->bytes()));
  for (int64_t o = 0; o < args.out_channels; ++o) {
    const int64_t in_group = o % out_group;
    T* to = reinterpret_cast<T*>(packed->data()) + o / out_group * group_elements +
            in_group / width * width * k + in_group % width;
    pack_channel(args, static_cast<const T*>(args.w.data) + o * args.w.strides[0], width, to);
  }
  return packed;
}

template <class T>
PackedRef pack_depthwise(const ConvolutionArgs& args) {
  const size_t elements = static_cast<size_t>(num_positions(args) * args.out_channels);
  auto packed = std::make_shared<Packed>(elements * sizeof(T));
  T* to = reinterpret_cast<T*>(packed->data());
  each_position(args, [&](int64_t offset) {
    const T* from = static_cast<const T*>(args.w.data) + offset;
    for (int64_t o = 0; o < args.out_channels; ++o) *to++ = from[o * args.w.strides[0]];
  });
  return packed;
}

}  // namespace

PackedRef weight_panels(const ConvolutionArgs& args, int64_t width) {
  return cached(args, weight_key(args, Form::kPanels, width), [&] {
    return args.dtype == Dtype::kF64 ? pack_panels<double>(args, width)
                                     : pack_panels<float>(args, width);
  });
}

PackedRef depthwise_rows(const ConvolutionArgs& args) {
  return cached(args, weight_key(args, Form::kDepthwise, 0), [&] {
    return args.dtype == Dtype::kF64 ? pack_depthwise<double>(args) : pack_depthwise<float>(args);
  });
}

}  // namespace frit::contraction

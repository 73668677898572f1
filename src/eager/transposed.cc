// conv_transpose: convolutions that spread their input, by convolutions that gather.
//
// Outputs whose positions leave one remainder when divided by the stride, a phase, are reached by
// the same positions of the kernel, from inputs side by side. So each phase is an ordinary
// convolution with stride 1, of a part of the kernel read backwards, whose output lies `stride`
// elements apart. Every output keeps the order of convolutions: blocks of 8 input channels, then
// rising positions of the input, then the block's channels; the bias last.
#include <algorithm>
#include <array>
#include <numeric>

#include "src/base/thread_pool.h"
#include "src/contraction/convolution.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

using contraction::ConvolutionArgs;
using contraction::ConvolvedDim;
using contraction::kMaxSpatial;

struct Spread {
  int64_t in, out, kernel, stride, dilation, pad;
};

// One remainder of one dimension: the part of the reversed kernel that reaches it, and where.
struct Phase {
  int64_t first_tap = 0, tap_step = 1;
  ConvolvedDim dim;  // no kernel: nothing reaches it
};

Phase phase_of(const Spread& s, int64_t remainder) {
  Phase phase;
  const int64_t common = std::gcd(s.stride, s.dilation), step = s.stride / common;
  const int64_t reached = (remainder + s.pad) % s.stride;
  int64_t tap = 0;
  while (tap < std::min(step, s.kernel) && tap * s.dilation % s.stride != reached) ++tap;
  const bool exists = tap < std::min(step, s.kernel);
  const int64_t taps = exists ? (s.kernel - 1 - tap) / step + 1 : 0;
  const int64_t last = tap + (taps - 1) * step;
  phase.first_tap = s.kernel - 1 - last;
  phase.tap_step = step;
  phase.dim.in = s.in;
  phase.dim.out = (s.out - remainder + s.stride - 1) / s.stride;
  phase.dim.kernel = taps;
  phase.dim.dilation = s.dilation / common;
  // The input of the first tap for the phase's first output.
  if (exists) phase.dim.pad = -(remainder + s.pad - last * s.dilation) / s.stride;
  return phase;
}

// The weight as convolutions want it: [out, in / groups, ...], each dimension of space reversed.
Tensor reversed_weight(const TensorImpl& w, int64_t groups) {
  const Layout& l = *w.layout;
  const int64_t in_group = l.size(0) / groups;
  Dims sizes({groups, l.size(1), in_group}),
      strides({in_group * l.stride(0), l.stride(1), l.stride(0)});
  int64_t first = 0;
  for (int d = 2; d < l.rank; ++d) {
    sizes.push_back(l.size(d));
    strides.push_back(-l.stride(d));
    first += (l.size(d) - 1) * l.stride(d);
  }
  const Tensor packed = new_tensor(intern_contiguous(l.dtype, kCPU, sizes));
  copy_strided(packed, strides, w.data + first * byte_size(l.dtype));
  return packed;
}

// Cuts off input in front of the first window, so that no padding is negative.
void crop(ConvolutionArgs* args, int size) {
  for (int d = 0; d < args->spatial; ++d) {
    ConvolvedDim& dim = args->dims[d];
    if (dim.pad < 0) {
      const int64_t cut = std::min(-dim.pad, dim.in);
      args->x.data =
          static_cast<const std::byte*>(args->x.data) + cut * args->x.strides[d + 2] * size;
      dim.in -= cut;
      dim.pad = 0;
    }
    // What no window reaches behind.
    const int64_t reach =
        (dim.out - 1) * dim.stride - dim.pad + (dim.kernel - 1) * dim.dilation + 1;
    dim.in = std::clamp<int64_t>(reach, 0, dim.in);
  }
}

bool is_empty(const ConvolutionArgs& args) {
  return std::any_of(args.dims, args.dims + args.spatial,
                     [](const ConvolvedDim& dim) { return dim.kernel == 0 || dim.in == 0; });
}

// An output that no input reaches: zero plus the bias, channel by channel.
void fill_unreached(const ConvolutionArgs& args, const Tensor& zeros_and_bias) {
  Dims sizes({args.batch, args.out_channels}), strides;
  for (int d = 0; d < args.spatial; ++d) sizes.push_back(args.dims[d].out);
  for (int d = 0; d < sizes.rank; ++d) strides.push_back(args.out.strides[d]);
  const Layout& to = *intern_layout(args.dtype, kCPU, sizes, strides);
  Dims from_sizes({1, args.out_channels});
  for (int d = 0; d < args.spatial; ++d) from_sizes.push_back(1);
  copy_elements(to, static_cast<std::byte*>(args.out.data),
                *intern_contiguous(args.dtype, kCPU, from_sizes), zeros_and_bias.impl()->data);
}

struct Transposed {
  const OpCall& call;
  const Tensor& out;
  Tensor weight, bias, unreached;
  std::array<Spread, kMaxSpatial> dims;
  int spatial;

  void run_phase(const std::array<int64_t, kMaxSpatial>& remainders) const;
};

void Transposed::run_phase(const std::array<int64_t, kMaxSpatial>& remainders) const {
  const TensorImpl& x = *call.operands[0].tensor;
  const Layout &lx = *x.layout, &lo = *out.impl()->layout;
  const int size = byte_size(lx.dtype);
  ConvolutionArgs args;
  args.dtype = lx.dtype;
  args.spatial = spatial;
  args.batch = lx.size(0);
  args.in_channels = lx.size(1);
  args.out_channels = lo.size(1);
  args.groups = int_attr(call.op, call.attrs, "groups");
  args.x.data = x.data;
  std::copy_n(lx.strides().data(), lx.rank, args.x.strides);
  const Dims steps = contiguous_strides(IntArrayRef(weight.sizes()));
  args.w.strides[0] = steps[1];
  args.w.strides[1] = steps[2];
  int64_t first_out = 0, first_tap = 0;
  args.out.strides[0] = lo.stride(0);
  args.out.strides[1] = lo.stride(1);
  for (int d = 0; d < spatial; ++d) {
    const Phase phase = phase_of(dims[d], remainders[d]);
    args.dims[d] = phase.dim;
    first_out += remainders[d] * lo.stride(d + 2);
    args.out.strides[d + 2] = lo.stride(d + 2) * dims[d].stride;
    first_tap += phase.first_tap * steps[d + 3];
    args.w.strides[d + 2] = phase.tap_step * steps[d + 3];
  }
  args.out.data = out.impl()->data + first_out * size;
  args.w.data = weight.impl()->data + first_tap * size;
  if (bias.defined()) args.bias = bias.impl()->data;
  if (!is_empty(args)) crop(&args, size);
  if (is_empty(args)) return fill_unreached(args, unreached);
  contraction::convolution(args);
}

Transposed prepare(const OpCall& call, const Tensor& out) {
  const TensorImpl &x = *call.operands[0].tensor, &w = *call.operands[1].tensor;
  Transposed t{call,
               out,
               reversed_weight(w, int_attr(call.op, call.attrs, "groups")),
               {},
               {},
               {},
               x.layout->rank - 2};
  const auto at = [&](const char* list, int d) {
    return list_attr(call.op, call.attrs, list)[static_cast<size_t>(d)];
  };
  for (int d = 0; d < t.spatial; ++d)
    t.dims[d] = {x.layout->size(d + 2), out.sizes()[static_cast<size_t>(d + 2)],
                 w.layout->size(d + 2), at("stride", d),
                 at("dilation", d),     at("padding", d)};
  const Tensor zeros = new_tensor(intern_contiguous(out.dtype(), kCPU, {out.size(1)}));
  fill_elements(*zeros.impl()->layout, zeros.impl()->data, 0);
  t.unreached = zeros;
  if (call.operands.size() == 3) {
    t.bias = to_contiguous(call.operands[2].tensor);
    const std::array<Operand, 2> terms{zeros, t.bias};
    run_pointwise({Op::add, terms, Attrs()}, &t.unreached);
  }
  return t;
}

void run_half(const OpCall& call, Dtype dtype, Tensor* results) {
  std::array<Tensor, 3> wide;
  std::array<Operand, 3> operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    wide[i] = to_dtype(call.operands[i].tensor, kFloat32);
    operands[i] = wide[i];
  }
  Tensor result;
  run_core<Op::conv_transpose>({call.op, {operands.data(), call.operands.size()}, call.attrs},
                               &result);
  results[0] = to_dtype(result.impl(), dtype);
}

}  // namespace

static void run_conv_transpose(const OpCall& call, Tensor* results) {
  const Layout* layout = infer(call).results[0].layout;
  if (is_half(layout->dtype)) return run_half(call, layout->dtype, results);
  Tensor out = new_tensor(layout);
  if (layout->numel > 0) {
    const Transposed transposed = prepare(call, out);
    std::array<int64_t, kMaxSpatial> counts{1, 1, 1}, at{};
    for (int d = 0; d < transposed.spatial; ++d)
      counts[d] = std::min(transposed.dims[d].stride, transposed.dims[d].out);
    for (at[0] = 0; at[0] < counts[0]; ++at[0])
      for (at[1] = 0; at[1] < counts[1]; ++at[1])
        for (at[2] = 0; at[2] < counts[2]; ++at[2]) transposed.run_phase(at);
  }
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(conv_transpose, run_conv_transpose)

}  // namespace frit::eager

// Pooling of the last two dims, through src/contraction. The 16-bit floats are computed in f32.
#include "src/contraction/pool.h"

#include <array>

#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

using contraction::PoolArgs;
using contraction::PooledDim;

int64_t repeated(IntArrayRef list, int i) {
  return list[list.size() == 1 ? 0 : static_cast<size_t>(i)];
}

// Sizes and strides as batch, channel, height, width; without a batch the first is one.
void set_strides(const Layout& layout, int64_t* strides) {
  const int flat = 4 - layout.rank;
  for (int d = 0; d < layout.rank; ++d) strides[d + flat] = layout.stride(d);
}

PooledDim pooled_dim(const OpCall& call, const Layout& x, const Layout& out, int i) {
  const int d = x.rank - 2 + i;
  PooledDim dim{x.size(d), out.size(d)};
  dim.kernel = repeated(list_attr(call.op, call.attrs, "kernel"), i);
  dim.stride = repeated(list_attr(call.op, call.attrs, "stride"), i);
  dim.pad = repeated(list_attr(call.op, call.attrs, "padding"), i);
  if (call.op == Op::max_pool2d)
    dim.dilation = repeated(list_attr(call.op, call.attrs, "dilation"), i);
  return dim;
}

PoolArgs pool_args(const OpCall& call, const Tensor& out) {
  const TensorImpl& x = *call.operands[0].tensor;
  const Layout& layout = *x.layout;
  PoolArgs args;
  args.dtype = layout.dtype;
  args.batch = layout.rank == 4 ? layout.size(0) : 1;
  args.channels = layout.size(layout.rank - 3);
  args.height = pooled_dim(call, layout, *out.impl()->layout, 0);
  args.width = pooled_dim(call, layout, *out.impl()->layout, 1);
  args.x = x.data;
  args.out = out.impl()->data;
  set_strides(layout, args.x_strides);
  set_strides(*out.impl()->layout, args.out_strides);
  return args;
}

void run_pool(const OpCall& call, Tensor* results);

void pool_half(const OpCall& call, Tensor* results) {
  const Dtype dtype = call.operands[0].layout()->dtype;
  const Tensor wide = to_dtype(call.operands[0].tensor, kFloat32);
  const std::array<Operand, 1> operands{wide};
  Tensor result;
  run_pool({call.op, operands, call.attrs}, &result);
  results[0] = to_dtype(result.impl(), dtype);
}

void run_pool(const OpCall& call, Tensor* results) {
  const Layout* layout = infer(call).results[0].layout;
  if (is_half(layout->dtype)) return pool_half(call, results);
  Tensor out = new_tensor(layout);
  PoolArgs args = pool_args(call, out);
  if (layout->numel > 0 && call.op == Op::max_pool2d) {
    contraction::max_pool2d(args);
  } else if (layout->numel > 0) {
    args.count_include_pad = int_attr(call.op, call.attrs, "count_include_pad") != 0;
    contraction::avg_pool2d(args);
  }
  results[0] = std::move(out);
}

}  // namespace

FRIT_EAGER_KERNEL(max_pool2d, run_pool)
FRIT_EAGER_KERNEL(avg_pool2d, run_pool)

}  // namespace frit::eager

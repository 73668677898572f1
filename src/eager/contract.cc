// matmul, addmm and convolution: PyTorch's rank and batch rules around src/contraction.
//
// The 16-bit floats are computed in f32 and rounded once. A product of two vectors is a sum in the
// order of reductions; every other one is a chain over k.
#include <algorithm>
#include <array>

#include "src/contraction/convolution.h"
#include "src/contraction/matmul.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/loop_nest.h"

namespace frit::eager {
namespace {

using contraction::ConvolutionArgs;
using contraction::ConvolvedDim;
using contraction::MatmulArgs;
using contraction::Matrix;
using contraction::StableKey;

// Identifies memory that nobody can write unnoticed; otherwise nothing is kept of it.
StableKey stable_key(const TensorImpl& t) {
  if (t.storage->write_exposed.load(std::memory_order_relaxed) > 0) return {};
  return {t.storage->id, t.storage->version.load(std::memory_order_relaxed)};
}

// The last two dims of an operand as a matrix; a vector is a row on the left, a column on the
// right.
Matrix left_matrix(const TensorImpl& t) {
  const Layout& l = *t.layout;
  return {t.data, 0, l.rank > 1 ? l.stride(l.rank - 2) : 0, l.stride(l.rank - 1)};
}
Matrix right_matrix(const TensorImpl& t) {
  const Layout& l = *t.layout;
  if (l.rank == 1) return {t.data, 0, l.stride(0), 0};
  return {t.data, 0, l.stride(l.rank - 2), l.stride(l.rank - 1)};
}

// The strides of an operand's batch dims, seen from the result's.
Dims batch_strides(const Layout& l, int rank) {
  Dims strides;
  const int own_rank = std::max(l.rank - 2, 0);
  for (int d = 0; d < rank; ++d) {
    const int own = d - (rank - own_rank);
    strides.push_back(own < 0 || l.size(own) == 1 ? 0 : l.stride(own));
  }
  return strides;
}

// The batch dims in as few loops as strides allow: out, a, b.
LoopNest batch_nest(const Layout& out, const Layout& a, const Layout& b) {
  const int rank = out.rank - (a.rank > 1) - (b.rank > 1);
  const int size = byte_size(out.dtype);
  LoopNest nest(IntArrayRef(out.dims, static_cast<size_t>(rank)));
  nest.add(size, {out.dims + out.rank, static_cast<size_t>(rank)});
  nest.add(size, batch_strides(a, rank));
  nest.add(size, batch_strides(b, rank));
  nest.collapse();
  return nest;
}

// One product for each step of the outer loops; the innermost loop is the product's own batch.
// Where b is the same for all of it and the rows of a follow each other, it is one matrix.
void multiply(MatmulArgs args, const LoopNest& nest, std::byte* out) {
  const int size = byte_size(args.dtype), inner = nest.inner();
  args.batch = nest.sizes[inner];
  args.out_batch = nest.strides[0][inner] / size;
  args.a.batch = nest.strides[1][inner] / size;
  args.b.batch = nest.strides[2][inner] / size;
  if (args.b.batch == 0 && (args.batch == 1 || args.a.batch == args.m * args.a.row)) {
    args.m *= args.batch;
    args.batch = 1;
  }
  const std::byte* a = static_cast<const std::byte*>(args.a.data);
  const std::byte* b = static_cast<const std::byte*>(args.b.data);
  Odometer at(nest, 0);
  for (int64_t done = 0; done < nest.numel; done += nest.sizes[inner]) {
    args.out = out + at.offset(0);
    args.a.data = a + at.offset(1);
    args.b.data = b + at.offset(2);
    contraction::matmul(args);
    at.advance(nest.sizes[inner]);
  }
}

MatmulArgs product_args(const TensorImpl& a, const TensorImpl& b) {
  const Layout &la = *a.layout, &lb = *b.layout;
  MatmulArgs args;
  args.dtype = la.dtype;
  args.m = la.rank > 1 ? la.size(la.rank - 2) : 1;
  args.k = la.size(la.rank - 1);
  args.n = lb.rank > 1 ? lb.size(lb.rank - 1) : 1;
  args.a = left_matrix(a);
  args.b = right_matrix(b);
  args.out_row = args.n;
  args.b_key = stable_key(b);
  return args;
}

void dot(TensorImpl* a, TensorImpl* b, Tensor* result) {
  Tensor product;
  const std::array<Operand, 2> factors{a, b};
  run_pointwise({Op::mul, factors, Attrs()}, &product);
  const std::array<Operand, 1> products{product};
  run_core<Op::sum>({Op::sum, products, Attrs().add_list({}).add(int64_t{0})}, result);
  // An integer sum is i64; the product keeps its dtype and wraps.
  *result = to_dtype(result->impl(), a->layout->dtype);
}

// Runs a contraction of 16-bit floats on f32 copies of its tensors and rounds the result.
void run_as_f32(const OpCall& call, void (*kernel)(const OpCall&, Tensor*), Tensor* results) {
  std::array<Tensor, 5> wide;
  std::array<Operand, 5> operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands[i] = call.operands[i];
    if (!operands[i].is_tensor()) continue;
    wide[i] = to_dtype(operands[i].tensor, kFloat32);
    operands[i] = Operand(wide[i]);
  }
  const Dtype dtype = infer(call).results[0].layout->dtype;
  Tensor result;
  kernel({call.op, {operands.data(), call.operands.size()}, call.attrs}, &result);
  results[0] = to_dtype(result.impl(), dtype);
}

bool is_half_call(const OpCall& call) { return is_half(call.operands[0].layout()->dtype); }

// Value i of an attribute list that may hold one for all.
int64_t repeated(IntArrayRef list, int i) {
  return list[list.size() == 1 ? 0 : static_cast<size_t>(i)];
}

template <class T, class Data>
contraction::Strided<T> strided(const Layout& layout, Data* data) {
  contraction::Strided<T> result;
  result.data = data;
  std::copy_n(layout.strides().data(), layout.rank, result.strides);
  return result;
}

ConvolutionArgs convolution_args(const OpCall& call, const Tensor& out) {
  const TensorImpl &x = *call.operands[0].tensor, &w = *call.operands[1].tensor;
  const IntArrayRef stride = list_attr(call.op, call.attrs, "stride");
  const IntArrayRef dilation = list_attr(call.op, call.attrs, "dilation");
  const IntArrayRef padding = list_attr(call.op, call.attrs, "padding");
  ConvolutionArgs args;
  args.dtype = x.layout->dtype;
  args.spatial = x.layout->rank - 2;
  args.batch = x.layout->size(0);
  args.in_channels = x.layout->size(1);
  args.out_channels = w.layout->size(0);
  args.groups = int_attr(call.op, call.attrs, "groups");
  for (int d = 0; d < args.spatial; ++d)
    args.dims[d] = ConvolvedDim{x.layout->size(d + 2), out.sizes()[static_cast<size_t>(d + 2)],
                                w.layout->size(d + 2), repeated(stride, d),
                                repeated(dilation, d), repeated(padding, 2 * d)};
  args.x = strided<const void>(*x.layout, x.data);
  args.w = strided<const void>(*w.layout, w.data);
  args.out = strided<void>(*out.impl()->layout, out.impl()->data);
  args.w_key = stable_key(w);
  return args;
}

}  // namespace

static void run_matmul(const OpCall& call, Tensor* results) {
  const Layout* layout = infer(call).results[0].layout;
  if (is_half_call(call)) return run_as_f32(call, run_matmul, results);
  TensorImpl *a = call.operands[0].tensor, *b = call.operands[1].tensor;
  if (a->layout->rank == 1 && b->layout->rank == 1) return dot(a, b, results);
  Tensor out = new_tensor(layout);
  if (layout->numel > 0)
    multiply(product_args(*a, *b), batch_nest(*layout, *a->layout, *b->layout), out.impl()->data);
  results[0] = std::move(out);
}

static void run_addmm(const OpCall& call, Tensor* results) {
  const Layout* layout = infer(call).results[0].layout;
  if (is_half_call(call)) return run_as_f32(call, run_addmm, results);
  const TensorImpl& bias = *call.operands[0].tensor;
  MatmulArgs args = product_args(*call.operands[1].tensor, *call.operands[2].tensor);
  const Layout& lb = *bias.layout;
  auto bias_stride = [&](int from_end) {
    const int d = lb.rank - from_end;
    return d < 0 || lb.size(d) == 1 ? 0 : lb.stride(d);
  };
  args.bias = {bias.data, 0, bias_stride(2), bias_stride(1)};
  args.alpha = call.operands[3].scalar;
  args.beta = call.operands[4].scalar;
  Tensor out = new_tensor(layout);
  args.out = out.impl()->data;
  if (layout->numel > 0) contraction::matmul(args);
  results[0] = std::move(out);
}

static void run_convolution(const OpCall& call, Tensor* results) {
  const Layout* layout = infer(call).results[0].layout;
  if (is_half_call(call)) return run_as_f32(call, run_convolution, results);
  Tensor out = new_tensor(layout);
  ConvolutionArgs args = convolution_args(call, out);
  Tensor bias;
  if (call.operands.size() == 3) {
    bias = to_contiguous(call.operands[2].tensor);
    args.bias = bias.impl()->data;
  }
  if (layout->numel > 0) contraction::convolution(args);
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(matmul, run_matmul)
FRIT_EAGER_KERNEL(addmm, run_addmm)
FRIT_EAGER_KERNEL(convolution, run_convolution)

}  // namespace frit::eager

// Reductions over any dims, in the canonical order: rows where the reduced elements are contiguous,
// columns where the kept ones are, and a row-major copy with the reduced dims last for everything
// else.
#include <algorithm>
#include <array>
#include <vector>

#include "src/base/check.h"
#include "src/base/thread_pool.h"
#include "src/eager/blocks/reduce_blocks.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/loop_nest.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 16;  // elements that are worth a thread

// The operand with the kept dims first, then the reduced ones, each in their order.
struct Split {
  Dims kept_sizes, kept_strides, reduced_sizes, reduced_strides;
  int64_t n = 1;  // elements reduced to one
};

Split split_dims(const Layout& x, const Dims& dims) {
  Split split;
  int next = 0;
  for (int d = 0; d < x.rank; ++d) {
    const bool reduced = next < dims.rank && dims[next] == d;
    if (reduced) {
      ++next;
      split.n *= x.size(d);
    }
    (reduced ? split.reduced_sizes : split.kept_sizes).push_back(x.size(d));
    (reduced ? split.reduced_strides : split.kept_strides).push_back(x.stride(d));
  }
  return split;
}

// The stride of the reduced elements in row-major order, if they have one; 0 else.
int64_t common_stride(const Split& split) {
  int64_t stride = 0, expected = 0;
  for (int d = split.reduced_sizes.rank; d-- > 0;) {
    if (split.reduced_sizes[d] == 1) continue;
    if (stride == 0) stride = expected = split.reduced_strides[d];
    if (split.reduced_strides[d] != expected || expected <= 0) return 0;
    expected *= split.reduced_sizes[d];
  }
  return stride == 0 ? 1 : stride;
}

// One reduction on memory of the dtype that the blocks read.
struct Reduction {
  Fold fold;
  Dtype in, acc;
  int64_t n;       // elements per result
  int64_t stride;  // between them

  int in_size() const { return byte_size(in); }
  int acc_size() const { return byte_size(acc); }
};

int64_t num_blocks(int64_t n) { return (n + kReduceBlock - 1) / kReduceBlock; }

// Folds one long row, cut into blocks whose results are folded as a row again.
void fold_long_row(const Reduction& r, const std::byte* x, std::byte* out) {
  const ReduceBlocks& blocks = reduce_blocks(r.fold, r.in);
  const int64_t count = num_blocks(r.n);
  std::vector<int64_t> partials(static_cast<size_t>(count));  // any accumulator fits 8 bytes
  std::byte* partial = reinterpret_cast<std::byte*>(partials.data());
  base::parallel_for(count, kGrain / kReduceBlock, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      blocks.rows(x + b * kReduceBlock * r.in_size(), 0, 1,
                  std::min(kReduceBlock, r.n - b * kReduceBlock), partial + b * r.acc_size());
  });
  const Reduction next{r.fold, r.acc, r.acc, count, 1};
  if (count > kReduceBlock) return fold_long_row(next, partial, out);
  reduce_blocks(r.fold, r.acc).rows(partial, 0, 1, count, out);
}

// The same for columns: the blocks' results are the rows of a smaller matrix.
void fold_columns(const Reduction& r, const std::byte* x, int64_t cols, std::byte* out) {
  const ReduceBlocks& blocks = reduce_blocks(r.fold, r.in);
  if (r.n <= kReduceBlock) return blocks.columns(x, r.stride, r.n, cols, out);
  const int64_t count = num_blocks(r.n);
  std::vector<int64_t> partials(static_cast<size_t>(count * cols));
  std::byte* partial = reinterpret_cast<std::byte*>(partials.data());
  for (int64_t b = 0; b < count; ++b)
    blocks.columns(x + b * kReduceBlock * r.stride * r.in_size(), r.stride,
                   std::min(kReduceBlock, r.n - b * kReduceBlock), cols,
                   partial + b * cols * r.acc_size());
  fold_columns({r.fold, r.acc, r.acc, count, cols}, partial, cols, out);
}

LoopNest kept_nest(const Reduction& r, const Split& split) {
  LoopNest nest(split.kept_sizes);
  nest.add(r.acc_size(), contiguous_strides(split.kept_sizes));
  nest.add(r.in_size(), split.kept_strides);
  nest.collapse();
  return nest;
}

void reduce_rows(const Reduction& r, const LoopNest& kept, const std::byte* x, std::byte* out) {
  const ReduceBlocks& blocks = reduce_blocks(r.fold, r.in);
  const int64_t stride = kept.strides[1][kept.inner()] / r.in_size();
  const int64_t grain = std::max<int64_t>(1, kGrain / r.n);
  base::parallel_for(kept.numel, grain, [&](int64_t begin, int64_t end) {
    Odometer at(kept, begin);
    for (int64_t position = begin; position < end;) {
      const int64_t rows = std::min(end - position, at.left_in_row());
      const std::byte* row = x + at.offset(1);
      std::byte* to = out + at.offset(0);
      if (r.n <= kReduceBlock) {
        blocks.rows(row, stride, rows, r.n, to);
      } else {
        for (int64_t i = 0; i < rows; ++i)
          fold_long_row(r, row + i * stride * r.in_size(), to + i * r.acc_size());
      }
      position += rows;
      at.advance(rows);
    }
  });
}

void reduce_columns(const Reduction& r, const LoopNest& kept, const std::byte* x, std::byte* out) {
  const int64_t grain = std::max<int64_t>(64, kGrain / r.n);
  base::parallel_for(kept.numel, grain, [&](int64_t begin, int64_t end) {
    Odometer at(kept, begin);
    for (int64_t position = begin; position < end;) {
      const int64_t cols = std::min(end - position, at.left_in_row());
      fold_columns(r, x + at.offset(1), cols, out + at.offset(0));
      position += cols;
      at.advance(cols);
    }
  });
}

// A row-major copy with the reduced dims last, in the dtype that blocks read.
Tensor rows_of(const Split& split, const TensorImpl& x, Dtype dtype) {
  Dims sizes = split.kept_sizes, strides = split.kept_strides;
  for (int64_t size : split.reduced_sizes.ref()) sizes.push_back(size);
  for (int64_t stride : split.reduced_strides.ref()) strides.push_back(stride);
  const Layout* from = intern_layout(x.layout->dtype, x.layout->device, sizes, strides);
  Tensor copy = new_tensor(intern_contiguous(dtype, x.layout->device, sizes));
  convert_elements(*copy.impl()->layout, copy.impl()->data, *from, x.data);
  return copy;
}

Dtype block_dtype(Dtype dtype) { return is_half(dtype) ? Dtype::kF32 : dtype; }

void reduce_into(Reduction r, const Split& split, const TensorImpl& x, std::byte* out) {
  if (x.layout->dtype == r.in && (r.stride = common_stride(split)) != 0) {
    const LoopNest kept = kept_nest(r, split);
    if (r.stride == 1 || r.n == 1) return reduce_rows(r, kept, x.data, out);
    const bool columns =
        kept.strides[1][kept.inner()] == r.in_size() && kept.sizes[kept.inner()] >= 4;
    if (columns) return reduce_columns(r, kept, x.data, out);
  }
  const Tensor rows = rows_of(split, x, r.in);
  Split in_order = split;
  in_order.kept_strides = contiguous_strides(split.kept_sizes);
  for (int64_t& stride : std::span(in_order.kept_strides.values, in_order.kept_strides.rank))
    stride *= r.n;
  r.stride = 1;
  reduce_rows(r, kept_nest(r, in_order), rows.impl()->data, out);
}

// What a reduction of nothing gives. The largest and smallest have an identity for bool alone.
void fill_identity(Tensor& out, Fold fold) {
  const bool one = fold == Fold::kProd || fold == Fold::kMin;
  fill_elements(*out.impl()->layout, out.impl()->data, one ? 1 : 0);
}

template <class T>
void add_zero(T* values, int64_t n) {
  for (int64_t i = 0; i < n; ++i) values[i] += T{0};
}

// Sums start at -0.0, which only shows where every element was -0.0; PyTorch's are +0.0 there.
void finish_sum(Fold fold, Dtype acc, std::byte* out, int64_t n) {
  if (fold != Fold::kSum) return;
  if (acc == Dtype::kF32) add_zero(reinterpret_cast<float*>(out), n);
  if (acc == Dtype::kF64) add_zero(reinterpret_cast<double*>(out), n);
}

// A tensor of the reduction's sizes in the accumulators' dtype: the result itself where that is its
// dtype.
Tensor accumulators(const Tensor& out, Dtype acc) {
  const Layout& layout = *out.impl()->layout;
  if (layout.dtype == acc && layout.contiguous) return out;
  return new_tensor(intern_contiguous(acc, layout.device, layout.sizes()));
}

template <class T>
void find_in_rows(const Tensor& rows, const Tensor& best, int64_t n, int64_t* out) {
  const FindBlock find = find_block(rows.dtype());
  const T* x = reinterpret_cast<const T*>(rows.impl()->data);
  const T* wanted = reinterpret_cast<const T*>(best.impl()->data);
  const int64_t count = best.numel();
  base::parallel_for(count, std::max<int64_t>(1, kGrain / std::max<int64_t>(n, 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         out[i] = find(x + i * n, n, wanted + i);
                     });
}

void find_in_rows(const Tensor& rows, const Tensor& best, int64_t n, int64_t* out) {
  switch (byte_size(rows.dtype())) {
    case 1:
      return find_in_rows<uint8_t>(rows, best, n, out);
    case 2:
      return find_in_rows<uint16_t>(rows, best, n, out);
    case 4:
      return find_in_rows<uint32_t>(rows, best, n, out);
    default:
      return find_in_rows<uint64_t>(rows, best, n, out);
  }
}

}  // namespace

static void run_reduce(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Fold fold = fold_of(call.op);
  const Dims dims = normalize_dims(call.op, *x.layout, list_attr(call.op, call.attrs, "dims"));
  const Split split = split_dims(*x.layout, dims);
  // The cast of a sum over dtypes that its result does not have (ints to i64) is the blocks' own.
  const Dtype in = block_dtype(x.layout->dtype);
  const Reduction r{fold, in, fold_dtype(fold, in), split.n, 0};
  if (out.numel() > 0 && split.n == 0) {
    fill_identity(out, fold);
  } else if (out.numel() > 0) {
    Tensor acc = accumulators(out, r.acc);
    reduce_into(r, split, x, acc.impl()->data);
    finish_sum(fold, r.acc, acc.impl()->data, acc.numel());
    if (!acc.is_same(out))
      convert_elements(*out.impl()->layout, out.impl()->data, *acc.impl()->layout,
                       acc.impl()->data);
  }
  results[0] = std::move(out);
}

static void run_arg_reduce(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Dims dims = normalize_dims(call.op, *x.layout, list_attr(call.op, call.attrs, "dim"));
  const Split split = split_dims(*x.layout, dims);
  if (out.numel() > 0) {
    const Tensor rows = rows_of(split, x, block_dtype(x.layout->dtype));
    const Dtype dtype = rows.dtype();
    const Tensor best = new_tensor(intern_contiguous(dtype, x.layout->device, split.kept_sizes));
    Split in_order;
    in_order.kept_sizes = Dims{{best.numel()}};
    in_order.kept_strides = Dims{{split.n}};
    const Reduction r{call.op == Op::argmax ? Fold::kMax : Fold::kMin, dtype, dtype, split.n, 1};
    reduce_rows(r, kept_nest(r, in_order), rows.impl()->data, best.impl()->data);
    find_in_rows(rows, best, split.n, reinterpret_cast<int64_t*>(out.impl()->data));
  }
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(sum, run_reduce)
FRIT_EAGER_KERNEL(prod, run_reduce)
FRIT_EAGER_KERNEL(amax, run_reduce)
FRIT_EAGER_KERNEL(amin, run_reduce)
FRIT_EAGER_KERNEL(argmax, run_arg_reduce)
FRIT_EAGER_KERNEL(argmin, run_arg_reduce)

}  // namespace frit::eager

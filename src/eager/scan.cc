// Scans along a dimension: cumsum, cumprod, logcumsumexp, and cummax and cummin with indices.
//
// Row-major memory is [outer, n, inner] around the dimension. Each of the inner columns is a chain
// of its own; a block of neighbouring ones is scanned side by side, so that memory is read in
// order. Without inner columns several rows are, so that one waits for its last sum while the
// others add.
#include "src/ops/math/scan.h"

#include <algorithm>
#include <type_traits>

#include "src/base/thread_pool.h"
#include "src/eager/blocks/blocks.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/offsets.h"

namespace frit::eager {
namespace {

constexpr int64_t kColumns = 64;     // scanned side by side
constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

struct Rows {
  int64_t outer = 1, n = 1, inner = 1;

  Rows(const Layout& layout, int dim) {
    for (int d = 0; d < layout.rank; ++d)
      (d < dim ? outer : d == dim ? n : inner) *= layout.size(d);
  }
};

// Calls fn(first, columns) for each block: the offset of its first element, and its columns.
template <class Fn>
void for_each_block(const Rows& rows, Fn fn) {
  const int64_t blocks = (rows.inner + kColumns - 1) / kColumns;
  const int64_t per_block = rows.n * std::min(rows.inner, kColumns);
  base::parallel_for(
      rows.outer * blocks, std::max<int64_t>(1, kGrain / std::max<int64_t>(per_block, 1)),
      [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          const int64_t column = b % blocks * kColumns;
          fn(b / blocks * rows.n * rows.inner + column, std::min(kColumns, rows.inner - column));
        }
      });
}

constexpr int64_t kTogether = 8;  // rows

// fn(first, std::integral_constant<rows>) for all rows, by eights and then one by one.
template <class Fn>
void for_each_bundle(const Rows& rows, Fn fn) {
  base::parallel_for(rows.outer,
                     std::max<int64_t>(kTogether, kGrain / std::max<int64_t>(rows.n, 1)),
                     [&](int64_t begin, int64_t end) {
                       int64_t row = begin;
                       for (; row + kTogether <= end; row += kTogether)
                         fn(row * rows.n, std::integral_constant<int64_t, kTogether>());
                       for (; row < end; ++row)
                         fn(row * rows.n, std::integral_constant<int64_t, 1>());
                     });
}

template <class Step, class Acc, class T>
void scan_rows(const Rows& rows, const T* x, T* out) {
  for_each_bundle(rows, [&](int64_t first, auto together) {
    Acc acc[together];
    std::fill_n(acc, together, Step::first());
    for (int64_t i = first; i < first + rows.n; ++i) {
      for (int64_t r = 0; r < together; ++r) {
        acc[r] = Step::next(acc[r], static_cast<Acc>(x[r * rows.n + i]));
        out[r * rows.n + i] = static_cast<T>(acc[r]);
      }
    }
  });
}

template <class Step, class Acc, class T>
void scan(const Rows& rows, const T* x, T* out) {
  if (rows.inner == 1) return scan_rows<Step, Acc>(rows, x, out);
  for_each_block(rows, [&](int64_t first, int64_t columns) {
    Acc acc[kColumns];
    std::fill_n(acc, columns, Step::first());
    for (int64_t i = 0; i < rows.n; ++i) {
      const int64_t row = first + i * rows.inner;
      for (int64_t c = 0; c < columns; ++c) {
        acc[c] = Step::next(acc[c], static_cast<Acc>(x[row + c]));
        out[row + c] = static_cast<T>(acc[c]);
      }
    }
  });
}

// Chains of log-sums side by side: their next elements lie `apart`, and those of one follow each
// other in steps.
template <class Acc, class T>
void scan_log_sums(const T* x, T* out, int64_t n, int64_t chains, int64_t apart, int64_t step) {
  const BinaryBlock add = binary_block(Op::logaddexp, dtype_of<Acc>);
  Acc sums[kColumns], next[kColumns];
  std::fill_n(sums, chains, math::RunningLogSum<Acc>::first());
  for (int64_t i = 0; i < n; ++i, x += step, out += step) {
    for (int64_t c = 0; c < chains; ++c) next[c] = static_cast<Acc>(x[c * apart]);
    add(sums, next, sums, chains, 0);
    for (int64_t c = 0; c < chains; ++c) out[c * apart] = static_cast<T>(sums[c]);
  }
}

constexpr int64_t kLogRows = 16;  // side by side; more would not share the cache well

template <class Acc, class T>
void scan_log_sums(const Rows& rows, const T* x, T* out) {
  if (rows.inner != 1)
    return for_each_block(rows, [&](int64_t first, int64_t columns) {
      scan_log_sums<Acc>(x + first, out + first, rows.n, columns, 1, rows.inner);
    });
  const int64_t grain = std::max(kLogRows, kGrain / std::max<int64_t>(rows.n, 1));
  base::parallel_for(rows.outer, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kLogRows)
      scan_log_sums<Acc>(x + row * rows.n, out + row * rows.n, rows.n,
                         std::min(kLogRows, end - row), rows.n, 1);
  });
}

template <class Acc, class T>
void scan(Op op, const Rows& rows, const std::byte* from, std::byte* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  if (op == Op::cumsum) return scan<math::RunningSum<Acc>, Acc>(rows, x, out);
  if (op == Op::cumprod) return scan<math::RunningProduct<Acc>, Acc>(rows, x, out);
  if constexpr (std::is_floating_point_v<Acc>) scan_log_sums<Acc>(rows, x, out);
}

// The operand row-major in a dtype.
Tensor rows_in(const OpCall& call, Dtype dtype) {
  return to_contiguous(to_dtype(call.operands[0].tensor, dtype).impl());
}

Tensor running(const OpCall& call, const Layout& result) {
  const bool half = is_half(result.dtype);
  const Tensor x = rows_in(call, half ? kFloat32 : result.dtype);
  const Rows rows(result, wrapped_dim(call, result.rank));
  const Tensor out = new_tensor(intern_contiguous(x.dtype(), kCPU, result.sizes()));
  const std::byte* from = x.impl()->data;
  std::byte* to = out.impl()->data;
  if (half) {
    scan<float, float>(call.op, rows, from, to);
  } else if (result.dtype == kFloat32) {
    scan<double, float>(call.op, rows, from, to);
  } else if (result.dtype == kFloat64) {
    scan<double, double>(call.op, rows, from, to);
  } else {
    scan<int64_t, int64_t>(call.op, rows, from, to);
  }
  return to_dtype(out.impl(), result.dtype);
}

template <class T, bool (*takes_over)(T, T)>
void find_extremes_of_rows(const Rows& rows, const T* x, T* values, int64_t* indices) {
  for_each_bundle(rows, [&](int64_t first, auto together) {
    T best[together];
    int64_t at[together] = {};
    for (int64_t r = 0; r < together && rows.n > 0; ++r) best[r] = x[first + r * rows.n];
    for (int64_t i = 0; i < rows.n; ++i) {
      for (int64_t r = 0; r < together; ++r) {
        const int64_t place = first + r * rows.n + i;
        const bool over = takes_over(best[r], x[place]);
        best[r] = over ? x[place] : best[r];
        at[r] = over ? i : at[r];
        values[place] = best[r];
        indices[place] = at[r];
      }
    }
  });
}

template <class T, bool (*takes_over)(T, T)>
void find_extremes(const Rows& rows, const T* x, T* values, int64_t* indices) {
  if (rows.inner == 1) return find_extremes_of_rows<T, takes_over>(rows, x, values, indices);
  for_each_block(rows, [&](int64_t first, int64_t columns) {
    T best[kColumns];
    int64_t at[kColumns];
    std::copy_n(x + first, rows.n > 0 ? columns : 0, best);
    for (int64_t i = 0; i < rows.n; ++i) {
      const int64_t row = first + i * rows.inner;
      for (int64_t c = 0; c < columns; ++c) {
        if (takes_over(best[c], x[row + c])) best[c] = x[row + c], at[c] = i;
        values[row + c] = best[c];
        indices[row + c] = at[c];
      }
    }
  });
}

template <class T>
void find_extremes(Op op, const Rows& rows, const Tensor& x, const Tensor& values,
                   const Tensor& indices) {
  const T* from = reinterpret_cast<const T*>(x.impl()->data);
  T* to = reinterpret_cast<T*>(values.impl()->data);
  if (op == Op::cummax)
    find_extremes<T, math::takes_over_max<T>>(rows, from, to, offsets_of(indices));
  else
    find_extremes<T, math::takes_over_min<T>>(rows, from, to, offsets_of(indices));
}

void find_extremes(Op op, const Rows& rows, const Tensor& x, const Tensor& values,
                   const Tensor& indices) {
  switch (x.dtype()) {
    case Dtype::kF64:
      return find_extremes<double>(op, rows, x, values, indices);
    case Dtype::kF32:
      return find_extremes<float>(op, rows, x, values, indices);
    case Dtype::kI64:
      return find_extremes<int64_t>(op, rows, x, values, indices);
    case Dtype::kI32:
      return find_extremes<int32_t>(op, rows, x, values, indices);
    case Dtype::kI16:
      return find_extremes<int16_t>(op, rows, x, values, indices);
    case Dtype::kI8:
      return find_extremes<int8_t>(op, rows, x, values, indices);
    case Dtype::kU8:
      return find_extremes<uint8_t>(op, rows, x, values, indices);
    case Dtype::kBool:
    case Dtype::kF16:
    case Dtype::kBF16:
      return;  // callers widen them
  }
}

}  // namespace

static void run_scan(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const Layout& layout = *types.results[0].layout;
  if (types.count == 1) {
    results[0] = running(call, layout);
    return;
  }
  const Dtype dtype = layout.dtype;
  const Tensor x = rows_in(call, dtype == kBool ? kUInt8 : is_half(dtype) ? kFloat32 : dtype);
  const Tensor values = new_tensor(intern_contiguous(x.dtype(), kCPU, layout.sizes()));
  Tensor indices = new_tensor(types.results[1].layout);
  find_extremes(call.op, Rows(layout, wrapped_dim(call, layout.rank)), x, values, indices);
  results[0] = to_dtype(values.impl(), dtype);
  results[1] = std::move(indices);
}

FRIT_EAGER_KERNEL(cumsum, run_scan)
FRIT_EAGER_KERNEL(cumprod, run_scan)
FRIT_EAGER_KERNEL(cummax, run_scan)
FRIT_EAGER_KERNEL(cummin, run_scan)
FRIT_EAGER_KERNEL(logcumsumexp, run_scan)

}  // namespace frit::eager

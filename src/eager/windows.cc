// Pooling in one to three dimensions, with indices or adapted to a size. Planes are row-major; the
// 16-bit floats are computed in f32, integers in i64.
#include "src/ops/window.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/ops/math/scan.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements read that are worth a thread

constexpr int64_t kTogether = 4;  // windows, whose sums do not wait for each other

// One output's window, and others like it: of planes that lie `apart`, or of neighbouring columns.
template <class T>
struct Window {
  const T* plane;
  int64_t apart;
  bool in_one_plane;
  const int64_t* in;  // the plane's sizes
  const PoolWindow &a, &b, &c;

  // fn(index) for each element, in row-major order.
  template <class Fn>
  void for_each(Fn fn) const {
    const int64_t down = b.step * in[2], deeper = a.step * in[1] * in[2];
    int64_t first = (a.first * in[1] + b.first) * in[2] + c.first;
    for (int64_t i = 0; i < a.count; ++i, first += deeper) {
      int64_t row = first;
      for (int64_t j = 0; j < b.count; ++j, row += down)
        for (int64_t k = 0, at = row; k < c.count; ++k, at += c.step) fn(at);
    }
  }
};

// Finds the first largest, or the last NaN.
template <class T>
struct LargestOf {
  int64_t* indices;

  template <int64_t planes>
  void fold(const Window<T>& window, T* out, int64_t output, int64_t outs) const {
    using Limits = std::numeric_limits<T>;
    T best[planes];
    int64_t best_at[planes];
    std::fill_n(best, planes, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    std::fill_n(best_at, planes, -1);
    window.for_each([&](int64_t at) {
      for (int64_t p = 0; p < planes; ++p) {
        const T value = window.plane[p * window.apart + at];
        const bool over = (best_at[p] < 0) | (value > best[p]) | (value != value);
        best[p] = over ? value : best[p];
        best_at[p] = over ? at : best_at[p];
      }
    });
    for (int64_t p = 0; p < planes; ++p) {
      out[output + p * outs] = best[p];
      // -1 of a window without elements, which the dilation may leap over.
      const bool some = best_at[p] >= 0 && window.in_one_plane;
      indices[output + p * outs] = best_at[p] + (some ? p * window.apart : 0);
    }
  }
};

template <class T>
struct MeanOf {
  int64_t divisor;  // 0: the number of elements
  bool count_padding;

  template <int64_t planes>
  void fold(const Window<T>& window, T* out, int64_t output, int64_t outs) const {
    T sum[planes] = {};
    window.for_each([&](int64_t at) {
      for (int64_t p = 0; p < planes; ++p)
        sum[p] = math::RunningSum<T>::next(sum[p], window.plane[p * window.apart + at]);
    });
    const PoolWindow &a = window.a, &b = window.b, &c = window.c;
    const int64_t count = divisor != 0    ? divisor
                          : count_padding ? a.padded * b.padded * c.padded
                                          : a.count * b.count * c.count;
    for (int64_t p = 0; p < planes; ++p) out[output + p * outs] = mean_of(sum[p], count);
  }
};

// One output after the other, of some neighbouring planes at once.
template <class T, class Fold>
void pool_bundle(const PoolWindows& windows, const T* x, int64_t plane, T* out, Fold fold) {
  const std::vector<PoolWindow>&depth = windows.dims[0], &rows = windows.dims[1],
        &columns = windows.dims[2];
  const int64_t in = windows.in[0] * windows.in[1] * windows.in[2];
  const int64_t outs = static_cast<int64_t>(depth.size() * rows.size() * columns.size());
  int64_t output = plane * outs;
  for (const PoolWindow& a : depth)
    for (const PoolWindow& b : rows)
      for (const PoolWindow& c : columns)
        fold.template fold<kTogether>({x + plane * in, in, false, windows.in, a, b, c}, out,
                                      output++, outs);
}

// Whether the next windows are of one form and equally far from each other.
bool are_alike(std::span<const PoolWindow> columns) {
  const PoolWindow& c = columns[0];
  for (size_t i = 1; i < columns.size(); ++i) {
    const PoolWindow& other = columns[i];
    if (other.count != c.count || other.step != c.step || other.padded != c.padded ||
        other.first - columns[i - 1].first != columns[1].first - c.first)
      return false;
  }
  return true;
}

// One plane, some neighbouring columns at once.
template <class T, class Fold>
void pool_plane(const PoolWindows& windows, const T* x, int64_t plane, T* out, Fold fold) {
  const std::span<const PoolWindow> depth = windows.dims[0], rows = windows.dims[1],
                                    columns = windows.dims[2];
  const T* from = x + plane * windows.in[0] * windows.in[1] * windows.in[2];
  int64_t output = plane * static_cast<int64_t>(depth.size() * rows.size() * columns.size());
  for (const PoolWindow& a : depth)
    for (const PoolWindow& b : rows)
      for (std::span<const PoolWindow> left = columns; !left.empty();) {
        const PoolWindow& c = left[0];
        const bool bundle = left.size() >= kTogether && are_alike(left.first(kTogether));
        if (bundle)
          fold.template fold<kTogether>({from, left[1].first - c.first, true, windows.in, a, b, c},
                                        out, output, 1);
        else
          fold.template fold<1>({from, 0, true, windows.in, a, b, c}, out, output, 1);
        output += bundle ? kTogether : 1;
        left = left.subspan(bundle ? kTogether : 1);
      }
}

template <class T, class Fold>
void pool_planes(const PoolWindows& windows, const T* x, int64_t planes, T* out, Fold fold) {
  const int64_t in = windows.in[0] * windows.in[1] * windows.in[2];
  const int64_t grain = std::max<int64_t>(kTogether, kGrain / std::max<int64_t>(in, 1));
  base::parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
    int64_t p = begin;
    for (; p + kTogether <= end; p += kTogether) pool_bundle(windows, x, p, out, fold);
    for (; p < end; ++p) pool_plane(windows, x, p, out, fold);
  });
}

template <class T>
void pool(const OpCall& call, const Tensor& x, const Tensor& out, const Tensor& indices) {
  const PoolWindows windows(call, *x.impl()->layout, *out.impl()->layout);
  int64_t planes = 1;
  for (int64_t d = 0; d < x.dim() - pooled_dims(call.op, call.attrs); ++d) planes *= x.size(d);
  const T* from = reinterpret_cast<const T*>(x.impl()->data);
  T* to = reinterpret_cast<T*>(out.impl()->data);
  if (indices.defined()) {
    auto* found = reinterpret_cast<int64_t*>(indices.impl()->data);
    return pool_planes(windows, from, planes, to, LargestOf<T>{found});
  }
  const bool plain = call.op == Op::avg_pool;
  const MeanOf<T> mean{plain ? int_attr(call.op, call.attrs, "divisor") : 0,
                       plain && int_attr(call.op, call.attrs, "count_include_pad") != 0};
  pool_planes(windows, from, planes, to, mean);
}

}  // namespace

static void run_windows(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const Layout& layout = *types.results[0].layout;
  const Dtype wide = !is_floating_point(layout.dtype) ? kInt64
                     : layout.dtype == kFloat64       ? kFloat64
                                                      : kFloat32;
  const Tensor x = to_contiguous(to_dtype(call.operands[0].tensor, wide).impl());
  const Tensor out = new_tensor(intern_contiguous(wide, kCPU, layout.sizes()));
  Tensor indices;
  if (types.count == 2) indices = new_tensor(types.results[1].layout);
  if (layout.numel > 0) {
    if (wide == kFloat64)
      pool<double>(call, x, out, indices);
    else if (wide == kFloat32)
      pool<float>(call, x, out, indices);
    else
      pool<int64_t>(call, x, out, indices);
  }
  results[0] = to_dtype(out.impl(), layout.dtype);
  if (types.count == 2) results[1] = std::move(indices);
}

FRIT_EAGER_KERNEL(max_pool, run_windows)
FRIT_EAGER_KERNEL(avg_pool, run_windows)
FRIT_EAGER_KERNEL(adaptive_avg_pool, run_windows)
FRIT_EAGER_KERNEL(adaptive_max_pool, run_windows)

}  // namespace frit::eager

// Pooling in one to three dimensions, with indices or adapted to a size. Planes are row-major; the
// 16-bit floats are computed in f32, integers in i64.
#include "src/ops/window.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/ops/math/scan.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements read that are worth a thread

// fn(element, index) for each element of an output's windows, in row-major order.
template <class T, class Fn>
void for_each_element(const T* plane, const int64_t* in, const PoolWindow& a, const PoolWindow& b,
                      const PoolWindow& c, Fn fn) {
  for (int64_t i = 0; i < a.count; ++i)
    for (int64_t j = 0; j < b.count; ++j) {
      const int64_t row = ((a.first + i * a.step) * in[1] + b.first + j * b.step) * in[2];
      for (int64_t k = 0; k < c.count; ++k) {
        const int64_t at = row + c.first + k * c.step;
        fn(plane[at], at);
      }
    }
}

// Finds the first largest, or the last NaN.
template <class T>
struct LargestOf {
  int64_t* indices;

  T operator()(const T* plane, const PoolWindows& windows, const PoolWindow& a, const PoolWindow& b,
               const PoolWindow& c, int64_t output) const {
    using Limits = std::numeric_limits<T>;
    T best = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    int64_t best_at = -1;
    for_each_element(plane, windows.in, a, b, c, [&](T value, int64_t at) {
      if (best_at < 0 || value > best || value != value) best = value, best_at = at;
    });
    indices[output] = best_at;
    return best;
  }
};

template <class T>
struct MeanOf {
  int64_t divisor;  // 0: the number of elements
  bool count_padding;

  T operator()(const T* plane, const PoolWindows& windows, const PoolWindow& a, const PoolWindow& b,
               const PoolWindow& c, int64_t) const {
    T sum = T(0);
    for_each_element(plane, windows.in, a, b, c,
                     [&](T value, int64_t) { sum = math::RunningSum<T>::next(sum, value); });
    const int64_t count = divisor != 0    ? divisor
                          : count_padding ? a.padded * b.padded * c.padded
                                          : a.count * b.count * c.count;
    return mean_of(sum, count);
  }
};

// One output after the other, plane by plane.
template <class T, class Fold>
void pool_planes(const PoolWindows& windows, const T* x, int64_t planes, T* out, Fold fold) {
  const std::vector<PoolWindow>&depth = windows.dims[0], &rows = windows.dims[1],
        &columns = windows.dims[2];
  const int64_t in = windows.in[0] * windows.in[1] * windows.in[2];
  const int64_t outs = static_cast<int64_t>(depth.size() * rows.size() * columns.size());
  base::parallel_for(planes, std::max<int64_t>(1, kGrain / std::max<int64_t>(in, 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t p = begin; p < end; ++p) {
                         int64_t output = p * outs;
                         for (const PoolWindow& a : depth)
                           for (const PoolWindow& b : rows)
                             for (const PoolWindow& c : columns) {
                               out[output] = fold(x + p * in, windows, a, b, c, output);
                               ++output;
                             }
                       }
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

void run_windows(const OpCall& call, Tensor* results) {
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

}  // namespace frit::eager

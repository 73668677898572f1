// Pooling: each output row is folded one position of the window at a time, over whichever of
// channels and columns lie side by side.
#include "src/contraction/pool.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "src/base/check.h"
#include "src/base/thread_pool.h"

namespace frit::contraction {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements read that are worth a thread

template <class T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}

// maximum(acc, x): the first of two equal ones; NaN wins. (acc is not equal to itself only if NaN.)
template <class T>
struct Largest {
  static T first() { return lowest<T>(); }
  static T fold(T acc, T x) { return (acc >= x) | (acc != acc) ? acc : x; }
};

template <class T>
struct Total {
  static T first() { return T(0); }
  static T fold(T acc, T x) { return acc + x; }
};

// The positions [first, last) of a window that are inside the input, and where it starts.
struct Window {
  int64_t start, first, last;
};

Window window_at(const PooledDim& dim, int64_t out) {
  Window w{out * dim.stride - dim.pad, 0, dim.kernel};
  while (w.first < w.last && w.start + w.first * dim.dilation < 0) ++w.first;
  while (w.last > w.first && w.start + (w.last - 1) * dim.dilation >= dim.in) --w.last;
  return w;
}

// Outputs [begin, end) whose window has position k inside the input.
struct Span {
  int64_t begin, end;
};

Span outputs_with(const PooledDim& dim, int64_t k) {
  const int64_t shift = dim.pad - k * dim.dilation;  // output o reads o * stride - shift
  const int64_t begin = shift <= 0 ? 0 : (shift + dim.stride - 1) / dim.stride;
  const int64_t room = dim.in - 1 + shift;
  const int64_t end = room < 0 ? 0 : room / dim.stride + 1;
  return {std::min(begin, dim.out), std::clamp(end, std::min(begin, dim.out), dim.out)};
}

// How many elements an average divides by. Elements past the padding do not count.
int64_t divisor_of(const PoolArgs& args, int64_t row, int64_t col) {
  if (args.divisor != 0) return args.divisor;
  auto count = [&](const PooledDim& dim, int64_t out) {
    const Window w = window_at(dim, out);
    if (!args.count_include_pad) return w.last - w.first;
    return std::min(w.start + dim.kernel, dim.in + dim.pad) - w.start;
  };
  return count(args.height, row) * count(args.width, col);
}

// One row of the output, channels side by side.
template <class T, class Fold>
void pool_pixels(const PoolArgs& args, int64_t batch, int64_t row) {
  const int64_t *xs = args.x_strides, *os = args.out_strides;
  const T* x = static_cast<const T*>(args.x) + batch * xs[0];
  const Window h = window_at(args.height, row);
  for (int64_t col = 0; col < args.width.out; ++col) {
    T* out = static_cast<T*>(args.out) + batch * os[0] + row * os[2] + col * os[3];
    const Window w = window_at(args.width, col);
    std::fill(out, out + args.channels, Fold::first());
    for (int64_t i = h.first; i < h.last; ++i)
      for (int64_t j = w.first; j < w.last; ++j) {
        const T* from = x + (h.start + i * args.height.dilation) * xs[2] +
                        (w.start + j * args.width.dilation) * xs[3];
        for (int64_t c = 0; c < args.channels; ++c) out[c] = Fold::fold(out[c], from[c]);
      }
  }
}

// Folds one position of the windows into a row of outputs.
template <class T, class Fold>
void fold_row(const T* x, int64_t x_step, int64_t count, int64_t out_step, T* out) {
  if (x_step == 1 && out_step == 1) {
    for (int64_t o = 0; o < count; ++o) out[o] = Fold::fold(out[o], x[o]);
  } else {
    for (int64_t o = 0; o < count; ++o)
      out[o * out_step] = Fold::fold(out[o * out_step], x[o * x_step]);
  }
}

// One row of the output, channel by channel.
template <class T, class Fold>
void pool_planes(const PoolArgs& args, int64_t batch, int64_t row) {
  const int64_t *xs = args.x_strides, *os = args.out_strides;
  const Window h = window_at(args.height, row);
  for (int64_t c = 0; c < args.channels; ++c) {
    const T* x = static_cast<const T*>(args.x) + batch * xs[0] + c * xs[1];
    T* out = static_cast<T*>(args.out) + batch * os[0] + c * os[1] + row * os[2];
    for (int64_t col = 0; col < args.width.out; ++col) out[col * os[3]] = Fold::first();
    for (int64_t i = h.first; i < h.last; ++i)
      for (int64_t j = 0; j < args.width.kernel; ++j) {
        const Span span = outputs_with(args.width, j);
        const int64_t start =
            span.begin * args.width.stride - args.width.pad + j * args.width.dilation;
        fold_row<T, Fold>(x + (h.start + i * args.height.dilation) * xs[2] + start * xs[3],
                          args.width.stride * xs[3], span.end - span.begin, os[3],
                          out + span.begin * os[3]);
      }
  }
}

constexpr int64_t kFewColumns = 8;  // up to which windows are folded one by one
constexpr int64_t kTogether =
    8;  // windows of neighbouring channels, which need not wait for each other

// Folds one window of some channels: `first` is its first element that is inside, of which there
// are `rows` times `columns`.
template <int64_t together, class T, class Fold>
void fold_windows(const PoolArgs& args, const T* first, int64_t rows, int64_t columns, T* out) {
  const int64_t down = args.height.dilation * args.x_strides[2];
  const int64_t right = args.width.dilation * args.x_strides[3];
  const int64_t channel = args.x_strides[1];
  T acc[together];
  for (T& a : acc) a = Fold::first();
  for (int64_t i = 0; i < rows; ++i, first += down) {
    const T* x = first;
    for (int64_t j = 0; j < columns; ++j, x += right)
      for (int64_t c = 0; c < together; ++c) acc[c] = Fold::fold(acc[c], x[c * channel]);
  }
  for (int64_t c = 0; c < together; ++c) out[c * args.out_strides[1]] = acc[c];
}

// One row of the output that has few columns, window by window.
template <class T, class Fold>
void pool_windows(const PoolArgs& args, int64_t batch, int64_t row) {
  const int64_t *xs = args.x_strides, *os = args.out_strides;
  const Window h = window_at(args.height, row);
  for (int64_t col = 0; col < args.width.out; ++col) {
    const Window w = window_at(args.width, col);
    const int64_t rows = h.last - h.first, columns = w.last - w.first;
    const T* x = static_cast<const T*>(args.x) + batch * xs[0] +
                 (h.start + h.first * args.height.dilation) * xs[2] +
                 (w.start + w.first * args.width.dilation) * xs[3];
    T* out = static_cast<T*>(args.out) + batch * os[0] + row * os[2] + col * os[3];
    int64_t c = 0;
    for (; c + kTogether <= args.channels; c += kTogether)
      fold_windows<kTogether, T, Fold>(args, x + c * xs[1], rows, columns, out + c * os[1]);
    for (; c < args.channels; ++c)
      fold_windows<1, T, Fold>(args, x + c * xs[1], rows, columns, out + c * os[1]);
  }
}

template <class T>
void divide_row(const PoolArgs& args, int64_t batch, int64_t row) {
  const int64_t* os = args.out_strides;
  for (int64_t col = 0; col < args.width.out; ++col) {
    T* out = static_cast<T*>(args.out) + batch * os[0] + row * os[2] + col * os[3];
    const T divisor = static_cast<T>(divisor_of(args, row, col));
    for (int64_t c = 0; c < args.channels; ++c) out[c * os[1]] /= divisor;
  }
}

template <class T, class Fold>
void pool(const PoolArgs& args) {
  const bool channels_last = args.x_strides[1] == 1 && args.out_strides[1] == 1;
  const bool few_columns = args.width.out <= kFewColumns;
  const int64_t work = args.width.out * args.channels * args.height.kernel * args.width.kernel;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, work));
  base::parallel_for(args.batch * args.height.out, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / args.height.out, row = i % args.height.out;
      channels_last ? pool_pixels<T, Fold>(args, batch, row)
      : few_columns ? pool_windows<T, Fold>(args, batch, row)
                    : pool_planes<T, Fold>(args, batch, row);
      if constexpr (std::is_same_v<Fold, Total<T>>) divide_row<T>(args, batch, row);
    }
  });
}

}  // namespace

void max_pool2d(const PoolArgs& args) {
  switch (args.dtype) {
    case Dtype::kF64:
      return pool<double, Largest<double>>(args);
    case Dtype::kF32:
      return pool<float, Largest<float>>(args);
    case Dtype::kI64:
      return pool<int64_t, Largest<int64_t>>(args);
    case Dtype::kI32:
      return pool<int32_t, Largest<int32_t>>(args);
    case Dtype::kI16:
      return pool<int16_t, Largest<int16_t>>(args);
    case Dtype::kI8:
      return pool<int8_t, Largest<int8_t>>(args);
    case Dtype::kU8:
      return pool<uint8_t, Largest<uint8_t>>(args);
    case Dtype::kBool:
    case Dtype::kF16:
    case Dtype::kBF16:
      FRIT_CHECK(false) << "no pooling of " << name(args.dtype);
  }
}

void avg_pool2d(const PoolArgs& args) {
  FRIT_CHECK(args.dtype == Dtype::kF64 || args.dtype == Dtype::kF32) << name(args.dtype);
  if (args.dtype == Dtype::kF64) return pool<double, Total<double>>(args);
  pool<float, Total<float>>(args);
}

}  // namespace frit::contraction

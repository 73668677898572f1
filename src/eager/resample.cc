// interpolate: images of another size, plane by plane. The 16-bit floats are computed in f32.
#include "src/ops/resample.h"

#include <algorithm>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements made that are worth a thread

// Strides of the plane's three dimensions, and of planes, in elements.
struct Planes {
  int64_t batch, channels;
  int64_t strides[5];  // batch, channel, and the three

  explicit Planes(const Layout& layout, int spatial) {
    batch = layout.size(0), channels = layout.size(1);
    strides[0] = layout.stride(0), strides[1] = layout.stride(1);
    for (int d = 0; d < 3; ++d)
      strides[2 + d] = d < 3 - spatial ? 0 : layout.stride(layout.rank - 3 + d);
  }
  int64_t first(int64_t plane) const {
    return plane / channels * strides[0] + plane % channels * strides[1];
  }
};

// Calls fn once for each range of rows that a thread takes, with what runs its operand on each row:
// fn(from, to, depth, row), where the row's plane begins, and where the row does.
template <class T, class Fn>
void for_rows(const ResampledDims<T>& to, const Planes& from, const Planes& out, Fn fn) {
  const int64_t rows = to.dims[0].out * to.dims[1].out;
  base::parallel_for(
      from.batch * from.channels * rows, std::max<int64_t>(1, kGrain / to.dims[2].out),
      [&](int64_t begin, int64_t end) {
        fn([&](auto row_fn) {
          for (int64_t r = begin; r < end; ++r) {
            const int64_t plane = r / rows, depth = r % rows / to.dims[1].out,
                          row = r % to.dims[1].out;
            row_fn(from.first(plane),
                   out.first(plane) + depth * out.strides[2] + row * out.strides[3], depth, row);
          }
        });
      });
}

template <class Bits, class T>
void pick(const ResampledDims<T>& to, const Planes& from, const Planes& out, const Bits* x,
          Bits* y) {
  const auto pick_row = [&](int64_t plane, int64_t target, int64_t depth, int64_t row) {
    const Bits* line = x + plane +
                       to.dims[0].indices[static_cast<size_t>(depth)] * from.strides[2] +
                       to.dims[1].indices[static_cast<size_t>(row)] * from.strides[3];
    for (int64_t i = 0; i < to.dims[2].out; ++i)
      y[target + i * out.strides[4]] =
          line[to.dims[2].indices[static_cast<size_t>(i)] * from.strides[4]];
  };
  for_rows(to, from, out, [&](auto for_each) { for_each(pick_row); });
}

// The weighted sum of a line of the operand for one output.
template <int taps, class T>
T line_sample(const ResampledDim<T>& dim, const T* line, int64_t stride, int64_t output) {
  const int64_t* at = dim.indices.data() + output * taps;
  const T* weight = dim.weights.data() + output * taps;
  T sum = line[at[0] * stride] * weight[0];
  for (int i = 1; i < taps; ++i) sum += line[at[i] * stride] * weight[i];
  return sum;
}

// Lines of the operand resampled along the row, the latest few: neighbouring rows of the result are
// made of the same ones.
template <int taps, class T>
class Lines {
 public:
  Lines(const ResampledDim<T>& dim, int64_t stride) : dim_(dim), stride_(stride) {
    values_.resize(static_cast<size_t>(kKept * dim.out));
    std::fill_n(kept_, kKept, nullptr);
  }

  const T* operator()(const T* line) {
    for (int64_t k = 0; k < kKept; ++k)
      if (kept_[k] == line) return values_.data() + k * dim_.out;
    T* values = values_.data() + next_ * dim_.out;
    for (int64_t i = 0; i < dim_.out; ++i) values[i] = line_sample<taps>(dim_, line, stride_, i);
    kept_[next_] = line;
    next_ = (next_ + 1) % kKept;
    return values;
  }

 private:
  static constexpr int64_t kKept = 8;  // not fewer than one row is made of
  const ResampledDim<T>& dim_;
  const int64_t stride_;
  std::vector<T> values_;
  const T* kept_[kKept];
  int64_t next_ = 0;
};

// sum = weight * values, or that added.
template <class T>
void add_weighted(T* sum, const T* values, T weight, int64_t n, bool first) {
  if (first)
    for (int64_t i = 0; i < n; ++i) sum[i] = values[i] * weight;
  else
    for (int64_t i = 0; i < n; ++i) sum[i] += values[i] * weight;
}

template <int taps, class T>
void weigh(const ResampledDims<T>& to, const Planes& from, const Planes& out, const T* x, T* y) {
  const ResampledDim<T>&dims0 = to.dims[0], &dims1 = to.dims[1];
  const int64_t width = to.dims[2].out;
  for_rows(to, from, out, [&](auto for_each) {
    Lines<taps, T> lines(to.dims[2], from.strides[4]);
    std::vector<T> part(static_cast<size_t>(width)), whole(static_cast<size_t>(width));
    for_each([&](int64_t plane, int64_t target, int64_t depth, int64_t row) {
      const size_t d0 = static_cast<size_t>(depth * dims0.taps),
                   r0 = static_cast<size_t>(row * dims1.taps);
      for (size_t d = 0; d < static_cast<size_t>(dims0.taps); ++d) {
        for (size_t r = 0; r < static_cast<size_t>(dims1.taps); ++r) {
          const T* line = x + plane + dims0.indices[d0 + d] * from.strides[2] +
                          dims1.indices[r0 + r] * from.strides[3];
          add_weighted(part.data(), lines(line), dims1.weights[r0 + r], width, r == 0);
        }
        add_weighted(whole.data(), part.data(), dims0.weights[d0 + d], width, d == 0);
      }
      for (int64_t i = 0; i < width; ++i)
        y[target + i * out.strides[4]] = whole[static_cast<size_t>(i)];
    });
  });
}

template <class T>
void resample(const OpCall& call, const TensorImpl& x, const Tensor& out) {
  const ResampledDims<T> to(call, *x.layout);
  const int spatial = static_cast<int>(list_attr(call.op, call.attrs, "sizes").size());
  const Planes from(*x.layout, spatial), made(*out.impl()->layout, spatial);
  const auto with = [&](auto bits) {
    using Bits = decltype(bits);
    pick(to, from, made, reinterpret_cast<const Bits*>(x.data),
         reinterpret_cast<Bits*>(out.impl()->data));
  };
  if (to.dims[2].taps == 1) {
    const int size = byte_size(out.dtype());
    return size == 1   ? with(uint8_t{})
           : size == 2 ? with(uint16_t{})
           : size == 4 ? with(uint32_t{})
                       : with(uint64_t{});
  }
  const T* in = reinterpret_cast<const T*>(x.data);
  T* y = reinterpret_cast<T*>(out.impl()->data);
  if (to.dims[2].taps == 2)
    weigh<2>(to, from, made, in, y);
  else
    weigh<4>(to, from, made, in, y);
}

}  // namespace

static void run_resample(const OpCall& call, Tensor* results) {
  const Layout& layout = *infer(call).results[0].layout;
  const auto mode = static_cast<Resampling>(int_attr(call.op, call.attrs, "mode"));
  const bool moves = mode == Resampling::kNearest || mode == Resampling::kNearestExact;
  const bool half = is_half(layout.dtype) && !moves;
  const Tensor x =
      half ? to_dtype(call.operands[0].tensor, kFloat32) : Tensor::share(call.operands[0].tensor);
  const Tensor out = new_tensor(
      intern_layout(half ? kFloat32 : layout.dtype, kCPU, layout.sizes(), layout.strides()));
  if (layout.numel > 0) {
    if (layout.dtype == kFloat64)
      resample<double>(call, *x.impl(), out);
    else
      resample<float>(call, *x.impl(), out);
  }
  results[0] = to_dtype(out.impl(), layout.dtype);
}

FRIT_EAGER_KERNEL(interpolate, run_resample)

}  // namespace frit::eager

// fft, rfft, irfft: lines of any strides, by way of contiguous ones.
#include "src/fft/fft.h"

#include <algorithm>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 13;  // numbers that are worth a thread

// The dimensions of the numbers, of which one is transformed; pairs count as one.
struct Transform {
  Op op;
  int rank, dim;
  bool inverse;
  double scale;

  explicit Transform(const OpCall& call) : op(call.op) {
    const Layout& x = *call.operands[0].tensor->layout;
    rank = op == Op::rfft ? x.rank : x.rank - 1;
    const int64_t d = int_attr(op, call.attrs, "dim");
    dim = static_cast<int>(d < 0 ? d + rank : d);
    inverse = op == Op::fft && int_attr(op, call.attrs, "inverse") != 0;
    scale = call.operands[1].scalar.to_double();
  }
};

// The layout with the dimension `from` of the numbers moved to the end of them.
const Layout* moved_last(const Layout& layout, int from, int rank) {
  Dims sizes, strides;
  const auto take = [&](int d) {
    sizes.push_back(layout.size(d));
    strides.push_back(layout.stride(d));
  };
  for (int d = 0; d < rank; ++d)
    if (d != from) take(d);
  take(from);
  for (int d = rank; d < layout.rank; ++d) take(d);
  return intern_layout(layout.dtype, layout.device, sizes, strides);
}

template <class T>
void run_line(const Transform& t, const T* x, T* out, int64_t n, int64_t made) {
  if (t.op == Op::rfft)
    fourier::transform_real(x, out, n);
  else if (t.op == Op::irfft)
    fourier::inverse_real(x, out, made);
  else
    fourier::transform(x, out, n,
                       t.inverse ? fourier::Direction::kInverse : fourier::Direction::kForward);
  const T scale = static_cast<T>(t.scale);
  if (scale == T(1)) return;
  const int64_t count = t.op == Op::irfft ? made : made * 2;
  for (int64_t i = 0; i < count; ++i) out[i] *= scale;
}

// Rows follow each other in both.
template <class T>
void run_lines(const Transform& t, const Tensor& x, const Tensor& out, int64_t n, int64_t made) {
  const T* from = reinterpret_cast<const T*>(x.impl()->data);
  T* to = reinterpret_cast<T*>(out.impl()->data);
  const int64_t row_in = t.op == Op::rfft ? n : 2 * n,
                row_out = t.op == Op::irfft ? made : 2 * made;
  base::parallel_for(x.numel() / row_in, std::max<int64_t>(1, kGrain / std::max(n, made)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t r = begin; r < end; ++r)
                         run_line(t, from + r * row_in, to + r * row_out, n, made);
                     });
}

// Row-major with the transformed dimension last.
Tensor to_rows(const Transform& t, const TensorImpl& x) {
  const Layout* view = moved_last(*x.layout, t.dim, t.rank);
  Tensor rows = new_tensor(intern_contiguous(view->dtype, view->device, view->sizes()));
  copy_elements(*rows.impl()->layout, rows.impl()->data, *view, x.data);
  return rows;
}

}  // namespace

static void run_fft(const OpCall& call, Tensor* results) {
  const Layout& layout = *infer(call).results[0].layout;
  TensorImpl* x = call.operands[0].tensor;
  const Transform t(call);
  Tensor out = new_tensor(&layout);
  if (out.numel() > 0) {
    const int64_t n = x->layout->size(t.dim), made = layout.size(t.dim);
    const bool last = t.dim == t.rank - 1;
    const Tensor rows = last ? to_contiguous(x) : to_rows(t, *x);
    const Layout* turned = last ? &layout : moved_last(layout, t.dim, t.rank);
    const Tensor made_rows =
        last ? out : new_tensor(intern_contiguous(layout.dtype, layout.device, turned->sizes()));
    if (layout.dtype == kFloat64)
      run_lines<double>(t, rows, made_rows, n, made);
    else
      run_lines<float>(t, rows, made_rows, n, made);
    if (!last)
      copy_elements(*turned, out.impl()->data, *made_rows.impl()->layout, made_rows.impl()->data);
  }
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(fft, run_fft)
FRIT_EAGER_KERNEL(rfft, run_fft)
FRIT_EAGER_KERNEL(irfft, run_fft)

}  // namespace frit::eager

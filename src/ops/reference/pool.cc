// Pooling in one to three dimensions, with indices or adapted to a size; one output at a time.
#include "src/ops/window.h"

#include <limits>

#include "src/ops/math/scan.h"
#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

Dtype pool_dtype(Dtype dtype) {
  if (!is_floating_point(dtype)) return kInt64;
  return dtype == kFloat64 ? kFloat64 : kFloat32;
}

// One output: where its windows are, and where its plane begins in the operand.
struct Output {
  PoolWindow windows[3];
  int64_t strides[3];
  int64_t first;
};

// Calls fn(value, index in the plane) in row-major order.
template <class T, class Fn>
void for_each_element(const Elements& x, const Output& out, const int64_t* in, Fn fn) {
  const PoolWindow &a = out.windows[0], &b = out.windows[1], &c = out.windows[2];
  for (int64_t i = 0; i < a.count; ++i)
    for (int64_t j = 0; j < b.count; ++j)
      for (int64_t k = 0; k < c.count; ++k) {
        const int64_t d = a.first + i * a.step, h = b.first + j * b.step, w = c.first + k * c.step;
        const int64_t at = out.first + d * out.strides[0] + h * out.strides[1] + w * out.strides[2];
        fn(number<T>(x.load_as(dtype_of<T>, at)), (d * in[1] + h) * in[2] + w);
      }
}

template <class T>
T mean_of_window(const OpCall& call, const Elements& x, const Output& out, const int64_t* in) {
  T sum = T(0);
  int64_t count = 0;
  for_each_element<T>(x, out, in, [&](T value, int64_t) {
    sum = math::RunningSum<T>::next(sum, value);
    ++count;
  });
  if (call.op == Op::avg_pool) {
    const int64_t divisor = int_attr(call.op, call.attrs, "divisor");
    if (divisor != 0)
      count = divisor;
    else if (int_attr(call.op, call.attrs, "count_include_pad") != 0)
      count = out.windows[0].padded * out.windows[1].padded * out.windows[2].padded;
  }
  return mean_of(sum, count);
}

template <class T>
void pool(const OpCall& call, const Elements& values, const Tensor& indices) {
  const Elements x(call.operands[0].tensor);
  const Layout &in = *x.layout, &out = *values.layout;
  const PoolWindows windows(call, in, out);
  const int n = pooled_dims(call.op, call.attrs), missing = 3 - n;
  for (Index i(out.sizes()); i.valid(); i.next()) {
    Output o{};
    for (int d = 0; d < out.rank - n; ++d) o.first += i[d] * in.stride(d);
    for (int d = 0; d < 3; ++d) {
      const bool own = d >= missing;
      o.windows[d] = windows.dims[d][own ? static_cast<size_t>(i[out.rank - 3 + d]) : 0];
      o.strides[d] = own ? in.stride(in.rank - 3 + d) : 0;
    }
    const int64_t to = i.offset(out.strides());
    T value;
    if (indices.defined()) {
      value = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                   : std::numeric_limits<T>::lowest();
      int64_t best = -1;
      for_each_element<T>(x, o, windows.in, [&](T v, int64_t at) {
        if (best < 0 || v > value || v != v) value = v, best = at;
      });
      Elements(indices).store(to, bits_of(best));
    } else {
      value = mean_of_window<T>(call, x, o, windows.in);
    }
    values.store(to, cast_scalar(dtype_of<T>, out.dtype, bits_of(value)));
  }
}

}  // namespace

void run_windows(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  Tensor values = new_result(types), indices;
  if (types.count == 2) indices = new_result(types, 1);
  switch (pool_dtype(values.dtype())) {
    case Dtype::kF64:
      pool<double>(call, values, indices);
      break;
    case Dtype::kF32:
      pool<float>(call, values, indices);
      break;
    default:
      pool<int64_t>(call, values, indices);
  }
  results[0] = std::move(values);
  if (types.count == 2) results[1] = std::move(indices);
}

}  // namespace frit::reference

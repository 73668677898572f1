// Scans: what each element along a dimension makes of those before it, in order.
#include "src/ops/math/scan.h"

#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

Dtype scan_dtype(Dtype dtype) {
  if (!is_floating_point(dtype)) return kInt64;
  return is_half(dtype) ? kFloat32 : kFloat64;
}

// A line of elements: its first, how many, and how far they are apart in both operands.
struct Line {
  int64_t n, x_first, x_step, out_first, out_step;
};

// Calls fn for each line along the dimension of a call.
template <class Fn>
void for_each_line(const OpCall& call, const Layout& x, const Layout& out, Fn fn) {
  if (x.rank == 0) return fn(Line{1, 0, 0, 0, 0});
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += x.rank;
  const int d = static_cast<int>(dim);
  Dims others(x.sizes());
  others[d] = x.size(d) > 0 ? 1 : 0;
  for (Index i(others); i.valid(); i.next())
    fn(Line{x.size(d), i.offset(x.strides()), x.stride(d), i.offset(out.strides()), out.stride(d)});
}

template <class Step, class T>
void scan_line(const Elements& x, const Elements& out, const Line& line, T acc) {
  constexpr Dtype kAcc = dtype_of<T>;
  for (int64_t i = 0; i < line.n; ++i) {
    acc = Step::next(acc, number<T>(x.load_as(kAcc, line.x_first + i * line.x_step)));
    out.store(line.out_first + i * line.out_step, cast_scalar(kAcc, out.dtype(), bits_of(acc)));
  }
}

template <class T>
void scan(const OpCall& call, const Elements& x, const Elements& out) {
  for_each_line(call, *x.layout, *out.layout, [&](const Line& line) {
    if (call.op == Op::cumsum) {
      scan_line<math::RunningSum<T>>(x, out, line, math::RunningSum<T>::first());
    } else if (call.op == Op::cumprod) {
      scan_line<math::RunningProduct<T>>(x, out, line, math::RunningProduct<T>::first());
    } else if constexpr (std::is_floating_point_v<T>) {
      scan_line<math::RunningLogSum<T>>(x, out, line, math::RunningLogSum<T>::first());
    }
  });
}

template <class T>
void find_extremes(const OpCall& call, const Elements& x, const Elements& values,
                   const Elements& indices) {
  for_each_line(call, *x.layout, *values.layout, [&](const Line& line) {
    const auto at = [&](int64_t i) {
      return number<T>(x.load_as(dtype_of<T>, line.x_first + i * line.x_step));
    };
    int64_t best = 0;
    for (int64_t i = 0; i < line.n; ++i) {
      const bool takes_over = call.op == Op::cummax ? math::takes_over_max(at(best), at(i))
                                                    : math::takes_over_min(at(best), at(i));
      if (takes_over) best = i;
      const int64_t to = line.out_first + i * line.out_step;
      values.store(to, x.load(line.x_first + best * line.x_step));
      indices.store(to, bits_of(best));
    }
  });
}

}  // namespace

void run_scan(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  const ResultTypes types = infer(call);
  Tensor out = new_result(types);
  const bool is_float = is_floating_point(x.dtype());
  if (types.count == 2) {
    Tensor indices = new_result(types, 1);
    is_float ? find_extremes<double>(call, x, out, indices)
             : find_extremes<int64_t>(call, x, out, indices);
    results[1] = std::move(indices);
  } else if (scan_dtype(x.dtype()) == kFloat64) {
    scan<double>(call, x, out);
  } else if (is_float) {
    scan<float>(call, x, out);
  } else {
    scan<int64_t>(call, x, out);
  }
  results[0] = std::move(out);
}

}  // namespace frit::reference

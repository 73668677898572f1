// Reductions in the canonical order, and the ops that order elements.
#include "src/ops/reference/reduce.h"

#include <numeric>

#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

// The operand's dimensions parted into those that stay and those that are reduced.
struct Parts {
  Dims kept_sizes, kept_strides, sizes, strides;
  int64_t count = 1;  // elements that are reduced to one

  Parts(const Layout& x, const Dims& dims) {
    int next = 0;
    for (int d = 0; d < x.rank; ++d) {
      const bool reduced = next < dims.rank && dims[next] == d;
      next += reduced;
      (reduced ? sizes : kept_sizes).push_back(x.size(d));
      (reduced ? strides : kept_strides).push_back(x.stride(d));
      if (reduced) count *= x.size(d);
    }
  }

  // The offsets of the reduced elements from the first, in row-major order.
  std::vector<int64_t> offsets() const {
    std::vector<int64_t> offsets;
    for (Index i(sizes); i.valid(); i.next()) offsets.push_back(i.offset(strides));
    return offsets;
  }
};

using Offsets = std::vector<int64_t>;

template <class Fold>
uint64_t fold_offsets(const Elements& x, int64_t first, const Offsets& offsets, Dtype acc) {
  using T = typename Fold::Type;
  return bits_of(fold<Fold>(static_cast<int64_t>(offsets.size()), [&](int64_t i) {
    return number<T>(x.load_as(acc, first + offsets[static_cast<size_t>(i)]));
  }));
}

template <class T>
uint64_t fold_op(Op op, const Elements& x, int64_t first, const Offsets& offsets) {
  if (op == Op::sum) return fold_offsets<SumFold<T>>(x, first, offsets, dtype_of<T>);
  if (op == Op::prod) return fold_offsets<ProdFold<T>>(x, first, offsets, dtype_of<T>);
  if (op == Op::amax) return fold_offsets<MaxFold<T>>(x, first, offsets, dtype_of<T>);
  return fold_offsets<MinFold<T>>(x, first, offsets, dtype_of<T>);
}

// The result of one fold and the dtype that it is in. Integers and bool are folded as i64.
uint64_t fold_any(Op op, Dtype acc, const Elements& x, int64_t first, const Offsets& offsets) {
  if (acc == kFloat64) return fold_op<double>(op, x, first, offsets);
  if (acc == kFloat32) return fold_op<float>(op, x, first, offsets);
  // The largest of no bools is false, the smallest true.
  if (offsets.empty() && (op == Op::amax || op == Op::amin)) return op == Op::amin;
  return fold_op<int64_t>(op, x, first, offsets);
}

Dtype accumulator(Dtype dtype) {
  if (!is_floating_point(dtype)) return kInt64;
  return dtype == kFloat64 ? kFloat64 : kFloat32;
}

// Calls fn(position, first) for each kept index: its row-major number and its offset in the
// operand.
template <class Fn>
void for_each_kept(const Parts& parts, Fn fn) {
  int64_t position = 0;
  for (Index i(parts.kept_sizes); i.valid(); i.next()) fn(position++, i.offset(parts.kept_strides));
}

double as_double(const Elements& x, int64_t offset) {
  return number<double>(x.load_as(kFloat64, offset));
}
int64_t as_integer(const Elements& x, int64_t offset) {
  return number<int64_t>(x.load_as(kInt64, offset));
}

// Whether element a stands before element b when NaN is the largest. Integers do not go through
// f64.
bool is_less(const Elements& x, int64_t a, int64_t b) {
  if (!is_floating_point(x.dtype())) return as_integer(x, a) < as_integer(x, b);
  const double u = as_double(x, a), v = as_double(x, b);
  return u < v || (u == u && v != v);
}

bool is_nan(const Elements& x, int64_t offset) {
  return is_floating_point(x.dtype()) && std::isnan(as_double(x, offset));
}

// The first extreme; the first NaN before all.
int64_t find_extreme(Op op, const Elements& x, int64_t first, const Offsets& offsets) {
  int64_t best = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t at = first + offsets[i], best_at = first + offsets[static_cast<size_t>(best)];
    if (is_nan(x, at)) return static_cast<int64_t>(i);
    if (op == Op::argmax ? is_less(x, best_at, at) : is_less(x, at, best_at))
      best = static_cast<int64_t>(i);
  }
  return best;
}

// How many of a sorted row stand before the value.
int64_t count_before(const Elements& sorted, int64_t first, const Elements& values, int64_t at,
                     bool right) {
  const int d = sorted.layout->rank - 1;
  int64_t count = 0;
  for (int64_t i = 0; i < sorted.layout->size(d); ++i) {
    const int64_t here = first + i * sorted.layout->stride(d);
    const bool before = is_floating_point(sorted.dtype())
                            ? (right ? !(as_double(sorted, here) > as_double(values, at))
                                     : !(as_double(sorted, here) >= as_double(values, at)))
                            : (right ? as_integer(sorted, here) <= as_integer(values, at)
                                     : as_integer(sorted, here) < as_integer(values, at));
    count += before ? 1 : 0;
  }
  return count;
}

void search(const OpCall& call, Tensor* results) {
  const Elements sorted(call.operands[0].tensor), values(call.operands[1].tensor);
  Tensor out = new_result(infer(call));
  const bool right = int_attr(call.op, call.attrs, "right") != 0;
  for (Index i(values.layout->sizes()); i.valid(); i.next()) {
    int64_t first = 0;
    for (int d = 0; d < sorted.layout->rank - 1; ++d) first += i[d] * sorted.layout->stride(d);
    Elements(out).store(
        i.offset(out.impl()->layout->strides()),
        bits_of(count_before(sorted, first, values, i.offset(values.layout->strides()), right)));
  }
  results[0] = std::move(out);
}

}  // namespace

void run_reduce(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  Tensor out = new_result(infer(call));
  const Dims dims = normalize_dims(call.op, *x.layout, list_attr(call.op, call.attrs, "dims"));
  const Parts parts(*x.layout, dims);
  const Offsets offsets = parts.offsets();
  const Dtype acc = accumulator(x.dtype());
  for_each_kept(parts, [&](int64_t position, int64_t first) {
    const uint64_t folded = fold_any(call.op, acc, x, first, offsets);
    Elements(out).store(position, cast_scalar(acc, out.dtype(), folded));
  });
  results[0] = std::move(out);
}

void run_arg_reduce(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  Tensor out = new_result(infer(call));
  const Dims dims = normalize_dims(call.op, *x.layout, list_attr(call.op, call.attrs, "dim"));
  const Parts parts(*x.layout, dims);
  const Offsets offsets = parts.offsets();
  for_each_kept(parts, [&](int64_t position, int64_t first) {
    Elements(out).store(position, bits_of(find_extreme(call.op, x, first, offsets)));
  });
  results[0] = std::move(out);
}

// A stable sort in which NaN is the largest; topk takes the head.
void run_sort(const OpCall& call, Tensor* results) {
  if (call.op == Op::searchsorted) return search(call, results);
  const Elements x(call.operands[0].tensor);
  const ResultTypes types = infer(call);
  Tensor values = new_result(types, 0), indices = new_result(types, 1);
  const bool descending =
      int_attr(call.op, call.attrs, call.op == Op::sort ? "descending" : "largest") != 0;
  const Dims dims = x.layout->rank == 0 ? Dims()
                                        : normalize_dims(call.op, *x.layout,
                                                         {int_attr(call.op, call.attrs, "dim")});
  const Parts parts(*x.layout, dims), out(*values.impl()->layout, dims);
  const Offsets offsets = parts.offsets(), out_offsets = out.offsets();
  for (Index i(parts.kept_sizes); i.valid(); i.next()) {
    const int64_t first = i.offset(parts.kept_strides), to = i.offset(out.kept_strides);
    std::vector<size_t> order(offsets.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const int64_t u = first + offsets[a], v = first + offsets[b];
      return descending ? is_less(x, v, u) : is_less(x, u, v);
    });
    for (size_t k = 0; k < out_offsets.size(); ++k) {
      Elements(values).store(to + out_offsets[k], x.load(first + offsets[order[k]]));
      Elements(indices).store(to + out_offsets[k], order[k]);
    }
  }
  results[0] = std::move(values);
  results[1] = std::move(indices);
}

}  // namespace frit::reference

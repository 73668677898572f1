// Linear algebra: matrices are the last two dimensions, all before them a batch.
#include <algorithm>

#include "src/ops/rules.h"

namespace frit::rules {
namespace {

const Layout& matrices(const Call& call, size_t i) {
  const Layout& a = call.tensor(i);
  if (a.rank < 2)
    fail(call, ErrorKind::kRuntime, text("expected at least 2 dimensions, got ", int{a.rank}));
  if (a.dtype != kFloat32 && a.dtype != kFloat64)
    fail(call, ErrorKind::kRuntime, text("expected f32 or f64, got ", name(a.dtype)));
  return a;
}

void check_square(const Call& call, const Layout& a) {
  const int64_t rows = a.size(a.rank - 2), cols = a.size(a.rank - 1);
  if (rows != cols)
    fail(call, ErrorKind::kRuntime,
         text("the matrices must be square, but are ", rows, " by ", cols));
}

// The batch, followed by these sizes.
Dims batch_of(const Layout& a, std::initializer_list<int64_t> rest) {
  Dims sizes;
  for (int d = 0; d < a.rank - 2; ++d) sizes.push_back(a.size(d));
  for (const int64_t size : rest) sizes.push_back(size);
  return sizes;
}

void add(ResultTypes& types, const Layout& a, Dtype dtype, IntArrayRef sizes) {
  types.results[types.count++].layout = intern_contiguous(dtype, a.device, sizes);
}

// The right side of a system of equations: the sizes of the result too.
ResultTypes solution(const Call& call, const Layout& a, bool left) {
  const Layout& b = matrices(call, 1);
  const int at = left ? 2 : 1;  // from the end: the size that is the matrix's
  if (b.dtype != a.dtype)
    fail(call, ErrorKind::kRuntime, text("dtypes differ: ", name(a.dtype), " and ", name(b.dtype)));
  bool fits = a.rank == b.rank && b.size(b.rank - at) == a.size(a.rank - 1);
  for (int d = 0; fits && d < a.rank - 2; ++d) fits = a.size(d) == b.size(d);
  if (!fits) fail(call, ErrorKind::kRuntime, "the sizes of matrix and right side do not match");
  return contiguous_result(b, b.dtype, b.sizes());
}

ResultTypes qr(const Call& call, const Layout& a) {
  const int64_t mode = int_attr(call.op, call.attrs, "mode");
  const int64_t rows = a.size(a.rank - 2), cols = a.size(a.rank - 1);
  const int64_t inner = mode == 1 ? rows : std::min(rows, cols);
  ResultTypes types;
  add(types, a, a.dtype, mode == 2 ? Dims({0}) : batch_of(a, {rows, inner}));
  add(types, a, a.dtype, batch_of(a, {inner, cols}));
  return types;
}

ResultTypes svd(const Call& call, const Layout& a) {
  const bool full = int_attr(call.op, call.attrs, "full") != 0;
  const bool vectors = int_attr(call.op, call.attrs, "vectors") != 0;
  const int64_t rows = a.size(a.rank - 2), cols = a.size(a.rank - 1), k = std::min(rows, cols);
  ResultTypes types;
  add(types, a, a.dtype, vectors ? batch_of(a, {rows, full ? rows : k}) : Dims({0}));
  add(types, a, a.dtype, batch_of(a, {k}));
  add(types, a, a.dtype, vectors ? batch_of(a, {full ? cols : k, cols}) : Dims({0}));
  return types;
}

ResultTypes eigh(const Call& call, const Layout& a) {
  const bool vectors = int_attr(call.op, call.attrs, "vectors") != 0;
  const int64_t n = a.size(a.rank - 1);
  ResultTypes types;
  add(types, a, a.dtype, batch_of(a, {n}));
  add(types, a, a.dtype, vectors ? batch_of(a, {n, n}) : Dims({0}));
  return types;
}

ResultTypes lu_factor(const Layout& a) {
  ResultTypes types;
  add(types, a, a.dtype, a.sizes());
  add(types, a, kInt32, batch_of(a, {std::min(a.size(a.rank - 2), a.size(a.rank - 1))}));
  return types;
}

}  // namespace

ResultTypes linear_algebra(const Call& call) {
  const Layout& a = matrices(call, 0);
  if (call.op == Op::qr) return qr(call, a);
  if (call.op == Op::svd) return svd(call, a);
  if (call.op == Op::lu_factor) return lu_factor(a);
  check_square(call, a);
  if (call.op == Op::eigh) return eigh(call, a);
  if (call.op == Op::solve) return solution(call, a, true);
  if (call.op == Op::solve_triangular)
    return solution(call, a, int_attr(call.op, call.attrs, "left") != 0);
  return contiguous_result(a, a.dtype, a.sizes());
}

}  // namespace frit::rules

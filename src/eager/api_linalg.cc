// Public linear algebra: what is made of decompositions.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>
#include <cmath>
#include <limits>

#include "frit/linalg_ops.h"
#include "src/eager/api.h"

namespace frit::linalg {

using api::text;

namespace {

const Tensor& matrices(std::string_view op, const Tensor& a) {
  if (api::checked(op, a).dim() < 2)
    api::fail(ErrorKind::kRuntime, op, a, text("expected at least 2 dimensions, got ", a.dim()));
  return a;
}
const Tensor& square_matrices(std::string_view op, const Tensor& a) {
  if (matrices(op, a).size(-1) != a.size(-2))
    api::fail(ErrorKind::kRuntime, op, a, "the matrices must be square");
  return a;
}
Tensor transposed(const Tensor& a) { return transpose(a, -2, -1); }

template <int n>
struct Results {
  Tensor values[n];
};
template <int n>
Results<n> call_for(Op op, const Tensor& a, const Attrs& attrs) {
  Results<n> results;
  const Operand operands[] = {api::operand(op, a)};
  dispatch({op, operands, attrs}, results.values);
  return results;
}

Tensor identity_like(const Tensor& a) { return expand(eye(a.size(-1), a.options()), a.sizes()); }

// 1 or -1: of the exchanges of rows.
Tensor parity(const Tensor& pivots) {
  const Tensor moved = sum(ne(pivots, arange(1, pivots.size(-1) + 1, pivots.options())), {-1});
  return sub(1, mul(remainder(moved, 2), 2));
}

Tensor inverse(const Tensor& a, bool check) {
  return call(Op::inv, {api::operand(Op::inv, a)}, Attrs().add(int64_t{check}));
}

}  // namespace

Tensor inv(const Tensor& a) { return inverse(a, true); }

Tensor det(const Tensor& a) {
  const auto [lu, pivots] = lu_factor(square_matrices("det", a));
  return mul(prod(diagonal(lu, 0, -2, -1), -1), to(parity(pivots), a.dtype()));
}

std::pair<Tensor, Tensor> slogdet(const Tensor& a) {
  const auto [lu, pivots] = lu_factor(square_matrices("slogdet", a));
  const Tensor values = diagonal(lu, 0, -2, -1);
  return {mul(prod(sign(values), -1), to(parity(pivots), a.dtype())), sum(log(abs(values)), {-1})};
}

namespace {

// The sizes of a batch that both broadcast to.
std::vector<int64_t> common_batch(std::string_view op, const Tensor& a, const Tensor& b) {
  std::vector<int64_t> batch;
  const int64_t rank = std::max(a.dim(), b.dim());
  for (int64_t d = 0; d < rank - 2; ++d) {
    const auto size = [&](const Tensor& t) {
      const int64_t own = d - (rank - t.dim());
      return own < 0 ? 1 : t.size(own);
    };
    if (size(a) != size(b) && size(a) != 1 && size(b) != 1)
      api::fail(ErrorKind::kRuntime, op, a, "the batches do not broadcast: " + describe(b));
    batch.push_back(size(a) == 1 ? size(b) : size(a));
  }
  return batch;
}

Tensor with_batch(const Tensor& t, std::vector<int64_t> batch) {
  batch.push_back(t.size(-2));
  batch.push_back(t.size(-1));
  return t.sizes() == IntArrayRef(batch) ? t : expand(t, batch);
}

// Whether b holds vectors, as PyTorch tells it from the sizes.
bool holds_vectors(const Tensor& a, const Tensor& b) {
  if (b.dim() == 1) return true;
  return a.dim() - 1 == b.dim() && b.sizes() == a.sizes().first(static_cast<size_t>(b.dim()));
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b, bool left) {
  square_matrices("solve", a);
  if (api::checked("solve", b).dim() == 0)
    api::fail(ErrorKind::kRuntime, "solve", b, "the right side has no dimensions");
  const bool vectors = holds_vectors(a, b);
  if (!left) {
    if (vectors) api::fail(ErrorKind::kRuntime, "solve", a, "left=False takes no vectors");
    return transposed(solve(transposed(a), transposed(b)));
  }
  const Tensor columns = vectors ? unsqueeze(b, -1) : b;
  const std::vector<int64_t> batch = common_batch("solve", a, columns);
  const Tensor x = call(Op::solve, {with_batch(a, batch), with_batch(columns, batch)});
  return vectors ? squeeze(x, -1) : x;
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left,
                        bool unitriangular) {
  const std::vector<int64_t> batch = common_batch(
      "solve_triangular", square_matrices("solve_triangular", a), matrices("solve_triangular", b));
  return call(Op::solve_triangular, {with_batch(a, batch), with_batch(b, batch)},
              Attrs().add(int64_t{left}).add(int64_t{unitriangular}).add(int64_t{upper}));
}

Tensor cholesky(const Tensor& a, bool upper) {
  return call(Op::cholesky, {api::operand(Op::cholesky, a)}, Attrs().add(int64_t{upper}));
}

Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper) {
  square_matrices("cholesky_solve", factor);
  matrices("cholesky_solve", b);
  const Tensor other = transposed(factor);
  const Tensor half = solve_triangular(upper ? other : factor, b, false);
  return solve_triangular(upper ? factor : other, half, true);
}

Tensor cholesky_inverse(const Tensor& factor, bool upper) {
  square_matrices("cholesky_inverse", factor);
  return cholesky_solve(identity_like(factor), factor, upper);
}

std::pair<Tensor, Tensor> qr(const Tensor& a, const std::string& mode) {
  const int64_t number = mode == "reduced" ? 0 : mode == "complete" ? 1 : mode == "r" ? 2 : -1;
  if (number < 0)
    api::fail(ErrorKind::kRuntime, "qr", api::checked("qr", a),
              "no such mode: " + mode + ": expected reduced, complete or r");
  auto [results] = call_for<2>(Op::qr, a, Attrs().add(number));
  return {results[0], results[1]};
}

std::pair<Tensor, Tensor> lu_factor(const Tensor& a) {
  auto [results] = call_for<2>(Op::lu_factor, a, Attrs());
  return {results[0], results[1]};
}

Svd svd(const Tensor& a, bool full_matrices) {
  auto [results] = call_for<3>(Op::svd, a, Attrs().add(int64_t{full_matrices}).add(int64_t{1}));
  return {results[0], results[1], results[2]};
}
Tensor svdvals(const Tensor& a) {
  return call_for<3>(Op::svd, a, Attrs().add(int64_t{0}).add(int64_t{0})).values[1];
}

namespace {

Results<2> symmetric(const Tensor& a, const std::string& uplo, bool vectors) {
  const bool upper = uplo == "U" || uplo == "u";
  if (!upper && uplo != "L" && uplo != "l")
    api::fail(ErrorKind::kRuntime, "eigh", api::checked("eigh", a), "UPLO must be L or U: " + uplo);
  return call_for<2>(Op::eigh, a, Attrs().add(int64_t{upper}).add(int64_t{vectors}));
}

}  // namespace

std::pair<Tensor, Tensor> eigh(const Tensor& a, const std::string& uplo) {
  auto [results] = symmetric(a, uplo, true);
  return {results[0], results[1]};
}
Tensor eigvalsh(const Tensor& a, const std::string& uplo) {
  return symmetric(a, uplo, false).values[0];
}

// By squares, the factors of low bits first, as PyTorch.
Tensor matrix_power(const Tensor& a, int64_t n) {
  square_matrices("matrix_power", a);
  if (n == 0) return clone(identity_like(a));
  if (n < 0) return matrix_power(inv(a), -n);
  if (n == 1) return clone(a);
  if (n == 3) return matmul(matmul(a, a), a);
  Tensor power = a, result;
  for (int64_t rest = n; rest > 0; rest /= 2) {
    if (rest % 2 != 0) result = result.defined() ? matmul(result, power) : power;
    if (rest > 1) power = matmul(power, power);
  }
  return result;
}

namespace {

double epsilon(Dtype dtype) {
  return dtype == kFloat64 ? std::numeric_limits<double>::epsilon()
                           : std::numeric_limits<float>::epsilon();
}

// Which of the values [..., k], the largest first or in any order, count; k > 0.
Tensor counting(const Tensor& a, const Tensor& values, const Cutoff& c) {
  const double size = static_cast<double>(std::max(a.size(-1), a.size(-2)));
  const double rtol = c.rtol ? *c.rtol : c.atol.value_or(0) > 0 ? 0 : epsilon(a.dtype()) * size;
  const Tensor limit = mul(amax(values, {-1}, true), rtol);
  return gt(values, c.atol ? clamp(limit, OptionalScalar(*c.atol)) : limit);
}

Tensor inverted_where(const Tensor& counts, const Tensor& values) {
  return where(counts, reciprocal(values), 0);
}

}  // namespace

Tensor pinv(const Tensor& a, const Cutoff& cutoff) {
  if (matrices("pinv", a).numel() == 0) {
    std::vector<int64_t> sizes = a.sizes().vec();
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    return zeros(sizes, a.options());
  }
  if (cutoff.hermitian) {
    const auto [values, vectors] = eigh(a);
    const Tensor inverted = inverted_where(counting(a, abs(values), cutoff), values);
    return matmul(mul(vectors, unsqueeze(inverted, -2)), transposed(vectors));
  }
  const Svd s = svd(a, false);
  const Tensor inverted = inverted_where(counting(a, s.s, cutoff), s.s);
  return matmul(mul(transposed(s.vh), unsqueeze(inverted, -2)), transposed(s.u));
}

Tensor matrix_rank(const Tensor& a, const Cutoff& cutoff) {
  if (matrices("matrix_rank", a).numel() == 0)
    return zeros(a.sizes().first(static_cast<size_t>(a.dim() - 2)), a.options().dtype(kInt64));
  const Tensor values = cutoff.hermitian ? abs(eigvalsh(a)) : svdvals(a);
  return sum(counting(a, values, cutoff), {-1});
}

Lstsq lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  matrices("lstsq", a);
  const bool vectors = api::checked("lstsq", b).dim() == a.dim() - 1;
  if ((!vectors && b.dim() != a.dim()) || b.dim() == 0 || b.size(vectors ? -1 : -2) != a.size(-2))
    api::fail(ErrorKind::kRuntime, "lstsq", a, "the right side does not fit: " + describe(b));
  if (b.dtype() != a.dtype())
    api::fail(ErrorKind::kRuntime, "lstsq", a, "dtypes differ: " + describe(b));
  const Tensor columns = vectors ? unsqueeze(b, -1) : b;
  const Cutoff cutoff{std::nullopt, rcond, false};
  const Svd s = svd(a, false);
  const Tensor counts = counting(a, s.s, cutoff);
  const Tensor scaled =
      mul(matmul(transposed(s.u), columns), unsqueeze(inverted_where(counts, s.s), -1));
  const Tensor x = matmul(transposed(s.vh), scaled), rank = sum(counts, {-1});
  Lstsq result{vectors ? squeeze(x, -1) : x, empty({0}, a.options()), rank, s.s};
  if (a.size(-2) > a.size(-1) && all(eq(rank, a.size(-1))).item<bool>())
    result.residuals = sum(square(sub(matmul(a, x), columns)), {-2});
  return result;
}

namespace {

[[noreturn]] void fail_norm(const Tensor& a, const std::string& problem) {
  api::fail(ErrorKind::kRuntime, "matrix_norm", a, problem);
}

// Which dimensions are rows and columns, counted from the front.
std::pair<int64_t, int64_t> matrix_dims(const Tensor& a, IntArrayRef dim) {
  matrices("matrix_norm", a);
  if (dim.size() != 2) fail_norm(a, "expected two dimensions");
  const int64_t rows = api::wrap_dim("matrix_norm", a, dim[0]),
                columns = api::wrap_dim("matrix_norm", a, dim[1]);
  if (rows == columns) fail_norm(a, "the dimensions must be different ones");
  if (!a.is_floating_point()) fail_norm(a, "expected floating point");
  return {rows, columns};
}

Tensor with_dims(const Tensor& result, int64_t rows, int64_t columns, bool keepdim) {
  if (!keepdim) return result;
  return unsqueeze(unsqueeze(result, std::min(rows, columns)), std::max(rows, columns));
}

// Singular values, falling, of the matrices that these dimensions are.
Tensor values_of(const Tensor& a, int64_t rows, int64_t columns) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < a.dim(); ++d)
    if (d != rows && d != columns) order.push_back(d);
  order.push_back(rows);
  order.push_back(columns);
  return svdvals(permute(a, order));
}

}  // namespace

Tensor matrix_norm(const Tensor& a, double ord, IntArrayRef dim, bool keepdim) {
  const auto [rows, columns] = matrix_dims(a, dim);
  const double kind = std::abs(ord);
  if (kind == 2) {
    const Tensor values = values_of(a, rows, columns);
    const Tensor result = ord > 0 ? amax(values, {-1}) : amin(values, {-1});
    return with_dims(result, rows, columns, keepdim);
  }
  if (kind != 1 && !std::isinf(kind)) fail_norm(a, text("no such norm: ", ord));
  const int64_t summed = kind == 1 ? rows : columns, left = kind == 1 ? columns : rows;
  const Tensor sums = sum(abs(a), {summed}, true);
  const Tensor result = ord > 0 ? amax(sums, {left}, true) : amin(sums, {left}, true);
  return keepdim ? result
                 : squeeze(squeeze(result, std::max(rows, columns)), std::min(rows, columns));
}

Tensor matrix_norm(const Tensor& a, const std::string& ord, IntArrayRef dim, bool keepdim) {
  const auto [rows, columns] = matrix_dims(a, dim);
  if (ord == "fro") return norm(a, 2, {rows, columns}, keepdim);
  if (ord != "nuc") fail_norm(a, "no such norm: " + ord);
  return with_dims(sum(values_of(a, rows, columns), {-1}), rows, columns, keepdim);
}

Tensor cond(const Tensor& a, double p) {
  if (std::abs(p) == 2) {
    const Tensor values = svdvals(matrices("cond", a));
    const Tensor largest = amax(values, {-1}), smallest = amin(values, {-1});
    return p > 0 ? div(largest, smallest) : div(smallest, largest);
  }
  square_matrices("cond", a);
  return mul(matrix_norm(a, p), matrix_norm(inverse(a, false), p));
}

Tensor cond(const Tensor& a, const std::string& p) {
  square_matrices("cond", a);
  return mul(matrix_norm(a, p), matrix_norm(inverse(a, false), p));
}

}  // namespace frit::linalg

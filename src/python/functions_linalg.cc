// frit.linalg, and the names that its functions have beside it. What gives several tensors is made
// a named tuple in frit/linalg.py.
#include "frit/linalg_ops.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalDouble = std::optional<double>;
using Tensors = std::vector<Tensor>;

constexpr unsigned kBoth = kFunction | kMethod;

Tensors listed(std::pair<Tensor, Tensor> pair) { return {pair.first, pair.second}; }
Tensors listed(const linalg::Svd& s) { return {s.u, s.s, s.vh}; }

template <auto function>
constexpr auto kPlain = [](const Tensor& a) { return function(a); };
template <auto function>
constexpr auto kPair = [](const Tensor& a) { return listed(function(a)); };

constexpr auto kSolve = [](const Tensor& a, const Tensor& b, bool left) {
  return linalg::solve(a, b, left);
};
constexpr auto kSolveTriangular = [](const Tensor& a, const Tensor& b, bool upper, bool left,
                                     bool unit) {
  return linalg::solve_triangular(a, b, upper, left, unit);
};
constexpr auto kCholesky = [](const Tensor& a, bool upper) { return linalg::cholesky(a, upper); };
constexpr auto kCholeskySolve = [](const Tensor& b, const Tensor& factor, bool upper) {
  return linalg::cholesky_solve(b, factor, upper);
};
constexpr auto kCholeskyInverse = [](const Tensor& factor, bool upper) {
  return linalg::cholesky_inverse(factor, upper);
};
constexpr auto kQr = [](const Tensor& a, const std::string& mode) {
  return listed(linalg::qr(a, mode));
};
constexpr auto kOldQr = [](const Tensor& a, bool some) {
  return listed(linalg::qr(a, some ? "reduced" : "complete"));
};
constexpr auto kSvd = [](const Tensor& a, bool full) { return listed(linalg::svd(a, full)); };
// The older form: the last is v, and without vectors zeros are given.
constexpr auto kOldSvd = [](const Tensor& a, bool some, bool vectors) -> Tensors {
  if (vectors) {
    const linalg::Svd s = linalg::svd(a, !some);
    return {s.u, s.s, transpose(s.vh, -2, -1)};
  }
  const Tensor values = linalg::svdvals(a);
  std::vector<int64_t> sizes = a.sizes().vec();
  const int64_t rows = a.size(-2), columns = a.size(-1);
  const auto zeros_of = [&](int64_t n) {
    sizes[sizes.size() - 2] = sizes[sizes.size() - 1] = n;
    return zeros(sizes, a.options());
  };
  return {zeros_of(rows), values, zeros_of(columns)};
};
constexpr auto kEigh = [](const Tensor& a, const std::string& uplo) {
  return listed(linalg::eigh(a, uplo));
};
constexpr auto kEigvalsh = [](const Tensor& a, const std::string& uplo) {
  return linalg::eigvalsh(a, uplo);
};
constexpr auto kMatrixPower = [](const Tensor& a, int64_t n) { return linalg::matrix_power(a, n); };
constexpr auto kPinv = [](const Tensor& a, OptionalDouble atol, OptionalDouble rtol,
                          bool hermitian) {
  return linalg::pinv(a, {atol, rtol, hermitian});
};
constexpr auto kPinvOld = [](const Tensor& a, double rcond, bool hermitian) {
  return linalg::pinv(a, {std::nullopt, rcond, hermitian});
};
constexpr auto kMatrixRank = [](const Tensor& a, OptionalDouble atol, OptionalDouble rtol,
                                bool hermitian) {
  return linalg::matrix_rank(a, {atol, rtol, hermitian});
};
constexpr auto kMatrixRankOld = [](const Tensor& a, double tol, bool hermitian) {
  return linalg::matrix_rank(a, {tol, 0.0, hermitian});
};
constexpr auto kLstsq = [](const Tensor& a, const Tensor& b, OptionalDouble rcond) -> Tensors {
  const linalg::Lstsq l = linalg::lstsq(a, b, rcond);
  return {l.solution, l.residuals, l.rank, l.singular_values};
};
constexpr auto kNumberNorm = [](const Tensor& a, double ord, const Ints& dim, bool keepdim) {
  return linalg::matrix_norm(a, ord, dim, keepdim);
};
constexpr auto kNamedNorm = [](const Tensor& a, const std::string& ord, const Ints& dim,
                               bool keepdim) { return linalg::matrix_norm(a, ord, dim, keepdim); };
constexpr auto kCond = [](const Tensor& a, OptionalDouble p) {
  return linalg::cond(a, p.value_or(2));
};
constexpr auto kNamedCond = [](const Tensor& a, const std::string& p) {
  return linalg::cond(a, p);
};
// NaN where the determinant is negative.
constexpr auto kLogdet = [](const Tensor& a) {
  const auto [sign, value] = linalg::slogdet(a);
  return where(lt(sign, 0), std::numeric_limits<double>::quiet_NaN(), value);
};

Function table[] = {
    {"inv", kLinear, {{"A", overload<kPlain<linalg::inv>>}}},
    {"det", kLinear, {{"A", overload<kPlain<linalg::det>>}}},
    {"slogdet", kLinear, {{"A", overload<kPair<linalg::slogdet>>}}},
    {"solve", kLinear, {{"A, B, *, left=True", overload<kSolve>}}},
    {"solve_triangular",
     kLinear,
     {{"A, B, *, upper, left=True, unitriangular=False", overload<kSolveTriangular>}}},
    {"cholesky", kLinear, {{"A, *, upper=False", overload<kCholesky>}}},
    {"qr", kLinear, {{"A, mode='reduced'", overload<kQr>}}},
    {"lu_factor", kLinear, {{"A, *, ~pivot=True", overload<kPair<linalg::lu_factor>>}}},
    {"svd", kLinear, {{"A, full_matrices=True, *, ~driver=None", overload<kSvd>}}},
    {"svdvals", kLinear, {{"A, *, ~driver=None", overload<kPlain<linalg::svdvals>>}}},
    {"eigh", kLinear, {{"A, UPLO='L'", overload<kEigh>}}},
    {"eigvalsh", kLinear, {{"A, UPLO='L'", overload<kEigvalsh>}}},
    {"matrix_power", kLinear, {{"A, n", overload<kMatrixPower>}}},
    {"matrix_power", kBoth, {{"input, n", overload<kMatrixPower>}}},
    {"pinv",
     kLinear,
     {{"A, rcond, hermitian=False", overload<kPinvOld>},
      {"A, *, atol=None, rtol=None, hermitian=False", overload<kPinv>}}},
    {"matrix_rank",
     kLinear,
     {{"A, tol, hermitian=False", overload<kMatrixRankOld>},
      {"A, *, atol=None, rtol=None, hermitian=False", overload<kMatrixRank>}}},
    {"lstsq", kLinear, {{"A, B, rcond=None", overload<kLstsq>}}},
    {"matrix_norm",
     kLinear,
     {{"A, ord, dim, keepdim", overload<kNumberNorm>},
      {"A, ord, dim, keepdim", overload<kNamedNorm>}}},
    {"cond", kLinear, {{"A, p=None", overload<kCond>}, {"A, p", overload<kNamedCond>}}},
    {"inverse", kBoth, {{"input", overload<kPlain<linalg::inv>>}}},
    {"det", kBoth, {{"input", overload<kPlain<linalg::det>>}}},
    {"logdet", kBoth, {{"input", overload<kLogdet>}}},
    {"slogdet", kBoth, {{"input", overload<kPair<linalg::slogdet>>}}},
    {"pinverse", kBoth, {{"input, rcond=1e-15", overload<[](const Tensor& a, double rcond) {
                            return linalg::pinv(a, {std::nullopt, rcond, false});
                          }>}}},
    {"cholesky", kBoth, {{"input, upper=False", overload<kCholesky>}}},
    {"cholesky_solve", kBoth, {{"input, input2, upper=False", overload<kCholeskySolve>}}},
    {"cholesky_inverse", kBoth, {{"input, upper=False", overload<kCholeskyInverse>}}},
    {"qr", kBoth, {{"input, some=True", overload<kOldQr>}}},
    {"svd", kBoth, {{"input, some=True, compute_uv=True", overload<kOldSvd>}}},
};

}  // namespace

std::vector<Entry> linalg_entries() { return entries_of<table>(); }

}  // namespace frit::python

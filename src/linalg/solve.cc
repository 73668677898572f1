// Factors of square matrices, and what they solve.
#include "src/linalg/linalg.h"

#include <algorithm>
#include <cmath>
#include <eigen3/Eigen/Cholesky>
#include <eigen3/Eigen/LU>

#include "src/linalg/matrices.h"

namespace frit::dense {
namespace {

template <class T>
int64_t first_zero(const Matrix<T>& lu) {
  for (int64_t i = 0; i < lu.rows(); ++i)
    if (lu(i, i) == T(0)) return i + 1;
  return 0;
}

}  // namespace

template <class T>
void factor_lu(const T* a, int64_t rows, int64_t cols, T* lu, int32_t* pivots) {
  Matrix<T> m = load(a, rows, cols);
  Eigen::Transpositions<Eigen::Dynamic, Eigen::Dynamic, int32_t> exchanged(std::min(rows, cols));
  int32_t exchanges = 0;
  Eigen::internal::partial_lu_inplace(m, exchanged, exchanges);
  store(m, lu);
  for (int64_t i = 0; i < exchanged.size(); ++i) pivots[i] = exchanged.coeff(i) + 1;
}

template <class T>
int64_t invert(const T* a, int64_t n, T* out) {
  const Eigen::PartialPivLU<Matrix<T>> lu(load(a, n, n));
  if (const int64_t place = first_zero<T>(lu.matrixLU())) return place;
  const Matrix<T> result = lu.inverse();
  store(result, out);
  return 0;
}

template <class T>
int64_t solve(const T* a, const T* b, int64_t n, int64_t cols, T* x) {
  const Eigen::PartialPivLU<Matrix<T>> lu(load(a, n, n));
  if (const int64_t place = first_zero<T>(lu.matrixLU())) return place;
  const Matrix<T> result = lu.solve(load(b, n, cols));
  store(result, x);
  return 0;
}

namespace {

template <int kMode, class T>
void solve_by(const Matrix<T>& a, Matrix<T>& b, bool left) {
  if (left)
    a.template triangularView<kMode>().template solveInPlace<Eigen::OnTheLeft>(b);
  else
    a.template triangularView<kMode>().template solveInPlace<Eigen::OnTheRight>(b);
}

}  // namespace

template <class T>
void solve_triangular(const T* a, const T* b, int64_t n, int64_t cols, Triangle t, T* x) {
  const Matrix<T> m = load(a, n, n);
  Matrix<T> result = t.left ? load(b, n, cols) : load(b, cols, n);
  if (t.upper)
    t.unit ? solve_by<Eigen::UnitUpper>(m, result, t.left)
           : solve_by<Eigen::Upper>(m, result, t.left);
  else
    t.unit ? solve_by<Eigen::UnitLower>(m, result, t.left)
           : solve_by<Eigen::Lower>(m, result, t.left);
  store(result, x);
}

template <class T>
int64_t factor_cholesky(const T* a, int64_t n, bool upper, T* out) {
  Matrix<T> m = load(a, n, n);
  if (upper) m.transposeInPlace();
  const int64_t failed = Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(m);
  if (failed >= 0) return failed + 1;
  for (int64_t i = 0; i < n; ++i)
    if (std::isnan(m(i, i))) return i + 1;
  const Matrix<T> result = m.template triangularView<Eigen::Lower>();
  upper ? store(result.transpose(), out) : store(result, out);
  return 0;
}

#define FRIT_INSTANTIATE(T)                                                           \
  template void factor_lu(const T*, int64_t, int64_t, T*, int32_t*);                  \
  template int64_t invert(const T*, int64_t, T*);                                     \
  template int64_t solve(const T*, const T*, int64_t, int64_t, T*);                   \
  template void solve_triangular(const T*, const T*, int64_t, int64_t, Triangle, T*); \
  template int64_t factor_cholesky(const T*, int64_t, bool, T*);
FRIT_INSTANTIATE(float)
FRIT_INSTANTIATE(double)
#undef FRIT_INSTANTIATE

}  // namespace frit::dense

// QR factors, and the eigenvectors of symmetric matrices.
#include "src/linalg/linalg.h"

#include <algorithm>
#include <eigen3/Eigen/Eigenvalues>
#include <eigen3/Eigen/QR>

#include "src/linalg/matrices.h"

namespace frit::dense {

template <class T>
void factor_qr(const T* a, int64_t rows, int64_t cols, int64_t inner, T* q, T* r) {
  const Eigen::HouseholderQR<Matrix<T>> qr(load(a, rows, cols));
  const Matrix<T> triangle = qr.matrixQR().template triangularView<Eigen::Upper>();
  store(triangle.topRows(inner), r);
  if (q == nullptr) return;
  Matrix<T> basis = Matrix<T>::Identity(rows, inner);
  basis.applyOnTheLeft(qr.householderQ());
  store(basis, q);
}

template <class T>
bool factor_symmetric(const T* a, int64_t n, bool upper, T* values, T* vectors) {
  Matrix<T> m = load(a, n, n);
  if (upper) m.transposeInPlace();
  m.template triangularView<Eigen::StrictlyUpper>() = m.transpose();
  if (!all_finite(m.data(), n * n)) return false;
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
      m, vectors == nullptr ? Eigen::EigenvaluesOnly : Eigen::ComputeEigenvectors);
  std::copy_n(solver.eigenvalues().data(), n, values);
  if (vectors != nullptr) store(solver.eigenvectors(), vectors);
  return solver.info() == Eigen::Success;
}

#define FRIT_INSTANTIATE(T)                                             \
  template void factor_qr(const T*, int64_t, int64_t, int64_t, T*, T*); \
  template bool factor_symmetric(const T*, int64_t, bool, T*, T*);
FRIT_INSTANTIATE(float)
FRIT_INSTANTIATE(double)
#undef FRIT_INSTANTIATE

}  // namespace frit::dense

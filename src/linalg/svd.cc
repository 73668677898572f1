// Singular values by rotations, which are exact to the last bits for small values too.
#include "src/linalg/linalg.h"

#include <algorithm>
#include <eigen3/Eigen/SVD>

#include "src/linalg/matrices.h"

namespace frit::dense {

template <class T>
bool factor_svd(const T* a, int64_t rows, int64_t cols, bool full, T* u, T* s, T* vh) {
  if (!all_finite(a, rows * cols)) return false;
  const unsigned vectors =
      (u == nullptr ? 0u : unsigned{full ? Eigen::ComputeFullU : Eigen::ComputeThinU}) |
      (vh == nullptr ? 0u : unsigned{full ? Eigen::ComputeFullV : Eigen::ComputeThinV});
  const Eigen::JacobiSVD<Matrix<T>> svd(load(a, rows, cols), vectors);
  std::copy_n(svd.singularValues().data(), svd.singularValues().size(), s);
  if (u != nullptr) store(svd.matrixU(), u);
  if (vh != nullptr) store(svd.matrixV().transpose(), vh);
  return svd.info() == Eigen::Success;
}

#define FRIT_INSTANTIATE(T) template bool factor_svd(const T*, int64_t, int64_t, bool, T*, T*, T*);
FRIT_INSTANTIATE(float)
FRIT_INSTANTIATE(double)
#undef FRIT_INSTANTIATE

}  // namespace frit::dense

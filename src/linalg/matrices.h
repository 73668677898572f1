// Matrices of Eigen's own. Private to src/linalg.
//
// Operands are copied to them, whose memory is aligned: where Eigen's loops begin would else depend
// on addresses. The sizes of caches, by which it cuts products, are set (matrices.cc), and the
// instruction set is the baseline's. So the bits depend on the elements only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <eigen3/Eigen/Core>

namespace frit::dense {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void set_cache_sizes();

template <class T>
Matrix<T> load(const T* a, int64_t rows, int64_t cols) {
  set_cache_sizes();
  return Eigen::Map<const Rows<T>>(a, rows, cols);
}
template <class T, class Result>
void store(const Result& result, T* out) {
  Eigen::Map<Rows<T>>(out, result.rows(), result.cols()) = result;
}

template <class T>
bool all_finite(const T* a, int64_t count) {
  return std::all_of(a, a + count, [](T x) { return std::isfinite(x); });
}

}  // namespace frit::dense

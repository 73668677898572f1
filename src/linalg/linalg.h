// Linear algebra on single matrices, with bits that depend on nothing but the elements.
//
//   if (int64_t place = dense::invert(a, n, out)) ... element `place` of the diagonal is 0 ...
//
// Matrices are row-major, contiguous and not empty; results must not overlap operands. What can
// fail returns 0, or a number that says where. Signs are LAPACK's where it is what PyTorch calls
// and they follow from the elements: not those of singular vectors and eigenvectors, of which any
// is right.
#pragma once

#include <cstdint>

namespace frit::dense {

// a = P L U of rows x cols: L below the diagonal, whose own is ones, and U. Row i was exchanged
// with row pivots[i] - 1, in order.
template <class T>
void factor_lu(const T* a, int64_t rows, int64_t cols, T* lu, int32_t* pivots);

// Returns the number, from 1 on, of the first zero on the diagonal of U.
template <class T>
int64_t invert(const T* a, int64_t n, T* out);
// x of a x = b, n x cols; as invert.
template <class T>
int64_t solve(const T* a, const T* b, int64_t n, int64_t cols, T* x);

// The triangle of a, or ones on its diagonal: a x = b of b n x cols, or x a = b of b cols x n.
struct Triangle {
  bool upper, unit, left;
};
template <class T>
void solve_triangular(const T* a, const T* b, int64_t n, int64_t cols, Triangle triangle, T* x);

// a = L L^T from the lower triangle, or U^T U from the upper one. Returns the order of the first
// leading minor that is not positive.
template <class T>
int64_t factor_cholesky(const T* a, int64_t n, bool upper, T* out);

// a = q r, with q rows x inner and r inner x cols; q may be null.
template <class T>
void factor_qr(const T* a, int64_t rows, int64_t cols, int64_t inner, T* q, T* r);

// a = u diag(s) vh: u rows x k and vh k x cols with k = min(rows, cols), or square if `full`; null
// where they are not wanted. False where elements are not finite.
template <class T>
bool factor_svd(const T* a, int64_t rows, int64_t cols, bool full, T* u, T* s, T* vh);

// Eigenvalues, rising, and vectors as columns (null where they are not wanted) of the symmetric
// matrix whose lower or upper triangle is a's. False where elements are not finite.
template <class T>
bool factor_symmetric(const T* a, int64_t n, bool upper, T* values, T* vectors);

}  // namespace frit::dense

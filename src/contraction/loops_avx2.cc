// The twins of tiles, and the depthwise loops, for AVX2 with FMA.
#include <immintrin.h>

#include "src/contraction/depthwise.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction::avx2 {
namespace {

#include "src/contraction/single.inc"

template <class T>
struct Vector;

template <>
struct Vector<float> {
  static constexpr int64_t kLanes = 8;
  __m256 v;
  static Vector load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Vector splat(float x) { return {_mm256_set1_ps(x)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
};
inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
inline Vector<float> add(Vector<float> a, Vector<float> b) { return {_mm256_add_ps(a.v, b.v)}; }

template <>
struct Vector<double> {
  static constexpr int64_t kLanes = 4;
  __m256d v;
  static Vector load(const double* p) { return {_mm256_loadu_pd(p)}; }
  static Vector splat(double x) { return {_mm256_set1_pd(x)}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
};
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
  return {_mm256_fmadd_pd(a.v, b.v, c.v)};
}
inline Vector<double> add(Vector<double> a, Vector<double> b) { return {_mm256_add_pd(a.v, b.v)}; }

}  // namespace

#include "src/contraction/loops.inc"

}  // namespace frit::contraction::avx2

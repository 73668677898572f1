// Vectors of 32 bytes.
#include <immintrin.h>

#include "src/tools/peak_loop.h"

namespace frit::tools::avx2 {

using VectorF32 = __m256;
using VectorF64 = __m256d;
static inline VectorF32 multiply_add(VectorF32 a, VectorF32 x, VectorF32 y) {
  return _mm256_fmadd_ps(a, x, y);
}
static inline VectorF64 multiply_add(VectorF64 a, VectorF64 x, VectorF64 y) {
  return _mm256_fmadd_pd(a, x, y);
}

#include "src/tools/peak_loop.inc"

}  // namespace frit::tools::avx2

// Without fused multiply-adds: a product and a sum.
#include <emmintrin.h>

#include "src/tools/peak_loop.h"

namespace frit::tools::baseline {

using VectorF32 = __m128;
using VectorF64 = __m128d;
static inline VectorF32 multiply_add(VectorF32 a, VectorF32 x, VectorF32 y) { return a * x + y; }
static inline VectorF64 multiply_add(VectorF64 a, VectorF64 x, VectorF64 y) { return a * x + y; }

#include "src/tools/peak_loop.inc"

}  // namespace frit::tools::baseline

// The twins for AVX2 with FMA.
#include <cmath>

#include "src/contraction/tile_twin.h"

namespace frit::contraction::avx2 {

#include "src/contraction/tile_twin.inc"

}  // namespace frit::contraction::avx2

// The twins of tiles, and the depthwise loops, for AVX2 with FMA.
#include <cmath>

#include "src/contraction/depthwise.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction::avx2 {

#include "src/contraction/depthwise.inc"
#include "src/contraction/tile_twin.inc"

}  // namespace frit::contraction::avx2

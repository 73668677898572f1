// The twins of tiles, and the depthwise loops, for any x86-64: std::fma is a slow but right library
// call there.
#include <cmath>

#include "src/contraction/depthwise.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction::baseline {

#include "src/contraction/depthwise.inc"
#include "src/contraction/tile_twin.inc"

}  // namespace frit::contraction::baseline

// The loop of depthwise convolutions: every channel its own chain over the positions of the window.
#pragma once

#include <cstdint>

#include "src/contraction/tile.h"

namespace frit::contraction {

// c[i, j] = chain over the taps s of fma(a[i * a_row + s.a_offset, j], b[s.b_offset, j]), then the
// bias. Segments are taps; their counts, b_k and b_panel are not used.
using DepthwiseLoop = void (*)(const TileArgs& tile, int64_t pixels, int64_t channels);

namespace baseline {
DepthwiseLoop depthwise_loop(Dtype dtype);
}
namespace avx2 {
DepthwiseLoop depthwise_loop(Dtype dtype);
}

}  // namespace frit::contraction

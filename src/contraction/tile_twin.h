// The C++ twins of the generated tiles: the same chains, for machines and processes that cannot run
// generated code.
#pragma once

#include "src/contraction/tile.h"

namespace frit::contraction {

// Any number of rows and columns. `panel_width` is the panels' of b.
using TileTwin = void (*)(const TileArgs& tile, int64_t rows, int64_t columns, int64_t panel_width);

namespace baseline {
TileTwin tile_twin(Dtype dtype);
}
namespace avx2 {
TileTwin tile_twin(Dtype dtype);
}

}  // namespace frit::contraction

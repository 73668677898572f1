// Generated code for tiles, made on first use and kept for the life of the process.
#pragma once

#include "src/contraction/tile.h"

namespace frit::contraction {

using TileFunction = void (*)(const TileArgs*);

// Which kernel: `rows` rows by `vectors` vectors, the last of which may be a part (masked).
struct TileShape {
  Dtype dtype;  // f32 or f64
  Isa isa;      // AVX2 or AVX-512
  int rows;     // 1 to 6, on AVX-512 to 14
  int vectors;  // 1 to max_vectors(rows)
  bool masked;
};

// How many vectors side by side keep enough chains in flight, and fit the registers.
constexpr int max_vectors(int rows) { return rows == 1 ? 8 : rows == 2 ? 4 : 2; }
constexpr int max_rows(Isa isa) { return isa == Isa::kAvx512 ? 14 : 6; }

// Null where executable memory is refused.
TileFunction tile_code(const TileShape& shape);

}  // namespace frit::contraction

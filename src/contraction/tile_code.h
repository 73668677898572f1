// Generated code for tiles, made on first use and kept for the life of the process.
#pragma once

#include "src/contraction/tile.h"

namespace frit::contraction {

using TileFunction = void (*)(const TileArgs*);

// How much of its last vector a tile has. A half (AVX-512 only) is a narrower register under a
// mask: where wide vectors take two turns, as on AMD's Zen 4, it takes one.
enum class LastVector { kWhole, kPart, kHalf };

// Which kernel.
struct TileShape {
  Dtype dtype;  // f32 or f64
  Isa isa;      // AVX2 or AVX-512
  int rows;     // 1 to max_rows(isa, vectors)
  int vectors;  // 1 to max_vectors(rows)
  LastVector last;
};

// How many vectors side by side keep enough chains in flight, and fit the registers.
constexpr int max_vectors(int rows) { return rows == 1 ? 8 : rows == 2 ? 4 : 2; }
constexpr int max_rows(Isa isa, int vectors) {
  return isa == Isa::kAvx512 ? 14 : vectors == 1 ? 12 : 6;
}

// Null where executable memory is refused.
TileFunction tile_code(const TileShape& shape);

}  // namespace frit::contraction

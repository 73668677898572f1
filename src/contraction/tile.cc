// Cuts regions into tiles and picks each tile's kernel.
#include "src/contraction/tile.h"

#include <algorithm>

#include "src/base/flags.h"
#include "src/contraction/tile_code.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction {
namespace {

// A window of this gives the first n lanes: 16 x 4 bytes of ones, then of zeros.
struct alignas(64) TailWords {
  int32_t words[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
};
constexpr TailWords kTail;

TileTwin twin_of(Dtype dtype) {
  return base::isa() == Isa::kBaseline ? baseline::tile_twin(dtype) : avx2::tile_twin(dtype);
}

}  // namespace

TileKernels TileKernels::of(Dtype dtype) {
  TileKernels kernels;
  kernels.dtype_ = dtype;
  kernels.isa_ = base::isa();
  kernels.generated_ = kernels.isa_ != Isa::kBaseline && !base::flags().no_exec;
  kernels.element_size_ = byte_size(dtype);
  kernels.lanes_ = (kernels.isa_ == Isa::kAvx512 ? 64 : 32) / kernels.element_size_;
  kernels.max_rows_ = contraction::max_rows(kernels.isa_, 2);
  return kernels;
}

void TileKernels::run_tile(TileArgs& tile, int rows, int64_t columns) const {
  const int vectors = static_cast<int>((columns + lanes_ - 1) / lanes_);
  const int64_t tail = columns - (vectors - 1) * lanes_;
  LastVector last = tail == lanes_ ? LastVector::kWhole : LastVector::kPart;
  if (isa_ == Isa::kAvx512 && 2 * tail <= lanes_) last = LastVector::kHalf;
  const TileFunction code = generated_ ? tile_code({dtype_, isa_, rows, vectors, last}) : nullptr;
  if (code == nullptr) return twin_of(dtype_)(tile, rows, columns, panel_width());
  if (last != LastVector::kWhole) {
    tile.tail_bits = (int64_t{1} << tail) - 1;
    tile.tail_vector = reinterpret_cast<const std::byte*>(kTail.words + 8) - tail * element_size_;
  }
  code(&tile);
}

// Rows in tiles of nearly the same height: seven are four and three, since one alone would wait for
// its chains.
void TileKernels::run_strip(TileArgs strip, int64_t rows, int64_t columns) const {
  const int64_t highest = contraction::max_rows(isa_, columns <= lanes_ ? 1 : 2);
  const int64_t tiles = (rows + highest - 1) / highest, height = rows / tiles,
                taller = rows % tiles;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t tile_rows = height + (t < taller);
    run_tile(strip, static_cast<int>(tile_rows), columns);
    strip.a += tile_rows * strip.a_row;
    strip.c += tile_rows * strip.c_row;
  }
}

void TileKernels::run(const TileRegion& region) const {
  TileArgs strip = region.tile;
  const int64_t width = max_vectors(static_cast<int>(std::min<int64_t>(region.m, 3))) * lanes_;
  for (int64_t j = 0; j < region.n; j += width) {
    strip.b = region.tile.b + j / panel_width() * region.tile.b_panel;
    strip.c = region.tile.c + j * element_size_;
    if (region.tile.bias != nullptr) strip.bias = region.tile.bias + j * element_size_;
    run_strip(strip, region.m, std::min(width, region.n - j));
  }
}

}  // namespace frit::contraction

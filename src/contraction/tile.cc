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
  kernels.max_rows_ = contraction::max_rows(kernels.isa_);
  return kernels;
}

void TileKernels::run_tile(TileArgs& tile, int rows, int64_t columns) const {
  const int vectors = static_cast<int>((columns + lanes_ - 1) / lanes_);
  const int64_t tail = columns - (vectors - 1) * lanes_;
  const bool masked = tail != lanes_;
  const TileFunction code = generated_ ? tile_code({dtype_, isa_, rows, vectors, masked}) : nullptr;
  if (code == nullptr) return twin_of(dtype_)(tile, rows, columns, panel_width());
  if (masked) {
    tile.tail_bits = (int64_t{1} << tail) - 1;
    tile.tail_vector = reinterpret_cast<const std::byte*>(kTail.words + 8) - tail * element_size_;
  }
  code(&tile);
}

void TileKernels::run(const TileRegion& region) const {
  const TileArgs& first = region.tile;
  TileArgs tile = first;
  // Rows in tiles of nearly the same height: seven are four and three, since one alone would wait
  // for its chains.
  const int64_t tiles = (region.m + max_rows_ - 1) / max_rows_;
  const int64_t height = region.m / tiles, taller = region.m % tiles;
  const int64_t width = max_vectors(static_cast<int>(region.m)) * lanes_;
  for (int64_t j = 0; j < region.n; j += width) {
    const int64_t columns = std::min(width, region.n - j);
    tile.b = first.b + j / panel_width() * first.b_panel;
    if (first.bias != nullptr) tile.bias = first.bias + j * element_size_;
    for (int64_t t = 0, row = 0; t < tiles; ++t) {
      const int64_t rows = height + (t < taller);
      tile.a = first.a + row * first.a_row;
      tile.c = first.c + row * first.c_row + j * element_size_;
      run_tile(tile, static_cast<int>(rows), columns);
      row += rows;
    }
  }
}

}  // namespace frit::contraction

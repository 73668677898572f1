// The innermost loop of matmul and convolution: a tile of the output, each element one fma chain.
//
//   c[i, j] = accumulate ? c[i, j] : +0.0, then for every segment s in order and every t < s.count:
//   c[i, j] = fma(a[i * a_row + s.a_offset + t], b[s.b_offset + t * b_k, j], c[i, j])
//
// A matrix is one segment; an image under a window has a segment for each run of memory that the
// window covers. So neither is copied. Columns of b come in panels of two vectors; the panels of
// unpacked b just lie side by side. Each element's chain is the same for any tile, so bits do not
// depend on tiling.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frit/dtype.h"
#include "src/base/cpu.h"

namespace frit::contraction {

// A run of k: where it starts in a row of a and in b, in bytes, and how many elements it has.
struct Segment {
  int64_t a_offset, b_offset;
  int64_t count;
};

// What one tile reads and writes. All distances in bytes. The kernels know this layout.
struct TileArgs {
  const std::byte* a;
  int64_t a_row;
  const std::byte* b;
  int64_t b_k;      // from one k to the next
  int64_t b_panel;  // from one panel to the next
  std::byte* c;
  int64_t c_row;
  const Segment* segments;
  int64_t num_segments;
  const std::byte* bias;    // null, or one value per column, added at the end
  int64_t accumulate;       // whether the chains go on from c instead of starting at +0.0
  int64_t tail_bits;        // set by TileKernels: the lanes of the last vector as a mask,
  const void* tail_vector;  // and as a vector of ones and zeros
};

// A region of the output, any size: cut into tiles by TileKernels::run.
struct TileRegion {
  int64_t m, n;
  TileArgs tile;  // of its first element
};

// The kernels for one dtype (f32 or f64) on one instruction set.
class TileKernels {
 public:
  // For the instruction set in use; from generated code where that is allowed, else its C++ twins.
  static TileKernels of(Dtype dtype);

  void run(const TileRegion& region) const;

  int lanes() const { return lanes_; }
  int panel_width() const { return 2 * lanes_; }  // columns
  int max_rows() const { return max_rows_; }      // of tiles of more than one vector
  int element_size() const { return element_size_; }

 private:
  void run_strip(TileArgs strip, int64_t rows, int64_t columns) const;
  void run_tile(TileArgs& tile, int rows, int64_t columns) const;

  Dtype dtype_;
  Isa isa_;
  bool generated_;
  int lanes_, max_rows_, element_size_;
};

}  // namespace frit::contraction

// Epilogue: what a caller does to each finished tile of a contraction while it is hot in cache.
//
//   args.epilogue = {&run_fused_kernel, &arguments};
//
// Called once for every element of the output, in tiles, after the whole sum of products and the
// bias. Calls for different tiles may come from different threads and in any order.
#pragma once

#include <cstdint>

namespace frit::contraction {

struct Epilogue {
  // `tile` points at element (row, col) of the output; it has rows x cols elements, columns side by
  // side, rows `ld` elements apart. Rows count through the batch: row = b * m + i. Of a convolution
  // the rows are pixels of the output (batch, then space, row-major) and the columns channels.
  using Function = void (*)(void* context, void* tile, int64_t row, int64_t col, int64_t rows,
                            int64_t cols, int64_t ld);
  Function run = nullptr;
  void* context = nullptr;
};

}  // namespace frit::contraction

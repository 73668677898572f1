// Copies matrices row by row, or in small transposed blocks.
#include "src/contraction/pack.h"

#include "src/contraction/pack_cache.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace frit::contraction {
namespace {

constexpr int64_t kBlock = 4;
constexpr size_t kKeptBytes = size_t{8} << 20;

// A block of 4 x 4 whose columns lie side by side in `from`.
void transpose_block(const float* from, int64_t col, float* to, int64_t to_row) {
  __m128 r0 = _mm_loadu_ps(from), r1 = _mm_loadu_ps(from + col);
  __m128 r2 = _mm_loadu_ps(from + 2 * col), r3 = _mm_loadu_ps(from + 3 * col);
  _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
  _mm_storeu_ps(to, r0);
  _mm_storeu_ps(to + to_row, r1);
  _mm_storeu_ps(to + 2 * to_row, r2);
  _mm_storeu_ps(to + 3 * to_row, r3);
}

void transpose_block(const double* from, int64_t col, double* to, int64_t to_row) {
  for (int i = 0; i < kBlock; ++i)
    for (int j = 0; j < kBlock; ++j) to[i * to_row + j] = from[i + j * col];
}

template <class T>
void copy_elements(const CopySource<T>& from, int64_t rows, int64_t cols, T* to, int64_t to_row) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) to[i * to_row + j] = from.data[i * from.row + j * from.col];
}

template <class T>
void transpose(const CopySource<T>& from, int64_t rows, int64_t cols, T* to, int64_t to_row) {
  const int64_t whole_rows = rows / kBlock * kBlock, whole_cols = cols / kBlock * kBlock;
  // Along four columns at a time: they are four streams, where a block row would touch a line of
  // each column, and columns a page apart evict each other.
  for (int64_t j = 0; j < whole_cols; j += kBlock)
    for (int64_t i = 0; i < whole_rows; i += kBlock)
      transpose_block(from.data + i + j * from.col, from.col, to + i * to_row + j, to_row);
  copy_elements({from.data + whole_rows, 1, from.col}, rows - whole_rows, cols,
                to + whole_rows * to_row, to_row);
  copy_elements({from.data + whole_cols * from.col, 1, from.col}, whole_rows, cols - whole_cols,
                to + whole_cols, to_row);
}

struct ScratchMemory {
  std::byte* data = nullptr;
  size_t byte_size = 0;
  ~ScratchMemory() { free(); }
  void free() { ::operator delete (data, std::align_val_t{64}); }
  void resize(size_t bytes) {
    free();
    data = nullptr;
    byte_size = 0;
    data = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}));
    byte_size = bytes;
  }
};

}  // namespace

template <class T>
void copy_matrix(const CopySource<T>& from, int64_t rows, int64_t cols, T* to, int64_t to_row) {
  if (from.col == 1 || cols == 1) {
    if (from.col == 1 && cols >= 8) {
      for (int64_t i = 0; i < rows; ++i)
        std::memcpy(to + i * to_row, from.data + i * from.row,
                    static_cast<size_t>(cols) * sizeof(T));
      return;
    }
  } else if (from.row == 1) {
    return transpose(from, rows, cols, to, to_row);
  }
  copy_elements(from, rows, cols, to, to_row);
}

template <class T>
void copy_panels(const CopySource<T>& from, int64_t rows, int64_t cols, int64_t width, T* to) {
  for (int64_t j = 0; j < cols; j += width, to += rows * width) {
    const int64_t columns = std::min(width, cols - j);
    copy_matrix(CopySource<T>{from.data + j * from.col, from.row, from.col}, rows, columns, to,
                width);
    if (columns == width) continue;
    for (int64_t i = 0; i < rows; ++i)
      std::fill(to + i * width + columns, to + (i + 1) * width, T{0});
  }
}

std::byte* scratch(ScratchSlot slot, size_t byte_size) {
  thread_local ScratchMemory memory[2];
  ScratchMemory& chosen = memory[static_cast<int>(slot)];
  // What a large call left is given back by the next call that needs little.
  if (chosen.byte_size < byte_size || (chosen.byte_size > kKeptBytes && byte_size <= kKeptBytes))
    chosen.resize(byte_size);
  return chosen.data;
}

void prepare_thread() { scratch(ScratchSlot{}, 0); }

template void copy_matrix(const CopySource<float>&, int64_t, int64_t, float*, int64_t);
template void copy_matrix(const CopySource<double>&, int64_t, int64_t, double*, int64_t);
template void copy_panels(const CopySource<float>&, int64_t, int64_t, int64_t, float*);
template void copy_panels(const CopySource<double>&, int64_t, int64_t, int64_t, double*);

}  // namespace frit::contraction

// Copies of matrices in the layouts that kernels read, and memory for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace frit::contraction {

// to[i * to_row + j] = from[i * row + j * col]. T: float or double.
template <class T>
struct CopySource {
  const T* data;
  int64_t row, col;
};
template <class T>
void copy_matrix(const CopySource<T>& from, int64_t rows, int64_t cols, T* to, int64_t to_row);

// Panels of `width` columns: to[p * rows * width + i * width + c] = from[i, p * width + c]. Columns
// past the last are zero.
template <class T>
void copy_panels(const CopySource<T>& from, int64_t rows, int64_t cols, int64_t width, T* to);

constexpr int64_t num_panels(int64_t cols, int64_t width) { return (cols + width - 1) / width; }

// Memory for one call on this thread, 64-byte aligned, kept for the next call unless it is large.
// Two at once: a slot for each operand.
enum class ScratchSlot { kA, kB };
std::byte* scratch(ScratchSlot slot, size_t byte_size);

}  // namespace frit::contraction

// The f32 kernel behind matmul and convolution: out[i, j] = chain over t of a[i, t] * b[t, j].
//
// Rows of a are found through addresses: row i starts at a_rows[i], and element t lies `offsets[t]`
// elements further. So a may be a strided matrix, or the pixels of an image under a sliding window,
// without a copy. b is packed in panels of kPanel columns: panel p holds b[t, p*kPanel + c] at
// [t][c], padded with zeros.
#pragma once

#include <cstdint>

namespace frit::contraction {

// Columns of a panel: three AVX2 vectors, so that four rows keep twelve chains in flight.
inline constexpr int64_t kPanel = 24;

struct GemmArgs {
  int64_t m, n, k;
  const float* const* a_rows;  // m addresses
  const int32_t* offsets;      // k offsets in elements
  const float* packed_b;
  float* out;
  int64_t out_row_stride;
  const int64_t*
      out_offsets;    // if not null: where row i goes, in elements, instead of i * out_row_stride
  const float* bias;  // if not null: n values, added after the chain
};

// The kernel for the instruction set in use.
void gemm(const GemmArgs& args);

// Bytes of a packed b.
constexpr int64_t packed_floats(int64_t n, int64_t k) {
  return (n + kPanel - 1) / kPanel * kPanel * k;
}

namespace avx2 {
void gemm(const GemmArgs& args);
}
namespace baseline {
void gemm(const GemmArgs& args);
}

}  // namespace frit::contraction

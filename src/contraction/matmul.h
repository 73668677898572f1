// Matrix products with bits that depend on nothing but the operands.
//
//   MatmulArgs args;                       // out[b,i,j] = sum over k of a[b,i,k] * b[b,k,j]
//   args.dtype = kFloat32; args.m = 4; args.n = 8; args.k = 16;
//   args.a = {x, /*batch=*/0, /*row=*/16, /*col=*/1};
//   args.b = {w, 0, /*row=*/1, /*col=*/16};   // the transpose of an 8 x 16 weight
//   args.out = y; args.out_row = 8;
//   matmul(args);
//
// Every output is one chain of fma over k from +0.0, whatever the shape, instruction set, blocking
// and number of threads. Integers wrap; bool is the or of ands. With k = 0 the chain is zero. (The
// product of two vectors is a reduction and lives elsewhere.)
#pragma once

#include <cstdint>

#include "frit/dtype.h"
#include "frit/scalar.h"
#include "src/contraction/epilogue.h"
#include "src/contraction/pack_cache.h"

namespace frit::contraction {

// A batch of matrices in memory; strides in elements, any sign, 0 to repeat.
struct Matrix {
  const void* data = nullptr;
  int64_t batch = 0, row = 0, col = 0;
};

struct MatmulArgs {
  Dtype dtype = kFloat32;  // f64, f32, any integer, bool
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Matrix a, b;
  // Columns of the output are side by side; it must not overlap an operand.
  void* out = nullptr;
  int64_t out_batch = 0, out_row = 0;

  // addmm: (chain * alpha unless alpha is 1) + beta * bias, if there is a bias. With beta = 0 the
  // bias is not read; with 1 it is added as it is.
  Matrix bias;
  Scalar alpha = 1, beta = 1;

  // When valid, `b` may be kept in packed form under this key.
  StableKey b_key;
  Epilogue epilogue;
};

// `packed`, if given, is b as pack_b(args) gave it; args.b is not read then.
void matmul(const MatmulArgs& args, const Packed* packed = nullptr);

// Packs b of a floating-point product for the present instruction set. It serves every m and every
// out; null for other dtypes.
PackedRef pack_b(const MatmulArgs& args);

// The same by plain loops: the definition that the tests compare with. No epilogue.
void matmul_reference(const MatmulArgs& args);

}  // namespace frit::contraction

// Texts of kernels that tests of writers share.
#pragma once

#include <string>

#include "frit/dtype.h"
#include "src/ops/op.h"

namespace frit::codegen {

// y[i] = op(x0[i], ...), each operand of its access class; a letter each: u unit, b broadcast, s
// strided.
std::string pointwise(Op op, Dtype dtype, const std::string& classes);

// y = f(x0, x1, ...) of `count` operands, with every value used again at the very end.
std::string many_live_values(int count, const std::string& type);

// Which no writer has code for: small ints are folded in wider ones.
inline constexpr char kFoldSmallInts[] = R"(
kernel %k(%x: *i8[*,1], %y: *i8[1,0], %n: i64, %m: i64) {
  loop %i0 = 0 to %n {
    %0: i8 = reduce amax %i1 = 0 to %m {
      %1: i8 = load %x[%i0, %i1]
      yield %1
    }
    store %y[%i0], %0
  }
}
)";

// Softmax over the rows of a matrix.
inline constexpr char kSoftmax[] = R"(
kernel %softmax(%a: *f32[*,1], %out: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce amax %i1 = 0 to %n1 {
      %1: f32 = load %a[%i0, %i1]
      yield %1
    }
    %2: f32 = reduce sum %i1 = 0 to %n1 {
      %3: f32 = load %a[%i0, %i1]
      %4: f32 = sub %3, %0
      %5: f32 = exp %4
      store %out[%i0, %i1], %5
      yield %5
    }
    loop %i1 = 0 to %n1 {
      %6: f32 = load %out[%i0, %i1]
      %7: f32 = div %6, %2
      store %out[%i0, %i1], %7
    }
  }
}
)";

// Layer norm over the rows of a matrix.
inline constexpr char kLayerNorm[] = R"(
kernel %layer_norm(%x: *f32[*,1], %w: *f32[0,1], %b: *f32[0,1], %count: f32, %eps: f32, %out: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      yield %1
    }
    %2: f32 = div %0, %count
    %3: f32 = reduce sum %i1 = 0 to %n1 {
      %4: f32 = load %x[%i0, %i1]
      %5: f32 = sub %4, %2
      %6: f32 = mul %5, %5
      yield %6
    }
    %7: f32 = div %3, %count
    %8: f32 = add %7, %eps
    %9: f32 = sqrt %8
    loop %i1 = 0 to %n1 {
      %10: f32 = load %x[%i0, %i1]
      %11: f32 = sub %10, %2
      %12: f32 = div %11, %9
      %13: f32 = load %w[%i1]
      %14: f32 = mul %12, %13
      %15: f32 = load %b[%i1]
      %16: f32 = add %14, %15
      store %out[%i0, %i1], %16
    }
  }
}
)";

}  // namespace frit::codegen

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

}  // namespace frit::codegen

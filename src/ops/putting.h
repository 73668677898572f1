// Putting: which elements scatters and their kin write, as strides and index operands.
//
//   const Putting putting = putting_of(op, operands, attrs, result);
//   // for i in sizes, row-major:
//   //   result[to.strides . i + sum of index * stride] takes source[source_strides . i]
#pragma once

#include "src/ops/taking.h"

namespace frit {

struct Putting {
  Dims sizes;           // of the loops
  Taking to;            // of the result and the index operands, along the loops
  int source;           // operand, which may be a number
  Dims source_strides;  // along the loops
};

// The operands have passed infer; `result` is the layout of its result.
Putting putting_of(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                   const Layout& result);

}  // namespace frit

// How block programs put elements where places say.
#pragma once

#include "frit/dtype.h"
#include "src/ops/op.h"
#include "src/runtime/block_copy.h"

namespace frit::runtime {

// Row by row: the element as far behind that of `to` as the i64 of `places` says becomes that of
// `values` (op is store), or what add, mul, maximum or minimum make of it and that.
void put_elements(Op op, Dtype dtype, Shape shape, Elements to, Elements places, Elements values);

}  // namespace frit::runtime

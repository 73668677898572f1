// Tensors, numbers and types as the C interface of plug-ins has them.
#pragma once

#include "frit/plugin.h"
#include "frit/scalar.h"
#include "frit/tensor.h"

namespace frit::engine {

// The type of a number of that kind.
Dtype dtype_of_number(Scalar::Kind kind);

// The bits of a number as an element of its type.
union NumberBits {
  double f64;
  int64_t i64;
  bool boolean;
};
// The number, whose bits lie at `place`.
frit_tensor handed(const Scalar& number, NumberBits* place);
// The tensor, which gets its value first where that is pending. Good as long as it lives.
frit_tensor handed(const Tensor& tensor);

// Whether the interface has an element type of that number.
bool is_dtype(int32_t number);

}  // namespace frit::engine

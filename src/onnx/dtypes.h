// ONNX's numbers for element types, as in tensors and in the attribute `to` of Cast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frit/dtype.h"

namespace frit::onnx {

// Nothing for the types that Frit does not have.
std::optional<Dtype> dtype_from_onnx(int64_t number);

int64_t dtype_to_onnx(Dtype dtype);

// ONNX's name of the type, or "type 99".
std::string onnx_dtype_name(int64_t number);

}  // namespace frit::onnx

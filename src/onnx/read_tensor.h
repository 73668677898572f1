// Tensors of an ONNX file, whose data may stand in one of several fields.
#pragma once

#include <string>

#include "src/onnx/model.h"

namespace onnx {
class TensorProto;
}

namespace frit::onnx {

// `where` says whose tensor it is in errors: initializer "w". Throws as parse_model.
TensorDef read_tensor(const ::onnx::TensorProto& proto, const std::string& where,
                      const std::string& path);

// Frit's dtype of ONNX's number; throws Error(kNotImplemented) where there is none.
Dtype require_dtype(int64_t number, const std::string& where, const std::string& path);

}  // namespace frit::onnx

// The table of ONNX's element types.
#include "src/onnx/dtypes.h"

#include <string_view>

namespace frit::onnx {
namespace {

struct Row {
  std::string_view name;
  std::optional<Dtype> dtype;
};

// Indexed by ONNX's number.
constexpr Row kRows[] = {{"undefined", {}},  {"float", kFloat32},    {"uint8", kUInt8},
                         {"int8", kInt8},    {"uint16", {}},         {"int16", kInt16},
                         {"int32", kInt32},  {"int64", kInt64},      {"string", {}},
                         {"bool", kBool},    {"float16", kFloat16},  {"double", kFloat64},
                         {"uint32", {}},     {"uint64", {}},         {"complex64", {}},
                         {"complex128", {}}, {"bfloat16", kBFloat16}};
constexpr int64_t kNumRows = std::size(kRows);

}  // namespace

std::optional<Dtype> dtype_from_onnx(int64_t number) {
  if (number < 0 || number >= kNumRows) return std::nullopt;
  return kRows[number].dtype;
}

int64_t dtype_to_onnx(Dtype dtype) {
  int64_t number = 0;
  while (kRows[number].dtype != dtype) ++number;  // every dtype has a row
  return number;
}

std::string onnx_dtype_name(int64_t number) {
  if (number < 0 || number >= kNumRows) return "type " + std::to_string(number);
  return std::string(kRows[number].name);
}

}  // namespace frit::onnx

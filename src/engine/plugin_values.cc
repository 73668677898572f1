// Hands tensors and numbers over the C interface of plug-ins.
#include "src/engine/plugin_values.h"

#include <iterator>
#include <string_view>

#include "src/tensor/tensor_impl.h"

namespace frit::engine {
namespace {

// The interface counts dtypes as Frit does.
constexpr struct {
  int number;
  std::string_view name;
} kDtypes[] = {{FRIT_F64, "f64"}, {FRIT_F32, "f32"},  {FRIT_BF16, "bf16"}, {FRIT_F16, "f16"},
               {FRIT_I64, "i64"}, {FRIT_I32, "i32"},  {FRIT_I16, "i16"},   {FRIT_I8, "i8"},
               {FRIT_U8, "u8"},   {FRIT_BOOL, "bool"}};
constexpr bool counts_alike() {
  if (std::size(kDtypes) != kNumDtypes) return false;
  for (int d = 0; d < kNumDtypes; ++d)
    if (kDtypes[d].number != d || kDtypes[d].name != name(static_cast<Dtype>(d))) return false;
  return true;
}
static_assert(counts_alike());

}  // namespace

bool is_dtype(int32_t number) { return number >= 0 && number < kNumDtypes; }

Dtype dtype_of_number(Scalar::Kind kind) {
  if (kind == Scalar::Kind::kFloat) return Dtype::kF64;
  return kind == Scalar::Kind::kInt ? Dtype::kI64 : Dtype::kBool;
}

frit_tensor handed(const Scalar& number, NumberBits* place) {
  const Dtype dtype = dtype_of_number(number.kind());
  if (dtype == Dtype::kF64) place->f64 = number.to_double();
  if (dtype == Dtype::kI64) place->i64 = number.to_int();
  if (dtype == Dtype::kBool) place->boolean = number.to_bool();
  return {place, nullptr, nullptr, static_cast<int32_t>(dtype), 0, FRIT_DEVICE_CPU, 0};
}

frit_tensor handed(const Tensor& tensor) {
  materialize(tensor.impl());
  return {tensor.impl()->data,
          tensor.sizes().data(),
          tensor.strides().data(),
          static_cast<int32_t>(tensor.dtype()),
          static_cast<int32_t>(tensor.dim()),
          tensor.device().type,
          tensor.device().index};
}

}  // namespace frit::engine

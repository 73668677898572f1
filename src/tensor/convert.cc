// Conversions of single elements.
#include "src/tensor/convert.h"

#include <cstring>

#include "src/base/check.h"

namespace frit {

Half to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (magnitude >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};  // >= 65520
  if (magnitude < 0x38800000) {  // below the smallest normal half: adding 0.5 rounds at 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000))};
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
}

float to_float(Half value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  const uint32_t magnitude = value.bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {
    const float small = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(small));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

namespace {

template <class T>
T read(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

// A float goes to i32 by way of x86's conversion, which gives INT_MIN for NaN and what does not
// fit.
int32_t to_int32(const Scalar& value) {
  if (!value.is_float()) return static_cast<int32_t>(value.to_int());
  const double real = value.to_double();
  return real > -0x1p31 - 1 && real < 0x1p31 ? static_cast<int32_t>(real) : INT32_MIN;
}

// An integer goes to f32 in one rounding, not through f64.
float to_float32(const Scalar& value) {
  return value.is_float() ? static_cast<float>(value.to_double())
                          : static_cast<float>(value.to_int());
}

template <class T>
void write(void* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

}  // namespace

Scalar load_element(Dtype dtype, const void* element) {
  switch (dtype) {
    case Dtype::kF64:
      return read<double>(element);
    case Dtype::kF32:
      return read<float>(element);
    case Dtype::kBF16:
      return to_float(read<BFloat16>(element));
    case Dtype::kF16:
      return to_float(read<Half>(element));
    case Dtype::kI64:
      return read<int64_t>(element);
    case Dtype::kI32:
      return read<int32_t>(element);
    case Dtype::kI16:
      return read<int16_t>(element);
    case Dtype::kI8:
      return read<int8_t>(element);
    case Dtype::kU8:
      return read<uint8_t>(element);
    case Dtype::kBool:
      return read<uint8_t>(element) != 0;
  }
  FRIT_CHECK(false) << "dtype " << static_cast<int>(dtype);
  __builtin_unreachable();
}

void store_element(Dtype dtype, void* element, const Scalar& value) {
  switch (dtype) {
    case Dtype::kF64:
      return write(element, value.to_double());
    case Dtype::kF32:
      return write(element, to_float32(value));
    case Dtype::kBF16:
      return write(element, to_bfloat16(to_float32(value)));
    case Dtype::kF16:
      return write(element, to_half(to_float32(value)));
    case Dtype::kI64:
      return write(element, value.to_int());
    case Dtype::kI32:
      return write(element, to_int32(value));
    case Dtype::kI16:
      return write(element, static_cast<int16_t>(to_int32(value)));
    case Dtype::kI8:
      return write(element, static_cast<int8_t>(to_int32(value)));
    case Dtype::kU8:
      return write(element, static_cast<uint8_t>(to_int32(value)));
    case Dtype::kBool:
      return write(element, static_cast<uint8_t>(value.to_bool()));
  }
}

}  // namespace frit

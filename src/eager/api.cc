// Checks that several public ops make before they dispatch.
#include "src/eager/api.h"

#include <cmath>
#include <limits>

namespace frit::api {

void fail_undefined(std::string_view op) {
  throw Error(ErrorKind::kRuntime, text(op, "(undefined): a tensor is undefined"));
}

void fail(ErrorKind kind, std::string_view op, const Tensor& x, const std::string& problem) {
  throw Error(kind, text(op, '(', describe(x), "): ", problem));
}

int64_t wrap_dim(std::string_view op, const Tensor& x, int64_t dim, int64_t rank) {
  const int64_t bound = std::max<int64_t>(rank, 1);
  if (dim < -bound || dim >= bound)
    fail(ErrorKind::kIndex, op, x,
         text("dimension out of range: ", dim, " is not in [", -bound, ", ", bound - 1, "]"));
  return dim < 0 ? dim + bound : dim;
}

Dims per_dim(std::string_view op, const Tensor& x, IntArrayRef values, int64_t count,
             std::string_view what) {
  if (values.size() != 1 && static_cast<int64_t>(values.size()) != count)
    fail(ErrorKind::kRuntime, op, x,
         text(what, ": expected 1 or ", count, " values, got ", values.size()));
  Dims dims;
  for (int64_t i = 0; i < count; ++i)
    dims.push_back(values[values.size() == 1 ? 0 : static_cast<size_t>(i)]);
  return dims;
}

namespace {

// The largest finite value of a floating dtype.
double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return std::numeric_limits<float>::max();
    case Dtype::kBF16:
      return 0x1.fep127;
    case Dtype::kF16:
      return 65504;
    default:
      return std::numeric_limits<double>::max();
  }
}

bool fits_float(Dtype dtype, const Scalar& value) {
  const double v = value.to_double();
  return std::isnan(v) || std::isinf(v) || std::fabs(v) <= largest(dtype);
}

bool fits_integer(Dtype dtype, const Scalar& value) {
  const int bits = 8 * byte_size(dtype);
  const double low = dtype == kUInt8 ? 0 : -std::ldexp(1.0, bits - 1);
  const double high = std::ldexp(1.0, dtype == kUInt8 ? bits : bits - 1);
  if (value.is_float()) return value.to_double() >= low && value.to_double() < high;
  // Negative integers wrap into u8 as two's complement.
  const int64_t v = value.to_int();
  if (dtype == kUInt8) return v >= -255 && v <= 255;
  return dtype == kInt64 || (v >= static_cast<int64_t>(low) && v < static_cast<int64_t>(high));
}

}  // namespace

void check_fits(std::string_view op, const Tensor& x, Dtype dtype, const Scalar& value) {
  if (dtype == kBool) return;
  if (is_floating_point(dtype) ? fits_float(dtype, value) : fits_integer(dtype, value)) return;
  fail(ErrorKind::kRuntime, op, x,
       text("the value does not fit ", name(dtype), ": ", value.to_double()));
}

}  // namespace frit::api

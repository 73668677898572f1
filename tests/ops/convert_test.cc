// A host number becomes an element as the same number in a tensor does when it is cast.
#include "src/tensor/convert.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "src/ops/reference/apply_scalar.h"

namespace frit {
namespace {

uint64_t stored(Dtype dtype, const Scalar& value) {
  uint64_t bits = 0;
  store_element(dtype, &bits, value);
  return bits;
}

bool is_nan_of(Dtype dtype, uint64_t bits) {
  return is_floating_point(dtype) && std::isnan(load_element(dtype, &bits).to_double());
}

void expect_as_cast(Dtype from, const Scalar& value) {
  const uint64_t source = stored(from, value);
  for (int d = 0; d < kNumDtypes; ++d) {
    const Dtype to = static_cast<Dtype>(d);
    const uint64_t cast = reference::cast_scalar(from, to, source);
    if (is_nan_of(to, cast) && is_nan_of(to, stored(to, value))) continue;
    EXPECT_EQ(stored(to, value), cast)
        << name(from) << " " << value.to_double() << " as " << name(to);
  }
}

TEST(StoreElement, ConvertsFloatsAsCastDoes) {
  for (double value : {0.0,
                       -0.0,
                       0.5,
                       -1.0,
                       -1.5,
                       255.0,
                       256.0,
                       300.0,
                       -129.,
                       4e4,
                       3e9,
                       2147483647.5,
                       -2147483648.5,
                       -3e9,
                       1e19,
                       -1e19,
                       1e300,
                       1e-40,
                       65520.0,
                       1.00048828125,
                       2147483648.0,
                       -2147483649.0,
                       std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::quiet_NaN()})
    expect_as_cast(kFloat64, value);
}

TEST(StoreElement, ConvertsIntegersAsCastDoes) {
  for (int64_t value : {int64_t{0}, int64_t{-1}, int64_t{200}, int64_t{1} << 31,
                        (int64_t{1} << 40) + 77, (int64_t{1} << 60) + (int64_t{1} << 36) + 1,
                        (int64_t{1} << 54) + (int64_t{1} << 30) + 1, INT64_MIN, INT64_MAX})
    expect_as_cast(kInt64, value);
}

TEST(StoreElement, ConvertsTruthAsCastDoes) {
  expect_as_cast(kBool, true);
  expect_as_cast(kBool, false);
}

}  // namespace
}  // namespace frit

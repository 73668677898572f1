// Many normal numbers. Each 16 uniform ones become 16 normal ones, by Box and Muller: the first 8
// give radii, the others angles. f32 has the bits of PyTorch's vector code; the other dtypes have
// the C library's functions, as in PyTorch, and the 16-bit ones are rounded after each step.
#include <cmath>
#include <numbers>
#include <type_traits>
#include <vector>

#include "src/eager/blocks/blocks.h"
#include "src/eager/generator.h"
#include "src/tensor/convert.h"

namespace frit::random {
namespace {

constexpr int kGroup = 16, kHalfGroup = kGroup / 2;

void make_normal(double* numbers, int64_t groups) {
  for (int64_t g = 0; g < groups; ++g, numbers += kGroup)
    for (int i = 0; i < kHalfGroup; ++i) {
      const double radius = std::sqrt(-2 * std::log(1 - numbers[i]));
      const double angle = 2 * std::numbers::pi * numbers[i + kHalfGroup];
      numbers[i] = radius * std::cos(angle);
      numbers[i + kHalfGroup] = radius * std::sin(angle);
    }
}

void make_normal(float* numbers, int64_t groups) {
  eager::block_table().make_normal(numbers, groups);
}

template <class T>
float rounded(float value) {
  if constexpr (std::is_same_v<T, BFloat16>) return to_float(to_bfloat16(value));
  return to_float(to_half(value));
}

template <class T>
void make_normal_16(float* numbers, int64_t groups) {
  constexpr auto round = rounded<T>;
  for (int64_t g = 0; g < groups; ++g, numbers += kGroup)
    for (int i = 0; i < kHalfGroup; ++i) {
      const float log = round(std::log(round(1 - numbers[i])));
      const float radius = round(std::sqrt(round(-2 * log)));
      const double wide = 2 * std::numbers::pi * static_cast<double>(numbers[i + kHalfGroup]);
      const float angle = round(static_cast<float>(wide));
      numbers[i] = round(radius * round(std::cos(angle)));
      numbers[i + kHalfGroup] = round(radius * round(std::sin(angle)));
    }
}

// Where the count is no multiple of 16, the last 16 are drawn anew.
template <class T, class Make>
void fill(Engine& engine, Dtype dtype, T* numbers, int64_t count, Make make) {
  const auto draw_uniform = [&](T* first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) first[i] = static_cast<T>(engine.uniform(dtype));
  };
  draw_uniform(numbers, count);
  make(numbers, count / kGroup);
  if (count % kGroup == 0) return;
  draw_uniform(numbers + count - kGroup, kGroup);
  make(numbers + count - kGroup, 1);
}

template <class T, T (*narrow)(float)>
void fill_16(Engine& engine, std::byte* data, int64_t count) {
  std::vector<float> wide(static_cast<size_t>(count));
  fill(engine, dtype_of<T>, wide.data(), count, make_normal_16<T>);
  for (int64_t i = 0; i < count; ++i) reinterpret_cast<T*>(data)[i] = narrow(wide[i]);
}

}  // namespace

void fill_normal(Engine& engine, Dtype dtype, std::byte* data, int64_t count) {
  const auto make = [](auto* numbers, int64_t groups) { make_normal(numbers, groups); };
  if (dtype == kFloat64) return fill(engine, dtype, reinterpret_cast<double*>(data), count, make);
  if (dtype == kFloat32) return fill(engine, dtype, reinterpret_cast<float*>(data), count, make);
  if (dtype == kBFloat16) return fill_16<BFloat16, to_bfloat16>(engine, data, count);
  fill_16<Half, to_half>(engine, data, count);
}

}  // namespace frit::random

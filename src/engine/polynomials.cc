// Divided differences of polynomials with whole coefficients at whole points are whole.
#include "src/engine/polynomials.h"

namespace frit::engine {
namespace {

// The coefficients of one number; empty where there are none.
std::vector<int64_t> newton(std::span<const int64_t> points, std::vector<int64_t> values) {
  const size_t n = points.size();
  for (size_t order = 1; order < n; ++order)
    for (size_t i = n; i-- > order;) {
      const int64_t width = points[i] - points[i - order];
      int64_t difference;
      if (__builtin_sub_overflow(values[i], values[i - 1], &difference)) return {};
      if (difference % width != 0) return {};
      values[i] = difference / width;
    }
  if (values.back() != 0) return {};
  values.pop_back();
  return values;
}

}  // namespace

std::optional<Polynomials> Polynomials::through(std::span<const int64_t> points,
                                                std::span<const std::vector<int64_t>> values) {
  Polynomials made;
  made.points_.assign(points.begin(), points.end());
  made.first_ = values[0];
  for (size_t k = 0; k < made.first_.size(); ++k) {
    std::vector<int64_t> at_points;
    bool varies = false;
    for (const std::vector<int64_t>& list : values) {
      at_points.push_back(list[k]);
      varies = varies || list[k] != made.first_[k];
    }
    if (!varies) continue;
    std::vector<int64_t> coefficients = newton(points, std::move(at_points));
    if (coefficients.empty()) return std::nullopt;
    coefficients.erase(coefficients.begin());
    made.varying_.push_back({k, std::move(coefficients)});
  }
  return made;
}

std::vector<int64_t> Polynomials::at(int64_t t) const {
  std::vector<int64_t> values = first_;
  for (const Varying& number : varying_) {
    uint64_t sum = 0;  // what overflows on the way comes back
    for (size_t i = number.coefficients.size(); i-- > 0;)
      sum = (sum + static_cast<uint64_t>(number.coefficients[i])) *
            static_cast<uint64_t>(t - points_[i]);
    values[number.index] = static_cast<int64_t>(static_cast<uint64_t>(values[number.index]) + sum);
  }
  return values;
}

}  // namespace frit::engine

// Polynomials: a list of integers, each of which is a polynomial in one integer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace frit::engine {

class Polynomials {
 public:
  // Those of a degree less than points.size() - 1 that have these values: values[i] are the lists
  // at points[i], which are all different. Nothing where some have none with whole coefficients.
  // Newton's form, by divided differences.
  static std::optional<Polynomials> through(std::span<const int64_t> points,
                                            std::span<const std::vector<int64_t>> values);
  std::vector<int64_t> at(int64_t t) const;

 private:
  struct Varying {
    size_t index;                       // in the list
    std::vector<int64_t> coefficients;  // of (t - p0), (t - p0) (t - p1), ..
  };
  std::vector<int64_t> points_, first_;  // the values at points_[0]
  std::vector<Varying> varying_;
};

}  // namespace frit::engine

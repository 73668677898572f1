// Polynomials: a list of integers, each of which is a polynomial in the place on the axes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/engine/axes.h"

namespace frit::engine {

class Polynomials {
 public:
  // The points on each axis, which are all different; one on an axis that is not there.
  using Points = std::array<std::vector<int64_t>, kMaxAxes>;

  // Those of a degree less than the number of points less one on each axis that have these values:
  // values[i * points[1].size() + j] are the lists at (points[0][i], points[1][j]). Nothing where
  // some have none with whole coefficients. Newton's form, by divided differences.
  static std::optional<Polynomials> through(const Points& points,
                                            std::span<const std::vector<int64_t>> values);
  std::vector<int64_t> at(const Place& place) const;

 private:
  struct Varying {
    size_t index;                       // in the list
    std::vector<int64_t> coefficients;  // of products of (t0 - p0) (t0 - p1) .. and of the same for
                                        // t1, those of one power of t0 together
  };
  Points points_;
  std::array<size_t, kMaxAxes> powers_{};
  std::vector<int64_t> first_;  // the values at the first point
  std::vector<Varying> varying_;
};

}  // namespace frit::engine

// Divided differences of polynomials with whole coefficients at whole points are whole. Those of
// two variables are polynomials in one, whose coefficients are polynomials in the other.
#include "src/engine/polynomials.h"

#include <algorithm>

namespace frit::engine {
namespace {

// From the values at the points to the coefficients, of which the last must be 0 where there is
// more than one point and is left out. False where there are none.
bool newton(std::span<const int64_t> points, std::vector<int64_t>* values) {
  const size_t n = points.size();
  if (n == 1) return true;
  for (size_t order = 1; order < n; ++order)
    for (size_t i = n; i-- > order;) {
      const int64_t width = points[i] - points[i - order];
      int64_t difference;
      if (__builtin_sub_overflow((*values)[i], (*values)[i - 1], &difference)) return false;
      if (difference % width != 0) return false;
      (*values)[i] = difference / width;
    }
  if (values->back() != 0) return false;
  values->pop_back();
  return true;
}

// The coefficients of one number from its values on the grid; empty where there are none.
std::vector<int64_t> newton(const Polynomials::Points& points, std::span<const int64_t> values) {
  const size_t rows = points[0].size(), columns = points[1].size();
  std::vector<std::vector<int64_t>> by_row;
  for (size_t i = 0; i < rows; ++i) {
    const auto row = values.subspan(i * columns, columns);
    by_row.emplace_back(row.begin(), row.end());
    if (!newton(points[1], &by_row.back())) return {};
  }
  const size_t kept = by_row[0].size(), powers = rows == 1 ? 1 : rows - 1;
  std::vector<int64_t> coefficients(powers * kept);
  for (size_t k = 0; k < kept; ++k) {
    std::vector<int64_t> column;
    for (const std::vector<int64_t>& row : by_row) column.push_back(row[k]);
    if (!newton(points[0], &column)) return {};
    for (size_t i = 0; i < powers; ++i) coefficients[i * kept + k] = column[i];
  }
  return coefficients;
}

// Of unsigned numbers: what overflows on the way comes back.
uint64_t horner(std::span<const uint64_t> coefficients, std::span<const int64_t> points,
                int64_t t) {
  uint64_t sum = 0;
  for (size_t i = coefficients.size(); i-- > 0;) {
    sum *= static_cast<uint64_t>(t - points[i]);
    sum += coefficients[i];
  }
  return sum;
}

}  // namespace

std::optional<Polynomials> Polynomials::through(const Points& points,
                                                std::span<const std::vector<int64_t>> values) {
  Polynomials made;
  made.points_ = points;
  for (size_t axis = 0; axis < kMaxAxes; ++axis)
    made.powers_[axis] = std::max<size_t>(points[axis].size() - 1, 1);
  made.first_ = values[0];
  for (size_t k = 0; k < made.first_.size(); ++k) {
    std::vector<int64_t> at_points;
    bool varies = false;
    for (const std::vector<int64_t>& list : values) {
      at_points.push_back(list[k]);
      varies = varies || list[k] != made.first_[k];
    }
    if (!varies) continue;
    std::vector<int64_t> coefficients = newton(points, at_points);
    if (coefficients.empty()) return std::nullopt;
    made.varying_.push_back({k, std::move(coefficients)});
  }
  return made;
}

std::vector<int64_t> Polynomials::at(const Place& place) const {
  std::vector<int64_t> values = first_;
  std::vector<uint64_t> row(powers_[1]), column(powers_[0]);
  for (const Varying& number : varying_) {
    for (size_t i = 0; i < column.size(); ++i) {
      const auto* of_row = number.coefficients.data() + i * row.size();
      std::copy(of_row, of_row + row.size(), row.begin());
      column[i] = horner(row, points_[1], place[1]);
    }
    values[number.index] = static_cast<int64_t>(horner(column, points_[0], place[0]));
  }
  return values;
}

}  // namespace frit::engine

// Numbers are told apart by how they change, since that is all that two traces show.
#include "src/engine/axes.h"

#include <algorithm>
#include <numeric>

namespace frit::engine {
namespace {

// With these, and the product of two, nothing overflows.
constexpr int64_t kMost = int64_t{1} << 30;
bool is_counted(int64_t number) { return -kMost < number && number < kMost; }

// Whether two numbers that both change do so by the same amount, or in proportion.
bool change_together(int64_t a, int64_t b, int64_t other_a, int64_t other_b) {
  return b - a == other_b - other_a || a * other_b == b * other_a;
}

// The unit of an axis that a further change is to be on; 0 where it cannot.
int64_t widened(int64_t unit, int64_t change) {
  if ((unit < 0) != (change < 0)) return 0;
  const int64_t size = std::gcd(unit, change);
  return change < 0 ? -size : size;
}

}  // namespace

std::optional<int64_t> steps_between(int64_t from, int64_t to, int64_t step) {
  if (from == to) return 0;
  if (!is_counted(from) || !is_counted(to) || (to - from) % step != 0) return std::nullopt;
  return (to - from) / step;
}

std::optional<Axes> Axes::line(std::span<const int64_t> a, std::span<const int64_t> b) {
  Axes axes;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (!is_counted(a[i]) || !is_counted(b[i])) return std::nullopt;
    if (axes.axes_.empty()) axes.axes_.push_back({a[i], b[i], b[i] - a[i]});
    int64_t& unit = axes.axes_[0].unit;
    unit = widened(unit, b[i] - a[i]);
    if (unit == 0) return std::nullopt;
  }
  if (axes.axes_.empty()) return std::nullopt;
  return axes;
}

// Of how many times the product of the two axes' numbers the number is.
std::optional<int64_t> Axes::factor(int64_t a, int64_t b) const {
  if (count() != 2) return std::nullopt;
  const int64_t from = axes_[0].a * axes_[1].a, to = axes_[0].b * axes_[1].b;
  if (from == 0 || to == 0 || a % from != 0 || b % to != 0 || a / from != b / to)
    return std::nullopt;
  return a / from;
}

std::optional<Axes> Axes::independent(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<size_t> order(a.size());
  std::iota(order.begin(), order.end(), 0);
  // Products after what they are of.
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return a[i] < a[j]; });
  Axes axes;
  for (size_t i : order) {
    if (a[i] == b[i]) continue;
    if (!is_counted(a[i]) || !is_counted(b[i])) return std::nullopt;
    const auto known = std::find_if(axes.axes_.begin(), axes.axes_.end(), [&](const Axis& axis) {
      return change_together(a[i], b[i], axis.a, axis.b);
    });
    if (known == axes.axes_.end()) {
      if (axes.factor(a[i], b[i])) continue;
      axes.axes_.push_back({a[i], b[i], b[i] - a[i]});
      continue;
    }
    known->unit = widened(known->unit, b[i] - a[i]);
    if (known->unit == 0) return std::nullopt;
  }
  if (axes.count() < 2 || axes.count() > kMaxAxes) return std::nullopt;
  return axes;
}

std::optional<Step> Axes::step(int64_t a, int64_t b) const {
  if (a == b) return Step{};
  if (!is_counted(a) || !is_counted(b)) return std::nullopt;
  for (int k = 0; k < count(); ++k) {
    const Axis& axis = axes_[static_cast<size_t>(k)];
    if (count() > 1 && !change_together(a, b, axis.a, axis.b)) continue;
    const std::optional<int64_t> size = steps_between(a, b, axis.unit);
    if (size) return Step{k, *size};
  }
  const std::optional<int64_t> times = factor(a, b);
  if (times) return Step{Step::kProduct, *times};
  return std::nullopt;
}

int64_t Axes::number_at(int64_t a, const Step& step, const Place& place) const {
  if (step.axis != Step::kProduct) return a + step.size * place[static_cast<size_t>(step.axis)];
  int64_t product = step.size;
  for (size_t k = 0; k < axes_.size(); ++k) {
    const Axis& axis = axes_[k];
    const int64_t size = axis.a + (axis.b - axis.a) / axis.unit * place[k];
    if (__builtin_mul_overflow(product, size, &product)) return -1;
  }
  return product;
}

std::optional<std::vector<Step>> Axes::steps(std::span<const int64_t> a,
                                             std::span<const int64_t> b) const {
  std::vector<Step> steps;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<Step> one = step(a[i], b[i]);
    if (!one) return std::nullopt;
    steps.push_back(*one);
  }
  return steps;
}

}  // namespace frit::engine

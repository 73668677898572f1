// Axes: how the sizes of two traces of one pattern differ.
//
// Numbers that change together, by the same amount or in proportion, are of one axis: a batch's
// sizes are one, a sequence's lengths another. A place is a number of steps along each; a number
// that a trace has at a place is that of the first trace and so many times its step. Where there
// are two axes, a number may also be a multiple of the product of theirs (a reshape to rows).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace frit::engine {

inline constexpr int kMaxAxes = 2;
using Place = std::array<int64_t, kMaxAxes>;

struct Step {
  static constexpr int kProduct = -1;
  int axis = 0;
  int64_t size = 0;  // 0: the number does not change. Of a product: the factor
  bool along(int k) const { return axis == k && size != 0; }
};

class Axes {
 public:
  // That of the numbers `a` and `b` as a whole, whatever belongs together: one axis, of whose step
  // all changes are multiples. Nothing where none changes, some grow and others shrink, or some are
  // too large to be counted (so large an end of a slice stands for the last element).
  static std::optional<Axes> line(std::span<const int64_t> a, std::span<const int64_t> b);
  // Those of the numbers that change together. Nothing where that is the same, there are more than
  // kMaxAxes, or one is none by itself.
  static std::optional<Axes> independent(std::span<const int64_t> a, std::span<const int64_t> b);

  int count() const { return static_cast<int>(axes_.size()); }
  // Of a number that is `a` in one trace and `b` in the other; nothing where it is on no axis.
  std::optional<Step> step(int64_t a, int64_t b) const;
  // The number at a place; -1 where it would be too large.
  int64_t number_at(int64_t a, const Step& step, const Place& place) const;
  // For each of them; nothing where one has none.
  std::optional<std::vector<Step>> steps(std::span<const int64_t> a,
                                         std::span<const int64_t> b) const;

 private:
  struct Axis {
    int64_t a, b;  // a number of this axis
    int64_t unit;  // the change that makes a step of 1; negative where `b` is less, so that all
                   // steps are positive
  };
  std::optional<int64_t> factor(int64_t a, int64_t b) const;

  std::vector<Axis> axes_;
};

// How many steps lead from `from` to `to`; nothing where none do.
std::optional<int64_t> steps_between(int64_t from, int64_t to, int64_t step);

}  // namespace frit::engine

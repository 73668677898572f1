// Family: the traces of one pattern whose sizes lie on one or two axes (see axes.h), and the
// numbers of a plan for any of them.
//
// Sequences of all lengths, batches of all sizes, a cache that grows by one each step: from run to
// run the sizes of externals, or those that attributes give, change by multiples of one step along
// each axis. Sizes, strides and offsets of a plan are polynomials in the numbers of steps, since
// all that is done with sizes on the way to a plan is to compare, to add and to multiply them. So
// the schedule is made for some members of the family, from the smallest (or the one at hand) to a
// large one: five along one axis, all pairs of four along two, or less where slices end before.
// Where these differ in numbers only, and the numbers are values of polynomials of a degree less
// than four (three) in each, a plan for another member between them is those polynomials' values
// beside the same kernels: nothing is fused or compiled. Sizes are clipped, too (the end of a
// slice), so that the axes may bend: nothing is known of what lies beyond the members that were
// tried, and the layouts that a member's calls have must be the polynomials' values. A plan that
// was built in full must agree, and with FRIT_VERIFY each one is held against what is built in
// full, where that has the same form.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "src/base/function_ref.h"
#include "src/capture/trace.h"
#include "src/engine/axes.h"
#include "src/engine/polynomials.h"
#include "src/runtime/executor.h"

namespace frit::engine {

class Family {
 public:
  // What is to become of a trace; nothing where it cannot be compiled.
  using Compile = base::FunctionRef<std::optional<Schedule>(const capture::Trace&)>;

  // The family of two traces of one pattern, in which nothing moves yet; `moving` are the ops whose
  // views are to. `executor` is that of `b`. Null where there is none.
  static std::shared_ptr<const Family> find(const capture::Trace& a, const capture::Trace& b,
                                            const std::vector<int>& moving,
                                            std::shared_ptr<const runtime::Executor> executor,
                                            Compile compile);

  // For a trace of the pattern, with its moving views; null where it is no member. Throws
  // frit::Error where there is no memory for it.
  std::unique_ptr<runtime::Executor> executor_for(const capture::Trace& trace) const;

 private:
  // How the layout of an external changes from place to place.
  enum class Change : uint8_t { kNone, kContiguous, kLinear };
  struct External {
    Change change;
    const Layout* base;
    std::vector<Step> steps;  // of sizes and strides
  };

  Family() = default;
  bool set_axes(const capture::Trace& a, const capture::Trace& b, const Axes& axes);
  bool found_with(const capture::Trace& b, Compile compile);
  bool moves(int op) const;
  // Calls visit(k) for attributes of ops whose views do not move.
  template <class F>
  void visit_attrs(F visit) const;
  void set_smallest();
  void set_range(const Place& from, const Place& place);
  bool clips_at(const Place& place) const;
  int64_t unclipped(size_t axis, Place place, int64_t far) const;
  bool lies_at(const External& external, const Layout& layout, const Place& place) const;
  const Layout* layout_at(const External& external, const Place& place) const;
  std::optional<capture::Trace> trace_at(const Place& place) const;
  std::vector<int64_t> points_on(size_t axis) const;
  bool fit(Compile compile);
  std::optional<Place> nearest_place(const capture::Trace& trace) const;
  // Where on the axes the trace lies; nothing if it does not.
  std::optional<Place> place_of(const capture::Trace& trace) const;

  capture::Trace base_;    // at 0
  bool by_attrs_ = false;  // no external changes its sizes: attributes do
  Axes axes_;
  std::vector<int> moving_;
  std::vector<External> externals_;
  std::vector<Step> attr_steps_;
  std::vector<capture::ValueRef> roots_;  // of slots, when views move
  // Members lie from where on no size that changes is less than two, or from where on all have one
  // form, to the last that was tried.
  Place smallest_{}, largest_{};
  Polynomials numbers_;  // of the schedule, then of the trace's layouts
  std::shared_ptr<const runtime::Executor> executor_;
};

}  // namespace frit::engine

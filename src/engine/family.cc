// Finds the line through two traces, and what plans along it have in common.
#include "src/engine/family.h"

#include <algorithm>
#include <iterator>

#include "src/capture/moving.h"
#include "src/ops/infer.h"
#include "src/schedule/numbers.h"

namespace frit::engine {

using capture::Trace;
using capture::ValueRef;

namespace {

// Members that the schedule is made for, by their distance from the smallest one along each axis:
// below and above what counts as small anywhere. Where there are two axes, the first few, since all
// pairs are tried. The last is kFar or, where the family is found beyond a quarter of that,
// farther.
constexpr int64_t kNear[] = {0, 1, 7, 90};
constexpr size_t kFewOfThem = 3, kFewest = 3;
constexpr int64_t kFar = 5000;

bool is_canonical(const Layout* layout) {
  return layout == intern_contiguous(layout->dtype, layout->device, layout->sizes());
}

// What a trace's place on its line shows in: the sizes of externals, then the attributes.
std::vector<int64_t> sizes_of(const Trace& trace) {
  std::vector<int64_t> sizes;
  for (size_t e = 0; e < trace.num_externals(); ++e) {
    const IntArrayRef list = trace.externals[e]->sizes();
    sizes.insert(sizes.end(), list.begin(), list.end());
  }
  return sizes;
}

// The first t from which on a size that grows by `step` is two or more.
int64_t first_of_two(int64_t size, int64_t step) {
  return size >= 2 ? -((size - 2) / step) : (2 - size + step - 1) / step;
}

std::vector<ValueRef> roots_of(const Trace& trace) {
  std::vector<ValueRef> roots;
  for (const capture::SlotInfo& slot : trace.slots) roots.push_back(slot.root);
  return roots;
}

// What the calls make, besides what is made of it.
void add_layouts(const Trace& trace, std::vector<int64_t>* numbers) {
  for (const capture::SlotInfo& slot : trace.slots) {
    numbers->insert(numbers->end(), slot.layout->dims, slot.layout->dims + 2 * slot.layout->rank);
    numbers->push_back(slot.offset);
  }
}

std::vector<int64_t> numbers_of_member(const Schedule& schedule, const Trace& trace) {
  std::vector<int64_t> numbers = numbers_of(schedule);
  add_layouts(trace, &numbers);
  return numbers;
}

// Says what all calls make from the externals' layouts. False where the rules do not.
bool infer_all(Trace* trace) {
  for (const capture::TraceOp& op : trace->ops) {
    std::vector<OperandType> operands;
    for (ValueRef ref : trace->operands_of(op)) {
      OperandType& operand = operands.emplace_back();
      const auto index = static_cast<size_t>(ref.index());
      if (ref.kind() == ValueRef::Kind::kSlot) operand.layout = trace->slots[index].layout;
      if (ref.kind() == ValueRef::Kind::kExternal) operand.layout = trace->externals[index];
      if (ref.kind() == ValueRef::Kind::kScalar) operand.scalar = trace->scalars[index];
    }
    const ResultTypes types = infer(op.op, operands, Attrs(trace->attrs_of(op)));
    bool known = types.count == op.num_results;
    for (int i = 0; i < types.count; ++i) known = known && types.results[i].layout->interned();
    if (!known) {
      for (int i = 0; i < types.count; ++i) release_layout(types.results[i].layout);
      return false;
    }
    capture::set_slots(trace, op, types);
  }
  return true;
}

// Whether a slice ends beyond what it is of; in `base` not yet.
bool ends_beyond(const Trace& trace, const Trace& base) {
  const auto beyond = [](const Trace& t, const capture::TraceOp& op) {
    const ValueRef of = t.operand(op, 0);
    const auto index = static_cast<size_t>(of.index());
    const Layout* layout =
        of.kind() == ValueRef::Kind::kSlot ? t.slots[index].layout : t.externals[index];
    const Attrs attrs(t.attrs_of(op));
    const int64_t dim = int_attr(op.op, attrs, "dim");
    return int_attr(op.op, attrs, "end") > layout->dims[dim < 0 ? dim + layout->rank : dim];
  };
  for (size_t i = 0; i < trace.ops.size(); ++i)
    if (trace.ops[i].op == Op::slice && beyond(trace, trace.ops[i]) && !beyond(base, base.ops[i]))
      return true;
  return false;
}

// Of the attributes of ops whose views are not to move.
std::vector<int64_t> fixed_attrs(const Trace& trace, const std::vector<int>& moving) {
  std::vector<int64_t> attrs;
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    if (std::binary_search(moving.begin(), moving.end(), static_cast<int>(i))) continue;
    const IntArrayRef own = trace.attrs_of(trace.ops[i]);
    attrs.insert(attrs.end(), own.begin(), own.end());
  }
  return attrs;
}

}  // namespace

std::shared_ptr<const Family> Family::find(const Trace& a, const Trace& b,
                                           const std::vector<int>& moving,
                                           std::shared_ptr<const runtime::Executor> executor,
                                           Compile compile) {
  if (!capture::same_pattern(a, b)) return nullptr;
  std::vector<int64_t> sizes_a = sizes_of(a), sizes_b = sizes_of(b);
  const bool by_attrs = sizes_a == sizes_b;
  if (by_attrs) sizes_a = fixed_attrs(a, moving), sizes_b = fixed_attrs(b, moving);
  for (const auto find_axes : {Axes::independent, Axes::line}) {
    const std::shared_ptr<Family> family(new Family);
    family->moving_ = moving;
    family->by_attrs_ = by_attrs;
    family->executor_ = executor;
    const std::optional<Axes> axes = find_axes(sizes_a, sizes_b);
    if (axes && family->set_axes(a, b, *axes) && family->found_with(b, compile)) return family;
  }
  return nullptr;
}

bool Family::found_with(const Trace& b, Compile compile) {
  set_smallest();
  const std::optional<Place> place = place_of(b);
  if (!place) return false;
  Trace moved = b;
  capture::set_moving(&moved, moving_);
  const auto expected = numbers_of_member(executor_->schedule(), moved);
  // What is small may have a form of its own: then the family begins here.
  for (const Place& from : {smallest_, *place}) {
    set_range(from, *place);
    if (fit(compile) && numbers_.at(*place) == expected) return true;
  }
  return false;
}

bool Family::set_axes(const Trace& a, const Trace& b, const Axes& axes) {
  base_ = a;
  axes_ = axes;
  for (size_t e = 0; e < a.externals.size(); ++e) {
    const Layout &x = *a.externals[e], &y = *b.externals[e];
    External external{Change::kNone, &x, {}};
    if (&x != &y) {
      external.change =
          is_canonical(&x) && is_canonical(&y) ? Change::kContiguous : Change::kLinear;
      const size_t count = external.change == Change::kContiguous ? x.rank : 2 * x.rank;
      auto steps = axes.steps({x.dims, count}, {y.dims, count});
      if (!steps) return false;
      external.steps = std::move(*steps);
    }
    externals_.push_back(std::move(external));
  }
  for (size_t i = 0; i < a.ops.size(); ++i) {
    const IntArrayRef from = a.attrs_of(a.ops[i]), to = b.attrs_of(b.ops[i]);
    attr_steps_.resize(a.ops[i].first_attr + from.size());
    for (size_t k = 0; k < from.size(); ++k) {
      const std::optional<Step> step = axes.step(from[k], to[k]);
      if (!step && !moves(static_cast<int>(i))) return false;  // else it stays where it is
      attr_steps_[a.ops[i].first_attr + k] = step.value_or(Step{});
    }
  }
  return true;
}

bool Family::moves(int op) const { return std::binary_search(moving_.begin(), moving_.end(), op); }

template <class F>
void Family::visit_attrs(F visit) const {
  for (size_t i = 0; i < base_.ops.size(); ++i) {
    if (moves(static_cast<int>(i))) continue;
    const capture::TraceOp& op = base_.ops[i];
    for (size_t k = op.first_attr; k < op.first_attr + op.num_attrs; ++k) visit(k);
  }
}

void Family::set_smallest() {
  smallest_.fill(0);
  std::array<bool, kMaxAxes> known{};
  const auto keep_above_one = [&](int64_t size, const Step& step) {
    if (step.size == 0 || step.axis == Step::kProduct) return;
    const int64_t first = first_of_two(size, step.size);
    int64_t& smallest = smallest_[static_cast<size_t>(step.axis)];
    bool& seen = known[static_cast<size_t>(step.axis)];
    smallest = seen ? std::max(smallest, first) : first;
    seen = true;
  };
  for (const External& external : externals_)
    for (size_t d = 0; d < external.steps.size() && d < external.base->rank; ++d)
      keep_above_one(external.base->dims[d], external.steps[d]);
  if (by_attrs_) visit_attrs([&](size_t k) { keep_above_one(base_.attrs[k], attr_steps_[k]); });
}

void Family::set_range(const Place& from, const Place& place) {
  smallest_ = from;
  for (size_t axis = 0; axis < kMaxAxes; ++axis) {
    int64_t far = 0;
    if (__builtin_mul_overflow(place[axis] - from[axis], 4, &far)) far = place[axis] - from[axis];
    largest_[axis] = unclipped(axis, place, from[axis] + std::max(far, kFar));
  }
}

bool Family::clips_at(const Place& place) const try {
  const std::optional<Trace> trace = trace_at(place);
  return !trace || ends_beyond(*trace, base_);
} catch (const Error&) {  // no valid program
  return true;
}

// The last place along the axis, up to `far`, where no slice ends beyond what it is of.
int64_t Family::unclipped(size_t axis, Place place, int64_t far) const {
  int64_t good = place[axis], bad = far + 1;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    place[axis] = middle;
    (clips_at(place) ? bad : good) = middle;
  }
  return good;
}

// Of the same dtype and rank.
bool Family::lies_at(const External& external, const Layout& layout, const Place& place) const {
  if (external.change == Change::kNone) return &layout == external.base;
  for (size_t d = 0; d < external.steps.size(); ++d)
    if (layout.dims[d] != axes_.number_at(external.base->dims[d], external.steps[d], place))
      return false;
  return external.change == Change::kLinear ||
         layout.strides() == contiguous_strides(layout.sizes()).ref();
}

// Throws where there is no such layout.
const Layout* Family::layout_at(const External& external, const Place& place) const {
  if (external.change == Change::kNone) return external.base;
  Dims sizes, strides;
  const size_t rank = external.base->rank;
  const auto dim_at = [&](size_t d) {
    return axes_.number_at(external.base->dims[d], external.steps[d], place);
  };
  for (size_t d = 0; d < rank; ++d) sizes.push_back(dim_at(d));
  const Dtype dtype = external.base->dtype;
  if (external.change == Change::kContiguous)
    return intern_contiguous(dtype, external.base->device, sizes);
  for (size_t d = rank; d < 2 * rank; ++d) {
    strides.push_back(dim_at(d));
    if (strides[d - rank] < 0) throw Error(ErrorKind::kValue, "a stride would be negative");
  }
  return intern_layout(dtype, external.base->device, sizes, strides);
}

std::optional<Trace> Family::trace_at(const Place& place) const {
  Trace trace = base_;
  for (size_t e = 0; e < externals_.size(); ++e) {
    trace.externals[e] = layout_at(externals_[e], place);
    if (!trace.externals[e]->interned()) {
      release_layout(trace.externals[e]);
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < trace.attrs.size(); ++i)
    trace.attrs[i] = axes_.number_at(trace.attrs[i], attr_steps_[i], place);
  if (!infer_all(&trace) || roots_of(trace) != roots_of(base_)) return std::nullopt;
  capture::set_moving(&trace, moving_);
  return trace;
}

// The points that are tried along one axis.
std::vector<int64_t> Family::points_on(size_t axis) const {
  if (axis >= static_cast<size_t>(axes_.count())) return {0};
  std::vector<int64_t> points;
  for (int64_t distance :
       std::span(kNear).first(axes_.count() == 1 ? std::size(kNear) : kFewOfThem))
    if (smallest_[axis] + distance < largest_[axis]) points.push_back(smallest_[axis] + distance);
  points.push_back(largest_[axis]);
  return points;
}

bool Family::fit(Compile compile) try {
  const Polynomials::Points points{points_on(0), points_on(1)};
  for (int axis = 0; axis < axes_.count(); ++axis)
    if (points[static_cast<size_t>(axis)].size() < kFewest) return false;
  std::vector<std::vector<int64_t>> numbers;
  for (int64_t t0 : points[0])
    for (int64_t t1 : points[1]) {
      const std::optional<Trace> trace = trace_at({t0, t1});
      if (!trace) return false;
      const std::optional<Schedule> schedule = compile(*trace);
      if (!schedule || !same_but_for_numbers(*schedule, executor_->schedule())) return false;
      roots_ = roots_of(*trace);
      numbers.push_back(numbers_of_member(*schedule, *trace));
    }
  std::optional<Polynomials> fitted = Polynomials::through(points, numbers);
  if (fitted) numbers_ = std::move(*fitted);
  return fitted.has_value();
} catch (const Error&) {  // some member is no valid program
  return false;
}

// By the first number that changes along each axis.
std::optional<Place> Family::nearest_place(const Trace& trace) const {
  std::array<bool, kMaxAxes> known{};
  Place place{};
  bool fits = true;
  const auto take = [&](int64_t base, int64_t number, const Step& step) {
    if (step.size == 0 || step.axis == Step::kProduct) return;
    const auto axis = static_cast<size_t>(step.axis);
    if (known[axis]) return;
    const std::optional<int64_t> steps = steps_between(base, number, step.size);
    fits = fits && steps.has_value();
    place[axis] = steps.value_or(0);
    known[axis] = true;
  };
  for (size_t e = 0; e < externals_.size(); ++e)
    for (size_t d = 0; d < externals_[e].steps.size(); ++d)
      take(externals_[e].base->dims[d], trace.externals[e]->dims[d], externals_[e].steps[d]);
  visit_attrs([&](size_t k) { take(base_.attrs[k], trace.attrs[k], attr_steps_[k]); });
  if (!fits) return std::nullopt;
  return place;
}

std::optional<Place> Family::place_of(const Trace& trace) const {
  const std::optional<Place> place = nearest_place(trace);
  if (!place) return std::nullopt;
  for (size_t axis = 0; axis < kMaxAxes; ++axis)
    if ((*place)[axis] < smallest_[axis]) return std::nullopt;
  for (size_t e = 0; e < externals_.size(); ++e)
    if (!lies_at(externals_[e], *trace.externals[e], *place)) return std::nullopt;
  bool fits = true;
  visit_attrs([&](size_t k) {
    fits = fits && trace.attrs[k] == axes_.number_at(base_.attrs[k], attr_steps_[k], *place);
  });
  if (!fits) return std::nullopt;
  return place;
}

std::unique_ptr<runtime::Executor> Family::executor_for(const Trace& trace) const {
  if (trace.ops.size() != base_.ops.size() || trace.num_externals() != externals_.size() ||
      capture::moving_ops(trace) != moving_ || roots_of(trace) != roots_)
    return nullptr;
  const std::optional<Place> place = place_of(trace);
  if (!place) return nullptr;
  for (size_t axis = 0; axis < kMaxAxes; ++axis)
    if ((*place)[axis] > largest_[axis]) return nullptr;
  std::vector<int64_t> numbers = numbers_.at(*place), layouts;
  add_layouts(trace, &layouts);
  if (!std::ranges::equal(layouts, std::span(numbers).last(layouts.size()))) return nullptr;
  numbers.resize(numbers.size() - layouts.size());
  return runtime::Executor::resized(*executor_, with_numbers(executor_->schedule(), numbers));
}

}  // namespace frit::engine

// Finds the line through two traces, and what plans along it have in common.
#include "src/engine/family.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "src/capture/moving.h"
#include "src/ops/infer.h"
#include "src/schedule/numbers.h"

namespace frit::engine {

using capture::Trace;
using capture::ValueRef;

namespace {

// Members that the schedule is made for, by their distance from the smallest one: below and above
// what counts as small anywhere. The last is kFar or, where the family is found beyond a quarter of
// that, farther.
constexpr int64_t kNear[] = {0, 1, 7, 90};
constexpr int64_t kFar = 5000;

// Larger numbers are on no line: so large an end of a slice stands for the last element, and with
// these nothing overflows.
constexpr int64_t kMost = int64_t{1} << 30;
bool is_counted(int64_t number) { return -kMost < number && number < kMost; }

bool is_canonical(const Layout* layout) {
  return layout == intern_contiguous(layout->dtype, layout->device, layout->sizes());
}

// How many steps of `unit` lead from `a` to `b`; nothing where none do.
std::optional<int64_t> steps_between(int64_t a, int64_t b, int64_t unit) {
  if (a == b) return 0;
  if (!is_counted(a) || !is_counted(b) || (b - a) % unit != 0) return std::nullopt;
  return (b - a) / unit;
}

// The same for each number; empty where one has none.
std::vector<int64_t> steps_between(IntArrayRef a, IntArrayRef b, int64_t unit) {
  std::vector<int64_t> steps;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int64_t> count = steps_between(a[i], b[i], unit);
    if (!count) return {};
    steps.push_back(*count);
  }
  return steps;
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

// The largest step of which all changes are multiples, positive where numbers grow; 0 where none
// changes, or some grow and some shrink, or some are not counted.
int64_t unit_of(std::span<const int64_t> a, std::span<const int64_t> b) {
  int64_t unit = 0;
  bool grows = false, shrinks = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int64_t> way = steps_between(a[i], b[i], 1);
    if (!way) return 0;
    unit = std::gcd(unit, *way);
    grows = grows || b[i] > a[i];
    shrinks = shrinks || b[i] < a[i];
  }
  if (grows && shrinks) return 0;
  return shrinks ? -unit : unit;
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

}  // namespace

std::shared_ptr<const Family> Family::find(const Trace& a, const Trace& b,
                                           const std::vector<int>& moving,
                                           std::shared_ptr<const runtime::Executor> executor,
                                           Compile compile) {
  const std::shared_ptr<Family> family(new Family);
  family->moving_ = moving;
  family->executor_ = std::move(executor);
  if (!capture::same_pattern(a, b) || !family->set_line(a, b)) return nullptr;
  family->set_smallest();
  const std::optional<int64_t> place = family->place_of(b);
  if (!place) return nullptr;
  Trace moved = b;
  capture::set_moving(&moved, moving);
  const auto expected = numbers_of_member(family->executor_->schedule(), moved);
  // What is small may have a form of its own: then the family begins here.
  for (const int64_t from : {family->smallest_, *place}) {
    family->set_range(from, *place);
    if (family->fit(compile) && family->numbers_.at(*place) == expected) return family;
  }
  return nullptr;
}

bool Family::set_line(const Trace& a, const Trace& b) {
  const std::vector<int64_t> sizes_a = sizes_of(a), sizes_b = sizes_of(b);
  by_attrs_ = sizes_a == sizes_b;
  const int64_t unit = by_attrs_ ? unit_of(a.attrs, b.attrs) : unit_of(sizes_a, sizes_b);
  if (unit == 0) return false;
  base_ = a;
  for (size_t e = 0; e < a.externals.size(); ++e) {
    const Layout &x = *a.externals[e], &y = *b.externals[e];
    External external{Change::kNone, &x, {}};
    if (&x != &y) {
      external.change =
          is_canonical(&x) && is_canonical(&y) ? Change::kContiguous : Change::kLinear;
      const size_t count = external.change == Change::kContiguous ? x.rank : 2 * x.rank;
      external.steps = steps_between({x.dims, count}, {y.dims, count}, unit);
      if (external.steps.empty()) return false;
    }
    externals_.push_back(std::move(external));
  }
  attr_steps_ = steps_between(a.attrs, b.attrs, unit);
  return a.attrs.empty() || !attr_steps_.empty();
}

void Family::set_smallest() {
  smallest_ = std::numeric_limits<int64_t>::min();
  const auto keep_above_one = [&](int64_t size, int64_t step) {
    if (step != 0) smallest_ = std::max(smallest_, first_of_two(size, step));
  };
  for (const External& external : externals_)
    for (size_t d = 0; d < external.steps.size() && d < external.base->rank; ++d)
      keep_above_one(external.base->dims[d], external.steps[d]);
  for (size_t i = 0; i < attr_steps_.size() && by_attrs_; ++i)
    keep_above_one(base_.attrs[i], attr_steps_[i]);
}

void Family::set_range(int64_t from, int64_t place) {
  smallest_ = from;
  int64_t far = 0;
  if (__builtin_mul_overflow(place - smallest_, 4, &far)) far = place - smallest_;
  largest_ = smallest_ + std::max(far, kFar);
}

// Of the same dtype and rank.
bool Family::lies_at(const External& external, const Layout& layout, int64_t t) {
  if (external.change == Change::kNone) return &layout == external.base;
  for (size_t d = 0; d < external.steps.size(); ++d)
    if (layout.dims[d] != external.base->dims[d] + external.steps[d] * t) return false;
  return external.change == Change::kLinear ||
         layout.strides() == contiguous_strides(layout.sizes()).ref();
}

// Throws where there is no such layout.
const Layout* Family::layout_at(const External& external, int64_t t) const {
  if (external.change == Change::kNone) return external.base;
  Dims sizes, strides;
  const size_t rank = external.base->rank;
  const auto dim_at = [&](size_t d) { return external.base->dims[d] + external.steps[d] * t; };
  for (size_t d = 0; d < rank; ++d) sizes.push_back(dim_at(d));
  const Dtype dtype = external.base->dtype;
  if (external.change == Change::kContiguous)
    return intern_contiguous(dtype, external.base->device, sizes);
  for (size_t d = rank; d < 2 * rank; ++d) strides.push_back(dim_at(d));
  return intern_layout(dtype, external.base->device, sizes, strides);
}

std::optional<Trace> Family::trace_at(int64_t t) const {
  Trace trace = base_;
  for (size_t e = 0; e < externals_.size(); ++e) {
    trace.externals[e] = layout_at(externals_[e], t);
    if (!trace.externals[e]->interned()) {
      release_layout(trace.externals[e]);
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < trace.attrs.size(); ++i) trace.attrs[i] += attr_steps_[i] * t;
  if (!infer_all(&trace) || roots_of(trace) != roots_of(base_)) return std::nullopt;
  capture::set_moving(&trace, moving_);
  return trace;
}

bool Family::fit(Compile compile) try {
  std::vector<int64_t> points;
  std::vector<std::vector<int64_t>> numbers;
  for (int64_t distance : kNear) points.push_back(smallest_ + distance);
  points.push_back(largest_);
  for (int64_t point : points) {
    const std::optional<Trace> trace = trace_at(point);
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

// By the first number that changes.
std::optional<int64_t> Family::nearest_place(const Trace& trace) const {
  for (size_t e = 0; e < externals_.size(); ++e)
    for (size_t d = 0; d < externals_[e].steps.size(); ++d)
      if (const int64_t step = externals_[e].steps[d]; step != 0)
        return steps_between(externals_[e].base->dims[d], trace.externals[e]->dims[d], step);
  for (size_t i = 0; i < attr_steps_.size(); ++i)
    if (attr_steps_[i] != 0) return steps_between(base_.attrs[i], trace.attrs[i], attr_steps_[i]);
  return std::nullopt;
}

std::optional<int64_t> Family::place_of(const Trace& trace) const {
  const std::optional<int64_t> place = nearest_place(trace);
  if (!place || *place < smallest_) return std::nullopt;
  for (size_t e = 0; e < externals_.size(); ++e)
    if (!lies_at(externals_[e], *trace.externals[e], *place)) return std::nullopt;
  std::vector<bool> moves(base_.ops.size());
  for (int op : moving_) moves[static_cast<size_t>(op)] = true;
  for (size_t i = 0; i < base_.ops.size(); ++i) {
    const capture::TraceOp& op = base_.ops[i];
    for (uint32_t k = op.first_attr; k < op.first_attr + op.num_attrs && !moves[i]; ++k)
      if (trace.attrs[k] != base_.attrs[k] + attr_steps_[k] * *place) return std::nullopt;
  }
  return place;
}

std::unique_ptr<runtime::Executor> Family::executor_for(const Trace& trace) const {
  if (trace.ops.size() != base_.ops.size() || trace.num_externals() != externals_.size() ||
      capture::moving_ops(trace) != moving_ || roots_of(trace) != roots_)
    return nullptr;
  const std::optional<int64_t> place = place_of(trace);
  if (!place || *place > largest_) return nullptr;
  std::vector<int64_t> numbers = numbers_.at(*place), layouts;
  add_layouts(trace, &layouts);
  if (!std::ranges::equal(layouts, std::span(numbers).last(layouts.size()))) return nullptr;
  numbers.resize(numbers.size() - layouts.size());
  return runtime::Executor::resized(*executor_, with_numbers(executor_->schedule(), numbers));
}

}  // namespace frit::engine

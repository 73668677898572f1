// One walk over a schedule serves reading its numbers and setting them.
#include "src/schedule/numbers.h"

#include <algorithm>

#include "frit/error.h"
#include "src/base/check.h"
#include "src/schedule/place_buffers.h"

namespace frit {
namespace {

// Calls `layout(l)` for each layout, which may be null, and `number(n)` for each other number.
template <class AnySchedule, class OnLayout, class OnNumber>
void visit(AnySchedule* schedule, OnLayout layout, OnNumber number) {
  for (auto& buffer : schedule->buffers) layout(buffer.layout);
  for (auto& view : schedule->views) {
    layout(view.layout);
    number(view.offset);
  }
  for (auto& step : schedule->steps) {
    if (auto* kernel = std::get_if<KernelStep>(&step)) {
      for (auto& word : kernel->words) number(word.immediate);
      for (auto& check : kernel->checks) {
        for (auto& attr : check.op.attrs) number(attr);
        for (auto& arg : check.op.args) layout(arg.layout);
        for (auto& range : check.ranges) {
          number(range.lowest);
          number(range.size);
        }
      }
      number(kernel->outer_size);
      number(kernel->work);
    } else {
      for (auto& attr : std::get<OpStep>(step).attrs) number(attr);
    }
  }
}

const Layout* other_layout(const Layout& like, IntArrayRef sizes, IntArrayRef strides) {
  const Layout* layout = intern_layout(like.dtype, like.device, sizes, strides);
  if (layout->interned()) return layout;
  release_layout(layout);
  throw Error(ErrorKind::kOutOfMemory, "schedule: no more layouts are kept");
}

bool same_kind(const Layout* a, const Layout* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->dtype == b->dtype && a->device == b->device && a->rank == b->rank;
}

bool same_buffer(const ScheduleBuffer& a, const ScheduleBuffer& b) {
  return a.kind == b.kind && a.index == b.index && same_kind(a.layout, b.layout);
}

bool same_view(const ScheduleView& a, const ScheduleView& b) {
  return a.buffer == b.buffer && same_kind(a.layout, b.layout);
}

bool same_word(const KernelWord& a, const KernelWord& b) {
  return a.kind == b.kind && a.index == b.index && a.dtype == b.dtype;
}

bool same_arg(const OpStep::Arg& a, const OpStep::Arg& b) {
  return a.view == b.view && a.scalar == b.scalar && same_kind(a.layout, b.layout) &&
         a.literal.identical(b.literal);
}

bool same_op(const OpStep& a, const OpStep& b) {
  return a.op == b.op && a.attrs.size() == b.attrs.size() && a.results == b.results &&
         std::ranges::equal(a.args, b.args, same_arg);
}

bool same_range(const IndexCheck::Range& a, const IndexCheck::Range& b) { return a.view == b.view; }

bool same_check(const IndexCheck& a, const IndexCheck& b) {
  return a.is_calls == b.is_calls && same_op(a.op, b.op) &&
         std::ranges::equal(a.ranges, b.ranges, same_range);
}

bool same_step(const ScheduleStep& a, const ScheduleStep& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<KernelStep>(&a)) {
    const auto& y = std::get<KernelStep>(b);
    return x->in_order == y.in_order && std::ranges::equal(x->words, y.words, same_word) &&
           std::ranges::equal(x->checks, y.checks, same_check) &&
           x->kernel->print() == y.kernel->print();
  }
  return same_op(std::get<OpStep>(a), std::get<OpStep>(b));
}

}  // namespace

std::vector<int64_t> numbers_of(const Schedule& schedule) {
  std::vector<int64_t> numbers;
  visit(
      &schedule,
      [&](const Layout* layout) {
        if (layout == nullptr) return;
        numbers.insert(numbers.end(), layout->dims, layout->dims + 2 * layout->rank);
      },
      [&](int64_t number) { numbers.push_back(number); });
  return numbers;
}

bool same_but_for_numbers(const Schedule& a, const Schedule& b) {
  return a.refusal == b.refusal && a.output_views == b.output_views &&
         std::ranges::equal(a.buffers, b.buffers, same_buffer) &&
         std::ranges::equal(a.views, b.views, same_view) &&
         std::ranges::equal(a.steps, b.steps, same_step);
}

Schedule with_numbers(const Schedule& like, std::span<const int64_t> numbers) {
  Schedule schedule = like;
  const int64_t* next = numbers.data();
  visit(
      &schedule,
      [&](const Layout*& layout) {
        if (layout == nullptr) return;
        const size_t rank = layout->rank;
        const bool same = std::equal(next, next + 2 * rank, layout->dims);
        if (!same) layout = other_layout(*layout, {next, rank}, {next + rank, rank});
        next += 2 * rank;
      },
      [&](int64_t& number) { number = *next++; });
  FRIT_CHECK(next == numbers.data() + numbers.size()) << "numbers of another schedule";
  scheduling::place_buffers(&schedule);
  return schedule;
}

}  // namespace frit

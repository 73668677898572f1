// The numbers of a schedule: sizes, strides, offsets and attributes.
//
// Kernels have no sizes, so schedules of one graph at other sizes mostly differ in these only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/schedule/schedule.h"

namespace frit {

// In one list, without those of the arena.
std::vector<int64_t> numbers_of(const Schedule& schedule);
// Whether two schedules differ in nothing else.
bool same_but_for_numbers(const Schedule& a, const Schedule& b);
// The same steps with these numbers; temporaries are placed anew. Throws frit::Error where they are
// no layouts.
Schedule with_numbers(const Schedule& like, std::span<const int64_t> numbers);

}  // namespace frit

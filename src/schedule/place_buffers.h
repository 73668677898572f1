// Places a schedule's temporaries in one arena: two share bytes only where no step needs both.
#pragma once

#include "src/schedule/schedule.h"

namespace frit::scheduling {

// Sets arena_offset of every temporary (64-byte aligned) and arena_bytes.
void place_buffers(Schedule* schedule);

}  // namespace frit::scheduling

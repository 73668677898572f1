// How much memory there is.
#pragma once

#include <cstdint>

namespace frit::base {

// Bytes that this process can have at the most: the machine's memory, or its control group's limit
// where that is lower. The system grants more than that and kills who then writes to it, so whoever
// allocates by sizes that a file or a user names asks here first. Found once.
int64_t memory_limit();

}  // namespace frit::base

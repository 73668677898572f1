// How much memory there is.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace frit::base {

// Bytes that this process can have at the most: the machine's memory, or its control group's limit
// where that is lower (or that of a group which this one is in). The system grants more than that
// and kills who then writes to it, so whoever allocates by sizes that a file or a user names asks
// here first. Found once.
int64_t memory_limit();
// For tests.
void set_memory_limit(int64_t bytes);

// The lowest limit of the groups that `groups` (/proc/self/cgroup) lists and of all that they are
// in, where `mount` is the root of the groups' files. The highest int64_t where there is none.
int64_t group_memory_limit(std::istream& groups, const std::string& mount);

}  // namespace frit::base

// How much memory there is.
#pragma once

#include <atomic>
#include <cstdint>
#include <istream>
#include <new>
#include <string>

namespace frit::base {

// Bytes that this process can have at the most: the machine's memory, or its control group's limit
// where that is lower (or that of a group which this one is in). The system grants more than that
// and kills who then writes to it, so whoever allocates by sizes that a file or a user names asks
// here first. Found once.
int64_t memory_limit();
// For tests.
void set_memory_limit(int64_t bytes);

// For tests: asked before memory for values is taken; false makes that fail. Null: not asked.
using AllocationHook = bool (*)();
inline std::atomic<AllocationHook> allocation_hook{nullptr};
inline bool allows_allocation() {
  const AllocationHook hook = allocation_hook.load(std::memory_order_relaxed);
  return __builtin_expect(hook == nullptr, true) || hook();
}

// Throws frit::Error of kind out_of_memory.
[[noreturn]] void throw_out_of_memory(const char* what);

// What fn gives. Users see one kind of error where memory is short, whatever it was for.
template <class Fn>
decltype(auto) with_memory_errors(Fn fn) {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory("frit");
  }
}

// The lowest limit of the groups that `groups` (/proc/self/cgroup) lists and of all that they are
// in, where `mount` is the root of the groups' files. The highest int64_t where there is none.
int64_t group_memory_limit(std::istream& groups, const std::string& mount);

}  // namespace frit::base

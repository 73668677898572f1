// The switches of flags.def, read from the environment once.
//
//   if (flags().shadow) ...
//
// This is the only reader of the environment. A value that does not parse is reported on stderr and
// the default is used.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "src/base/cpu.h"

namespace frit {

enum class JitMode : uint8_t { kOff, kRecord, kOn };

namespace base {

enum class LogCategory : uint8_t {
#define FRIT_LOG_CATEGORY(name, what) name,
#include "src/base/log.def"
};

enum class Skippable : uint8_t {
#define FRIT_SKIPPABLE(name, what) name,
#include "src/base/skip.def"
};

// A set of a table's names, given as a list of them.
template <class Name>
class NameSet {
 public:
  void add(Name name) { bits_ |= 1u << static_cast<int>(name); }
  bool has(Name name) const { return (bits_ >> static_cast<int>(name) & 1) != 0; }

 private:
  uint32_t bits_ = 0;
};
using LogSet = NameSet<LogCategory>;
using SkipSet = NameSet<Skippable>;

// Numbers from `first` to `last`, both included.
struct NumberRange {
  uint64_t first = 0, last = UINT64_MAX;
  bool has(uint64_t number) const { return first <= number && number <= last; }
};

struct Flags {
#define FRIT_FLAG(name, type, default_value, values, doc) type name = default_value;
#include "src/base/flags.def"
#undef FRIT_FLAG
};

// What a list may name: "trace,guard,abort,compile,plugin".
std::string log_categories();
std::string skippables();

namespace detail {
extern constinit std::atomic<Flags*> flags_of_process;  // null before the first call
Flags& first_flags();
}  // namespace detail

// Reads the environment anew, for tests.
Flags read_flags();

// For tests and for public setters (jit_mode, set_num_threads); not while other threads run ops.
inline Flags& mutable_flags() {
  Flags* const flags = detail::flags_of_process.load(std::memory_order_acquire);
  return __builtin_expect(flags != nullptr, true) ? *flags : detail::first_flags();
}

// The flags of this process. Read on the first call.
inline const Flags& flags() { return mutable_flags(); }

// One line a flag: variable, accepted values, default, meaning. What `frit flags` prints.
std::string describe_flags();

}  // namespace base
}  // namespace frit

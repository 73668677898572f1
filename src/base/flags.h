// The switches of flags.def, read from the environment once.
//
//   if (flags().shadow) ...
//
// This is the only reader of the environment. A value that does not parse is reported on stderr and
// the default is used.
#pragma once

#include <string>

#include "src/base/cpu.h"

namespace frit {

enum class JitMode : uint8_t { kOff, kRecord, kOn };

namespace base {

struct Flags {
#define FRIT_FLAG(name, type, default_value, values, doc) type name = default_value;
#include "src/base/flags.def"
#undef FRIT_FLAG
};

// The flags of this process. Read on the first call.
const Flags& flags();

// For tests and for public setters (jit_mode, set_num_threads); not while other threads run ops.
Flags& mutable_flags();

// One line a flag: variable, accepted values, default, meaning. What `frit flags` prints.
std::string describe_flags();

}  // namespace base
}  // namespace frit

// The scalar functions behind slow_lanes: what a sequence cannot do in a few instructions for every
// argument (reducing a huge angle, the remainder of a huge quotient). Eager kernels, interpreters
// and generated code call the same ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace frit::math {

enum class SlowFn : uint8_t {
#define FRIT_SLOW(enumerator, text, type, arguments) enumerator,
#include "src/ops/math/slow.def"
};

using SlowF32 = float (*)(float x, float y);
using SlowF64 = double (*)(double x, double y);

// The function; it is of the type that slow.def says, else null.
SlowF32 slow_f32(SlowFn fn);
SlowF64 slow_f64(SlowFn fn);

std::string_view name(SlowFn fn);
int num_arguments(SlowFn fn);

}  // namespace frit::math

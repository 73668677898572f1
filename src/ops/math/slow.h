// The scalar functions behind slow_lanes: what a sequence cannot do in a few instructions for every
// argument (reducing a huge angle, the remainder of a huge quotient, a power of integers). Eager
// kernels, interpreters and generated code call the same ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace frit::math {

enum class SlowFn : uint8_t {
#define FRIT_SLOW(enumerator, function, type, arguments) enumerator,
#include "src/ops/math/slow.def"
};

template <class T>
using SlowFunction = T (*)(T x, T y);

// The function of T, which is float, double, int32_t or int64_t, if that is the type that slow.def
// says, else null.
template <class T>
SlowFunction<T> slow_function(SlowFn fn);

std::string_view name(SlowFn fn);
int num_arguments(SlowFn fn);

}  // namespace frit::math

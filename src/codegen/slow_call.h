// Calls from generated code to C++: the cold path of slow_lanes, and what long reductions do once
// per block.
#pragma once

#include "src/codegen/emitter.h"
#include "src/ops/math/slow.h"

namespace frit::codegen {

// One slow_lanes: result = mask ? fn(x, y) : otherwise. The numbers are vector registers.
struct SlowSite {
  math::SlowFn fn;
  math::Type type;
  int lanes;
  int otherwise, x, y, result;
};

// Emits the test in line and the call behind the function. Uses up rcx. All other registers but the
// result's keep their values.
void emit_slow_call(Assembly& assembly, Emitter& emitter, int mask, const SlowSite& site);

// Calls fn(rsp + first, rsp + second), registers saved and restored around it.
using FrameFunction = void (*)(void* first, const void* second);
void emit_frame_call(Assembly& assembly, FrameFunction fn, int first, int second);

}  // namespace frit::codegen

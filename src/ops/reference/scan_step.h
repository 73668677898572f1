// The steps of scans by op and dtype, for all that goes from one element to the next by itself.
#pragma once

#include <type_traits>

#include "src/base/check.h"
#include "src/ops/math/scan.h"
#include "src/ops/op.h"

namespace frit::reference {

// Whether an op's values are a scan, and of this dtype: the small ints are scanned as i32, f16 and
// bf16 as f32.
inline bool is_scan_step(Op op, Dtype dtype) {
  if (op == Op::logcumsumexp) return dtype == kFloat32 || dtype == kFloat64;
  const bool number = dtype == kFloat32 || dtype == kFloat64 || dtype == kInt64 || dtype == kInt32;
  return number && (op == Op::cumsum || op == Op::cumprod || op == Op::cummax || op == Op::cummin);
}

// fn(Step()), where Step::Type, Step::first() and Step::next(so_far, x) are those of the op.
template <class T, class Fn>
auto with_step_of(Op op, Fn fn) {
  if constexpr (std::is_floating_point_v<T>)
    if (op == Op::logcumsumexp) return fn(math::RunningLogSum<T>());
  if (op == Op::cumsum) return fn(math::RunningSum<T>());
  if (op == Op::cumprod) return fn(math::RunningProduct<T>());
  if (op == Op::cummax) return fn(math::RunningMax<T>());
  FRIT_CHECK(op == Op::cummin) << name(op) << " is no scan";
  return fn(math::RunningMin<T>());
}

template <class Fn>
auto with_scan_step(Op op, Dtype dtype, Fn fn) {
  FRIT_CHECK(is_scan_step(op, dtype)) << name(op) << " of " << name(dtype);
  if (dtype == kFloat32) return with_step_of<float>(op, fn);
  if (dtype == kFloat64) return with_step_of<double>(op, fn);
  if (dtype == kInt64) return with_step_of<int64_t>(op, fn);
  return with_step_of<int32_t>(op, fn);
}

}  // namespace frit::reference

// Element by element, as the definition says.
#include "src/runtime/block_scan.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/base/wrapping.h"

namespace frit::runtime {
namespace {

template <class T, class Next>
void scan(Shape shape, ScanAlong along, T* to, const Elements& from, T* state, Next next) {
  const T* from_row = reinterpret_cast<const T*>(from.data);
  for (int64_t i = 0; i < shape.slow; ++i) {
    for (int64_t j = 0; j < shape.fast; ++j) {
      T& so_far = state[along == ScanAlong::kFast ? i : j];
      so_far = next(so_far, from_row[j * from.fast_stride]);
      *to++ = so_far;
    }
    from_row += from.slow_stride;
  }
}

template <class Fn>
void with_type(Dtype dtype, Fn fn) {
  switch (dtype) {
    case Dtype::kF32:
      return fn(float());
    case Dtype::kF64:
      return fn(double());
    case Dtype::kI64:
      return fn(int64_t());
    case Dtype::kI32:
      return fn(int32_t());
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kU8:
    case Dtype::kBool:
    case Dtype::kBF16:
    case Dtype::kF16:
      break;
  }
  FRIT_CHECK(false) << "a scan of " << name(dtype);
}

}  // namespace

void begin_scan(Op op, Dtype dtype, int64_t rows, std::byte* state) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(reinterpret_cast<T*>(state), rows, T(op == Op::sum ? 0 : 1));
  });
}

void scan_tile(Op op, Dtype dtype, Shape shape, ScanAlong along, std::byte* to, Elements from,
               std::byte* state) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = reinterpret_cast<T*>(to);
    T* so_far = reinterpret_cast<T*>(state);
    if (op == Op::sum) {
      scan(shape, along, out, from, so_far, wrapping_add<T>);
    } else {
      scan(shape, along, out, from, so_far, wrapping_mul<T>);
    }
  });
}

}  // namespace frit::runtime

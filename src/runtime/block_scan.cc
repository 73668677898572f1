// Element by element, as the definition says.
#include "src/runtime/block_scan.h"

#include <algorithm>

#include "src/ops/reference/scan_step.h"

namespace frit::runtime {
namespace {

template <class Step, class T>
void scan(Shape shape, ScanAlong along, T* to, const Elements& from, T* state) {
  const T* from_row = reinterpret_cast<const T*>(from.data);
  for (int64_t i = 0; i < shape.slow; ++i) {
    for (int64_t j = 0; j < shape.fast; ++j) {
      T& so_far = state[along == ScanAlong::kFast ? i : j];
      so_far = Step::next(so_far, from_row[j * from.fast_stride]);
      *to++ = so_far;
    }
    from_row += from.slow_stride;
  }
}

}  // namespace

void begin_scan(Op op, Dtype dtype, int64_t rows, std::byte* state) {
  reference::with_scan_step(op, dtype, [&](auto step) {
    using T = typename decltype(step)::Type;
    std::fill_n(reinterpret_cast<T*>(state), rows, decltype(step)::first());
  });
}

void scan_tile(Op op, Dtype dtype, Shape shape, ScanAlong along, std::byte* to, Elements from,
               std::byte* state) {
  reference::with_scan_step(op, dtype, [&](auto step) {
    using T = typename decltype(step)::Type;
    scan<decltype(step)>(shape, along, reinterpret_cast<T*>(to), from, reinterpret_cast<T*>(state));
  });
}

}  // namespace frit::runtime

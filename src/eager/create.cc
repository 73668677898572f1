// Tensors from scalars: full and arange.
#include <algorithm>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 15;

// start + i * step in the widest type of its kind, as PyTorch computes it, then the dtype's
// rounding.
template <class Wide>
void fill_range(const Layout& layout, std::byte* out, Wide start, Wide step) {
  const int size = byte_size(layout.dtype);
  base::parallel_for(layout.numel, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Wide value = start + static_cast<Wide>(i) * step;
      if constexpr (std::is_floating_point_v<Wide>) {
        store_element(layout.dtype, out + i * size, Scalar(value));
      } else {
        store_element(layout.dtype, out + i * size, Scalar(static_cast<int64_t>(value)));
      }
    }
  });
}

// The same for types that C++ rounds to. Indices are first + 0, 1, ..., exactly, since there are
// vector instructions for narrow integers only.
template <class T, class Wide>
void fill_plain_range(T* out, int64_t n, Wide start, Wide step) {
  constexpr int64_t kPiece = 1024;
  base::parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kPiece) {
      const auto count = static_cast<int32_t>(std::min(kPiece, end - first));
      const auto base = static_cast<Wide>(first);
      for (int32_t i = 0; i < count; ++i)
        out[first + i] = static_cast<T>(start + (base + static_cast<Wide>(i)) * step);
    }
  });
}

void fill_floats(const Layout& layout, std::byte* out, double start, double step) {
  if (layout.dtype == kFloat32)
    return fill_plain_range(reinterpret_cast<float*>(out), layout.numel, start, step);
  if (layout.dtype == kFloat64)
    return fill_plain_range(reinterpret_cast<double*>(out), layout.numel, start, step);
  fill_range<double>(layout, out, start, step);
}

void fill_integers(const Layout& layout, std::byte* out, uint64_t start, uint64_t step) {
  if (layout.dtype == kInt64)
    return fill_plain_range(reinterpret_cast<int64_t*>(out), layout.numel, start, step);
  fill_range<uint64_t>(layout, out, start, step);
}

}  // namespace

static void run_full(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  fill_elements(*out.impl()->layout, out.impl()->data, call.operands[0].scalar);
  results[0] = std::move(out);
}

static void run_arange(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Layout& layout = *out.impl()->layout;
  const Scalar start = call.operands[0].scalar, step = call.operands[1].scalar;
  if (is_floating_point(layout.dtype)) {
    fill_floats(layout, out.impl()->data, start.to_double(), step.to_double());
  } else {
    fill_integers(layout, out.impl()->data, static_cast<uint64_t>(start.to_int()),
                  static_cast<uint64_t>(step.to_int()));
  }
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(full, run_full)
FRIT_EAGER_KERNEL(arange, run_arange)

}  // namespace frit::eager

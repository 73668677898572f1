// Tensors from scalars: full and arange.
#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

// start + i * step in the widest type of its kind, as PyTorch computes it, then the dtype's
// rounding.
template <class Wide>
void fill_range(const Layout& layout, std::byte* out, Wide start, Wide step) {
  const int size = byte_size(layout.dtype);
  base::parallel_for(layout.numel, 1 << 15, [&](int64_t begin, int64_t end) {
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

}  // namespace

void run_full(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  fill_elements(*out.impl()->layout, out.impl()->data, call.operands[0].scalar);
  results[0] = std::move(out);
}

void run_arange(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Layout& layout = *out.impl()->layout;
  const Scalar start = call.operands[0].scalar, step = call.operands[1].scalar;
  if (is_floating_point(layout.dtype)) {
    fill_range<double>(layout, out.impl()->data, start.to_double(), step.to_double());
  } else {
    fill_range<uint64_t>(layout, out.impl()->data, static_cast<uint64_t>(start.to_int()),
                         static_cast<uint64_t>(step.to_int()));
  }
  results[0] = std::move(out);
}

}  // namespace frit::eager

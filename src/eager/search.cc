// searchsorted: where values would stand among sorted ones, by halving.
#include <algorithm>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/offsets.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 12;  // searches that are worth a thread

// As if NaN were larger than everything.
template <class T>
int64_t place_of(const T* sorted, int64_t n, T value, bool right) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const bool before = right ? !(sorted[middle] > value) : !(sorted[middle] >= value);
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

template <class T>
void search(const Tensor& sorted, const Tensor& values, bool right, int64_t* out) {
  const int64_t n = sorted.size(-1);
  const bool one_row = sorted.dim() == 1;
  const int64_t per_row = values.dim() == 0 ? 1 : std::max<int64_t>(values.size(-1), 1);
  const T* rows = reinterpret_cast<const T*>(sorted.impl()->data);
  const T* wanted = reinterpret_cast<const T*>(values.impl()->data);
  base::parallel_for(values.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = place_of(rows + (one_row ? 0 : i / per_row * n), n, wanted[i], right);
  });
}

}  // namespace

static void run_search(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Dtype dtype = call.operands[0].layout()->dtype;
  const Dtype wide = is_floating_point(dtype) ? kFloat64 : kInt64;
  const auto rows_in = [&](const Operand& x) {
    return to_contiguous(to_dtype(x.tensor, wide).impl());
  };
  const Tensor sorted = rows_in(call.operands[0]), values = rows_in(call.operands[1]);
  const bool right = int_attr(call.op, call.attrs, "right") != 0;
  if (out.numel() > 0) {
    if (wide == kFloat64)
      search<double>(sorted, values, right, offsets_of(out));
    else
      search<int64_t>(sorted, values, right, offsets_of(out));
  }
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(searchsorted, run_search)

}  // namespace frit::eager

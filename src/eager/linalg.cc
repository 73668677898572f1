// Linear algebra: each matrix of a batch by itself.
#include <algorithm>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/ops/matrix.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 12;  // multiplications that are worth a thread

// A row-major tensor's memory, matrix by matrix.
struct Matrices {
  std::byte* data = nullptr;
  int64_t step = 0;

  Matrices() = default;
  Matrices(const Tensor& t, int64_t count)
      : data(t.numel() == 0 ? nullptr : t.impl()->data),
        step(elements_of_one(*t.impl()->layout, count) * byte_size(t.dtype())) {}
  std::byte* at(int64_t i) const { return data == nullptr ? nullptr : data + i * step; }
};

}  // namespace

static void run_linalg(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const Layout& a = *call.operands[0].layout();
  const int64_t count = matrix_count(a), n = a.size(a.rank - 1), rows = a.size(a.rank - 2);
  Tensor kept[2];
  Matrices in[2], out[kMaxResults];
  for (int i = 0; i < types.count; ++i) results[i] = new_tensor(types.results[i].layout);
  if (count == 0) return;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    kept[i] = to_contiguous(call.operands[i].tensor);
    in[i] = Matrices(kept[i], count);
  }
  for (int i = 0; i < types.count; ++i) out[i] = Matrices(results[i], count);
  std::vector<int64_t> status(static_cast<size_t>(count));
  const int64_t work = std::max<int64_t>(1, rows * n * std::min(rows, n));
  base::parallel_for(count, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      MatrixMemory memory;
      for (int k = 0; k < 2; ++k) memory.operands[k] = in[k].at(i);
      for (int k = 0; k < kMaxResults; ++k) memory.results[k] = out[k].at(i);
      status[static_cast<size_t>(i)] = run_matrix(call, memory);
    }
  });
  for (int64_t i = 0; i < count; ++i)
    if (status[static_cast<size_t>(i)] != 0) fail_matrix(call, i, status[static_cast<size_t>(i)]);
}

FRIT_EAGER_KERNEL(inv, run_linalg)
FRIT_EAGER_KERNEL(solve, run_linalg)
FRIT_EAGER_KERNEL(solve_triangular, run_linalg)
FRIT_EAGER_KERNEL(lu_factor, run_linalg)
FRIT_EAGER_KERNEL(cholesky, run_linalg)
FRIT_EAGER_KERNEL(qr, run_linalg)
FRIT_EAGER_KERNEL(svd, run_linalg)
FRIT_EAGER_KERNEL(eigh, run_linalg)

}  // namespace frit::eager

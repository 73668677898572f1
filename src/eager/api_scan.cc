// Public scans and differences along a dimension.
#include "src/eager/api.h"

namespace frit {

using api::operand;

namespace {

Tensor scan(Op op, const Tensor& x, int64_t dim) {
  return call(op, {operand(op, x)}, Attrs().add(dim));
}

std::pair<Tensor, Tensor> find_extremes(Op op, const Tensor& x, int64_t dim) {
  const Operand operands[] = {operand(op, x)};
  Tensor results[2];
  dispatch({op, operands, Attrs().add(dim)}, results);
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace

Tensor cumsum(const Tensor& x, int64_t dim) { return scan(Op::cumsum, x, dim); }
Tensor cumprod(const Tensor& x, int64_t dim) { return scan(Op::cumprod, x, dim); }
Tensor logcumsumexp(const Tensor& x, int64_t dim) { return scan(Op::logcumsumexp, x, dim); }
std::pair<Tensor, Tensor> cummax(const Tensor& x, int64_t dim) {
  return find_extremes(Op::cummax, x, dim);
}
std::pair<Tensor, Tensor> cummin(const Tensor& x, int64_t dim) {
  return find_extremes(Op::cummin, x, dim);
}

Tensor diff(const Tensor& x, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  if (api::checked("diff", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "diff", x, "a 0-dim tensor has no neighbours");
  if (n < 0) api::fail(ErrorKind::kRuntime, "diff", x, api::text("negative order: ", n));
  const int64_t at = api::wrap_dim("diff", x, dim);
  if (n == 0) return clone(x);
  std::vector<Tensor> parts;
  for (const Tensor* part : {&prepend, &x, &append})
    if (part->defined()) parts.push_back(*part);
  Tensor y = parts.size() == 1 ? x : cat(parts, at);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t size = y.size(at), left = std::max<int64_t>(size - 1, 0);
    const Tensor after = narrow(y, at, size - left, left), before = narrow(y, at, 0, left);
    y = y.dtype() == kBool ? logical_xor(after, before) : sub(after, before);
  }
  return y;
}

}  // namespace frit

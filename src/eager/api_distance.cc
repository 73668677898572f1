// Public norms, distances and what is made of them.
#include <cmath>

#include "src/eager/api.h"

namespace frit {

using api::operand;

Tensor norm(const Tensor& x, const Scalar& p, IntArrayRef dims, bool keepdim) {
  return call(Op::norm, {operand(Op::norm, x), p}, api::dims_keepdim(dims, keepdim));
}

Tensor normalize(const Tensor& x, double p, int64_t dim, double eps) {
  return div(x, clamp(norm(x, p, {dim}, true), OptionalScalar(eps)));
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim, double eps) {
  constexpr Op kOp = Op::cosine_similarity;
  const std::vector<Tensor> both = broadcast_tensors({a, b});
  return call(kOp, {operand(kOp, both[0]), operand(kOp, both[1]), Scalar(eps)}, Attrs().add(dim));
}

Tensor cdist(const Tensor& a, const Tensor& b, double p) {
  return call(Op::cdist, {operand(Op::cdist, a), operand(Op::cdist, b), Scalar(p)});
}

Tensor dist(const Tensor& a, const Tensor& b, const Scalar& p) { return norm(sub(a, b), p); }

Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p, double eps, bool keepdim) {
  return norm(add(sub(a, b), eps), p, {-1}, keepdim);
}

Tensor cross(const Tensor& a, const Tensor& b, std::optional<int64_t> dim) {
  const std::vector<Tensor> both = broadcast_tensors({a, b});
  int64_t at = dim.value_or(0);
  if (!dim) {
    while (at < both[0].dim() && both[0].size(at) != 3) ++at;
    if (at == both[0].dim()) api::fail(ErrorKind::kRuntime, "cross", a, "no dimension has size 3");
  }
  if (a.dtype() != b.dtype()) {
    const Dtype dtype = promote_dtypes(a.dtype(), b.dtype());
    return cross(to(a, dtype), to(b, dtype), at);
  }
  return call(Op::cross, {both[0], both[1]}, Attrs().add(at));
}

Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  if (api::checked("instance_norm", x).dim() < 2)
    api::fail(ErrorKind::kRuntime, "instance_norm", x, "expected at least 2 dimensions");
  if (weight.defined() == bias.defined()) return group_norm(x, x.size(1), weight, bias, eps);
  const Tensor& one = weight.defined() ? weight : bias;
  return weight.defined() ? group_norm(x, x.size(1), weight, zeros_like(one), eps)
                          : group_norm(x, x.size(1), ones_like(one), bias, eps);
}

std::pair<Tensor, Tensor> var_mean(const Tensor& x, IntArrayRef dims, const Scalar& correction,
                                   bool keepdim) {
  return {var(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}
std::pair<Tensor, Tensor> std_mean(const Tensor& x, IntArrayRef dims, const Scalar& correction,
                                   bool keepdim) {
  return {frit::std(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right) {
  constexpr Op kOp = Op::searchsorted;
  return call(kOp, {operand(kOp, sorted), operand(kOp, values)}, Attrs().add(right));
}

Tensor bucketize(const Tensor& values, const Tensor& boundaries, bool right) {
  if (api::checked("bucketize", boundaries).dim() != 1)
    api::fail(ErrorKind::kRuntime, "bucketize", boundaries, "the boundaries are not 1-D");
  return searchsorted(boundaries, values, right);
}

}  // namespace frit

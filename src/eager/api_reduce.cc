// Public reductions, norms, and ops that order elements.
#include <cmath>
#include <limits>

#include "src/eager/api.h"

namespace frit {

using api::dims_keepdim;
using api::operand;

namespace {

Tensor reduce(Op op, const Tensor& x, IntArrayRef dims, bool keepdim) {
  return call(op, {operand(op, x)}, dims_keepdim(dims, keepdim));
}

Tensor arg_reduce(Op op, const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  const int64_t value = dim.value_or(0);
  return reduce(op, x, {&value, dim ? size_t{1} : size_t{0}}, keepdim);
}

}  // namespace

Tensor sum(const Tensor& x) { return reduce(Op::sum, x, {}, false); }
Tensor sum(const Tensor& x, IntArrayRef dims, bool keepdim) {
  return reduce(Op::sum, x, dims, keepdim);
}
Tensor prod(const Tensor& x) { return reduce(Op::prod, x, {}, false); }
Tensor prod(const Tensor& x, int64_t dim, bool keepdim) {
  return reduce(Op::prod, x, {dim}, keepdim);
}
Tensor mean(const Tensor& x) { return reduce(Op::mean, x, {}, false); }
Tensor mean(const Tensor& x, IntArrayRef dims, bool keepdim) {
  return reduce(Op::mean, x, dims, keepdim);
}
Tensor var(const Tensor& x, IntArrayRef dims, const Scalar& correction, bool keepdim) {
  return call(Op::var, {operand(Op::var, x), correction}, dims_keepdim(dims, keepdim));
}

// The root is taken of the f64 variance, before it is rounded.
Tensor std(const Tensor& x, IntArrayRef dims, const Scalar& correction, bool keepdim) {
  const Dtype dtype = api::checked("std", x).dtype();
  if (!is_floating_point(dtype))
    api::fail(ErrorKind::kRuntime, "std", x, "only floating point is supported");
  return to(sqrt(var(to(x, kFloat64), dims, correction, keepdim)), dtype);
}

Tensor logsumexp(const Tensor& x, IntArrayRef dims, bool keepdim) {
  const bool is_float = api::checked("logsumexp", x).is_floating_point();
  return reduce(Op::logsumexp, is_float ? x : to(x, kFloat32), dims, keepdim);
}
Tensor amax(const Tensor& x, IntArrayRef dims, bool keepdim) {
  return reduce(Op::amax, x, dims, keepdim);
}
Tensor amin(const Tensor& x, IntArrayRef dims, bool keepdim) {
  return reduce(Op::amin, x, dims, keepdim);
}
Tensor max(const Tensor& x) { return reduce(Op::amax, x, {}, false); }
Tensor min(const Tensor& x) { return reduce(Op::amin, x, {}, false); }

namespace {

// argmax has no bool.
Tensor orderable(const Tensor& x) { return x.dtype() == kBool ? to(x, kUInt8) : x; }

}  // namespace

std::pair<Tensor, Tensor> max(const Tensor& x, int64_t dim, bool keepdim) {
  Tensor indices = argmax(orderable(api::checked("max", x)), dim, keepdim);
  return {amax(x, {dim}, keepdim), std::move(indices)};
}

std::pair<Tensor, Tensor> min(const Tensor& x, int64_t dim, bool keepdim) {
  Tensor indices = argmin(orderable(api::checked("min", x)), dim, keepdim);
  return {amin(x, {dim}, keepdim), std::move(indices)};
}

Tensor max(const Tensor& a, const Tensor& b) { return maximum(a, b); }
Tensor min(const Tensor& a, const Tensor& b) { return minimum(a, b); }

Tensor argmax(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return arg_reduce(Op::argmax, x, dim, keepdim);
}
Tensor argmin(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return arg_reduce(Op::argmin, x, dim, keepdim);
}
Tensor any(const Tensor& x) { return reduce(Op::any, x, {}, false); }
Tensor any(const Tensor& x, int64_t dim, bool keepdim) {
  return reduce(Op::any, x, {dim}, keepdim);
}
Tensor all(const Tensor& x) { return reduce(Op::all, x, {}, false); }
Tensor all(const Tensor& x, int64_t dim, bool keepdim) {
  return reduce(Op::all, x, {dim}, keepdim);
}

Tensor softmax(const Tensor& x, int64_t dim) {
  return call(Op::softmax, {operand(Op::softmax, x)}, Attrs().add(dim));
}
Tensor log_softmax(const Tensor& x, int64_t dim) {
  return call(Op::log_softmax, {operand(Op::log_softmax, x)}, Attrs().add(dim));
}

namespace {

void check_normalized_shape(std::string_view op, const Tensor& x, IntArrayRef shape) {
  const IntArrayRef sizes = api::checked(op, x).sizes();
  const bool ends_so =
      !shape.empty() && shape.size() <= sizes.size() &&
      IntArrayRef(sizes.data() + sizes.size() - shape.size(), shape.size()) == shape;
  if (!ends_so)
    api::fail(ErrorKind::kRuntime, op, x, api::text("the last dimensions are not ", shape));
}

double epsilon(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::epsilon();
    case Dtype::kBF16:
      return 0x1p-7;
    case Dtype::kF16:
      return 0x1p-10;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

}  // namespace

Tensor layer_norm(const Tensor& x, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  check_normalized_shape("layer_norm", x, normalized_shape);
  const int64_t dims = static_cast<int64_t>(normalized_shape.size());
  if (weight.defined() && bias.defined())
    return call(Op::layer_norm, {x, Scalar(eps), weight, bias}, Attrs().add(true).add(dims));
  Tensor y = call(Op::layer_norm, {x, Scalar(eps)}, Attrs().add(false).add(dims));
  if (weight.defined()) return mul(y, weight);
  return bias.defined() ? add(y, bias) : y;
}

Tensor rms_norm(const Tensor& x, IntArrayRef normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  check_normalized_shape("rms_norm", x, normalized_shape);
  const int64_t dims = static_cast<int64_t>(normalized_shape.size());
  const Scalar added = eps.value_or(epsilon(x.dtype()));
  if (!weight.defined()) return call(Op::rms_norm, {x, added}, Attrs().add(false).add(dims));
  return call(Op::rms_norm, {x, added, weight}, Attrs().add(true).add(dims));
}

Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, double eps) {
  const Operand w = weight.defined() ? Operand(weight) : Operand(Scalar(1));
  const Operand b = bias.defined() ? Operand(bias) : Operand(Scalar(0));
  return call(Op::batch_norm,
              {operand(Op::batch_norm, x), w, b, operand(Op::batch_norm, running_mean),
               operand(Op::batch_norm, running_var), Scalar(eps)});
}

Tensor group_norm(const Tensor& x, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  const Operand operand = api::operand(Op::group_norm, x);
  if (weight.defined() != bias.defined())
    api::fail(ErrorKind::kRuntime, "group_norm", x, "weight and bias come both or not at all");
  if (!weight.defined())
    return call(Op::group_norm, {operand, Scalar(eps)}, Attrs().add(false).add(num_groups));
  return call(Op::group_norm, {operand, Scalar(eps), weight, bias},
              Attrs().add(true).add(num_groups));
}

std::pair<Tensor, Tensor> sort(const Tensor& x, int64_t dim, bool descending) {
  const Operand operands[] = {operand(Op::sort, x)};
  Tensor results[2];
  dispatch({Op::sort, operands, Attrs().add(descending).add(dim)}, results);
  return {std::move(results[0]), std::move(results[1])};
}

Tensor argsort(const Tensor& x, int64_t dim, bool descending) {
  return sort(x, dim, descending).second;
}

std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim, bool largest) {
  const Operand operands[] = {operand(Op::topk, x)};
  Tensor results[2];
  dispatch({Op::topk, operands, Attrs().add(dim).add(k).add(largest)}, results);
  return {std::move(results[0]), std::move(results[1])};
}

Tensor Tensor::softmax(int64_t dim) const { return frit::softmax(*this, dim); }
Tensor Tensor::sum() const { return frit::sum(*this); }
Tensor Tensor::sum(IntArrayRef dims, bool keepdim) const { return frit::sum(*this, dims, keepdim); }
Tensor Tensor::mean() const { return frit::mean(*this); }
Tensor Tensor::mean(IntArrayRef dims, bool keepdim) const {
  return frit::mean(*this, dims, keepdim);
}
Tensor Tensor::amax(IntArrayRef dims, bool keepdim) const {
  return frit::amax(*this, dims, keepdim);
}
Tensor Tensor::amin(IntArrayRef dims, bool keepdim) const {
  return frit::amin(*this, dims, keepdim);
}
Tensor Tensor::max() const { return frit::max(*this); }
Tensor Tensor::min() const { return frit::min(*this); }
Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim) const {
  return frit::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim) const {
  return frit::argmin(*this, dim, keepdim);
}
Tensor Tensor::any() const { return frit::any(*this); }
Tensor Tensor::all() const { return frit::all(*this); }

}  // namespace frit

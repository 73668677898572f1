// Public losses: an op element by element, then its reduction.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include "frit/losses.h"

#include <cmath>
#include <numbers>

#include "src/eager/api.h"

namespace frit {

using api::operand;

namespace {

Tensor reduced(const Tensor& each, Reduction reduction) {
  switch (reduction) {
    case Reduction::kNone:
      return each;
    case Reduction::kMean:
      return mean(each);
    case Reduction::kSum:
      return sum(each);
  }
  return each;
}

// A loss is one op: of the 16-bit floats it is computed in f32 and rounded once, after the
// reduction.
template <class Loss>
Tensor rounded_once(const Tensor& x, const Tensor& target, Loss loss) {
  const Dtype dtype = promote_dtypes(x.dtype(), target.dtype());
  if (!is_half(dtype)) return loss(x, target);
  return to(loss(to(x, kFloat32), to(target, kFloat32)), dtype);
}

// PyTorch's losses have no kernels for integers.
void check_floats(Op op, const Tensor& x, const Tensor& target) {
  if (!api::checked(name(op), x).is_floating_point() &&
      !api::checked(name(op), target).is_floating_point())
    api::fail(ErrorKind::kNotImplemented, name(op), x, "only floating point is supported");
}

Tensor at_least_zero(const Tensor& x) { return clamp(x, OptionalScalar(0)); }

void check_same_sizes(std::string_view op, const Tensor& x, const Tensor& target) {
  if (api::checked(op, x).sizes() != api::checked(op, target).sizes())
    api::fail(ErrorKind::kRuntime, op, x,
              api::text("the target has other sizes: ", target.sizes()));
}

Tensor pair_loss(Op op, const Tensor& x, const Tensor& target, Reduction reduction) {
  check_floats(op, x, target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(call(op, {a, b}), reduction);
  });
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return pair_loss(Op::mse_loss, x, target, reduction);
}

Tensor l1_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  api::checked("l1_loss", x);
  api::checked("l1_loss", target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(abs(sub(a, b)), reduction);
  });
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, Reduction reduction, double beta) {
  constexpr Op kOp = Op::smooth_l1_loss;
  check_floats(kOp, x, target);
  if (beta < 0) api::fail(ErrorKind::kRuntime, name(kOp), x, api::text("beta is negative: ", beta));
  if (beta == 0) return l1_loss(x, target, reduction);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(call(kOp, {a, b, Scalar(beta)}), reduction);
  });
}

Tensor huber_loss(const Tensor& x, const Tensor& target, Reduction reduction, double delta) {
  constexpr Op kOp = Op::huber_loss;
  check_floats(kOp, x, target);
  if (!(delta > 0))
    api::fail(ErrorKind::kRuntime, name(kOp), x, api::text("delta is not positive: ", delta));
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(call(kOp, {a, b, Scalar(delta)}), reduction);
  });
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight,
                            Reduction reduction) {
  constexpr Op kOp = Op::binary_cross_entropy;
  check_floats(kOp, x, target);
  check_same_sizes(name(kOp), x, target);
  if (!all(logical_and(ge(x, 0), le(x, 1))).item().to_bool())
    api::fail(ErrorKind::kRuntime, name(kOp), x, "there are elements outside [0, 1]");
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    const Tensor each = call(kOp, {a, b});
    return reduced(weight.defined() ? mul(each, weight) : each, reduction);
  });
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, Reduction reduction) {
  constexpr Op kOp = Op::binary_cross_entropy_with_logits;
  check_floats(kOp, x, target);
  check_same_sizes(name(kOp), x, target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    const Tensor each = pos_weight.defined() ? call(kOp, {a, b, pos_weight}) : call(kOp, {a, b});
    return reduced(weight.defined() ? mul(each, weight) : each, reduction);
  });
}

Tensor kl_div(const Tensor& x, const Tensor& target, Reduction reduction, bool log_target) {
  api::checked(name(Op::kl_div), x);
  api::checked(name(Op::kl_div), target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(call(Op::kl_div, {a, b}, Attrs().add(log_target)), reduction);
  });
}

namespace {

constexpr const char* kNllLoss = "nll_loss";

// Where the classes are: dimension 1, or the only one.
int64_t class_dim(const Tensor& x) { return x.dim() == 1 ? 0 : 1; }

void check_nll(const Tensor& x, const Tensor& target, const Tensor& weight) {
  const int64_t rank = api::checked(kNllLoss, x).dim();
  api::checked(kNllLoss, target);
  if (rank == 0 || target.dim() != rank - 1)
    api::fail(ErrorKind::kRuntime, kNllLoss, x,
              api::text("the target has ", target.dim(), " dimensions"));
  if (rank > 1 && x.size(0) != target.size(0))
    api::fail(rank == 2 ? ErrorKind::kValue : ErrorKind::kRuntime, kNllLoss, x,
              api::text("the target's batch has another size: ", target.size(0)));
  for (int64_t d = 2; d < rank; ++d)
    if (x.size(d) != target.size(d - 1))
      api::fail(ErrorKind::kRuntime, kNllLoss, x,
                api::text("the target has other sizes: ", target.sizes()));
  if (!x.is_floating_point())
    api::fail(ErrorKind::kNotImplemented, kNllLoss, x, "only floating point is supported");
  if (target.dtype() != kInt64 && target.dtype() != kUInt8)
    api::fail(ErrorKind::kRuntime, kNllLoss, target, "the target is neither i64 nor u8");
  if (weight.defined() && (weight.dim() != 1 || weight.size(0) != x.size(class_dim(x))))
    api::fail(ErrorKind::kRuntime, kNllLoss, weight, "there is not one weight per class");
}

// x's element of each target's class.
Tensor picked_by(const Tensor& x, const Tensor& target, int64_t dim) {
  try {
    return squeeze(gather(x, dim, unsqueeze(target, dim)), dim);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kRuntime) throw;
    api::fail(ErrorKind::kIndex, kNllLoss, x, "a target is not one of the classes");
  }
}

// The weight that each target counts with: 0 where it is ignored.
Tensor counts_of(const Tensor& target, const Tensor& ignored, const Tensor& weight, Dtype dtype) {
  if (!weight.defined()) return to(logical_not(ignored), dtype);
  const Tensor each = reshape(index_select(weight, 0, reshape(target, {-1})), target.sizes());
  return masked_fill(each, ignored, 0);
}

}  // namespace

Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                Reduction reduction) {
  check_nll(x, target, weight);
  if (is_half(x.dtype()) && reduction == Reduction::kMean) {
    const Tensor wide = weight.defined() ? to(weight, kFloat32) : weight;
    return to(nll_loss(to(x, kFloat32), target, wide, ignore_index, reduction), x.dtype());
  }
  const int64_t dim = class_dim(x);
  const Tensor classes = to(target, kInt64);
  const Tensor ignored = eq(classes, ignore_index);
  const Tensor valid = masked_fill(classes, ignored, 0);
  const Tensor picked = picked_by(x, valid, dim);
  const Tensor counts = counts_of(valid, ignored, weight, x.dtype());
  // An ignored target counts for nothing even where x is infinite.
  const Tensor each = masked_fill(neg(weight.defined() ? mul(picked, counts) : picked), ignored, 0);
  if (reduction == Reduction::kMean) return div(sum(each), sum(counts));
  return reduced(each, reduction);
}

namespace {

// x's classes with these probabilities.
Tensor cross_entropy_of_probabilities(const Tensor& x, const Tensor& target, const Tensor& weight,
                                      Reduction reduction, double smoothing) {
  const int64_t dim = class_dim(x);
  const double classes = static_cast<double>(x.size(dim));
  const Tensor smooth =
      smoothing > 0 ? add(mul(target, 1 - smoothing), smoothing / classes) : target;
  Tensor each = mul(log_softmax(x, dim), smooth);
  if (weight.defined()) {
    std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
    sizes[static_cast<size_t>(dim)] = x.size(dim);
    each = mul(each, reshape(weight, sizes));
  }
  if (reduction == Reduction::kNone) return neg(sum(each, {dim}));
  const Tensor total = neg(sum(each));
  const double samples = static_cast<double>(x.numel()) / classes;
  return reduction == Reduction::kMean ? div(total, samples) : total;
}

// (1 - smoothing) * nll + smoothing * the mean over the classes.
Tensor smoothed(const Tensor& logs, const Tensor& target, const Tensor& weight,
                int64_t ignore_index, Reduction reduction, double smoothing) {
  const int64_t dim = class_dim(logs);
  Tensor weighted = logs;
  if (weight.defined()) {
    std::vector<int64_t> sizes(static_cast<size_t>(logs.dim()), 1);
    sizes[static_cast<size_t>(dim)] = logs.size(dim);
    weighted = mul(logs, reshape(weight, sizes));
  }
  const Tensor ignored = eq(to(target, kInt64), ignore_index);
  const Tensor all_classes = masked_fill(neg(sum(weighted, {dim})), ignored, 0);
  const Tensor nll = nll_loss(logs, target, weight, ignore_index, reduction);
  Tensor uniform = all_classes;
  if (reduction == Reduction::kSum) uniform = sum(all_classes);
  if (reduction == Reduction::kMean) {
    const Tensor valid = masked_fill(to(target, kInt64), ignored, 0);
    uniform = div(sum(all_classes), sum(counts_of(valid, ignored, weight, logs.dtype())));
  }
  const double each = smoothing / static_cast<double>(logs.size(dim));
  return add(mul(nll, 1 - smoothing), mul(uniform, each));
}

}  // namespace

Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight,
                     int64_t ignore_index, Reduction reduction, double label_smoothing) {
  constexpr const char* kName = "cross_entropy";
  if (label_smoothing < 0 || label_smoothing > 1)
    api::fail(ErrorKind::kRuntime, kName, api::checked(kName, x),
              api::text("label_smoothing is not in [0, 1]: ", label_smoothing));
  if (api::checked(kName, x).sizes() == api::checked(kName, target).sizes()) {
    if (!target.is_floating_point())
      api::fail(ErrorKind::kRuntime, kName, target, "probabilities are not floating point");
    return cross_entropy_of_probabilities(x, target, weight, reduction, label_smoothing);
  }
  const Tensor logs = log_softmax(x, class_dim(x));
  if (label_smoothing == 0) return nll_loss(logs, target, weight, ignore_index, reduction);
  check_nll(logs, target, weight);
  return smoothed(logs, target, weight, ignore_index, reduction, label_smoothing);
}

Tensor soft_margin_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  api::checked("soft_margin_loss", x);
  api::checked("soft_margin_loss", target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    return reduced(log1p(exp(mul(neg(b), a))), reduction);
  });
}

Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target, double margin,
                           Reduction reduction) {
  constexpr const char* kName = "margin_ranking_loss";
  if (api::checked(kName, a).dim() != api::checked(kName, b).dim() ||
      a.dim() != api::checked(kName, target).dim())
    api::fail(ErrorKind::kRuntime, kName, a, "the operands differ in rank");
  return reduced(at_least_zero(add(mul(neg(target), sub(a, b)), margin)), reduction);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin,
                            Reduction reduction) {
  const Tensor zeros = zeros_like(x);
  const Tensor outside = where(ne(target, 1), at_least_zero(sub(Scalar(margin), x)), zeros);
  return reduced(add(outside, where(ne(target, -1), x, zeros)), reduction);
}

namespace {

// By Stirling's approximation; 0 up to 1.
Tensor log_factorial(const Tensor& x) {
  const Tensor spread = mul(log(mul(x, 2 * std::numbers::pi)), 0.5);
  return masked_fill(add(sub(mul(x, log(x)), x), spread), le(x, 1), 0);
}

}  // namespace

Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input, bool full,
                        double eps, Reduction reduction) {
  api::checked("poisson_nll_loss", x);
  api::checked("poisson_nll_loss", target);
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    const Tensor each = log_input ? sub(exp(a), mul(b, a)) : sub(a, mul(b, log(add(a, eps))));
    return reduced(full ? add(each, log_factorial(b)) : each, reduction);
  });
}

namespace {

// A variance per element, or per row of the last dimension.
Tensor fitting(const Tensor& var, const Tensor& x) {
  constexpr const char* kName = "gaussian_nll_loss";
  if (api::checked(kName, var).sizes() == api::checked(kName, x).sizes()) return var;
  const IntArrayRef rows(x.sizes().data(), x.sizes().size() - (x.dim() > 0 ? 1 : 0));
  if (x.dim() > 0 && var.sizes() == rows) return unsqueeze(var, -1);
  const bool one_each = var.dim() == x.dim() && x.dim() > 0 && var.size(-1) == 1 &&
                        IntArrayRef(var.sizes().data(), rows.size()) == rows;
  if (!one_each)
    api::fail(ErrorKind::kValue, kName, var, api::text("the variances do not fit ", x.sizes()));
  return var;
}

}  // namespace

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& var, bool full,
                         double eps, Reduction reduction) {
  const Tensor variance = fitting(var, x);
  api::checked("gaussian_nll_loss", target);
  if (any(lt(variance, 0)).item().to_bool())
    api::fail(ErrorKind::kValue, "gaussian_nll_loss", var, "there are negative variances");
  return rounded_once(x, target, [&](const Tensor& a, const Tensor& b) {
    const Tensor wide = is_half(variance.dtype()) ? to(variance, kFloat32) : variance;
    const Tensor held = clamp(wide, OptionalScalar(eps));
    const Tensor difference = sub(a, b);
    const Tensor each = mul(add(log(held), div(mul(difference, difference), held)), 0.5);
    return reduced(full ? add(each, 0.5 * std::log(2 * std::numbers::pi)) : each, reduction);
  });
}

}  // namespace frit

// Public products of vectors and tensors, made of matrix products.
#include <algorithm>
#include <string>

#include "src/eager/api.h"

namespace frit {

using api::operand;
using api::text;

namespace {

void check_rank(std::string_view op, const Tensor& x, int64_t rank) {
  if (api::checked(op, x).dim() != rank)
    api::fail(ErrorKind::kRuntime, op, x, text("expected ", rank, " dimensions, got ", x.dim()));
}

void check_factors(std::string_view op, const Tensor& a, const Scalar& beta, const Scalar& alpha) {
  if (!a.is_floating_point() && (alpha.is_float() || beta.is_float()))
    api::fail(ErrorKind::kRuntime, op, a,
              "alpha or beta is a float, but the operands are integers");
}

}  // namespace

Tensor baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
               const Scalar& alpha) {
  constexpr Op kOp = Op::baddbmm;
  const Operand operands[] = {operand(kOp, bias), operand(kOp, a), operand(kOp, b)};
  check_factors(name(kOp), a, beta, alpha);
  return call(kOp, {operands[0], operands[1], operands[2], alpha, beta});
}

Tensor addmv(const Tensor& bias, const Tensor& a, const Tensor& v, const Scalar& beta,
             const Scalar& alpha) {
  check_rank("addmv", a, 2);
  check_rank("addmv", v, 1);
  if (api::checked("addmv", bias).dim() > 1) check_rank("addmv", bias, 1);
  const Tensor column = bias.dim() == 0 ? bias : unsqueeze(bias, 1);
  return squeeze(addmm(column, a, unsqueeze(v, 1), beta, alpha), 1);
}

Tensor addr(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
            const Scalar& alpha) {
  check_rank("addr", a, 1);
  check_rank("addr", b, 1);
  return addmm(bias, unsqueeze(a, 1), unsqueeze(b, 0), beta, alpha);
}

// The batch is a part of what is summed over.
Tensor addbmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
              const Scalar& alpha) {
  check_rank("addbmm", a, 3);
  check_rank("addbmm", b, 3);
  if (a.size(0) != b.size(0) || a.size(2) != b.size(1))
    api::fail(ErrorKind::kRuntime, "addbmm", a, "sizes do not fit: " + describe(b));
  const int64_t depth = a.size(0) * a.size(2);
  return addmm(bias, reshape(permute(a, {1, 0, 2}), {a.size(1), depth}),
               reshape(b, {depth, b.size(2)}), beta, alpha);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_rank("dot", a, 1);
  check_rank("dot", b, 1);
  return matmul(a, b);
}

Tensor mv(const Tensor& a, const Tensor& v) {
  check_rank("mv", a, 2);
  check_rank("mv", v, 1);
  return matmul(a, v);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_rank("outer", a, 1);
  check_rank("outer", b, 1);
  return mul(unsqueeze(a, 1), b);
}

Tensor inner(const Tensor& a, const Tensor& b) {
  if (api::checked("inner", a).dim() == 0 || api::checked("inner", b).dim() == 0) return mul(a, b);
  if (a.size(-1) != b.size(-1))
    api::fail(ErrorKind::kRuntime, "inner", a, "the last sizes differ: " + describe(b));
  return tensordot(a, b, {-1}, {-1});
}

namespace {

// A factor as a matrix: its kept dims, in front or behind, and those that are summed over.
struct Factor {
  Dims kept, kept_sizes;
  int64_t kept_numel = 1, depth = 1;

  Factor(const Tensor& x, const Dims& summed) {
    for (int64_t d : summed) depth *= x.size(d);
    for (int64_t d = 0; d < x.dim(); ++d) {
      if (std::find(summed.begin(), summed.end(), d) != summed.end()) continue;
      kept.push_back(d);
      kept_sizes.push_back(x.size(d));
      kept_numel *= x.size(d);
    }
  }
};

Dims joined(const Dims& first, const Dims& second) {
  Dims all = first;
  for (int64_t value : second) all.push_back(value);
  return all;
}

}  // namespace

Tensor tensordot(const Tensor& a, const Tensor& b, IntArrayRef dims_a, IntArrayRef dims_b) {
  api::checked("tensordot", a), api::checked("tensordot", b);
  if (dims_a.size() != dims_b.size())
    api::fail(ErrorKind::kRuntime, "tensordot", a,
              text("lists of dimensions differ in length: ", dims_a, " and ", dims_b));
  Dims summed_a, summed_b;
  for (size_t i = 0; i < dims_a.size(); ++i) {
    summed_a.push_back(api::wrap_dim("tensordot", a, dims_a[i]));
    summed_b.push_back(api::wrap_dim("tensordot", b, dims_b[i]));
    const int at = static_cast<int>(i);
    if (a.size(summed_a[at]) != b.size(summed_b[at]))
      api::fail(ErrorKind::kRuntime, "tensordot", a,
                text("sizes differ: ", a.size(summed_a[at]), " and ", b.size(summed_b[at])));
  }
  const Factor left(a, summed_a), right(b, summed_b);
  const Tensor rows =
      reshape(permute(a, joined(left.kept, summed_a)), {left.kept_numel, left.depth});
  const Tensor columns =
      reshape(permute(b, joined(summed_b, right.kept)), {right.depth, right.kept_numel});
  return reshape(matmul(rows, columns), joined(left.kept_sizes, right.kept_sizes));
}

Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims) {
  const int64_t rank = api::checked("tensordot", a).dim();
  if (dims < 0 || dims > rank || dims > api::checked("tensordot", b).dim())
    api::fail(ErrorKind::kRuntime, "tensordot", a, text("cannot sum over ", dims, " dimensions"));
  Dims last, first;
  for (int64_t d = 0; d < dims; ++d) {
    last.push_back(rank - dims + d);
    first.push_back(d);
  }
  return tensordot(a, b, last, first);
}

}  // namespace frit

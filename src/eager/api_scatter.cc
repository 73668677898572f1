// Public ops that write elements to where indices say.
#include "src/eager/api.h"
#include "src/ops/scatter.h"

namespace frit {

using api::operand;
using api::text;

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr Op kOp = Op::scatter;
  return call(kOp, {operand(kOp, x), operand(kOp, index), operand(kOp, source)}, Attrs().add(dim));
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value) {
  constexpr Op kOp = Op::scatter;
  return call(kOp, {operand(kOp, x), operand(kOp, index), value}, Attrs().add(dim));
}

Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr Op kOp = Op::scatter_add;
  return call(kOp, {operand(kOp, x), operand(kOp, index), operand(kOp, source)}, Attrs().add(dim));
}

Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, bool include_self) {
  constexpr Op kOp = Op::scatter_reduce;
  const Attrs attrs =
      Attrs().add(dim).add(include_self).add(static_cast<int64_t>(write_named(name(kOp), reduce)));
  return call(kOp, {operand(kOp, x), operand(kOp, index), operand(kOp, source)}, attrs);
}

Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  constexpr Op kOp = Op::index_add;
  const Operand to = operand(kOp, x);
  if (alpha.is_float() && !x.is_floating_point())
    api::fail(ErrorKind::kRuntime, name(kOp), x, "alpha is a float, but the operands are integers");
  return call(kOp, {to, operand(kOp, index), operand(kOp, source), alpha}, Attrs().add(dim));
}

Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr Op kOp = Op::index_copy;
  return call(kOp, {operand(kOp, x), operand(kOp, index), operand(kOp, source)}, Attrs().add(dim));
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value) {
  constexpr Op kOp = Op::index_fill;
  return call(kOp, {operand(kOp, x), operand(kOp, index), value}, Attrs().add(dim));
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value) {
  constexpr Op kOp = Op::index_fill;
  return call(kOp, {operand(kOp, x), operand(kOp, index), operand(kOp, value)}, Attrs().add(dim));
}

namespace {

void check_index(std::string_view op, const Tensor& x, const Tensor& index) {
  if (api::checked(op, index).dtype() != kInt64)
    api::fail(ErrorKind::kRuntime, op, x, "the index is not i64: " + describe(index));
}

}  // namespace

Tensor take(const Tensor& x, const Tensor& index) {
  check_index("take", api::checked("take", x), index);
  return call(Op::index, {reshape(x, {-1}), index}, Attrs().add_list({0}));
}

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  check_index("put", api::checked("put", x), index);
  if (api::checked("put", source).numel() != index.numel())
    api::fail(ErrorKind::kRuntime, "put", x,
              text("sizes differ: ", index.numel(), " indices, ", source.numel(), " elements"));
  const Tensor flat = reshape(x, {x.numel()});
  const Tensor result = call(Op::index_put, {flat, reshape(source, index.sizes()), index},
                             Attrs().add(accumulate).add_list({0}));
  return reshape(result, x.sizes());
}

Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<int64_t> dim) {
  check_index("take_along_dim", api::checked("take_along_dim", x), index);
  if (!dim) return gather(reshape(x, {x.numel()}), 0, reshape(index, {index.numel()}));
  if (x.dim() != index.dim())
    api::fail(ErrorKind::kRuntime, "take_along_dim", x,
              text("numbers of dimensions differ: ", x.dim(), " and ", index.dim()));
  const int64_t at = api::wrap_dim("take_along_dim", x, *dim);
  Dims x_sizes(x.sizes()), index_sizes(index.sizes());
  for (int d = 0; d < x_sizes.rank; ++d) {
    if (d == at) continue;
    if (x_sizes[d] == 1) x_sizes[d] = index_sizes[d];
    if (index_sizes[d] == 1) index_sizes[d] = x_sizes[d];
  }
  return gather(expand(x, x_sizes), at, expand(index, index_sizes));
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  if (api::checked("masked_scatter", mask).dtype() != kBool)
    api::fail(ErrorKind::kRuntime, "masked_scatter", x, "the mask is not bool: " + describe(mask));
  if (api::checked("masked_scatter", source).dtype() != api::checked("masked_scatter", x).dtype())
    api::fail(ErrorKind::kRuntime, "masked_scatter", x, "dtypes differ: " + describe(source));
  const std::vector<Tensor> both = broadcast_tensors({x, mask});
  const Tensor flat = reshape(both[0], {-1}), flat_mask = reshape(both[1], {-1});
  const Tensor places = select(nonzero(flat_mask), 1, 0);
  if (places.numel() > source.numel())
    api::fail(
        ErrorKind::kRuntime, "masked_scatter", x,
        text("the mask chooses ", places.numel(), " elements, the source has ", source.numel()));
  const Tensor values = narrow(reshape(source, {-1}), 0, 0, places.numel());
  return reshape(index_copy(flat, 0, places, values), both[0].sizes());
}

namespace {

// A copy of x in which `choose(copy)`, a view, holds the source.
template <class Choose>
Tensor with_part(std::string_view op, const Tensor& x, const Tensor& source, Choose choose) {
  Tensor copy = clone(api::checked(op, x));
  const Tensor part = choose(copy);
  if (api::checked(op, source).sizes() != part.sizes())
    api::fail(ErrorKind::kRuntime, op, x,
              text("the source has sizes ", source.sizes(), ", expected ", part.sizes()));
  part.copy_(source);
  return copy;
}

}  // namespace

Tensor slice_scatter(const Tensor& x, const Tensor& source, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  return with_part("slice_scatter", x, source,
                   [&](const Tensor& copy) { return slice(copy, dim, start, end, step); });
}

Tensor select_scatter(const Tensor& x, const Tensor& source, int64_t dim, int64_t index) {
  return with_part("select_scatter", x, source,
                   [&](const Tensor& copy) { return select(copy, dim, index); });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& source, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  return with_part("diagonal_scatter", x, source,
                   [&](const Tensor& copy) { return diagonal(copy, offset, dim1, dim2); });
}

}  // namespace frit

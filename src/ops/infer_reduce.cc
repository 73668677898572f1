// Reductions and ops that order elements: sum, amax, argmax, sort, topk.
#include "src/ops/rules.h"

namespace frit::rules {
namespace {

Dims reduced_sizes(const Layout& x, const Dims& dims, bool keepdim) {
  bool reduced[kMaxRank] = {};
  for (int64_t d : dims.ref()) reduced[d] = true;
  Dims sizes;
  for (int d = 0; d < x.rank; ++d) {
    if (!reduced[d])
      sizes.push_back(x.size(d));
    else if (keepdim)
      sizes.push_back(1);
  }
  return sizes;
}

// Checks `dims` like normalize_dims, with the whole call in the error.
Dims checked_dims(const Call& call, const Layout& x, IntArrayRef dims) {
  bool chosen[kMaxRank] = {};
  for (int64_t d : dims) {
    bool& entry = chosen[wrap_dim(call, d, x.rank)];
    if (entry) fail(call, ErrorKind::kRuntime, text("dimension ", d, " appears twice"));
    entry = true;
  }
  return normalize_dims(call.op, x, dims);
}

// A largest element needs elements to choose from.
void check_not_empty(const Call& call, const Layout& x, const Dims& dims, bool over_all,
                     ErrorKind over_all_kind) {
  if (x.numel != 0) return;
  if (over_all) fail(call, over_all_kind, "there are no elements to choose from");
  for (int64_t d : dims.ref())
    if (x.size(static_cast<int>(d)) == 0)
      fail(call, ErrorKind::kIndex, text("dimension ", d, " has size 0"));
}

Dims sort_sizes(const Call& call, const Layout& x) {
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  Dims sizes(x.sizes());
  if (call.op != Op::topk) return sizes;
  const int64_t k = int_attr(call.op, call.attrs, "k"), size = x.rank > 0 ? x.size(dim) : 1;
  if (k < 0 || k > size) fail(call, ErrorKind::kRuntime, text("k out of range: ", k, " of ", size));
  if (x.rank > 0) sizes[dim] = k;
  return sizes;
}

}  // namespace

ResultTypes reduce(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef listed = list_attr(call.op, call.attrs, "dims");
  const Dims dims = checked_dims(call, x, listed);
  // any and all are built on amax and amin of bools, which have an identity.
  if ((call.op == Op::amax || call.op == Op::amin) && x.dtype != kBool)
    check_not_empty(call, x, dims, listed.empty(), ErrorKind::kRuntime);
  const bool widens = info(call.op).dtype == DtypeRule::Sum && !is_floating_point(x.dtype);
  return contiguous_result(x, widens ? kInt64 : x.dtype,
                           reduced_sizes(x, dims, int_attr(call.op, call.attrs, "keepdim") != 0));
}

ResultTypes arg_reduce(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef listed = list_attr(call.op, call.attrs, "dim");
  if (listed.size() > 1) fail(call, ErrorKind::kRuntime, "more than one dimension");
  if (x.dtype == kBool) fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  const Dims dims = checked_dims(call, x, listed);
  check_not_empty(call, x, dims, listed.empty(), ErrorKind::kIndex);
  return contiguous_result(x, kInt64,
                           reduced_sizes(x, dims, int_attr(call.op, call.attrs, "keepdim") != 0));
}

namespace {

ResultTypes searchsorted(const Call& call) {
  const Layout& rows = call.tensor(0);
  const Layout& values = call.tensor(1);
  if (rows.dtype != values.dtype)
    fail(call, ErrorKind::kRuntime,
         text("dtypes differ: ", name(rows.dtype), " and ", name(values.dtype)));
  if (rows.dtype == kBool) fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  if (rows.rank == 0) fail(call, ErrorKind::kRuntime, "the sorted tensor has no dimensions");
  bool fits = rows.rank == 1 || rows.rank == values.rank;
  for (int d = 0; rows.rank > 1 && fits && d < rows.rank - 1; ++d)
    fits = rows.size(d) == values.size(d);
  if (!fits)
    fail(call, ErrorKind::kRuntime, "the first dimensions of both are not of the same sizes");
  return contiguous_result(values, kInt64, values.sizes());
}

}  // namespace

ResultTypes sort(const Call& call) {
  if (call.op == Op::searchsorted) return searchsorted(call);
  const Layout& x = call.tensor(0);
  const Dims sizes = sort_sizes(call, x);
  if (call.op == Op::topk && x.dtype == kBool)
    fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  const Dims strides = call.op == Op::sort ? dense_strides(x) : contiguous_strides(sizes);
  ResultTypes types = one(intern_layout(x.dtype, x.device, sizes, strides));
  types.count = 2;
  types.results[1].layout = intern_layout(kInt64, x.device, sizes, strides);
  return types;
}

}  // namespace frit::rules

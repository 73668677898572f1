// Ops that write elements to where indices say, and scans.
#include <algorithm>

#include "src/ops/rules.h"

namespace frit::rules {
namespace {

// The source's dtype where it is a tensor.
void check_source_dtype(const Call& call, const Layout& x, size_t source) {
  const Layout* layout = call.operands[source].layout;
  if (layout != nullptr && layout->dtype != x.dtype)
    fail(call, ErrorKind::kRuntime,
         text("dtypes differ: ", name(x.dtype), " and ", name(layout->dtype)));
}

// Whether sizes of `inner` are at most those of `outer`, but for one dimension.
void check_within(const Call& call, const Layout& inner, const Layout& outer, int but,
                  const char* what) {
  if (std::max<int>(inner.rank, 1) != std::max<int>(outer.rank, 1))
    fail(call, ErrorKind::kRuntime,
         text("the index has ", int{inner.rank}, " dimensions, ", what, " ", int{outer.rank}));
  for (int d = 0; d < std::min(inner.rank, outer.rank); ++d)
    if (d != but && inner.size(d) > outer.size(d))
      fail(call, ErrorKind::kRuntime,
           text("the index has size ", inner.size(d), " in dimension ", d, ", more than ", what,
                " ", outer.size(d)));
}

ResultTypes scatter_by_index(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& index = call.tensor(1);
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  if (index.dtype != kInt64 && index.numel > 0)
    fail(call, ErrorKind::kRuntime, text("the index is ", name(index.dtype), ", expected i64"));
  check_source_dtype(call, x, 2);
  if (index.numel > 0) {
    check_within(call, index, x, dim, "the operand");
    if (call.operands[2].layout != nullptr)
      check_within(call, index, *call.operands[2].layout, -1, "the source");
  }
  return contiguous_result(x, x.dtype, x.sizes());
}

// A result in the operand's order of dimensions, without gaps.
ResultTypes like_clone(const Layout& x) {
  return one(intern_layout(x.dtype, x.device, x.sizes(), dense_strides(x)));
}

void check_rows(const Call& call, const Layout& x, const Layout& index, const Layout& source,
                int dim) {
  const auto rank_of = [](const Layout& layout) { return std::max<int>(layout.rank, 1); };
  const bool scalar = source.rank == 0;
  if (!scalar && rank_of(source) != rank_of(x))
    fail(call, call.op == Op::index_copy ? ErrorKind::kIndex : ErrorKind::kRuntime,
         text("the source has ", int{source.rank}, " dimensions, expected ", int{x.rank}));
  const int64_t rows = scalar ? 1 : source.size(dim);
  if (rows != index.numel)
    fail(call, call.op == Op::index_copy ? ErrorKind::kIndex : ErrorKind::kRuntime,
         text("the index has ", index.numel, " entries for ", rows, " rows of the source"));
  for (int d = 0; d < x.rank; ++d) {
    const int64_t size = scalar ? 1 : source.size(d);
    if (d != dim && size != x.size(d))
      fail(call, ErrorKind::kRuntime,
           text("the source has size ", size, " in dimension ", d, ", expected ", x.size(d)));
  }
}

// index_add, index_copy, index_fill.
ResultTypes write_rows(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& index = call.tensor(1);
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  if (index.rank > 1) fail(call, ErrorKind::kIndex, "the index has more than one dimension");
  const bool int32_too = call.op == Op::index_add;
  if (index.dtype != kInt64 && !(int32_too && index.dtype == kInt32))
    fail(call, call.op == Op::index_fill ? ErrorKind::kIndex : ErrorKind::kRuntime,
         text("the index is ", name(index.dtype), ", expected ", int32_too ? "i32 or i64" : "i64"));
  if (call.op == Op::index_fill) {
    if (const Layout* value = call.operands[2].layout; value != nullptr && value->rank > 0)
      fail(call, ErrorKind::kRuntime,
           text("the value has ", int{value->rank}, " dimensions, expected 0"));
  } else {
    check_source_dtype(call, x, 2);
    check_rows(call, x, index, call.tensor(2), dim);
  }
  return like_clone(x);
}

// Values broadcast to what `index` would give.
ResultTypes index_put(const Call& call) {
  const Layout& x = call.tensor(0);
  if (call.operands.size() < 3)
    fail(call, ErrorKind::kType, "expected a tensor, values and at least one index tensor");
  check_source_dtype(call, x, 1);
  const Dims indexed = indexed_by_tensors(call, 2);
  if (const Layout* values = call.operands[1].layout) {
    const int shift = indexed.rank - values->rank;
    for (int d = 0; d < values->rank; ++d)
      if (shift + d < 0 || (values->size(d) != 1 && values->size(d) != indexed[shift + d]))
        fail(call, ErrorKind::kRuntime,
             text("the values do not broadcast to what is indexed: ", indexed.ref()));
  }
  return like_clone(x);
}

}  // namespace

ResultTypes scatter(const Call& call) {
  if (call.op == Op::index_put) return index_put(call);
  const bool by_rows =
      call.op == Op::index_add || call.op == Op::index_copy || call.op == Op::index_fill;
  return by_rows ? write_rows(call) : scatter_by_index(call);
}

ResultTypes scan(const Call& call) {
  const Layout& x = call.tensor(0);
  wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  if (call.op == Op::logcumsumexp && !is_floating_point(x.dtype))
    fail(call, ErrorKind::kNotImplemented,
         text("only floating point is supported: not ", name(x.dtype)));
  const bool widens = info(call.op).dtype == DtypeRule::Sum && !is_floating_point(x.dtype);
  ResultTypes types = contiguous_result(x, widens ? kInt64 : x.dtype, x.sizes());
  if (info(call.op).results == 1) return types;
  types.count = 2;
  types.results[1].layout = intern_contiguous(kInt64, x.device, x.sizes());
  return types;
}

}  // namespace frit::rules

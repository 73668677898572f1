// Composites around reductions: mean, var, any, all, softmax and its kin.
#include <algorithm>

#include "src/ops/builder.h"

namespace frit::composites {
namespace {

struct ReduceAttrs {
  IntArrayRef dims;
  bool keepdim;
};

ReduceAttrs read(const Attrs& attrs) {
  AttrReader reader(attrs);
  const IntArrayRef dims = reader.next_list();
  return {dims, reader.next_bool()};
}

// How many elements are reduced to one.
double count(OpBuilder& b, Op op, Value x, IntArrayRef dims) {
  double n = 1;
  const Dims reduced = normalize_dims(op, b.layout(x), dims);
  for (int64_t d : reduced.ref()) n *= static_cast<double>(b.layout(x).size(static_cast<int>(d)));
  return n;
}

}  // namespace

Value mean(OpBuilder& b, Args args, const Attrs& attrs) {
  const auto [dims, keepdim] = read(attrs);
  const double n = count(b, Op::mean, args[0].value, dims);
  return b.div(b.sum(args[0], dims, keepdim), n);
}

Value var(OpBuilder& b, Args args, const Attrs& attrs) {
  const auto [dims, keepdim] = read(attrs);
  const Dtype dtype = b.dtype(args[0].value);
  const double n = count(b, Op::var, args[0].value, dims);
  const double divisor = std::max(0.0, n - b.assume(args[1]).to_double());
  const Value x = dtype == kFloat64 ? args[0].value : b.cast(args[0], kFloat64);
  const Value deviation = b.sub(x, b.div(b.sum(x, dims, true), n));
  const Value result = b.div(b.sum(b.mul(deviation, deviation), dims, keepdim), divisor);
  return dtype == kFloat64 ? result : b.cast(result, dtype);
}

// PyTorch keeps u8 here, from before it had bool.
Value any(OpBuilder& b, Args args, const Attrs& attrs) {
  const auto [dims, keepdim] = read(attrs);
  const Value result = b.amax(b.ne(args[0], 0), dims, keepdim);
  return b.dtype(args[0].value) == kUInt8 ? b.cast(result, kUInt8) : result;
}

Value all(OpBuilder& b, Args args, const Attrs& attrs) {
  const auto [dims, keepdim] = read(attrs);
  const Value result = b.amin(b.ne(args[0], 0), dims, keepdim);
  return b.dtype(args[0].value) == kUInt8 ? b.cast(result, kUInt8) : result;
}

Value softmax(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t dim = AttrReader(attrs).next_int();
  normalize_dims(Op::softmax, b.layout(args[0].value), {dim});
  // There is no largest of no elements; exp of none has the right layout.
  if (b.layout(args[0].value).numel == 0) return b.exp(args[0]);
  const Value e = b.exp(b.sub(args[0], b.amax(args[0], {dim}, true)));
  return b.div(e, b.sum(e, {dim}, true));
}

Value log_softmax(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t dim = AttrReader(attrs).next_int();
  normalize_dims(Op::log_softmax, b.layout(args[0].value), {dim});
  if (b.layout(args[0].value).numel == 0) return b.exp(args[0]);
  const Value shifted = b.sub(args[0], b.amax(args[0], {dim}, true));
  return b.sub(shifted, b.log(b.sum(b.exp(shifted), {dim}, true)));
}

Value logsumexp(OpBuilder& b, Args args, const Attrs& attrs) {
  const auto [dims, keepdim] = read(attrs);
  if (b.layout(args[0].value).numel == 0) return b.log(b.sum(b.exp(args[0]), dims, keepdim));
  const Value largest = b.amax(args[0], dims, true);
  // inf - inf is NaN: where the largest is infinite nothing needs to be subtracted.
  const Value shift = b.where(b.isfinite(largest), largest, 0.0);
  const Value logs = b.log(b.sum(b.exp(b.sub(args[0], shift)), dims, true));
  const Value result = b.add(logs, shift);
  if (keepdim) return result;
  const Dims reduced = normalize_dims(Op::logsumexp, b.layout(args[0].value), dims);
  return reduced.rank == 0 ? result : b.squeeze(result, reduced);
}

}  // namespace frit::composites

namespace frit {
namespace {

// From here on eager's kernel is the better one; and the index fits an i32.
constexpr int64_t kLongArgRow = 1 << 16;
// Up to here rows are folded whose elements lie apart.
constexpr int64_t kShortArgRow = 64;

// The dimension; -1 for all of them, as one row.
int arg_dim(const Layout& x, const Attrs& attrs) {
  const IntArrayRef dims = AttrReader(attrs).next_list();
  if (dims.empty()) return -1;
  return static_cast<int>(dims[0] < 0 ? dims[0] + x.rank : dims[0]);
}

}  // namespace

bool arg_reduction_expands(const Layout& x, const Attrs& attrs) {
  if (x.rank == 0 || x.numel == 0) return false;
  const int dim = arg_dim(x, attrs);
  if (dim < 0) return x.contiguous && x.numel < kLongArgRow;
  return x.size(dim) > 1 && x.size(dim) < (x.stride(dim) <= 1 ? kLongArgRow : kShortArgRow);
}

// The first NaN wins, and no NaN equals the fold.
Value expand_arg_reduction(OpBuilder& b, Op op, const Arg& x, const Attrs& attrs) {
  AttrReader reader(attrs);
  reader.next_list();
  const bool keepdim = reader.next_bool();
  const int rank = b.layout(x.value).rank, dim = arg_dim(b.layout(x.value), attrs);
  const int64_t row = dim < 0 ? 0 : dim;
  Value rows = dim < 0 ? b.reshape(x, {b.layout(x.value).numel}) : x.value;
  if (is_half(b.dtype(rows))) rows = b.cast(rows, kFloat32);
  const int64_t n = b.layout(rows).size(static_cast<int>(row));
  const Value best = op == Op::argmax ? b.amax(rows, {row}, true) : b.amin(rows, {row}, true);
  Value found = b.eq(rows, best);
  if (is_floating_point(b.dtype(rows))) found = b.logical_or(found, b.ne(rows, rows));
  Dims along;
  for (int d = 0; d < b.layout(rows).rank; ++d) along.push_back(d == row ? n : 1);
  const Value counted = b.op(Op::arange, {0, 1}, Attrs().add(kInt32).add(n));
  const Value places = b.where(found, b.reshape(counted, along), n);
  const Value first = b.amin(places, {row}, keepdim && dim >= 0);
  const Value result = b.cast(first, kInt64);
  if (dim >= 0 || !keepdim) return result;
  Dims ones;
  for (int d = 0; d < rank; ++d) ones.push_back(1);
  return b.reshape(result, ones);
}

}  // namespace frit

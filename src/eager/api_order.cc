// Public ops made of sorting and counting: medians, quantiles, unique elements, bins.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>
#include <cmath>

#include "src/eager/api.h"

namespace frit {

using api::text;
using api::wrap_dim;

namespace {

// Elements along a dimension; 0-dim tensors have one.
int64_t length(const Tensor& x, int64_t dim) { return x.dim() == 0 ? 1 : x.size(dim); }

// The elements at `place` (i64, of size 1 along the dimension) of sorted ones, and their indices.
std::pair<Tensor, Tensor> picked(const std::pair<Tensor, Tensor>& sorted, const Tensor& place,
                                 int64_t dim, bool keepdim) {
  Tensor values = gather(sorted.first, dim, place), indices = gather(sorted.second, dim, place);
  if (keepdim || values.dim() == 0) return {std::move(values), std::move(indices)};
  return {squeeze(values, dim), squeeze(indices, dim)};
}

// How many elements along a dimension are no NaN.
Tensor count_valid(const Tensor& x, int64_t dim) { return sum(logical_not(isnan(x)), {dim}, true); }

enum class Nan { kWins, kIgnored };

std::pair<Tensor, Tensor> median_along(std::string_view op, const Tensor& x, int64_t dim,
                                       bool keepdim, Nan nan) {
  const int64_t at = wrap_dim(op, api::checked(op, x), dim), n = length(x, at);
  if (n == 0) api::fail(ErrorKind::kIndex, op, x, text("dimension ", at, " has size 0"));
  const Tensor valid = count_valid(x, at);
  const Tensor middle = nan == Nan::kIgnored
                            ? floor_divide(clamp(sub(valid, 1), OptionalScalar(0)), 2)
                            : where(eq(valid, n), (n - 1) / 2, valid);
  return picked(sort(x, at), middle, at, keepdim);
}

Tensor median_of_all(std::string_view op, const Tensor& x, Nan nan) {
  if (api::checked(op, x).numel() > 0)
    return median_along(op, reshape(x, {-1}), 0, false, nan).first;
  const DefaultDeviceScope beside(x.device());
  if (!x.is_floating_point()) return full({}, INT64_MIN, x.dtype());
  return full({}, std::nan(""), x.dtype());
}

}  // namespace

std::pair<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  const int64_t at = wrap_dim("kthvalue", api::checked("kthvalue", x), dim), n = length(x, at);
  if (n == 0) api::fail(ErrorKind::kIndex, "kthvalue", x, text("dimension ", at, " has size 0"));
  if (k < 1 || k > n)
    api::fail(ErrorKind::kRuntime, "kthvalue", x, text("k out of range: ", k, " of ", n));
  const auto [values, indices] = sort(x, at);
  if (x.dim() == 0) return {values, indices};
  if (keepdim) return {narrow(values, at, k - 1, 1), narrow(indices, at, k - 1, 1)};
  return {select(values, at, k - 1), select(indices, at, k - 1)};
}

Tensor median(const Tensor& x) { return median_of_all("median", x, Nan::kWins); }
Tensor nanmedian(const Tensor& x) { return median_of_all("nanmedian", x, Nan::kIgnored); }
std::pair<Tensor, Tensor> median(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along("median", x, dim, keepdim, Nan::kWins);
}
std::pair<Tensor, Tensor> nanmedian(const Tensor& x, int64_t dim, bool keepdim) {
  return median_along("nanmedian", x, dim, keepdim, Nan::kIgnored);
}

// The value of the longest run of sorted elements, and the last place that it is at.
std::pair<Tensor, Tensor> mode(const Tensor& x, int64_t dim, bool keepdim) {
  const int64_t at = wrap_dim("mode", api::checked("mode", x), dim), n = length(x, at);
  if (n == 0) api::fail(ErrorKind::kIndex, "mode", x, text("dimension ", at, " has size 0"));
  const DefaultDeviceScope beside(x.device());
  const auto sorted = sort(x.dim() == 0 ? unsqueeze(x, 0) : x, at);
  // For each element: how many equal ones stand up to it.
  const Tensor numbers = arange(n);
  Dims line;
  for (int64_t d = 0; d < sorted.first.dim(); ++d) line.push_back(d == at ? n : 1);
  const Tensor place = expand(view(numbers, line), sorted.first.sizes());
  const Tensor same = eq(narrow(sorted.first, at, 1, n - 1), narrow(sorted.first, at, 0, n - 1));
  Dims one(sorted.first.sizes());
  one[static_cast<int>(at)] = 1;
  const Tensor begins = cat({ones(one, kBool), logical_not(same)}, at);
  const Tensor start = cummax(where(begins, place, 0), at).first;
  const Tensor longest = unsqueeze(argmax(sub(place, start), at), at);
  auto found = picked(sorted, longest, at, true);
  if (keepdim && x.dim() > 0) return found;
  return {squeeze(found.first, at), squeeze(found.second, at)};
}

namespace {

// Ranks among sorted elements as `interpolation` rounds them.
Tensor rounded_ranks(const std::string& interpolation, const Tensor& ranks) {
  if (interpolation == "lower") return floor(ranks);
  if (interpolation == "higher") return ceil(ranks);
  return interpolation == "nearest" ? round(ranks) : ranks;
}

void check_quantile(std::string_view op, const Tensor& x, const Tensor& q,
                    const std::string& interpolation) {
  if (api::checked(op, q).dim() > 1)
    api::fail(ErrorKind::kRuntime, op, x, "q has more than one dimension: " + describe(q));
  if ((x.dtype() != kFloat32 && x.dtype() != kFloat64) || q.dtype() != x.dtype())
    api::fail(ErrorKind::kRuntime, op, x, "both operands must be f32 or f64: " + describe(q));
  if (x.numel() == 0) api::fail(ErrorKind::kRuntime, op, x, "there are no elements");
  for (const char* name : {"linear", "lower", "higher", "midpoint", "nearest"})
    if (interpolation == name) return;
  api::fail(ErrorKind::kRuntime, op, x, "no such interpolation: " + interpolation);
}

// A dimension after all others, or the last one before them.
Tensor moved_last(const Tensor& x, int64_t dim) {
  Dims order;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != dim) order.push_back(d);
  order.push_back(dim);
  return permute(x, order);
}
Tensor moved_first(const Tensor& x) {
  Dims order({x.dim() - 1});
  for (int64_t d = 0; d + 1 < x.dim(); ++d) order.push_back(d);
  return permute(x, order);
}

// a + w * (b - a), from the nearer end.
Tensor between(const Tensor& a, const Tensor& b, const Tensor& w) {
  const Tensor step = sub(b, a);
  return where(lt(w, 0.5), add(a, mul(w, step)), sub(b, mul(step, sub(1, w))));
}

Tensor quantile_along(std::string_view op, const Tensor& x, const Tensor& q,
                      std::optional<int64_t> dim, bool keepdim, const std::string& interpolation,
                      Nan nan) {
  check_quantile(op, api::checked(op, x), q, interpolation);
  const bool along = dim && x.dim() > 0;
  const int64_t at = along ? wrap_dim(op, x, *dim) : 0;
  const Tensor flat = along ? moved_last(x, at) : reshape(x, {x.numel()});
  const int64_t n = flat.size(-1);
  const Tensor sorted = sort(flat, -1).first;
  const Tensor wanted = reshape(q, {-1});
  // A NaN has the last rank.
  const Tensor valid = to(count_valid(sorted, -1), x.dtype());
  const Tensor exact = nan == Nan::kIgnored ? clamp(mul(sub(valid, 1), wanted), OptionalScalar(0))
                                            : where(eq(valid, n), mul(wanted, n - 1), n - 1);
  const Tensor ranks = rounded_ranks(interpolation, exact);
  const Tensor below = to(floor(ranks), kInt64);
  Tensor result = gather(sorted, -1, below);
  if (interpolation == "linear" || interpolation == "midpoint") {
    const Tensor above = gather(sorted, -1, to(ceil(ranks), kInt64));
    const Tensor share =
        interpolation == "midpoint" ? full_like(ranks, 0.5) : sub(ranks, to(below, x.dtype()));
    result = between(result, above, share);
  }
  // The quantiles come first, or there is none.
  result = moved_first(result);
  if (keepdim && along) result = unsqueeze(result, at + 1);
  for (int64_t d = 0; keepdim && !along && d < x.dim(); ++d) result = unsqueeze(result, -1);
  return q.dim() == 0 ? squeeze(result, 0) : result;
}

}  // namespace

Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
  return quantile_along("quantile", x, q, dim, keepdim, interpolation, Nan::kWins);
}
Tensor nanquantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
  return quantile_along("nanquantile", x, q, dim, keepdim, interpolation, Nan::kIgnored);
}

std::pair<Tensor, Tensor> aminmax(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  if (dim) return {amin(x, {*dim}, keepdim), amax(x, {*dim}, keepdim)};
  return {amin(x, {}, keepdim), amax(x, {}, keepdim)};
}

Tensor count_nonzero(const Tensor& x, IntArrayRef dims) { return sum(ne(x, 0), dims); }

Tensor nansum(const Tensor& x, IntArrayRef dims, bool keepdim) {
  if (!api::checked("nansum", x).is_floating_point()) return sum(x, dims, keepdim);
  return sum(where(isnan(x), 0, x), dims, keepdim);
}

Tensor nanmean(const Tensor& x, IntArrayRef dims, bool keepdim) {
  if (!api::checked("nanmean", x).is_floating_point())
    api::fail(ErrorKind::kRuntime, "nanmean", x, "only floating point is supported");
  return div(nansum(x, dims, keepdim), sum(logical_not(isnan(x)), dims, keepdim));
}

namespace {

// Rows of x along its first dimension in rising order of their elements, from the first on.
Tensor row_order(const Tensor& rows) {
  Tensor order = arange(rows.size(0));
  for (int64_t c = rows.size(1); c-- > 0;)
    order = index_select(order, 0, argsort(index_select(select(rows, 1, c), 0, order)));
  return order;
}

// Of runs of equal rows: rows of x, in the order in which they stand in it.
Unique runs_of(const Tensor& x, const Tensor& rows, const Tensor& order) {
  const int64_t n = rows.size(0);
  const Tensor sorted = index_select(rows, 0, order);
  const Tensor differ = n > 0 ? any(ne(narrow(sorted, 0, 1, n - 1), narrow(sorted, 0, 0, n - 1)), 1)
                              : empty({0}, kBool);
  const Tensor begins = n > 0 ? cat({ones({1}, kBool), differ}) : differ;
  const Tensor places = select(nonzero(begins), 1, 0);
  Unique unique;
  unique.values = index_select(x, 0, index_select(order, 0, places));
  unique.inverse = scatter(zeros({n}, kInt64), 0, order, sub(cumsum(begins, 0), 1));
  unique.counts = sub(cat({narrow(places, 0, std::min<int64_t>(1, places.numel()),
                                  std::max<int64_t>(places.numel() - 1, 0)),
                           full({places.numel() > 0 ? 1 : 0}, n)}),
                      places);
  return unique;
}

enum class Order { kSorted, kAsTheyStand };

Unique unique_along(std::string_view op, const Tensor& x, std::optional<int64_t> dim, Order order) {
  const DefaultDeviceScope beside(api::checked(op, x).device());
  const Tensor along = dim ? transpose(x.dim() == 0 ? unsqueeze(x, 0) : x, 0,
                                       wrap_dim(op, api::checked(op, x), *dim))
                           : reshape(api::checked(op, x), {x.numel()});
  const int64_t n = along.size(0);
  if (dim && x.numel() == 0 && n > 0)
    api::fail(ErrorKind::kRuntime, op, x, "there are no elements to tell rows by");
  const Tensor rows = dim ? reshape(along, {n, n == 0 ? 1 : x.numel() / n}) : unsqueeze(along, 1);
  Unique unique = runs_of(along, rows, order == Order::kSorted ? row_order(rows) : arange(n));
  if (dim && x.dim() > 0)
    unique.values = transpose(unique.values, 0, wrap_dim(op, x, *dim));
  else if (!dim)
    unique.inverse = reshape(unique.inverse, x.sizes());
  return unique;
}

}  // namespace

Unique unique(const Tensor& x, std::optional<int64_t> dim) {
  return unique_along("unique", x, dim, Order::kSorted);
}
Unique unique_consecutive(const Tensor& x, std::optional<int64_t> dim) {
  return unique_along("unique_consecutive", x, dim, Order::kAsTheyStand);
}

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength) {
  if (api::checked("bincount", x).dim() != 1 || x.is_floating_point() || x.dtype() == kBool)
    api::fail(ErrorKind::kRuntime, "bincount", x, "expected 1-D integers");
  if (minlength < 0)
    api::fail(ErrorKind::kRuntime, "bincount", x, text("minlength is negative: ", minlength));
  if (weights.defined() && weights.sizes() != x.sizes())
    api::fail(ErrorKind::kRuntime, "bincount", x, "sizes differ: " + describe(weights));
  const DefaultDeviceScope beside(x.device());
  const Tensor index = to(x, kInt64);
  int64_t bins = minlength;
  if (x.numel() > 0) {
    const int64_t least = amin(index).item<int64_t>();
    if (least < 0) api::fail(ErrorKind::kRuntime, "bincount", x, text("a negative one: ", least));
    bins = std::max(bins, amax(index).item<int64_t>() + 1);
  }
  if (!weights.defined())
    return scatter_add(zeros({bins}, kInt64), 0, index, ones({x.numel()}, kInt64));
  const Dtype dtype = weights.dtype() == kFloat32 ? kFloat32 : kFloat64;
  return scatter_add(zeros({bins}, dtype), 0, index, to(weights, dtype));
}

Tensor one_hot(const Tensor& x, int64_t num_classes) {
  if (api::checked("one_hot", x).dtype() != kInt64)
    api::fail(ErrorKind::kRuntime, "one_hot", x, "the index is not i64");
  if (x.numel() == 0 && num_classes <= 0)
    api::fail(ErrorKind::kRuntime, "one_hot", x, "the number of classes is unknown");
  int64_t classes = num_classes;
  if (x.numel() > 0) {
    const int64_t least = amin(x).item<int64_t>(), most = amax(x).item<int64_t>();
    if (least < 0) api::fail(ErrorKind::kRuntime, "one_hot", x, text("a negative class: ", least));
    if (classes != -1 && most >= classes)
      api::fail(ErrorKind::kRuntime, "one_hot", x, text("no class of ", classes, ": ", most));
    if (classes == -1) classes = most + 1;
  }
  const DefaultDeviceScope beside(x.device());
  return to(eq(unsqueeze(x, -1), arange(classes)), kInt64);
}

namespace {

Tensor positions(const Tensor& triangle, Dtype dtype) { return to(t(nonzero(triangle)), dtype); }

void check_triangle(std::string_view op, int64_t rows, int64_t columns) {
  if (rows < 0 || columns < 0)
    throw Error(ErrorKind::kRuntime, text(op, "(", rows, ", ", columns, "): a size is negative"));
}

}  // namespace

Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset, Dtype dtype) {
  check_triangle("tril_indices", rows, columns);
  return positions(tril(ones({rows, columns}, kBool), offset), dtype);
}
Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset, Dtype dtype) {
  check_triangle("triu_indices", rows, columns);
  return positions(triu(ones({rows, columns}, kBool), offset), dtype);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                const TensorOptions& options) {
  // Of integers from and to integers.
  const bool whole = !is_floating_point(options.dtype());
  const Scalar first = whole ? Scalar(start.to_int()) : start;
  const Scalar last = whole ? Scalar(end.to_int()) : end;
  return to(pow(Scalar(base), linspace(first, last, steps, options.dtype(kFloat64))),
            options.dtype());
}

}  // namespace frit

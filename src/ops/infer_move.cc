// Movement ops: views by strides, and reshape, which is one where strides allow.
#include <algorithm>
#include <optional>

#include "src/ops/rules.h"

namespace frit::rules {
namespace {

// The target of a reshape with its -1 filled in.
Dims resolve_sizes(const Call& call, const Layout& x, IntArrayRef wanted) {
  Dims sizes(wanted);
  int unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes[d] == -1 && unknown >= 0) fail(call, ErrorKind::kRuntime, "only one size can be -1");
    if (sizes[d] == -1) {
      unknown = d;
    } else if (sizes[d] < 0) {
      fail(call, ErrorKind::kRuntime, text("negative size: ", sizes[d]));
    } else {
      overflow |= __builtin_mul_overflow(known, sizes[d], &known);
    }
  }
  if (unknown >= 0 && !overflow && known != 0 && x.numel % known == 0) {
    sizes[unknown] = x.numel / known;
  } else if (unknown >= 0 && known == 0 && x.numel == 0) {
    fail(call, ErrorKind::kRuntime, "the size for -1 is ambiguous: there are no elements");
  } else if (unknown >= 0 || overflow || known != x.numel) {
    fail(call, ErrorKind::kRuntime,
         text("sizes do not hold the elements: ", wanted, " for ", x.numel));
  }
  return sizes;
}

// Strides under which the memory of `x` has other sizes, or nothing. Works from the last dimension
// on in chunks: dimensions of x that lie one in the other may be cut anew, across chunks nothing
// may.
std::optional<Dims> strides_as(const Layout& x, IntArrayRef sizes) {
  if (x.sizes() == sizes) return Dims(x.strides());
  if (x.numel == 0) return contiguous_strides(sizes);
  Dims strides;
  strides.rank = static_cast<int>(sizes.size());
  std::fill_n(strides.values, strides.rank, 1);
  if (x.rank == 0) return strides;
  int to = strides.rank - 1;
  int64_t base = x.stride(x.rank - 1), old_count = 1, new_count = 1;
  for (int from = x.rank - 1; from >= 0; --from) {
    old_count *= x.size(from);
    const bool chunk_ends =
        from == 0 || (x.size(from - 1) != 1 && x.stride(from - 1) != old_count * base);
    if (!chunk_ends) continue;
    while (to >= 0 && (new_count < old_count || sizes[to] == 1)) {
      strides[to] = new_count * base;
      new_count *= sizes[to];
      --to;
    }
    if (new_count != old_count) return std::nullopt;
    if (from > 0) {
      base = x.stride(from - 1);
      old_count = new_count = 1;
    }
  }
  if (to >= 0) return std::nullopt;
  return strides;
}

ResultTypes viewed(const Layout& x, IntArrayRef sizes, IntArrayRef strides, int64_t offset = 0) {
  return view(intern_layout(x.dtype, x.device, sizes, strides), offset);
}

ResultTypes reshape(const Call& call, bool must_view) {
  const Layout& x = call.tensor(0);
  const IntArrayRef wanted = list_attr(call.op, call.attrs, "sizes");
  const Dims sizes = resolve_sizes(call, x, wanted);
  if (const std::optional<Dims> strides = strides_as(x, sizes)) return viewed(x, sizes, *strides);
  if (must_view)
    fail(call, ErrorKind::kRuntime, "strides do not allow a view of these sizes: use reshape");
  return contiguous_result(x, x.dtype, sizes);
}

ResultTypes permute(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  if (dims.size() != x.rank)
    fail(call, ErrorKind::kRuntime,
         text("number of dimensions differs: ", dims.size(), " and ", int{x.rank}));
  bool seen[kMaxRank] = {};
  Dims sizes, strides;
  for (int64_t dim : dims) {
    const int d = wrap_dim(call, dim, x.rank);
    if (seen[d]) fail(call, ErrorKind::kRuntime, text("dimension ", dim, " appears twice"));
    seen[d] = true;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  return viewed(x, sizes, strides);
}

ResultTypes expand(const Call& call) {
  const Layout& x = call.tensor(0);
  Dims sizes(list_attr(call.op, call.attrs, "sizes"));
  const int shift = sizes.rank - x.rank;
  if (shift < 0)
    fail(call, ErrorKind::kRuntime,
         text("too few sizes: ", sizes.rank, " for ", int{x.rank}, " dimensions"));
  Dims strides;
  for (int d = 0; d < sizes.rank; ++d) {
    const int own = d - shift;
    const int64_t size = own < 0 ? 1 : x.size(own);
    if (sizes[d] == -1 && own < 0)
      fail(call, ErrorKind::kRuntime, text("size -1 in the new dimension ", d));
    if (sizes[d] == -1) sizes[d] = size;
    if (size != 1 && size != sizes[d])
      fail(call, ErrorKind::kRuntime,
           text("size ", size, " cannot become ", sizes[d], " in dimension ", d));
    strides.push_back(size == 1 && sizes[d] != 1 ? 0 : own < 0 ? 0 : x.stride(own));
  }
  // A new dimension of size 1 gets the stride that it would have in row-major order.
  for (int d = shift - 1; d >= 0 && x.rank > 0; --d)
    if (sizes[d] == 1) strides[d] = strides[d + 1] * sizes[d + 1];
  return viewed(x, sizes, strides);
}

ResultTypes slice(const Call& call) {
  const Layout& x = call.tensor(0);
  if (x.rank == 0) fail(call, ErrorKind::kIndex, "a 0-dim tensor has nothing to slice");
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  const int64_t step = int_attr(call.op, call.attrs, "step");
  if (step <= 0) fail(call, ErrorKind::kValue, text("step must be positive: ", step));
  const int64_t size = x.size(dim);
  const auto clip = [size](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const int64_t start = clip(int_attr(call.op, call.attrs, "start"));
  const int64_t end = std::max(start, clip(int_attr(call.op, call.attrs, "end")));
  Dims sizes(x.sizes()), strides(x.strides());
  sizes[dim] = (end - start) / step + ((end - start) % step != 0);
  if (__builtin_mul_overflow(strides[dim], step, &strides[dim])) strides[dim] = 0;  // one element
  return viewed(x, sizes, strides, start * x.stride(dim));
}

ResultTypes select(const Call& call) {
  const Layout& x = call.tensor(0);
  if (x.rank == 0) fail(call, ErrorKind::kIndex, "a 0-dim tensor has nothing to select");
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  const int64_t index = int_attr(call.op, call.attrs, "index"), size = x.size(dim);
  if (index < -size || index >= size)
    fail(call, ErrorKind::kIndex, text("index out of range: ", index, " for size ", size));
  Dims sizes, strides;
  for (int d = 0; d < x.rank; ++d) {
    if (d == dim) continue;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  return viewed(x, sizes, strides, (index < 0 ? index + size : index) * x.stride(dim));
}

ResultTypes squeeze(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  bool chosen[kMaxRank] = {};
  for (int64_t d : dims) chosen[wrap_dim(call, d, x.rank)] = true;
  Dims sizes, strides;
  for (int d = 0; d < x.rank; ++d) {
    if ((dims.empty() || chosen[d]) && x.size(d) == 1) continue;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  return viewed(x, sizes, strides);
}

ResultTypes unsqueeze(const Call& call) {
  const Layout& x = call.tensor(0);
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank + 1);
  Dims sizes, strides;
  for (int d = 0; d <= x.rank; ++d) {
    if (d == dim) {
      sizes.push_back(1);
      strides.push_back(d < x.rank ? x.size(d) * x.stride(d) : 1);
    }
    if (d == x.rank) break;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  return viewed(x, sizes, strides);
}

ResultTypes as_strided(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef sizes = list_attr(call.op, call.attrs, "sizes");
  const IntArrayRef strides = list_attr(call.op, call.attrs, "strides");
  if (sizes.size() != strides.size())
    fail(call, ErrorKind::kRuntime,
         text("sizes and strides differ in length: ", sizes.size(), " and ", strides.size()));
  for (int64_t stride : strides)
    if (stride < 0) fail(call, ErrorKind::kRuntime, text("negative stride: ", stride));
  return viewed(x, sizes, strides, int_attr(call.op, call.attrs, "offset"));
}

}  // namespace

ResultTypes move(const Call& call) {
  if (call.op == Op::reshape) return reshape(call, false);
  if (call.op == Op::view) return reshape(call, true);
  if (call.op == Op::permute) return permute(call);
  if (call.op == Op::expand) return expand(call);
  if (call.op == Op::slice) return slice(call);
  if (call.op == Op::select) return select(call);
  if (call.op == Op::squeeze) return squeeze(call);
  if (call.op == Op::unsqueeze) return unsqueeze(call);
  return as_strided(call);
}

}  // namespace frit::rules

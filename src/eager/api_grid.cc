// Public sampling of images at places that a grid gives, and such grids.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>

#include "src/eager/api.h"

namespace frit {

using api::text;

namespace {

struct Sampling {
  std::string mode, padding;
  bool align_corners;
};

// From [-1, 1] to elements.
Tensor unnormalized(const Tensor& place, int64_t size, bool align_corners) {
  const double n = static_cast<double>(size);
  if (align_corners) return mul(add(place, 1), (n - 1) / 2);
  return div(sub(mul(add(place, 1), n), 1), 2);
}

// Reflected at both ends of [low, high] until it lies between.
Tensor reflected(const Tensor& place, double low, double high) {
  const double span = high - low;
  if (span <= 0) return zeros_like(place);
  const Tensor distance = abs(sub(place, low));
  const Tensor extra = fmod(distance, span), turns = floor(div(distance, span));
  return where(eq(remainder(turns, 2), 0), add(extra, low), add(sub(span, extra), low));
}

Tensor clipped(const Tensor& place, int64_t size) {
  return clamp(place, OptionalScalar(0), OptionalScalar(size - 1));
}

// Where padding asks for it, places outside are moved inside.
Tensor moved_inside(const Tensor& place, int64_t size, const Sampling& s) {
  if (s.padding == "zeros") return place;
  if (s.padding == "border") return clipped(place, size);
  const double n = static_cast<double>(size);
  return clipped(s.align_corners ? reflected(place, 0, n - 1) : reflected(place, -0.5, n - 0.5),
                 size);
}

// Whole positions of one tap along each dimension, and the tap's weight (undefined: 1).
struct Tap {
  std::vector<Tensor> at;
  Tensor weight;
};

Tensor product(const Tensor& a, const Tensor& b) { return a.defined() ? mul(a, b) : b; }

// x [n, c, elements] at the taps' places [n, 1, outputs]; 0 where one is outside.
Tensor values_at(const Tensor& x, const Tap& tap, IntArrayRef sizes) {
  Tensor index, inside;
  for (size_t d = 0; d < tap.at.size(); ++d) {
    const Tensor& at = tap.at[d];
    const Tensor here = logical_and(ge(at, 0), le(at, sizes[d] - 1));
    inside = inside.defined() ? logical_and(inside, here) : here;
    const Tensor place = to(where(here, at, 0), kInt64);
    index = index.defined() ? add(mul(index, sizes[d]), place) : place;
  }
  const Tensor chosen =
      gather(x, 2, expand(where(inside, index, 0), {x.size(0), x.size(1), index.size(2)}));
  const Tensor values = where(inside, chosen, 0);
  return tap.weight.defined() ? mul(values, tap.weight) : values;
}

std::vector<Tap> with_dim(const std::vector<Tap>& taps, const std::vector<Tensor>& at,
                          const std::vector<Tensor>& weights) {
  std::vector<Tap> all;
  for (const Tap& tap : taps)
    for (size_t i = 0; i < at.size(); ++i) {
      Tap longer = tap;
      longer.at.push_back(at[i]);
      longer.weight = product(tap.weight, weights[i]);
      all.push_back(longer);
    }
  return all;
}

// Keys' kernel with a = -0.75 for taps at -1, 0, 1 and 2 from the floor.
std::vector<Tensor> cubic_weights(const Tensor& share) {
  const double a = -0.75;
  const auto near = [&](const Tensor& x) {
    return add(mul(mul(sub(mul(x, a + 2), a + 3), x), x), 1);
  };
  const auto far = [&](const Tensor& x) {
    return sub(mul(add(mul(sub(mul(x, a), 5 * a), x), 8 * a), x), 4 * a);
  };
  const Tensor rest = sub(1, share);
  return {far(add(share, 1)), near(share), near(rest), far(add(rest, 1))};
}

std::vector<Tap> taps_of(const std::vector<Tensor>& places, IntArrayRef sizes, const Sampling& s) {
  std::vector<Tap> taps(1);
  for (size_t d = 0; d < places.size(); ++d) {
    const Tensor exact = unnormalized(places[d], sizes[d], s.align_corners);
    if (s.mode == "bicubic") {
      const Tensor low = floor(exact);
      std::vector<Tensor> at;
      for (int tap = -1; tap <= 2; ++tap) at.push_back(moved_inside(add(low, tap), sizes[d], s));
      taps = with_dim(taps, at, cubic_weights(sub(exact, low)));
      continue;
    }
    const Tensor place = moved_inside(exact, sizes[d], s);
    if (s.mode == "nearest") {
      for (Tap& tap : taps) tap.at.push_back(round(place));
      continue;
    }
    const Tensor low = floor(place), share = sub(place, low);
    taps = with_dim(taps, {low, add(low, 1)}, {sub(1, share), share});
  }
  return taps;
}

void check_sampling(const Tensor& x, const Tensor& grid, const Sampling& s) {
  const auto fail = [&](const std::string& problem) {
    api::fail(ErrorKind::kRuntime, "grid_sample", x, problem + ": " + describe(grid));
  };
  const int64_t spatial = api::checked("grid_sample", x).dim() - 2;
  if (spatial != 2 && spatial != 3) fail("expected 4 or 5 dimensions");
  if (api::checked("grid_sample", grid).dim() != x.dim() || grid.size(-1) != spatial ||
      grid.size(0) != x.size(0))
    fail("the grid does not fit the input");
  if (grid.dtype() != x.dtype() || !x.is_floating_point()) fail("expected floats of one dtype");
  for (int64_t d = 2; d < x.dim(); ++d)
    if (x.size(d) == 0) fail("the input has no elements");
  if (s.mode != "bilinear" && s.mode != "nearest" && s.mode != "bicubic")
    api::fail(ErrorKind::kValue, "grid_sample", x, "no such mode: " + s.mode);
  if (s.padding != "zeros" && s.padding != "border" && s.padding != "reflection")
    api::fail(ErrorKind::kValue, "grid_sample", x, "no such padding: " + s.padding);
  if (s.mode == "bicubic" && spatial != 2) fail("bicubic is for 4 dimensions");
}

}  // namespace

// The 16-bit floats are computed in f32 and rounded at the end.
Tensor grid_sample(const Tensor& x, const Tensor& grid, const std::string& mode,
                   const std::string& padding_mode, bool align_corners) {
  const Sampling s{mode, padding_mode, align_corners};
  check_sampling(x, grid, s);
  if (x.dtype() == kFloat16 || x.dtype() == kBFloat16)
    return to(grid_sample(to(x, kFloat32), to(grid, kFloat32), mode, padding_mode, align_corners),
              x.dtype());
  const int64_t spatial = x.dim() - 2;
  Dims sizes, out({x.size(0), x.size(1)});
  int64_t outputs = 1;
  for (int64_t d = 0; d < spatial; ++d) {
    sizes.push_back(x.size(d + 2));
    out.push_back(grid.size(d + 1));
    outputs *= grid.size(d + 1);
  }
  // The grid names the last dimension first.
  std::vector<Tensor> places;
  for (int64_t d = 0; d < spatial; ++d)
    places.push_back(reshape(select(grid, -1, spatial - 1 - d), {x.size(0), 1, outputs}));
  const Tensor flat = flatten(x, 2);
  Tensor result;
  for (const Tap& tap : taps_of(places, sizes, s)) {
    const Tensor values = values_at(flat, tap, sizes);
    result = result.defined() ? add(result, values) : values;
  }
  return reshape(result, out);
}

namespace {

// n places from -1 to 1: of corners, or of the middles of n areas.
Tensor line_of(int64_t n, bool align_corners, Dtype dtype) {
  if (n <= 1) return zeros({n}, dtype);
  const Tensor line = linspace(-1, 1, n, dtype);
  const double count = static_cast<double>(n);
  return align_corners ? line : div(mul(line, count - 1), count);
}

}  // namespace

Tensor affine_grid(const Tensor& theta, IntArrayRef size, bool align_corners) {
  const int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  if ((spatial != 2 && spatial != 3) || api::checked("affine_grid", theta).dim() != 3 ||
      theta.size(1) != spatial || theta.size(2) != spatial + 1 || theta.size(0) != size[0])
    api::fail(ErrorKind::kValue, "affine_grid", theta, text("does not fit an image of ", size));
  const DefaultDeviceScope beside(theta.device());
  std::vector<Tensor> lines;
  for (int64_t d = 0; d < spatial; ++d)
    lines.push_back(line_of(size[static_cast<size_t>(d + 2)], align_corners, theta.dtype()));
  std::vector<Tensor> places = meshgrid(lines);
  std::reverse(places.begin(), places.end());
  places.push_back(ones(places[0].sizes(), theta.dtype()));
  const Tensor points = reshape(stack(places, -1), {1, -1, spatial + 1});
  Dims sizes({size[0]});
  for (int64_t d = 0; d < spatial; ++d) sizes.push_back(size[static_cast<size_t>(d + 2)]);
  sizes.push_back(spatial);
  return reshape(matmul(points, transpose(theta, 1, 2)), sizes);
}

namespace {

// In which bag each index is: bags are rows, or begin at offsets.
Tensor bags_of(const Tensor& index, const Tensor& offsets) {
  if (index.dim() == 2) return repeat_interleave(arange(index.size(0)), index.size(1));
  return sub(searchsorted(to(offsets, kInt64), arange(index.numel()), true), 1);
}

}  // namespace

Tensor embedding_bag(const Tensor& index, const Tensor& weight, const Tensor& offsets,
                     const std::string& mode, const Tensor& sample_weights, bool last_offset,
                     std::optional<int64_t> padding_index) {
  const auto fail = [&](const std::string& problem) {
    api::fail(ErrorKind::kValue, "embedding_bag", api::checked("embedding_bag", index), problem);
  };
  if (mode != "sum" && mode != "mean" && mode != "max") fail("no such mode: " + mode);
  if (index.dim() != 2 && (index.dim() != 1 || !offsets.defined()))
    fail("expected rows, or 1-D indices and offsets");
  if (index.dim() == 2 && offsets.defined()) fail("rows take no offsets");
  if (sample_weights.defined() && mode != "sum")
    api::fail(ErrorKind::kNotImplemented, "embedding_bag", index, "weights are for sums");
  const bool half = weight.dtype() == kFloat16 || weight.dtype() == kBFloat16;
  if (half)
    return to(
        embedding_bag(index, to(weight, kFloat32), offsets, mode,
                      sample_weights.defined() ? to(sample_weights, kFloat32) : sample_weights,
                      last_offset, padding_index),
        weight.dtype());
  const DefaultDeviceScope beside(index.device());
  const int64_t bags = index.dim() == 2 ? index.size(0) : offsets.numel() - (last_offset ? 1 : 0);
  Tensor flat = reshape(index, {-1}), bag = bags_of(index, offsets);
  Tensor shares = sample_weights.defined() ? reshape(sample_weights, {-1}) : sample_weights;
  if (padding_index) {
    const int64_t padding = *padding_index < 0 ? *padding_index + weight.size(0) : *padding_index;
    const Tensor kept = select(nonzero(ne(flat, padding)), 1, 0);
    flat = index_select(flat, 0, kept), bag = index_select(bag, 0, kept);
    if (shares.defined()) shares = index_select(shares, 0, kept);
  }
  Tensor rows = embedding(weight, flat);
  if (shares.defined()) rows = mul(rows, unsqueeze(shares, 1));
  const Tensor none = zeros({bags, weight.size(1)}, weight.dtype());
  if (mode == "max")
    return scatter_reduce(none, 0, expand(unsqueeze(bag, 1), rows.sizes()), rows, "amax", false);
  const Tensor sums = index_add(none, 0, bag, rows);
  if (mode == "sum") return sums;
  const Tensor counts = scatter_add(zeros({bags}, kInt64), 0, bag, ones({bag.numel()}, kInt64));
  return div(sums, unsqueeze(to(clamp(counts, OptionalScalar(1)), weight.dtype()), 1));
}

}  // namespace frit

// Public pooling beyond the two plain forms, and resampling.
#include <algorithm>

#include "src/eager/api.h"
#include "src/ops/resample.h"

namespace frit {

using api::operand;
using api::text;

namespace {

std::string pool_name(const char* kind, int64_t spatial) {
  return text(kind, "_pool", spatial, "d");
}

struct WindowArgs {
  IntArrayRef kernel, stride, padding, dilation;
  bool ceil_mode;
};

// The operand with the dimensions that `spatial` pooling takes.
const Tensor& checked_rank(const std::string& op, const Tensor& x, int64_t spatial) {
  const int64_t rank = api::checked(op, x).dim();
  if (rank != spatial + 1 && rank != spatial + 2)
    api::fail(ErrorKind::kRuntime, op, x,
              text("expected ", spatial + 1, " or ", spatial + 2, " dimensions, got ", rank));
  return x;
}

std::pair<Tensor, Tensor> two_results(Op op, const Tensor& x, const Attrs& attrs) {
  const Operand operands[] = {x};
  Tensor results[2];
  dispatch({op, operands, attrs}, results);
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace

std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, int64_t spatial,
                                                IntArrayRef kernel, IntArrayRef stride,
                                                IntArrayRef padding, IntArrayRef dilation,
                                                bool ceil_mode) {
  const std::string op = pool_name("max", spatial);
  checked_rank(op, x, spatial);
  const Attrs attrs =
      Attrs()
          .add(ceil_mode)
          .add_list(api::per_dim(op, x, dilation, spatial, "dilation"))
          .add_list(api::per_dim(op, x, kernel, spatial, "kernel"))
          .add_list(api::per_dim(op, x, padding, spatial, "padding"))
          .add_list(api::per_dim(op, x, stride.empty() ? kernel : stride, spatial, "stride"));
  return two_results(Op::max_pool, x, attrs);
}

Tensor max_pool1d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
  checked_rank("max_pool1d", x, 1);
  const auto rows = [&](IntArrayRef list, int64_t other) {
    return Dims({other, api::per_dim("max_pool1d", x, list, 1, "a list")[0]});
  };
  const Tensor flat =
      max_pool2d(unsqueeze(x, -2), rows(kernel, 1), rows(stride.empty() ? kernel : stride, 1),
                 rows(padding, 0), rows(dilation, 1), ceil_mode);
  return squeeze(flat, -2);
}

Tensor max_pool3d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
  return max_pool_with_indices(x, 3, kernel, stride, padding, dilation, ceil_mode).first;
}

namespace {

Tensor avg_pool(const std::string& op, int64_t spatial, const Tensor& x, const WindowArgs& args,
                bool count_include_pad, int64_t divisor) {
  checked_rank(op, x, spatial);
  const Attrs attrs =
      Attrs()
          .add(args.ceil_mode)
          .add(count_include_pad)
          .add(divisor)
          .add_list(api::per_dim(op, x, args.kernel, spatial, "kernel"))
          .add_list(api::per_dim(op, x, args.padding, spatial, "padding"))
          .add_list(api::per_dim(op, x, args.stride.empty() ? args.kernel : args.stride, spatial,
                                 "stride"));
  return call(Op::avg_pool, {x}, attrs);
}

int64_t checked_divisor(const std::string& op, const Tensor& x, std::optional<int64_t> divisor) {
  if (divisor && *divisor == 0)
    api::fail(ErrorKind::kRuntime, op, api::checked(op, x), "the divisor is 0");
  return divisor.value_or(0);
}

}  // namespace

Tensor avg_pool1d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad) {
  return avg_pool("avg_pool1d", 1, x, {kernel, stride, padding, {}, ceil_mode}, count_include_pad,
                  0);
}

Tensor avg_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  const int64_t divisor = checked_divisor("avg_pool2d", x, divisor_override);
  if (divisor == 0 && is_floating_point(api::checked("avg_pool2d", x).dtype()))
    return avg_pool2d(x, kernel, stride, padding, ceil_mode, count_include_pad);
  return avg_pool("avg_pool2d", 2, x, {kernel, stride, padding, {}, ceil_mode}, count_include_pad,
                  divisor);
}

Tensor avg_pool3d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  return avg_pool("avg_pool3d", 3, x, {kernel, stride, padding, {}, ceil_mode}, count_include_pad,
                  checked_divisor("avg_pool3d", x, divisor_override));
}

Tensor adaptive_avg_pool(const Tensor& x, int64_t spatial, IntArrayRef output_size) {
  const std::string op = pool_name("adaptive_avg", spatial);
  checked_rank(op, x, spatial);
  const Dims sizes = api::per_dim(op, x, output_size, spatial, "output size");
  return call(Op::adaptive_avg_pool, {x}, Attrs().add_list(sizes));
}

std::pair<Tensor, Tensor> adaptive_max_pool(const Tensor& x, int64_t spatial,
                                            IntArrayRef output_size) {
  const std::string op = pool_name("adaptive_max", spatial);
  checked_rank(op, x, spatial);
  const Dims sizes = api::per_dim(op, x, output_size, spatial, "output size");
  return two_results(Op::adaptive_max_pool, x, Attrs().add_list(sizes));
}

// The rest of the output is zero, as a scatter leaves it.
Tensor max_unpool(const Tensor& x, const Tensor& indices, IntArrayRef output_size) {
  const int64_t spatial = static_cast<int64_t>(output_size.size());
  checked_rank("max_unpool", x, spatial);
  if (api::checked("max_unpool", indices).sizes() != x.sizes() || indices.dtype() != kInt64)
    api::fail(ErrorKind::kRuntime, "max_unpool", x,
              "indices must be i64 and of the same sizes: " + describe(indices));
  Dims flat(IntArrayRef(x.sizes().data(), static_cast<size_t>(x.dim() - spatial)));
  Dims from = flat, sizes = flat;
  int64_t pixels = 1, outs = 1;
  for (int64_t d = 0; d < spatial; ++d) {
    pixels *= x.size(x.dim() - spatial + d);
    outs *= output_size[static_cast<size_t>(d)];
    sizes.push_back(output_size[static_cast<size_t>(d)]);
  }
  from.push_back(pixels);
  flat.push_back(outs);
  return reshape(scatter(zeros(flat, x.options()), -1, reshape(indices, from), reshape(x, from)),
                 sizes);
}

namespace {

struct Interpolation {
  Resampling mode;
  int64_t spatial;  // 0: any
};

Interpolation interpolation_named(const std::string& mode) {
  constexpr Interpolation kForms[] = {{Resampling::kNearest, 0}, {Resampling::kNearestExact, 0},
                                      {Resampling::kLinear, 1},  {Resampling::kLinear, 2},
                                      {Resampling::kLinear, 3},  {Resampling::kCubic, 2}};
  constexpr std::string_view kNames[] = {"nearest",  "nearest-exact", "linear",
                                         "bilinear", "trilinear",     "bicubic"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (mode == kNames[i]) return kForms[i];
  throw Error(ErrorKind::kNotImplemented, text("interpolate(mode=", mode, "): no such mode"));
}

}  // namespace

Tensor interpolate(const Tensor& x, std::optional<std::vector<int64_t>> size,
                   std::optional<std::vector<double>> scale_factor, const std::string& mode,
                   std::optional<bool> align_corners, bool recompute_scale_factor) {
  const int64_t spatial = api::checked("interpolate", x).dim() - 2;
  const auto fail = [&](ErrorKind kind, const std::string& problem) {
    api::fail(kind, "interpolate", x, problem);
  };
  if (spatial < 1 || spatial > 3) fail(ErrorKind::kNotImplemented, "expected 3, 4 or 5 dimensions");
  if (size.has_value() == scale_factor.has_value())
    fail(ErrorKind::kValue, "expected one of size and scale_factor");
  const size_t given = size ? size->size() : scale_factor->size();
  if (given != 1 && given != static_cast<size_t>(spatial))
    fail(ErrorKind::kValue, text("expected 1 or ", spatial, " values, got ", given));
  Dims sizes;
  std::vector<Scalar> scales;
  for (int64_t d = 0; d < spatial; ++d) {
    const size_t i = given == 1 ? 0 : static_cast<size_t>(d);
    const double scale = scale_factor ? (*scale_factor)[i] : 0;
    sizes.push_back(size ? (*size)[i]
                         : static_cast<int64_t>(static_cast<double>(x.size(d + 2)) * scale));
    scales.emplace_back(recompute_scale_factor ? 0.0 : scale);
  }
  if (mode == "area") return adaptive_avg_pool(x, spatial, sizes);
  const Interpolation form = interpolation_named(mode);
  if (form.spatial != 0 && form.spatial != spatial)
    fail(ErrorKind::kNotImplemented,
         text("mode ", mode, " is for ", form.spatial + 2, " dimensions"));
  if (form.spatial == 0 && align_corners)
    fail(ErrorKind::kValue, text("align_corners has no meaning for mode ", mode));
  std::vector<Operand> operands{x};
  for (const Scalar& scale : scales) operands.emplace_back(scale);
  const Attrs attrs = Attrs()
                          .add(align_corners.value_or(false))
                          .add(static_cast<int64_t>(form.mode))
                          .add_list(sizes);
  Tensor result;
  dispatch({Op::interpolate, operands, attrs}, &result);
  return result;
}

}  // namespace frit

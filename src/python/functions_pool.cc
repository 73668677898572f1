// frit.nn.functional: pooling, resampling, convolutions backwards, distances.
#include "src/python/convert.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalInts = std::optional<Ints>;

IntArrayRef or_empty(const OptionalInts& list) {
  return list ? static_cast<IntArrayRef>(*list) : IntArrayRef();
}

// The values, or a tuple of both.
Ref with_indices(std::pair<Tensor, Tensor> results, bool indices) {
  if (!indices) return Ref(wrap(std::move(results.first)));
  return Ref(detail::give_back(std::vector<Tensor>{results.first, results.second}));
}

template <int spatial>
Ref max_pool(const Tensor& x, const Ints& kernel, const OptionalInts& stride, const Ints& padding,
             const Ints& dilation, bool ceil_mode, bool return_indices) {
  if (!return_indices && spatial == 2)
    return Ref(wrap(max_pool2d(x, kernel, or_empty(stride), padding, dilation, ceil_mode)));
  if (!return_indices && spatial == 1)
    return Ref(wrap(max_pool1d(x, kernel, or_empty(stride), padding, dilation, ceil_mode)));
  return with_indices(
      max_pool_with_indices(x, spatial, kernel, or_empty(stride), padding, dilation, ceil_mode),
      return_indices);
}

// A size or sizes; None keeps the input's size of that dimension.
Ints sizes_of(const char* op, const Tensor& x, PyObject* object) {
  const bool list = PyTuple_Check(object) || PyList_Check(object);
  const Py_ssize_t count = list ? PySequence_Fast_GET_SIZE(object) : 1;
  Ints sizes;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = list ? PySequence_Fast_GET_ITEM(object, i) : object;
    int64_t size;
    if (item == Py_None)
      size = x.size(i - count);
    else if (!read(item, &size))
      throw Error(ErrorKind::kType,
                  std::string(op) + "(): 'output_size' must be ints, not " + type_name(item));
    sizes.push_back(size);
  }
  return sizes;
}

template <int spatial>
Ref adaptive_average(const Tensor& x, Object output_size) {
  const Ints sizes = sizes_of("adaptive_avg_pool", x, output_size.object);
  return Ref(
      wrap(spatial == 2 ? adaptive_avg_pool2d(x, sizes) : adaptive_avg_pool(x, spatial, sizes)));
}
template <int spatial>
Ref adaptive_max(const Tensor& x, Object output_size, bool return_indices) {
  const Ints sizes = sizes_of("adaptive_max_pool", x, output_size.object);
  return with_indices(adaptive_max_pool(x, spatial, sizes), return_indices);
}

// The size that was pooled: as given (with or without a batch), or the smallest that fits.
template <int spatial>
Tensor unpool(const Tensor& x, const Tensor& indices, const Ints& kernel,
              const OptionalInts& stride, const Ints& padding, const OptionalInts& output_size) {
  const auto at = [](const Ints& list, int d) { return list[list.size() == 1 ? 0 : d]; };
  Ints sizes;
  for (int d = 0; d < spatial; ++d) {
    const int64_t step = at(stride && stride->size() > 0 ? *stride : kernel, d);
    const int64_t least = (x.size(d - spatial) - 1) * step + at(kernel, d) - 2 * at(padding, d);
    if (!output_size) {
      sizes.push_back(least);
      continue;
    }
    const int64_t wanted = (*output_size)[output_size->size() - spatial + d];
    if (wanted <= least - step || wanted >= least + step)
      throw Error(ErrorKind::kValue,
                  "max_unpool(): output_size does not fit: " + std::to_string(wanted));
    sizes.push_back(wanted);
  }
  return max_unpool(x, indices, sizes);
}

std::optional<std::vector<int64_t>> ints_of(const OptionalInts& list) {
  if (!list) return std::nullopt;
  const IntArrayRef values = *list;
  return std::vector<int64_t>(values.begin(), values.end());
}

// A number or several.
std::optional<std::vector<double>> numbers_of(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  const bool list = PyTuple_Check(object) || PyList_Check(object);
  std::vector<double> numbers;
  for (Py_ssize_t i = 0; i < (list ? PySequence_Fast_GET_SIZE(object) : 1); ++i) {
    double number;
    if (!read(list ? PySequence_Fast_GET_ITEM(object, i) : object, &number))
      throw Error(ErrorKind::kType, "interpolate(): 'scale_factor' must be numbers");
    numbers.push_back(number);
  }
  return numbers;
}

constexpr auto kInterpolate = [](const Tensor& x, const OptionalInts& size, Object scale,
                                 const std::string& mode, std::optional<bool> align_corners,
                                 std::optional<bool> recompute, bool antialias) {
  if (antialias)
    throw Error(ErrorKind::kNotImplemented, "interpolate(antialias=True): not implemented");
  const auto sizes = ints_of(size);
  const auto scales = numbers_of(scale.object);
  return Ref(wrap(interpolate(x, sizes, scales, mode, align_corners, recompute.value_or(false))));
};
constexpr auto kUpsampleNearest = [](const Tensor& x, const OptionalInts& size, Object scale) {
  return Ref(wrap(interpolate(x, ints_of(size), numbers_of(scale.object), "nearest")));
};
constexpr auto kUpsampleBilinear = [](const Tensor& x, const OptionalInts& size, Object scale) {
  return Ref(wrap(interpolate(x, ints_of(size), numbers_of(scale.object), "bilinear", true)));
};

template <Tensor (*convolve)(const Tensor&, const Tensor&, const Tensor&, IntArrayRef, IntArrayRef,
                             IntArrayRef, int64_t, IntArrayRef)>
Tensor transposed(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                  const Ints& stride, const Ints& padding, const Ints& output_padding,
                  int64_t groups, const Ints& dilation) {
  return convolve(x, weight, bias.value_or(Tensor()), stride, padding, output_padding, groups,
                  dilation);
}
#define FRIT_TRANSPOSED(name)                                                                      \
  overload<[](const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,            \
              const Ints& stride, const Ints& padding, const Ints& output_padding, int64_t groups, \
              const Ints& dilation) {                                                              \
    return transposed<frit::name>(x, weight, bias, stride, padding, output_padding, groups,        \
                                  dilation);                                                       \
  }>
#define FRIT_MAX_POOL(spatial)                                                           \
  overload<[](const Tensor& x, const Ints& kernel, const OptionalInts& stride,           \
              const Ints& padding, const Ints& dilation, bool ceil_mode, bool indices) { \
    return max_pool<spatial>(x, kernel, stride, padding, dilation, ceil_mode, indices);  \
  }>
#define FRIT_UNPOOL(spatial)                                                              \
  overload<[](const Tensor& x, const Tensor& indices, const Ints& kernel,                 \
              const OptionalInts& stride, const Ints& padding, const OptionalInts& out) { \
    return unpool<spatial>(x, indices, kernel, stride, padding, out);                     \
  }>

constexpr auto kInstanceNorm = [](const Tensor& x, const std::optional<Tensor>& mean,
                                  const std::optional<Tensor>& variance,
                                  const std::optional<Tensor>& weight,
                                  const std::optional<Tensor>& bias, bool use_input_stats, double,
                                  double eps) {
  if (use_input_stats)
    return instance_norm(x, weight.value_or(Tensor()), bias.value_or(Tensor()), eps);
  if (!mean || !variance)
    throw Error(ErrorKind::kRuntime, "instance_norm(): running_mean and running_var are needed");
  return batch_norm(x, weight ? *weight : ones_like(*mean), bias ? *bias : zeros_like(*mean), *mean,
                    *variance, eps);
};
constexpr auto kAvgPool1d = [](const Tensor& x, const Ints& kernel, const OptionalInts& stride,
                               const Ints& padding, bool ceil_mode, bool count_include_pad) {
  return avg_pool1d(x, kernel, or_empty(stride), padding, ceil_mode, count_include_pad);
};
constexpr auto kAvgPool2d = [](const Tensor& x, const Ints& kernel, const OptionalInts& stride,
                               const Ints& padding, bool ceil_mode, bool count_include_pad,
                               std::optional<int64_t> divisor) {
  return avg_pool2d(x, kernel, or_empty(stride), padding, ceil_mode, count_include_pad, divisor);
};
constexpr auto kAvgPool3d = [](const Tensor& x, const Ints& kernel, const OptionalInts& stride,
                               const Ints& padding, bool ceil_mode, bool count_include_pad,
                               std::optional<int64_t> divisor) {
  return avg_pool3d(x, kernel, or_empty(stride), padding, ceil_mode, count_include_pad, divisor);
};

constexpr const char* kMaxPoolText =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False";
constexpr const char* kAvgPoolText =
    "input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=None";
constexpr const char* kUnpoolText =
    "input, indices, kernel_size, stride=None, padding=0, output_size=None";
constexpr const char* kTransposedText =
    "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1";

Function table[] = {
    {"max_pool1d", kNeural | kFunction, {{kMaxPoolText, FRIT_MAX_POOL(1)}}},
    {"max_pool2d", kNeural | kFunction, {{kMaxPoolText, FRIT_MAX_POOL(2)}}},
    {"max_pool3d", kNeural | kFunction, {{kMaxPoolText, FRIT_MAX_POOL(3)}}},
    {"avg_pool1d",
     kNeural | kFunction,
     {{"input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
       overload<kAvgPool1d>}}},
    {"avg_pool2d", kNeural, {{kAvgPoolText, overload<kAvgPool2d>}}},
    {"avg_pool3d", kNeural, {{kAvgPoolText, overload<kAvgPool3d>}}},
    {"max_unpool1d", kNeural, {{kUnpoolText, FRIT_UNPOOL(1)}}},
    {"max_unpool2d", kNeural, {{kUnpoolText, FRIT_UNPOOL(2)}}},
    {"max_unpool3d", kNeural, {{kUnpoolText, FRIT_UNPOOL(3)}}},
    {"adaptive_avg_pool1d",
     kNeural | kFunction,
     {{"input, output_size -> Tensor",
       overload<[](const Tensor& x, Object size) { return adaptive_average<1>(x, size); }>}}},
    {"adaptive_avg_pool2d",
     kNeural,
     {{"input, output_size -> Tensor",
       overload<[](const Tensor& x, Object size) { return adaptive_average<2>(x, size); }>}}},
    {"adaptive_avg_pool3d",
     kNeural,
     {{"input, output_size -> Tensor",
       overload<[](const Tensor& x, Object size) { return adaptive_average<3>(x, size); }>}}},
    {"adaptive_max_pool1d",
     kNeural,
     {{"input, output_size, return_indices=False",
       overload<[](const Tensor& x, Object size, bool i) {
         return adaptive_max<1>(x, size, i);
       }>}}},
    {"adaptive_max_pool2d",
     kNeural,
     {{"input, output_size, return_indices=False",
       overload<[](const Tensor& x, Object size, bool i) {
         return adaptive_max<2>(x, size, i);
       }>}}},
    {"adaptive_max_pool3d",
     kNeural,
     {{"input, output_size, return_indices=False",
       overload<[](const Tensor& x, Object size, bool i) {
         return adaptive_max<3>(x, size, i);
       }>}}},
    {"interpolate",
     kNeural,
     {{"input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
       "recompute_scale_factor=None, antialias=False -> Tensor",
       overload<kInterpolate>}}},
    {"upsample_nearest",
     kNeural,
     {{"input, size=None, scale_factor=None -> Tensor", overload<kUpsampleNearest>}}},
    {"upsample_bilinear",
     kNeural,
     {{"input, size=None, scale_factor=None -> Tensor", overload<kUpsampleBilinear>}}},
    {"upsample",
     kNeural,
     {{"input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
       "recompute_scale_factor=None, antialias=False -> Tensor",
       overload<kInterpolate>}}},
    {"conv_transpose1d",
     kNeural | kFunction,
     {{kTransposedText, FRIT_TRANSPOSED(conv_transpose1d)}}},
    {"conv_transpose2d",
     kNeural | kFunction,
     {{kTransposedText, FRIT_TRANSPOSED(conv_transpose2d)}}},
    {"conv_transpose3d",
     kNeural | kFunction,
     {{kTransposedText, FRIT_TRANSPOSED(conv_transpose3d)}}},
    {"instance_norm",
     kNeural,
     {{"input, running_mean=None, running_var=None, weight=None, bias=None, "
       "use_input_stats=True, momentum=0.1, eps=1e-5",
       overload<kInstanceNorm>}}},
    {"normalize",
     kNeural,
     {{"input, p=2.0, dim=1, eps=1e-12",
       overload<[](const Tensor& x, double p, int64_t dim, double eps) {
         return normalize(x, p, dim, eps);
       }>}}},
    {"cosine_similarity",
     kNeural | kFunction,
     {{"x1, x2, dim=1, eps=1e-8",
       overload<[](const Tensor& a, const Tensor& b, int64_t dim, double eps) {
         return cosine_similarity(a, b, dim, eps);
       }>}}},
    {"pairwise_distance",
     kNeural | kFunction,
     {{"x1, x2, p=2.0, eps=1e-6, keepdim=False",
       overload<[](const Tensor& a, const Tensor& b, double p, double eps, bool keepdim) {
         return pairwise_distance(a, b, p, eps, keepdim);
       }>}}},
};

}  // namespace

std::vector<Entry> pool_entries() { return entries_of<table>(); }

}  // namespace frit::python

// Creation and conversion.
#include "frit/random.h"
#include "src/python/convert.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalDtype = std::optional<Dtype>;
using OptionalFormat = std::optional<MemoryFormat>;

TensorOptions options(OptionalDtype dtype) {
  return dtype ? TensorOptions(*dtype) : TensorOptions();
}
TensorOptions options_like(const Tensor& x, OptionalDtype dtype) {
  return TensorOptions(dtype.value_or(x.dtype())).device(x.device());
}

Tensor rectangular_eye(int64_t rows, int64_t columns, OptionalDtype dtype) {
  const Tensor square = eye(std::max(rows, columns), options(dtype));
  if (rows == columns) return square;
  return contiguous(narrow(narrow(square, 0, 0, rows), 1, 0, columns));
}

// channels_last is a way to lay out memory: dimensions in another order, made contiguous.
Tensor in_format(const Tensor& x, const OptionalFormat& format) {
  if (!format || format->name == "contiguous_format") return contiguous(x);
  if (format->name != "channels_last" || x.dim() != 4)
    throw Error(ErrorKind::kRuntime, "contiguous(memory_format=" + format->name + "): not for " +
                                         std::to_string(x.dim()) + " dimensions");
  const Tensor rows = contiguous(permute(x, {0, 2, 3, 1}));
  return permute(rows, {0, 3, 1, 2});
}

Tensor cloned(const Tensor& x, const OptionalFormat& format) {
  if (!format || format->name == "preserve_format") return clone(x);
  const Tensor result = in_format(x, format);
  return result.is_same(x) ? clone(x) : result;
}

// Conversion with PyTorch's words; the argument itself where nothing is to be done.
Tensor convert(const Tensor& x, OptionalDtype dtype, bool copy, const OptionalFormat& format) {
  Tensor result = dtype ? to(x, *dtype) : x;
  if (format && format->name != "preserve_format") result = in_format(result, format);
  return copy && result.is_same(x) ? clone(x) : result;
}

constexpr auto kTensor = [](Object data, OptionalDtype dtype) {
  return Ref(wrap(tensor_from(data.object, dtype)));
};
constexpr auto kAsTensor = [](Object data, OptionalDtype dtype) {
  if (is_tensor(data.object)) {
    if (!dtype || *dtype == tensor_of(data.object).dtype()) return share(data.object);
    return Ref(wrap(to(tensor_of(data.object), *dtype)));
  }
  if (!is_numpy_array(data.object)) return Ref(wrap(tensor_from(data.object, dtype)));
  const Tensor shared = tensor_sharing(data.object);
  return Ref(wrap(dtype ? to(shared, *dtype) : shared));
};
constexpr auto kFromNumpy = [](Object data) {
  if (!is_numpy_array(data.object))
    throw Error(ErrorKind::kType,
                "from_numpy(): expected numpy.ndarray, got " + type_name(data.object));
  return Ref(wrap(tensor_sharing(data.object)));
};
// A flat tensor on any buffer's bytes from `offset` on.
constexpr auto kFromBuffer = [](Object buffer, Dtype dtype, int64_t count, int64_t offset) {
  const Ref view = own(PyMemoryView_FromObject(buffer.object));
  const Ref bytes = own(PyObject_CallMethod(view.get(), "cast", "s", "B"));
  const Tensor all = tensor_sharing(bytes.get());
  const int64_t left = (all.numel() - offset) / byte_size(dtype);
  if (offset < 0 || offset > all.numel() || count > left || count < -1)
    throw Error(ErrorKind::kValue,
                "frombuffer(): the buffer has only " + std::to_string(all.numel()) + " bytes");
  // The new tensor's memory holds the old one's.
  auto* data = static_cast<std::byte*>(all.data_ptr()) + offset;
  return from_blob(
      data, {count == -1 ? left : count}, [all](void*) {}, dtype);
};
constexpr auto kFull = [](const Ints& sizes, const Scalar& value, OptionalDtype dtype) {
  return full(sizes, value, options(dtype));
};
constexpr auto kFullLike = [](const Tensor& x, const Scalar& value, OptionalDtype dtype) {
  return full_like(x, value, options_like(x, dtype));
};
constexpr auto kNewFull = [](const Tensor& x, const Ints& sizes, const Scalar& value,
                             OptionalDtype dtype) {
  return full(sizes, value, options_like(x, dtype));
};
constexpr auto kArangeEnd = [](const Scalar& end, OptionalDtype dtype) {
  return arange(end, options(dtype));
};
constexpr auto kArange = [](const Scalar& start, const Scalar& end, const Scalar& step,
                            OptionalDtype dtype) {
  return arange(start, end, step, options(dtype));
};
constexpr auto kSeed = [](int64_t seed) {
  manual_seed(static_cast<uint64_t>(seed));
  return share(Py_None);
};
constexpr auto kLinspace = [](const Scalar& start, const Scalar& end, int64_t steps,
                              OptionalDtype dtype) {
  return linspace(start, end, steps, options(dtype));
};
constexpr auto kEmptyStrided = [](const Ints& sizes, const Ints& strides, OptionalDtype dtype) {
  return empty_strided(sizes, strides, options(dtype));
};
constexpr auto kToDtype = [](const Tensor& x, Dtype dtype, bool copy,
                             const OptionalFormat& format) {
  return convert(x, dtype, copy, format);
};
constexpr auto kToOther = [](const Tensor& x, const Tensor& other, bool copy,
                             const OptionalFormat& format) {
  return convert(x, other.dtype(), copy, format).to(other.device());
};
constexpr auto kToDevice = [](const Tensor& x, OptionalDtype dtype, bool copy,
                              const OptionalFormat& format) {
  return convert(x, dtype, copy, format);
};

#define FRIT_SIZED(function)                                                    \
  {                                                                             \
    {"*size, ...options", overload<[](const Ints& sizes, OptionalDtype dtype) { \
       return function(sizes, options(dtype));                                  \
     }>},                                                                       \
  }
#define FRIT_RANDOM(function)                                                                   \
  {                                                                                             \
    {"*size, generator=None, ...options", overload<[](const Ints& sizes, OptionalDtype dtype) { \
       return function(sizes, options(dtype));                                                  \
     }>},                                                                                       \
  }
#define FRIT_LIKE(function)                                                      \
  {                                                                              \
    {"input, *, ...options", overload<[](const Tensor& x, OptionalDtype dtype) { \
       return function(x, options_like(x, dtype));                               \
     }>},                                                                        \
  }
#define FRIT_RANDOM_LIKE(function)                                                               \
  {                                                                                              \
    {"input, *, generator=None, ...options", overload<[](const Tensor& x, OptionalDtype dtype) { \
       return function(x.sizes(), options_like(x, dtype));                                       \
     }>},                                                                                        \
  }
#define FRIT_NEW(function)                                                  \
  {                                                                         \
    {"input, *size, ...options",                                            \
     overload<[](const Tensor& x, const Ints& sizes, OptionalDtype dtype) { \
       return function(sizes, options_like(x, dtype));                      \
     }>},                                                                   \
  }
#define FRIT_CONVERT(name, dtype)                                                            \
  {                                                                                          \
    name, kMethod, {                                                                         \
      {                                                                                      \
        "input, ~memory_format=None", overload<[](const Tensor& x) { return to(x, dtype); }> \
      }                                                                                      \
    }                                                                                        \
  }

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"tensor", kFunction, {{"data, *, ...options -> Tensor", overload<kTensor>}}},
    {"as_tensor", kFunction, {{"data, dtype=None, ~device=None -> Tensor", overload<kAsTensor>}}},
    {"asarray", kFunction, {{"data, *, dtype=None, ~device=None -> Tensor", overload<kAsTensor>}}},
    {"from_numpy", kFunction, {{"ndarray -> Tensor", overload<kFromNumpy>}}},
    {"frombuffer",
     kFunction,
     {{"buffer, *, dtype, count=-1, offset=0, ~requires_grad=False", overload<kFromBuffer>}}},
    {"zeros", kFunction, FRIT_SIZED(zeros)},
    {"ones", kFunction, FRIT_SIZED(ones)},
    {"empty", kFunction, FRIT_SIZED(empty)},
    {"full", kFunction, {{"size, fill_value, *, ...options", overload<kFull>}}},
    {"empty_strided", kFunction, {{"size, stride, *, ...options", overload<kEmptyStrided>}}},
    {"zeros_like", kFunction, FRIT_LIKE(zeros_like)},
    {"ones_like", kFunction, FRIT_LIKE(ones_like)},
    {"empty_like", kFunction, FRIT_LIKE(empty_like)},
    {"full_like", kFunction, {{"input, fill_value, *, ...options", overload<kFullLike>}}},
    {"new_zeros", kMethod, FRIT_NEW(zeros)},
    {"new_ones", kMethod, FRIT_NEW(ones)},
    {"new_empty", kMethod, FRIT_NEW(empty)},
    {"new_full", kMethod, {{"input, size, fill_value, *, ...options", overload<kNewFull>}}},
    {"new_tensor",
     kMethod,
     {{"input, data, *, ...options -> Tensor",
       overload<[](const Tensor& x, Object data, OptionalDtype dtype) {
         return Ref(wrap(tensor_from(data.object, dtype.value_or(x.dtype()))));
       }>}}},
    {"rand", kFunction, FRIT_RANDOM(rand)},
    {"randn", kFunction, FRIT_RANDOM(randn)},
    {"rand_like", kFunction, FRIT_RANDOM_LIKE(rand)},
    {"randn_like", kFunction, FRIT_RANDOM_LIKE(randn)},
    {"randint",
     kFunction,
     {{"high, size, *, generator=None, ...options",
       overload<[](int64_t high, const Ints& sizes, OptionalDtype dtype) {
         return randint(0, high, sizes, dtype.value_or(kInt64));
       }>},
      {"low, high, size, *, generator=None, ...options",
       overload<[](int64_t low, int64_t high, const Ints& sizes, OptionalDtype dtype) {
         return randint(low, high, sizes, dtype.value_or(kInt64));
       }>}}},
    {"randperm",
     kFunction,
     {{"n, *, generator=None, ...options", overload<[](int64_t n, OptionalDtype dtype) {
         return randperm(n, dtype.value_or(kInt64));
       }>}}},
    {"bernoulli",
     kFunction | kMethod,
     {{"input, *, generator=None", overload<[](const Tensor& p) { return bernoulli(p); }>},
      {"input, p, *, generator=None",
       overload<[](const Tensor& x, double p) { return bernoulli(p, x.sizes(), x.dtype()); }>}}},
    {"multinomial",
     kFunction | kMethod,
     {{"input, num_samples, replacement=False, *, generator=None",
       overload<[](const Tensor& weights, int64_t n, bool replacement) {
         return multinomial(weights, n, replacement);
       }>}}},
    {"normal",
     kFunction,
     {{"mean, std, *, generator=None", overload<[](const Tensor& mean, const Tensor& deviation) {
         return normal(mean, deviation);
       }>},
      {"mean, std=1.0, *, generator=None", overload<[](const Tensor& mean, double deviation) {
         return normal(mean, full({}, deviation, mean.options()));
       }>},
      {"mean, std, *, generator=None", overload<[](double mean, const Tensor& deviation) {
         return normal(full({}, mean, deviation.options()), deviation);
       }>},
      {"mean, std, size, *, generator=None, ...options",
       overload<[](double mean, double deviation, const Ints& sizes, OptionalDtype dtype) {
         return normal_(empty(sizes, options(dtype)), mean, deviation);
       }>}}},
    {"manual_seed", kFunction, {{"seed -> None", overload<kSeed>}}},
    {"arange",
     kFunction,
     {{"end, *, ...options", overload<kArangeEnd>},
      {"start, end, step=1, *, ...options", overload<kArange>}}},
    {"linspace", kFunction, {{"start, end, steps, *, ...options", overload<kLinspace>}}},
    {"eye",
     kFunction,
     {{"n, m=None, *, ...options",
       overload<[](int64_t n, std::optional<int64_t> m, OptionalDtype dtype) {
         return rectangular_eye(n, m.value_or(n), dtype);
       }>}}},
    {"to",
     kMethod,
     {{"input, dtype, ~non_blocking=False, copy=False, *, memory_format=None", overload<kToDtype>},
      {"input, other, ~non_blocking=False, copy=False, *, memory_format=None", overload<kToOther>},
      {"input, ~device=None, dtype=None, ~non_blocking=False, copy=False, *, memory_format=None",
       overload<kToDevice>}}},
    {"type_as", kMethod, {{"input, other", overload<[](const Tensor& x, const Tensor& other) {
                             return to(x, other.dtype()).to(other.device());
                           }>}}},
    FRIT_CONVERT("double", kFloat64),
    FRIT_CONVERT("float", kFloat32),
    FRIT_CONVERT("half", kFloat16),
    FRIT_CONVERT("bfloat16", kBFloat16),
    FRIT_CONVERT("long", kInt64),
    FRIT_CONVERT("int", kInt32),
    FRIT_CONVERT("short", kInt16),
    FRIT_CONVERT("char", kInt8),
    FRIT_CONVERT("byte", kUInt8),
    FRIT_CONVERT("bool", kBool),
    {"cpu",
     kMethod,
     {{"input, ~memory_format=None", overload<[](const Tensor& x) { return x.cpu(); }>}}},
    {"clone",
     kBoth,
     {{"input, *, memory_format=None",
       overload<[](const Tensor& x, const OptionalFormat& format) { return cloned(x, format); }>}}},
    {"contiguous",
     kMethod,
     {{"input, memory_format=None", overload<[](const Tensor& x, const OptionalFormat& format) {
         return in_format(x, format);
       }>}}},
    {"detach", kBoth, {{"input", overload<[](const Tensor& x) { return x.detach(); }>}}},
};

}  // namespace

std::vector<Entry> create_entries() { return entries_of<table>(); }

}  // namespace frit::python

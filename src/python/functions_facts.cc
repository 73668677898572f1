// What a tensor says of itself, and its values as Python numbers.
#include <algorithm>

#include "frit/random.h"
#include "src/python/convert.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

// What names no dimension, or None, asks for all.
constexpr auto kSize = [](const Tensor& x, int64_t dim) { return x.size(dim); };
constexpr auto kSizes = [](const Tensor& x, std::optional<int64_t>) { return new_size(x.sizes()); };
constexpr auto kStride = [](const Tensor& x, int64_t dim) { return x.stride(dim); };
constexpr auto kStrides = [](const Tensor& x, std::optional<int64_t>) {
  return new_int_tuple(x.strides());
};
constexpr auto kNumel = [](const Tensor& x) { return x.numel(); };
constexpr auto kDim = [](const Tensor& x) { return x.dim(); };

// Whether the memory is row-major in that order of dimensions.
constexpr auto kIsContiguous = [](const Tensor& x, const std::optional<MemoryFormat>& format) {
  if (!format || format->name == "contiguous_format") return x.is_contiguous();
  return format->name == "channels_last" && x.dim() == 4 &&
         permute(x, {0, 2, 3, 1}).is_contiguous();
};
constexpr auto kDataPtr = [](const Tensor& x) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(x.data_ptr()));
};
// dtype objects have no legacy tensor types: the name is "frit.float32".
constexpr auto kType = [](const Tensor& x, std::optional<Dtype> dtype) {
  if (dtype) return Ref(wrap(to(x, *dtype)));
  return own(PyObject_Str(dtype_object(x.dtype())));
};
constexpr auto kCopy = [](Object self, const Number& source) {
  const Tensor& target = tensor_of(self.object);
  if (source.is_tensor()) {
    const ReleaseGil release(target.numel() >= kElementsWithoutGil);
    target.copy_(*source.tensor);
  } else {
    target.fill_(source.scalar);
  }
  return share(self.object);
};
constexpr auto kFill = [](Object self, const Scalar& value) {
  tensor_of(self.object).fill_(value);
  return share(self.object);
};
constexpr auto kZero = [](Object self) {
  tensor_of(self.object).zero_();
  return share(self.object);
};
constexpr auto kUniform = [](Object self, double from, double to) {
  uniform_(tensor_of(self.object), from, to);
  return share(self.object);
};
constexpr auto kNormal = [](Object self, double mean, double deviation) {
  normal_(tensor_of(self.object), mean, deviation);
  return share(self.object);
};
constexpr auto kIsFloatingPoint = [](const Tensor& x) { return x.is_floating_point(); };

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"size",
     kMethod,
     {{"input, dim", overload<kSize>}, {"input, dim=None -> frit.Size", overload<kSizes>}}},
    {"stride",
     kMethod,
     {{"input, dim", overload<kStride>},
      {"input, dim=None -> tuple[int, ...]", overload<kStrides>}}},
    {"numel", kBoth, {{"input", overload<kNumel>}}},
    {"nelement", kMethod, {{"input", overload<kNumel>}}},
    {"dim", kMethod, {{"input", overload<kDim>}}},
    {"ndimension", kMethod, {{"input", overload<kDim>}}},
    {"storage_offset",
     kMethod,
     {{"input", overload<[](const Tensor& x) { return x.storage_offset(); }>}}},
    {"element_size",
     kMethod,
     {{"input", overload<[](const Tensor& x) { return x.element_size(); }>}}},
    {"is_contiguous", kMethod, {{"input, memory_format=None", overload<kIsContiguous>}}},
    {"is_floating_point", kBoth, {{"input", overload<kIsFloatingPoint>}}},
    {"is_complex", kBoth, {{"input", overload<[](const Tensor&) { return false; }>}}},
    {"data_ptr", kMethod, {{"input", overload<kDataPtr>}}},
    {"item", kMethod, {{"input", overload<[](const Tensor& x) { return x.item(); }>}}},
    {"tolist", kMethod, {{"input", overload<[](const Tensor& x) { return to_list(x); }>}}},
    {"numpy",
     kMethod,
     {{"input, *, ~force=False", overload<[](Object x) { return to_numpy(x.object); }>}}},
    {"type", kMethod, {{"input, dtype=None -> Any", overload<kType>}}},
    {"copy_", kMethod, {{"input, src, ~non_blocking=False -> Tensor", overload<kCopy>}}},
    {"fill_", kMethod, {{"input, value -> Tensor", overload<kFill>}}},
    {"zero_", kMethod, {{"input -> Tensor", overload<kZero>}}},
    {"uniform_",
     kMethod,
     {{"input, from=0.0, to=1.0, *, generator=None -> Tensor", overload<kUniform>}}},
    {"normal_",
     kMethod,
     {{"input, mean=0.0, std=1.0, *, generator=None -> Tensor", overload<kNormal>}}},
    {"is_set_to",
     kMethod,
     {{"input, tensor", overload<[](const Tensor& a, const Tensor& b) { return a.is_same(b); }>}}},
};

}  // namespace

std::vector<Entry> fact_entries() { return entries_of<table>(); }

}  // namespace frit::python

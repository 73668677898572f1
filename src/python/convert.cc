// Nested sequences to tensors, tensors to nested lists.
#include "src/python/convert.h"

#include <cstring>
#include <memory>

#include "src/python/arguments.h"
#include "src/python/indexing.h"

namespace frit::python {
namespace {

// The elements of a nested sequence in row-major order, and its sizes.
class Elements {
 public:
  explicit Elements(PyObject* data) {
    find_sizes(data);
    add(data, 0);
  }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  const std::vector<Scalar>& values() const { return values_; }
  Dtype natural_dtype() const {
    if (values_.empty() || any_float_) return kFloat32;
    return any_int_ ? kInt64 : kBool;
  }

 private:
  static bool is_sequence(PyObject* object) {
    return PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object) &&
           !is_number(object) && !(is_tensor(object) && tensor_of(object).dim() == 0);
  }

  void find_sizes(PyObject* data) {
    Ref item = share(data);
    while (is_sequence(item.get())) {
      sizes_.push_back(checked(PySequence_Size(item.get())));
      if (sizes_.size() > 64) throw Error(ErrorKind::kValue, "tensor(): nested too deeply");
      if (sizes_.back() == 0) return;
      item = own(PySequence_GetItem(item.get(), 0));
    }
  }

  void add(PyObject* data, size_t depth) {
    if (depth == sizes_.size()) return add_number(data);
    if (!is_sequence(data))
      throw Error(ErrorKind::kType, "tensor(): expected a sequence at dim " +
                                        std::to_string(depth) + ", got " + type_name(data));
    const Ref items = own(PySequence_Fast(data, "tensor(): expected a sequence"));
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.get());
    if (size != sizes_[depth])
      throw Error(ErrorKind::kValue, "tensor(): expected a sequence of length " +
                                         std::to_string(sizes_[depth]) + " at dim " +
                                         std::to_string(depth) + ", got " + std::to_string(size));
    for (Py_ssize_t i = 0; i < size; ++i) add(PySequence_Fast_GET_ITEM(items.get(), i), depth + 1);
  }

  void add_number(PyObject* object) {
    Scalar value;
    if (is_sequence(object))
      throw Error(ErrorKind::kValue, "tensor(): the sequences are nested unevenly");
    if (PyComplex_Check(object))
      throw Error(ErrorKind::kType, "tensor(): complex numbers are not supported");
    if (!read(object, &value))
      throw Error(ErrorKind::kType, "tensor(): no number: " + type_name(object));
    any_float_ |= value.kind() == Scalar::Kind::kFloat;
    any_int_ |= value.kind() == Scalar::Kind::kInt;
    values_.push_back(value);
  }

  std::vector<int64_t> sizes_;
  std::vector<Scalar> values_;
  bool any_float_ = false, any_int_ = false;
};

template <class T>
T element_of(const Scalar& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.to_bool();
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.to_double());
  } else {
    const int64_t integer = value.to_int();
    // Negative numbers wrap into u8, as in PyTorch.
    const bool fits = std::is_same_v<T, uint8_t> ? integer >= -255 && integer <= 255
                                                 : static_cast<T>(integer) == integer;
    if (!fits)
      throw Error(ErrorKind::kRuntime, "tensor(): the number does not fit " +
                                           std::string(name(dtype_of<T>)) + ": " +
                                           std::to_string(integer));
    return static_cast<T>(integer);
  }
}

template <class T>
Tensor filled(const Elements& elements) {
  const size_t count = elements.values().size();
  const std::unique_ptr<T[]> data(new T[count]);
  for (size_t i = 0; i < count; ++i) data[i] = element_of<T>(elements.values()[i]);
  return from_host(data.get(), elements.sizes(), dtype_of<T>);
}

Tensor from_elements(const Elements& elements, Dtype dtype) {
  // Through f32, as PyTorch converts.
  if (is_half(dtype)) return to(filled<float>(elements), dtype);
  Tensor result;
  with_element_type(dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>)
      result = filled<T>(elements);
  });
  return result;
}

template <class T>
Ref nested_list(const T* data, IntArrayRef sizes, IntArrayRef strides) {
  if (sizes.empty()) return to_number(Scalar(*data));
  Ref list = own(PyList_New(static_cast<Py_ssize_t>(sizes[0])));
  for (int64_t i = 0; i < sizes[0]; ++i)
    PyList_SET_ITEM(
        list.get(), static_cast<Py_ssize_t>(i),
        nested_list(data + i * strides[0], sizes.subspan(1), strides.subspan(1)).release());
  return list;
}

}  // namespace

Tensor tensor_from(PyObject* data, std::optional<Dtype> dtype) {
  if (is_tensor(data) || is_numpy_array(data)) {
    const Tensor source = is_tensor(data) ? tensor_of(data) : tensor_sharing(data);
    const Tensor result = dtype ? to(source, *dtype) : source;
    return result.is_same(source) ? clone(source) : result;
  }
  const Elements elements(data);
  return from_elements(elements, dtype.value_or(elements.natural_dtype()));
}

Ref to_number(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return share(scalar.to_bool() ? Py_True : Py_False);
    case Scalar::Kind::kInt:
      return own(PyLong_FromLongLong(scalar.to_int()));
    case Scalar::Kind::kFloat:
      return own(PyFloat_FromDouble(scalar.to_double()));
  }
  __builtin_unreachable();
}

Ref to_list(const Tensor& tensor) {
  if (!tensor.device().is_cpu()) return to_list(tensor.cpu());
  if (is_half(tensor.dtype())) return to_list(to(tensor, kFloat32));
  Ref list;
  with_element_type(tensor.dtype(), [&](auto element) {
    using T = decltype(element);
    if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>)
      tensor.with_data<const T>(
          [&](const T* data) { list = nested_list(data, tensor.sizes(), tensor.strides()); });
  });
  return list;
}

void copy_elements(const Tensor& contiguous, char* target) {
  if (contiguous.numel() == 0) return;
  if (!contiguous.device().is_cpu()) return copy_elements(contiguous.cpu(), target);
  with_element_type(contiguous.dtype(), [&](auto element) {
    using T = decltype(element);
    contiguous.with_data<const T>([&](const T* data) {
      std::memcpy(target, data, static_cast<size_t>(contiguous.nbytes()));
    });
  });
}

}  // namespace frit::python

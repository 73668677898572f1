// Reading Python objects as what the C++ functions take.
//
//   int64_t dim;
//   if (!read(object, &dim)) ...   // not an int
//
// read() says false where the object is of another kind, so that the next overload can be tried,
// and throws where it is of the right kind but out of range. A null object stands for an argument
// that was left out; only optional ones are given as such.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/ops.h"
#include "src/python/small_types.h"
#include "src/python/tensor_object.h"

namespace frit::python {

// A tensor, or a number, which takes part in promotion as one.
struct Number {
  const Tensor* tensor = nullptr;
  Scalar scalar;
  Tensor owned;  // from a NumPy array

  Number() = default;
  explicit Number(const Scalar& s) : scalar(s) {}
  explicit Number(const Tensor& t) : tensor(&t) {}  // does not own
  bool is_tensor() const { return tensor != nullptr; }
};

// A short list of ints. On the stack, since every call with dims has one.
class Ints {
 public:
  static constexpr int kMax = 64;
  Ints() : size_(0) {}
  Ints(int64_t value) : size_(1) { values_[0] = value; }  // NOLINT
  operator IntArrayRef() const { return {values_, static_cast<size_t>(size_)}; }
  int size() const { return size_; }
  int64_t operator[](int i) const { return values_[i]; }
  void push_back(int64_t value);

 private:
  int size_;
  int64_t values_[kMax];
};

// A device: frit.device, or its name.
struct DeviceArgument {
  Device device;
};
// A memory format, by name: "contiguous_format", "preserve_format", "channels_last", ...
struct MemoryFormat {
  std::string name;
};
// A padding: numbers, or a name such as "same".
struct IntsOrName {
  std::string name;
  Ints ints;
};
// Any object, borrowed.
struct Object {
  PyObject* object = nullptr;
};

// Whether the object is a number that no tensor holds: Python's or NumPy's. Complex ones are not.
bool is_number(PyObject* object);
Scalar to_scalar(PyObject* number);

bool read_number_slowly(PyObject* object, Number* out);

inline bool read(PyObject* object, const Tensor** out) {
  if (object == nullptr || !is_tensor(object)) return false;
  *out = &tensor_of(object);
  return true;
}
inline bool read(PyObject* object, Number* out) {
  if (is_tensor(object)) {
    out->tensor = &tensor_of(object);
    return true;
  }
  if (PyFloat_CheckExact(object)) {
    out->scalar = Scalar(PyFloat_AS_DOUBLE(object));
    return true;
  }
  return read_number_slowly(object, out);
}
bool read(PyObject* object, Scalar* out);
bool read(PyObject* object, int64_t* out);
bool read(PyObject* object, double* out);
bool read(PyObject* object, bool* out);
bool read(PyObject* object, Dtype* out);
bool read(PyObject* object, Ints* out);
bool read(PyObject* object, std::string* out);
bool read(PyObject* object, std::vector<Tensor>* out);
bool read(PyObject* object, DeviceArgument* out);
bool read(PyObject* object, MemoryFormat* out);
inline bool read(PyObject* object, IntsOrName* out) {
  return read(object, &out->name) || read(object, &out->ints);
}
inline bool read(PyObject* object, Object* out) {
  out->object = object;
  return true;
}
// None is an undefined tensor.
inline bool read(PyObject* object, Tensor* out) {
  if (object == nullptr || object == Py_None) return true;
  if (!is_tensor(object)) return false;
  *out = tensor_of(object);
  return true;
}
template <class T>
bool read(PyObject* object, std::optional<T>* out) {
  if (object == nullptr || object == Py_None) return true;
  return read(object, &out->emplace());
}

// What read() expects: in messages, and as an annotation in signatures.
struct Kind {
  const char* name;
  const char* annotation;
  bool optional = false;  // None too
};
template <class T>
constexpr Kind kind_of = T::has_no_kind;
template <>
inline constexpr Kind kind_of<const Tensor*> = {"Tensor", "Tensor"};
template <>
inline constexpr Kind kind_of<Tensor> = {"Tensor", "Tensor", true};
template <>
inline constexpr Kind kind_of<Number> = {"Tensor or number", "Tensor | Number"};
template <>
inline constexpr Kind kind_of<Scalar> = {"number", "Number"};
template <>
inline constexpr Kind kind_of<int64_t> = {"int", "int"};
template <>
inline constexpr Kind kind_of<double> = {"float", "float"};
template <>
inline constexpr Kind kind_of<bool> = {"bool", "bool"};
template <>
inline constexpr Kind kind_of<Dtype> = {"frit.dtype", "frit.dtype"};
template <>
inline constexpr Kind kind_of<Ints> = {"tuple of ints", "int | Sequence[int]"};
template <>
inline constexpr Kind kind_of<std::string> = {"str", "str"};
template <>
inline constexpr Kind kind_of<std::vector<Tensor>> = {"tuple of Tensors", "Sequence[Tensor]"};
template <>
inline constexpr Kind kind_of<DeviceArgument> = {"frit.device", "frit.device | str"};
template <>
inline constexpr Kind kind_of<MemoryFormat> = {"frit.memory_format", "frit.memory_format"};
template <>
inline constexpr Kind kind_of<IntsOrName> = {"str or tuple of ints", "str | int | Sequence[int]"};
template <>
inline constexpr Kind kind_of<Object> = {"object", "Any"};
template <class T>
inline constexpr Kind kind_of<std::optional<T>> = {kind_of<T>.name, kind_of<T>.annotation, true};

}  // namespace frit::python

// Readers of Python objects.
#include "src/python/arguments.h"

#include <cstring>

#include "src/python/convert.h"

namespace frit::python {
namespace {

// The rest of the type's name where it is one of NumPy's scalar types: "float32", "int64". NumPy is
// not linked, so its types are known by name.
const char* numpy_scalar_name(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  if (std::strncmp(name, "numpy.", 6) != 0 || std::strcmp(name, "numpy.ndarray") == 0)
    return nullptr;
  return name + 6;
}
bool starts_with(const char* text, const char* prefix) {
  return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}
bool is_numpy_float(const char* name) {
  return starts_with(name, "float") || starts_with(name, "longdouble");
}
bool is_numpy_int(const char* name) {
  return starts_with(name, "int") || starts_with(name, "uint") || starts_with(name, "longlong") ||
         starts_with(name, "ulonglong");
}

int64_t to_int64(PyObject* integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow != 0) throw Error(ErrorKind::kRuntime, "int: overflow: the number does not fit i64");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

// An int of Python or NumPy, or an integer tensor with one element, but no bool.
bool read_index(PyObject* object, int64_t* out) {
  if (PyLong_Check(object)) {
    if (PyBool_Check(object)) return false;
    *out = to_int64(object);
    return true;
  }
  if (is_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    if (!is_integral(tensor.dtype()) || tensor.numel() != 1) return false;
  } else {
    const char* name = numpy_scalar_name(object);
    if (name == nullptr || !is_numpy_int(name)) return false;
  }
  const Ref index = own(PyNumber_Index(object));
  *out = to_int64(index.get());
  return true;
}

}  // namespace

void Ints::push_back(int64_t value) {
  if (size_ == kMax) throw Error(ErrorKind::kRuntime, "ints: too many: the limit is 64");
  values_[size_++] = value;
}

bool is_number(PyObject* object) {
  if (PyFloat_Check(object) || PyLong_Check(object)) return true;
  const char* name = numpy_scalar_name(object);
  return name != nullptr &&
         (is_numpy_float(name) || is_numpy_int(name) || starts_with(name, "bool"));
}

Scalar to_scalar(PyObject* number) {
  if (PyFloat_Check(number)) return Scalar(PyFloat_AS_DOUBLE(number));
  if (PyBool_Check(number)) return Scalar(number == Py_True);
  if (PyLong_Check(number)) return Scalar(to_int64(number));
  const char* name = numpy_scalar_name(number);
  if (is_numpy_float(name)) {
    const double value = PyFloat_AsDouble(number);
    if (value == -1 && PyErr_Occurred()) throw PythonError();
    return Scalar(value);
  }
  if (starts_with(name, "bool")) return Scalar(checked(PyObject_IsTrue(number)) == 1);
  return Scalar(to_int64(own(PyNumber_Index(number)).get()));
}

bool read_number_slowly(PyObject* object, Number* out) {
  if (is_number(object)) {
    out->scalar = to_scalar(object);
    return true;
  }
  if (!is_numpy_array(object)) return false;
  out->owned = tensor_sharing(object);
  out->tensor = &out->owned;
  return true;
}

bool read(PyObject* object, Scalar* out) {
  if (PyFloat_CheckExact(object)) {
    *out = Scalar(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyLong_CheckExact(object)) {
    *out = Scalar(to_int64(object));
    return true;
  }
  if (is_number(object)) {
    *out = to_scalar(object);
    return true;
  }
  if (!is_tensor(object) || tensor_of(object).dim() != 0) return false;
  *out = tensor_of(object).item();
  return true;
}

bool read(PyObject* object, int64_t* out) { return read_index(object, out); }

bool read(PyObject* object, double* out) {
  Scalar scalar;
  if (!read(object, &scalar) || scalar.kind() == Scalar::Kind::kBool) return false;
  *out = scalar.to_double();
  return true;
}

bool read(PyObject* object, bool* out) {
  if (PyBool_Check(object)) {
    *out = object == Py_True;
    return true;
  }
  const char* name = numpy_scalar_name(object);
  if (name == nullptr || !starts_with(name, "bool")) return false;
  *out = checked(PyObject_IsTrue(object)) == 1;
  return true;
}

bool read(PyObject* object, Dtype* out) {
  if (is_dtype(object)) {
    *out = dtype_of_object(object);
    return true;
  }
  // Python's own types, as PyTorch takes them.
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    *out = kFloat64;
  } else if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    *out = kInt64;
  } else if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    *out = kBool;
  } else {
    return false;
  }
  return true;
}

bool read(PyObject* object, Ints* out) {
  *out = Ints();
  int64_t value;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      if (!read_index(PySequence_Fast_GET_ITEM(object, i), &value)) return false;
      out->push_back(value);
    }
    return true;
  }
  if (!read_index(object, &value)) return false;
  out->push_back(value);
  return true;
}

bool read(PyObject* object, std::string* out) {
  if (!PyUnicode_Check(object)) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw PythonError();
  out->assign(text, static_cast<size_t>(size));
  return true;
}

bool read(PyObject* object, std::vector<Tensor>* out) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(object, i);
    if (!is_tensor(item)) return false;
    out->push_back(tensor_of(item));
  }
  return true;
}

bool read(PyObject* object, DeviceArgument* out) {
  std::string name;
  if (!read(object, &name)) {
    if (device_class == nullptr || Py_TYPE(object) != device_class) return false;
    read(own(PyObject_Str(object)).get(), &name);
  }
  out->device = Device(name);
  return true;
}

bool read(PyObject* object, MemoryFormat* out) {
  const Ref name(PyObject_GetAttrString(object, "format_name"));
  if (!name) PyErr_Clear();
  return name && read(name.get(), &out->name);
}

}  // namespace frit::python

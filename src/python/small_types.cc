// frit.dtype and frit.Size.
#include "src/python/small_types.h"

namespace frit::python {

PyTypeObject dtype_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject* device_class = nullptr;
PyObject* strided_layout = nullptr;

namespace {

PyTypeObject size_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
DtypeObject dtypes[kNumDtypes];

constexpr std::string_view kLongNames[kNumDtypes] = {"float64", "float32", "bfloat16", "float16",
                                                     "int64",   "int32",   "int16",    "int8",
                                                     "uint8",   "bool"};
// PyTorch's other names.
struct OtherName {
  const char* name;
  Dtype dtype;
};
constexpr OtherName kOtherNames[] = {{"double", kFloat64}, {"float", kFloat32}, {"half", kFloat16},
                                     {"long", kInt64},     {"int", kInt32},     {"short", kInt16}};

PyObject* dtype_repr(PyObject* self) {
  return guarded(
      [&] { return new_text("frit." + std::string(long_name(dtype_of_object(self)))).release(); });
}

PyObject* dtype_is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(is_floating_point(dtype_of_object(self)));
}
PyObject* dtype_is_complex(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* dtype_is_signed(PyObject* self, void*) {
  const Dtype dtype = dtype_of_object(self);
  return PyBool_FromLong(dtype != kUInt8 && dtype != kBool);
}
PyObject* dtype_itemsize(PyObject* self, void*) {
  return PyLong_FromLong(byte_size(dtype_of_object(self)));
}

// Pickled and copied as the name in this module.
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return guarded([&] { return new_text(long_name(dtype_of_object(self))).release(); });
}

PyGetSetDef dtype_properties[] = {
    {"is_floating_point", dtype_is_floating_point, nullptr,
     "is_floating_point -> bool\n\nWhether it is a floating point dtype.", nullptr},
    {"is_complex", dtype_is_complex, nullptr,
     "is_complex -> bool\n\nFalse: there are no complex dtypes.", nullptr},
    {"is_signed", dtype_is_signed, nullptr, "is_signed -> bool\n\nWhether it has negative numbers.",
     nullptr},
    {"itemsize", dtype_itemsize, nullptr, "itemsize -> int\n\nThe bytes of one element.", nullptr},
    {}};
PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, "__reduce__() -> str\n\nFor pickle."}, {}};

PyObject* size_repr(PyObject* self) {
  return guarded([&] {
    const Ref list = own(PySequence_List(self));
    const Ref text = own(PyObject_Repr(list.get()));
    return own(PyUnicode_FromFormat("frit.Size(%U)", text.get())).release();
  });
}

PyObject* size_numel(PyObject* self, PyObject*) {
  return guarded([&] {
    int64_t product = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
      const int64_t size = PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
      if (size == -1 && PyErr_Occurred()) throw PythonError();
      product *= size;
    }
    return own(PyLong_FromLongLong(product)).release();
  });
}

// A slice or a sum of sizes is a Size too.
PyObject* as_size(PyObject* tuple) {
  if (tuple == nullptr || !PyTuple_CheckExact(tuple)) return tuple;
  const Ref holder(tuple);
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&size_type), tuple);
}
PyObject* size_subscript(PyObject* self, PyObject* index) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, index));
}
PyObject* size_concat(PyObject* self, PyObject* other) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}

PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, "numel() -> int\n\nThe product of the sizes."}, {}};
PyMappingMethods size_mapping = {nullptr, size_subscript, nullptr};
PySequenceMethods size_sequence = {};

int ready_types() {
  dtype_type.tp_name = "frit.dtype";
  dtype_type.tp_doc = "The type of a tensor's elements: frit.float32 and so on.";
  dtype_type.tp_basicsize = sizeof(DtypeObject);
  dtype_type.tp_flags = Py_TPFLAGS_DEFAULT;
  dtype_type.tp_repr = dtype_repr;
  dtype_type.tp_getset = dtype_properties;
  dtype_type.tp_methods = dtype_methods;
  if (PyType_Ready(&dtype_type) < 0) return -1;
  size_type.tp_name = "frit.Size";
  size_type.tp_doc = "The sizes of a tensor: a tuple of ints.";
  size_type.tp_base = &PyTuple_Type;
  size_type.tp_flags = Py_TPFLAGS_DEFAULT;
  size_type.tp_repr = size_repr;
  size_type.tp_methods = size_methods;
  size_mapping.mp_length = PyTuple_Type.tp_as_mapping->mp_length;
  size_type.tp_as_mapping = &size_mapping;
  size_sequence.sq_concat = size_concat;
  size_type.tp_as_sequence = &size_sequence;
  return PyType_Ready(&size_type);
}

}  // namespace

std::string_view long_name(Dtype dtype) { return kLongNames[static_cast<int>(dtype)]; }

PyObject* dtype_object(Dtype dtype) {
  return reinterpret_cast<PyObject*>(&dtypes[static_cast<int>(dtype)]);
}

Ref new_int_tuple(IntArrayRef values) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                     own(PyLong_FromLongLong(values[i])).release());
  return tuple;
}

Ref new_size(IntArrayRef sizes) {
  Ref size = own(size_type.tp_alloc(&size_type, static_cast<Py_ssize_t>(sizes.size())));
  for (size_t i = 0; i < sizes.size(); ++i)
    PyTuple_SET_ITEM(size.get(), static_cast<Py_ssize_t>(i),
                     own(PyLong_FromLongLong(sizes[i])).release());
  return size;
}

int add_small_types(PyObject* module) {
  if (ready_types() < 0) return -1;
  for (int i = 0; i < kNumDtypes; ++i) {
    dtypes[i].dtype = static_cast<Dtype>(i);
    PyObject* object = PyObject_Init(dtype_object(dtypes[i].dtype), &dtype_type);
    if (PyModule_AddObjectRef(module, kLongNames[i].data(), object) < 0) return -1;
  }
  for (const OtherName& other : kOtherNames)
    if (PyModule_AddObjectRef(module, other.name, dtype_object(other.dtype)) < 0) return -1;
  if (PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(&dtype_type)) < 0)
    return -1;
  return PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&size_type));
}

Ref device_object(Device device) {
  static PyObject* cpu = nullptr;
  if (device.is_cpu() && cpu != nullptr) return share(cpu);
  auto* call = reinterpret_cast<PyObject*>(device_class);
  Ref made = own(PyObject_CallFunction(call, "s", device.str().c_str()));
  if (device.is_cpu()) cpu = share(made.get()).release();
  return made;
}

}  // namespace frit::python

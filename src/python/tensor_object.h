// frit.Tensor: a Python object that holds one handle.
#pragma once

#include "frit/tensor.h"
#include "src/python/object.h"

namespace frit::python {

struct TensorObject {
  PyObject_HEAD Tensor tensor;  // always defined
  PyObject* weak_references;
  bool requires_grad;  // what was set; nothing follows from it
};

extern PyTypeObject tensor_type;

// Subtypes, such as frit.nn.Parameter, are written in Python and so on the heap, unlike the types
// of numbers.
inline bool is_tensor(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &tensor_type ||
         (__builtin_expect(PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE), 0) &&
          PyType_IsSubtype(type, &tensor_type));
}
inline Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

// A new object for the tensor; None for an undefined one. Throws PythonError without memory.
PyObject* wrap(Tensor tensor);

// The same of another type, which is tensor_type or a subtype of it.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

// Fills in the type and readies it; -1 with CPython's error set where that fails.
int ready_tensor_type();

// The slots, by the file that defines them.
void set_number_slots(PyTypeObject* type);   // operators.cc
void set_mapping_slots(PyTypeObject* type);  // indexing.cc
void set_buffer_slots(PyTypeObject* type);   // numpy.cc
extern PyGetSetDef tensor_properties[];      // properties.cc
PyObject* tensor_repr(PyObject* self);       // printing.cc

}  // namespace frit::python

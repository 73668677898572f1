// The small immutable types of the module: dtypes, and Size, a tuple of sizes.
#pragma once

#include <string_view>

#include "frit/array_ref.h"
#include "frit/device.h"
#include "frit/dtype.h"
#include "src/python/object.h"

namespace frit::python {

// frit.float32 and its like: one object each, which lives for ever.
struct DtypeObject {
  PyObject_HEAD Dtype dtype;
};
extern PyTypeObject dtype_type;
inline bool is_dtype(PyObject* object) { return Py_TYPE(object) == &dtype_type; }
inline Dtype dtype_of_object(PyObject* object) {
  return reinterpret_cast<DtypeObject*>(object)->dtype;
}
PyObject* dtype_object(Dtype dtype);  // borrowed
// PyTorch's name: "float32".
std::string_view long_name(Dtype dtype);

// A new frit.Size.
Ref new_size(IntArrayRef sizes);
// A new tuple of ints.
Ref new_int_tuple(IntArrayRef values);

// frit.device, which the Python side of the module defines, and the layout of all tensors.
extern PyTypeObject* device_class;
extern PyObject* strided_layout;
// What `tensor.device` gives.
Ref device_object(Device device);

// Adds the types and dtypes to the module.
int add_small_types(PyObject* module);

}  // namespace frit::python

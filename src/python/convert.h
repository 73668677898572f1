// Tensors from Python data, and back.
#pragma once

#include <optional>

#include "frit/tensor.h"
#include "src/python/object.h"

namespace frit::python {

// Of nested sequences, numbers, tensors and arrays: a new tensor with a copy of the data. Without a
// dtype: f32 where a float is among the numbers, else i64, else bool; that of a tensor or array.
Tensor tensor_from(PyObject* data, std::optional<Dtype> dtype);

// The element or, nested in lists, the elements as Python numbers.
Ref to_list(const Tensor& tensor);
Ref to_number(const Scalar& scalar);

// The bytes of a contiguous tensor, copied out.
void copy_elements(const Tensor& contiguous, char* target);

bool is_numpy_array(PyObject* object);
// A tensor on the memory of an object with the buffer protocol, which lives as long as the tensor.
Tensor tensor_sharing(PyObject* buffer);
// numpy.asarray(tensor): shares memory.
Ref to_numpy(PyObject* tensor);

}  // namespace frit::python

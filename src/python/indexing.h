// x[...] and x[...] = y.
#pragma once

#include "src/python/arguments.h"

namespace frit::python {

// x[index] for any object that PyTorch takes as an index. A new reference.
PyObject* get_item(const Tensor& x, PyObject* index);
// What stands between the brackets.
std::vector<TensorIndex> read_index(PyObject* index);
void set_item(const Tensor& x, PyObject* index, const Number& value);

// Calls fn(T()) with the C++ type of the dtype's elements.
template <class Fn>
void with_element_type(Dtype dtype, Fn fn) {
  switch (dtype) {
    case Dtype::kF64:
      return fn(double());
    case Dtype::kF32:
      return fn(float());
    case Dtype::kBF16:
      return fn(BFloat16());
    case Dtype::kF16:
      return fn(Half());
    case Dtype::kI64:
      return fn(int64_t());
    case Dtype::kI32:
      return fn(int32_t());
    case Dtype::kI16:
      return fn(int16_t());
    case Dtype::kI8:
      return fn(int8_t());
    case Dtype::kU8:
      return fn(uint8_t());
    case Dtype::kBool:
      return fn(bool());
  }
}

}  // namespace frit::python

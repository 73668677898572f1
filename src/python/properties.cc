// Properties of frit.Tensor, and the methods that Python itself calls.
#include "src/python/convert.h"
#include "src/python/small_types.h"
#include "src/python/tensor_methods.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

template <auto fn>
PyObject* get(PyObject* self, void*) {
  return guarded([&]() -> PyObject* { return fn(tensor_of(self)); });
}
PyObject* get_false(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* get_true(PyObject*, void*) { Py_RETURN_TRUE; }
PyObject* get_none(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* get_layout(PyObject*, void*) { return share(strided_layout).release(); }

PyObject* shape_of(const Tensor& x) { return new_size(x.sizes()).release(); }
PyObject* dtype_of_tensor(const Tensor& x) { return share(dtype_object(x.dtype())).release(); }
PyObject* device_of(const Tensor& x) { return device_object(x.device()).release(); }
PyObject* is_on_cpu(const Tensor& x) { return PyBool_FromLong(x.device().is_cpu()); }
PyObject* rank_of(const Tensor& x) { return PyLong_FromLongLong(x.dim()); }
PyObject* item_size(const Tensor& x) { return PyLong_FromLongLong(x.element_size()); }
PyObject* byte_count(const Tensor& x) { return PyLong_FromLongLong(x.nbytes()); }
PyObject* detached(const Tensor& x) { return wrap(x.detach()); }

PyObject* reversed(const Tensor& x) {
  std::vector<int64_t> order;
  for (int64_t d = x.dim(); d-- > 0;) order.push_back(d);
  return wrap(permute(x, order));
}
PyObject* matrix_transposed(const Tensor& x) {
  if (x.dim() == 0) return wrap(x.detach());
  if (x.dim() < 2) throw Error(ErrorKind::kRuntime, "mT: the tensor has fewer than 2 dimensions");
  return wrap(transpose(x, -2, -1));
}
// NumPy leaves operators with a tensor to the tensor.
PyObject* get_priority(PyObject*, void*) { return PyLong_FromLong(1000); }

// Kept, as programs ask for it, but nothing follows from it: there are no gradients.
PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<TensorObject*>(self)->requires_grad);
}
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded(-1, [&] {
    const bool wanted = value != nullptr && checked(PyObject_IsTrue(value)) == 1;
    if (wanted && !tensor_of(self).is_floating_point())
      throw Error(ErrorKind::kRuntime,
                  "only Tensors of floating point dtype can require gradients");
    reinterpret_cast<TensorObject*>(self)->requires_grad = wanted;
    return 0;
  });
}

int set_grad(PyObject*, PyObject* value, void*) {
  return guarded(-1, [&] {
    if (value != nullptr && value != Py_None)
      throw Error(ErrorKind::kNotImplemented, "grad = ...: there are no gradients");
    return 0;
  });
}

// x.data = y: the object stands for y from then on.
int set_data(PyObject* self, PyObject* value, void*) {
  return guarded(-1, [&] {
    if (value == nullptr || !is_tensor(value))
      throw Error(ErrorKind::kType, "data = ...: expected a Tensor");
    tensor_of(self) = tensor_of(value).detach();
    return 0;
  });
}

PyObject* requires_grad_in_place(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  PyObject* value = count > 0 ? args[0] : Py_True;
  if (set_requires_grad(self, value, nullptr) < 0) return nullptr;
  return share(self).release();
}

// One element is formatted as a number; others as every object.
PyObject* format(PyObject* self, PyObject* spec) {
  return guarded([&] {
    if (tensor_of(self).dim() == 0)
      return own(PyObject_Format(to_number(tensor_of(self).item()).get(), spec)).release();
    return own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__format__",
                                   "OO", self, spec))
        .release();
  });
}

PyObject* array(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    Ref result = to_numpy(self);
    if (count == 0 || args[0] == Py_None) return result.release();
    return own(PyObject_CallMethod(result.get(), "astype", "O", args[0])).release();
  });
}

PyObject* deep_copy(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(clone(tensor_of(self))); });
}

// Pickled as its elements: (frit._core._rebuild, (bytes, sizes, dtype, device)).
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor x = contiguous(tensor_of(self));
    Ref bytes = own(PyBytes_FromStringAndSize(nullptr, x.nbytes()));
    copy_elements(x, PyBytes_AS_STRING(bytes.get()));
    const Ref core = own(PyImport_ImportModule("frit._core"));
    const Ref rebuild = own(PyObject_GetAttrString(core.get(), "_rebuild"));
    const Ref sizes = new_int_tuple(x.sizes());
    return own(Py_BuildValue("O(OOOs)", rebuild.get(), bytes.get(), sizes.get(),
                             dtype_object(x.dtype()), x.device().str().c_str()))
        .release();
  });
}

// Forms in place of views: the object stands for another view of the same storage.
template <auto fn, int num_ints>
PyObject* change_view(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != num_ints)
      throw Error(ErrorKind::kType,
                  "in-place view: expected " + std::to_string(num_ints) + " integers");
    int64_t dims[2] = {};
    for (int i = 0; i < num_ints; ++i)
      if (!read(args[i], &dims[i]))
        throw Error(ErrorKind::kType, "in-place view: expected integers");
    tensor_of(self) = fn(tensor_of(self), dims);
    return share(self).release();
  });
}
constexpr auto kTransposed = [](const Tensor& x, const int64_t* dims) {
  return transpose(x, dims[0], dims[1]);
};
constexpr auto kT = [](const Tensor& x, const int64_t*) { return t(x); };
constexpr auto kUnsqueezed = [](const Tensor& x, const int64_t* d) { return unsqueeze(x, d[0]); };
constexpr auto kSqueezed = [](const Tensor& x, const int64_t* d) { return squeeze(x, d[0]); };

PyObject* squeeze_in_place(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count > 0) return change_view<kSqueezed, 1>(self, args, count);
  return guarded([&] {
    tensor_of(self) = squeeze(tensor_of(self));
    return share(self).release();
  });
}

PyCFunction fast(PyObject* (*method)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

}  // namespace

PyGetSetDef tensor_properties[] = {
    {"shape", get<shape_of>, nullptr, "shape -> frit.Size\n\nThe sizes.", nullptr},
    {"dtype", get<dtype_of_tensor>, nullptr, "dtype -> frit.dtype\n\nThe type of the elements.",
     nullptr},
    {"ndim", get<rank_of>, nullptr, "ndim -> int\n\nThe number of dimensions.", nullptr},
    {"device", get<device_of>, nullptr, "device -> frit.device\n\nWhere the elements are.",
     nullptr},
    {"layout", get_layout, nullptr,
     "layout -> frit.layout\n\nHow they lie in memory: frit.strided.", nullptr},
    {"itemsize", get<item_size>, nullptr, "itemsize -> int\n\nThe bytes of one element.", nullptr},
    {"nbytes", get<byte_count>, nullptr, "nbytes -> int\n\nThe bytes of all elements.", nullptr},
    {"T", get<reversed>, nullptr, "T -> Tensor\n\nA view with its dimensions in reverse order.",
     nullptr},
    {"mT", get<matrix_transposed>, nullptr,
     "mT -> Tensor\n\nA view with the last two dimensions exchanged.", nullptr},
    {"data", get<detached>, set_data,
     "data -> Tensor\n\nAnother object on the same elements; assigning makes this one stand for "
     "others.",
     nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad,
     "requires_grad -> bool\n\nKept, without effect: there are no gradients.", nullptr},
    {"grad", get_none, set_grad, "grad -> None\n\nNone: there are no gradients.", nullptr},
    {"grad_fn", get_none, nullptr, "grad_fn -> None\n\nNone: there are no gradients.", nullptr},
    {"is_leaf", get_true, nullptr, "is_leaf -> bool\n\nTrue: there are no gradients.", nullptr},
    {"is_cpu", get<is_on_cpu>, nullptr, "is_cpu -> bool\n\nWhether the elements are on the CPU.",
     nullptr},
    {"is_cuda", get_false, nullptr, "is_cuda -> bool\n\nFalse: there are no GPUs.", nullptr},
    {"is_sparse", get_false, nullptr, "is_sparse -> bool\n\nFalse: all tensors are strided.",
     nullptr},
    {"is_nested", get_false, nullptr, "is_nested -> bool\n\nFalse: all tensors are strided.",
     nullptr},
    {"is_quantized", get_false, nullptr,
     "is_quantized -> bool\n\nFalse: there are no quantized tensors.", nullptr},
    {"is_meta", get_false, nullptr, "is_meta -> bool\n\nFalse: all tensors have elements.",
     nullptr},
    {"__array_priority__", get_priority, nullptr,
     "__array_priority__ -> int\n\nNumPy leaves operators with a tensor to the tensor.", nullptr},
    {}};

std::vector<PyMethodDef> special_methods() {
  return {
      {"__format__", format, METH_O,
       "__format__(spec: str) -> str\n\nOne element is formatted as a number."},
      {"__array__", fast(array), METH_FASTCALL,
       "__array__(dtype: Any = None) -> Any\n\nA NumPy array on the same memory."},
      {"__deepcopy__", deep_copy, METH_O, "__deepcopy__(memo: Any) -> Tensor\n\nA copy."},
      {"__reduce__", reduce, METH_NOARGS, "__reduce__() -> Any\n\nFor pickle."},
      {"requires_grad_", fast(requires_grad_in_place), METH_FASTCALL,
       "requires_grad_(requires_grad: bool = True) -> Tensor\n\nSets requires_grad, which has no "
       "effect."},
      {"t_", fast(change_view<kT, 0>), METH_FASTCALL,
       "t_() -> Tensor\n\nMakes the object stand for its transpose."},
      {"transpose_", fast(change_view<kTransposed, 2>), METH_FASTCALL,
       "transpose_(dim0: int, dim1: int) -> Tensor\n\nMakes the object stand for its transpose()."},
      {"unsqueeze_", fast(change_view<kUnsqueezed, 1>), METH_FASTCALL,
       "unsqueeze_(dim: int) -> Tensor\n\nMakes the object stand for its unsqueeze()."},
      {"squeeze_", fast(squeeze_in_place), METH_FASTCALL,
       "squeeze_(dim: int = ...) -> Tensor\n\nMakes the object stand for its squeeze()."}};
}

}  // namespace frit::python

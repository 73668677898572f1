// What the parts of frit that are written in Python need of the compiled one.
#include <memory>

#include "frit/onnxruntime.h"
#include "src/python/convert.h"
#include "src/python/indexing.h"
#include "src/python/tensor_methods.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// _rebuild(buffer, sizes, dtype, device="cpu"): a new tensor with a copy of a buffer's elements.
PyObject* rebuild(PyObject*, PyObject* args) {
  return guarded([&] {
    Py_buffer bytes;
    PyObject *sizes_object, *dtype_argument;
    const char* device = "cpu";
    if (!PyArg_ParseTuple(args, "y*OO|s", &bytes, &sizes_object, &dtype_argument, &device))
      throw PythonError();
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> release(&bytes, PyBuffer_Release);
    Ints sizes;
    Dtype dtype;
    if (!read(sizes_object, &sizes) || !read(dtype_argument, &dtype))
      throw Error(ErrorKind::kType, "_rebuild(): expected bytes, sizes and a dtype");
    int64_t byte_count = byte_size(dtype);
    for (int i = 0; i < sizes.size(); ++i)
      if (__builtin_mul_overflow(byte_count, sizes[i], &byte_count)) byte_count = -1;
    if (byte_count != bytes.len)
      throw Error(ErrorKind::kValue, "_rebuild(): the bytes do not fit the sizes");
    return wrap(from_host(bytes.buf, sizes, TensorOptions(dtype).device(device)));
  });
}

// _add_methods({"name": function}): methods of Tensor that are written in Python. A descriptor is
// put as it is, so that properties can be added too.
PyObject* add_methods(PyObject*, PyObject* methods) {
  return guarded([&] {
    checked(PyDict_Merge(tensor_type.tp_dict, methods, 0));
    PyType_Modified(&tensor_type);
    return share(Py_None).release();
  });
}

// _make_subclass(type, tensor): an object of a subtype of Tensor on the same elements.
PyObject* make_subclass(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *type, *tensor;
    if (!PyArg_ParseTuple(args, "OO", &type, &tensor)) throw PythonError();
    if (!PyType_Check(type) ||
        !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &tensor_type) ||
        !is_tensor(tensor))
      throw Error(ErrorKind::kType, "_make_subclass(): expected a subclass of Tensor and a Tensor");
    return wrap_as(reinterpret_cast<PyTypeObject*>(type), tensor_of(tensor).detach());
  });
}

// _storage_of(tensor): a number that the tensors of one storage share as long as one of them lives.
PyObject* storage_of(PyObject*, PyObject* tensor) {
  return guarded([&] {
    if (!is_tensor(tensor)) throw Error(ErrorKind::kType, "_storage_of(): expected a Tensor");
    const Tensor& x = tensor_of(tensor);
    int64_t begin = 0;
    if (!x.device().is_cpu())
      return own(PyLong_FromLongLong(
                     static_cast<int64_t>(reinterpret_cast<intptr_t>(x.const_data_ptr())) -
                     x.storage_offset() * x.element_size()))
          .release();
    with_element_type(x.dtype(), [&](auto element) {
      using T = decltype(element);
      x.with_data<const T>([&](const T* data) {
        begin = static_cast<int64_t>(reinterpret_cast<intptr_t>(data)) -
                x.storage_offset() * x.element_size();
      });
    });
    return own(PyLong_FromLongLong(begin)).release();
  });
}

// _elements_of(tensor): its elements in row-major order, as bytes.
PyObject* elements_of(PyObject*, PyObject* tensor) {
  return guarded([&] {
    if (!is_tensor(tensor)) throw Error(ErrorKind::kType, "_elements_of(): expected a Tensor");
    const Tensor x = contiguous(tensor_of(tensor));
    Ref bytes = own(PyBytes_FromStringAndSize(nullptr, x.nbytes()));
    copy_elements(x, PyBytes_AS_STRING(bytes.get()));
    return bytes.release();
  });
}

// _register_onnxruntime(library): the backend of that name; "": where the system finds the library.
PyObject* register_onnxruntime(PyObject*, PyObject* library) {
  return guarded([&] {
    std::string path;
    if (!read(library, &path))
      throw Error(ErrorKind::kType,
                  "register_onnxruntime(): expected str, not " + type_name(library));
    frit::register_onnxruntime({path});
    return share(Py_None).release();
  });
}

// _onnxruntime_version(library)
PyObject* onnxruntime_version(PyObject*, PyObject* library) {
  return guarded([&] {
    std::string path;
    if (!read(library, &path))
      throw Error(ErrorKind::kType,
                  "onnxruntime_version(): expected str, not " + type_name(library));
    return new_text(frit::onnxruntime_version({path})).release();
  });
}

}  // namespace

std::vector<PyMethodDef> extension_functions() {
  return {{"_rebuild", rebuild, METH_VARARGS, nullptr},
          {"_add_methods", add_methods, METH_O, nullptr},
          {"_make_subclass", make_subclass, METH_VARARGS, nullptr},
          {"_storage_of", storage_of, METH_O, nullptr},
          {"_elements_of", elements_of, METH_O, nullptr},
          {"_register_onnxruntime", register_onnxruntime, METH_O, nullptr},
          {"_onnxruntime_version", onnxruntime_version, METH_O, nullptr}};
}

}  // namespace frit::python

// NumPy's .npy files as tensors, without NumPy.
#include <cstring>
#include <memory>
#include <span>

#include "src/io/npy.h"
#include "src/python/convert.h"
#include "src/python/tensor_methods.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// _parse_npy(buffer, name): the tensor that an .npy file's bytes hold.
PyObject* parse_npy(PyObject*, PyObject* args) {
  return guarded([&] {
    Py_buffer bytes;
    const char* name;
    if (!PyArg_ParseTuple(args, "y*s", &bytes, &name)) throw PythonError();
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> release(&bytes, PyBuffer_Release);
    const io::NpyArray array = io::parse_npy(
        {static_cast<const std::byte*>(bytes.buf), static_cast<size_t>(bytes.len)}, name);
    return wrap(from_host(array.data.data(), array.shape, array.dtype));
  });
}

// _print_npy(tensor): the bytes of an .npy file with the tensor.
PyObject* print_npy(PyObject*, PyObject* object) {
  return guarded([&] {
    if (!is_tensor(object)) throw Error(ErrorKind::kType, "_print_npy(): expected a Tensor");
    const Tensor x = contiguous(tensor_of(object));
    io::NpyArray array;
    array.dtype = x.dtype();
    array.shape.assign(x.sizes().begin(), x.sizes().end());
    array.data.resize(static_cast<size_t>(x.nbytes()));
    copy_elements(x, reinterpret_cast<char*>(array.data.data()));
    const std::vector<std::byte> bytes = io::print_npy(array, "npy");
    return own(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                         static_cast<Py_ssize_t>(bytes.size())))
        .release();
  });
}

}  // namespace

std::vector<PyMethodDef> npy_functions() {
  return {{"_parse_npy", parse_npy, METH_VARARGS, nullptr},
          {"_print_npy", print_npy, METH_O, nullptr}};
}

}  // namespace frit::python

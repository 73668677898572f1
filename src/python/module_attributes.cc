// What nn.Module answers for names that are no attributes of its own: its parameters, buffers and
// modules. In C++, since a layer's forward() asks for each of its parameters.
#include "src/python/object.h"
#include "src/python/tensor_methods.h"

namespace frit::python {
namespace {

PyObject* registered_attribute(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    if (count != 2 || !PyUnicode_Check(args[1])) {
      PyErr_SetString(PyExc_TypeError, "__getattr__(): expected a name");
      throw PythonError();
    }
    PyObject *self = args[0], *name = args[1];
    static PyObject* const kinds[] = {PyUnicode_InternFromString("_parameters"),
                                      PyUnicode_InternFromString("_buffers"),
                                      PyUnicode_InternFromString("_modules")};
    for (PyObject* kind : kinds) {
      const Ref registered(PyObject_GenericGetAttr(self, kind));
      if (!registered) {  // before Module.__init__()
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError();
        PyErr_Clear();
        continue;
      }
      if (!PyDict_Check(registered.get())) continue;
      PyObject* found = PyDict_GetItemWithError(registered.get(), name);
      if (found != nullptr) return share(found).release();
      if (PyErr_Occurred()) throw PythonError();
    }
    PyErr_Format(PyExc_AttributeError, "'%.200s' object has no attribute '%U'",
                 type_name(self).c_str(), name);
    throw PythonError();
  });
}

PyMethodDef definition = {
    "__getattr__",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(registered_attribute)),
    METH_FASTCALL, "The parameter, buffer or module of that name."};

}  // namespace

Ref registered_attribute_method() {
  const Ref function = own(PyCFunction_New(&definition, nullptr));
  return own(PyInstanceMethod_New(function.get()));
}

}  // namespace frit::python

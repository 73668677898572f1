// repr() of tensors, and the options that set_printoptions() sets.
#include <climits>

#include "src/python/convert.h"
#include "src/python/tensor_methods.h"
#include "src/tensor/print.h"

namespace frit::python {
namespace {

// Guarded by the interpreter's lock.
PrintOptions& options() {
  static auto* options = new PrintOptions{.dtype_prefix = "frit."};
  return *options;
}

PyObject* text_of(PyObject* self, const std::string& class_name) {
  PrintOptions own_options = options();
  own_options.prefix = class_name + "(";
  if (reinterpret_cast<TensorObject*>(self)->requires_grad)
    own_options.suffixes.push_back("requires_grad=True");
  return new_text(print(tensor_of(self), own_options)).release();
}

// _print(tensor, class_name): as repr() prints objects of a subclass of that name.
PyObject* print_as(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* tensor;
    const char* class_name;
    if (!PyArg_ParseTuple(args, "Os", &tensor, &class_name)) throw PythonError();
    if (!is_tensor(tensor)) throw Error(ErrorKind::kType, "_print(): expected a Tensor");
    return text_of(tensor, class_name);
  });
}

// _set_print_options(precision, threshold, edgeitems, linewidth, sci_mode).
PyObject* set_options(PyObject*, PyObject* args) {
  return guarded([&] {
    int precision;
    double threshold;
    long long edge_items, line_width;
    PyObject* scientific;
    if (!PyArg_ParseTuple(args, "idLLO", &precision, &threshold, &edge_items, &line_width,
                          &scientific))
      throw PythonError();
    if (precision < 0 || edge_items < 0 || line_width < 0)
      throw Error(ErrorKind::kValue, "set_printoptions(): a number is negative");
    PrintOptions& o = options();
    o.precision = precision;
    o.threshold = threshold;
    o.edge_items = edge_items;
    o.line_width = line_width;
    o.scientific = std::nullopt;
    if (scientific != Py_None) o.scientific = checked(PyObject_IsTrue(scientific)) == 1;
    return share(Py_None).release();
  });
}

}  // namespace

PyObject* tensor_repr(PyObject* self) {
  return guarded([&] {
    const bool is_plain = Py_TYPE(self) == &tensor_type;
    return text_of(self, is_plain ? "tensor" : type_name(self));
  });
}

std::vector<PyMethodDef> printing_functions() {
  return {{"_print", print_as, METH_VARARGS, nullptr},
          {"_set_print_options", set_options, METH_VARARGS, nullptr}};
}

}  // namespace frit::python

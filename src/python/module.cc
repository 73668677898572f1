// frit._core: makes the types and, from the tables, the functions and methods.
#include <cstdio>
#include <cstring>
#include <deque>

#include "frit/onnxruntime.h"
#include "src/python/backend.h"
#include "src/python/compile.h"
#include "src/python/custom_op.h"
#include "src/python/function.h"
#include "src/python/generator.h"
#include "src/python/graph_object.h"
#include "src/python/module.h"
#include "src/python/program.h"
#include "src/python/small_types.h"
#include "src/python/tensor_methods.h"

// asmjit, which is linked statically and not as position-independent code, looks at stderr; the
// linker turns that into a look at this variable.
extern "C" {
extern FILE* __real_stderr;
FILE* __wrap_stderr = __real_stderr;
}

namespace frit::python {
namespace {

// PyTorch's other names: "other=name".
constexpr const char* kOtherNames[][2] = {
    {"absolute", "abs"},       {"arccos", "acos"},        {"arccosh", "acosh"},
    {"arcsin", "asin"},        {"arcsinh", "asinh"},      {"arctan", "atan"},
    {"arctanh", "atanh"},      {"sgn", "sign"},           {"arctan2", "atan2"},
    {"clip", "clamp"},         {"divide", "div"},         {"fix", "trunc"},
    {"greater", "gt"},         {"greater_equal", "ge"},   {"less", "lt"},
    {"less_equal", "le"},      {"moveaxis", "movedim"},   {"multiply", "mul"},
    {"negative", "neg"},       {"not_equal", "ne"},       {"subtract", "sub"},
    {"swapaxes", "transpose"}, {"swapdims", "transpose"}, {"true_divide", "div"},
    {"concat", "cat"},         {"concatenate", "cat"},    {"expit", "sigmoid"}};

class Installer {
 public:
  explicit Installer(PyObject* module)
      : functions_(PyModule_GetDict(module)),
        methods_(tensor_type.tp_dict),
        neural_(own(PyDict_New())),
        fourier_(own(PyDict_New())),
        linear_(own(PyDict_New())) {
    checked(PyModule_AddObjectRef(module, "_neural", neural_.get()));
    checked(PyModule_AddObjectRef(module, "_fourier", fourier_.get()));
    checked(PyModule_AddObjectRef(module, "_linear", linear_.get()));
  }

  void add(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) add(entry);
  }

  void add_methods(const std::vector<PyMethodDef>& methods) {
    for (const PyMethodDef& method : methods) put_method(keep(method));
  }
  void add_functions(const std::vector<PyMethodDef>& functions) {
    for (const PyMethodDef& function : functions) put_function(functions_, keep(function));
  }

  void add_other_names() {
    for (const auto& [other, name] : kOtherNames) {
      for (PyObject* dict : {functions_, methods_}) {
        copy(dict, other, name);
        copy(dict, (std::string(other) + "_").c_str(), (std::string(name) + "_").c_str());
      }
    }
    PyType_Modified(&tensor_type);
  }

 private:
  void add(const Entry& entry) {
    Function& function = *entry.function;
    checked(parse_signatures(function));
    const auto define = [&](PyCFunction call) {
      return keep(
          {function.name, call, METH_FASTCALL | METH_KEYWORDS, function.documentation.c_str()});
    };
    const auto define_in_place = [&](PyCFunction call) {
      return keep({function.in_place_name.c_str(), call, METH_FASTCALL | METH_KEYWORDS,
                   function.in_place_documentation.c_str()});
    };
    PyMethodDef* plain = define(entry.function_call);
    if (function.where & kFunction) put_function(functions_, plain);
    if (function.where & kNeural) put_function(neural_.get(), plain);
    if (function.where & kFourier) put_function(fourier_.get(), plain);
    if (function.where & kLinear) put_function(linear_.get(), plain);
    if (function.where & kMethod) put_method(define(entry.method_call));
    if (!(function.where & kInPlace)) return;
    if (function.where & kFunction)
      put_function(functions_, define_in_place(entry.in_place_function_call));
    if (function.where & kMethod) put_method(define_in_place(entry.in_place_method_call));
  }

  // CPython keeps pointers to definitions.
  static PyMethodDef* keep(const PyMethodDef& definition) {
    static std::deque<PyMethodDef> definitions;
    return &definitions.emplace_back(definition);
  }

  static bool has(PyObject* dict, const char* name) {
    return PyDict_GetItemString(dict, name) != nullptr;
  }

  static void put_function(PyObject* dict, PyMethodDef* definition) {
    if (has(dict, definition->ml_name)) return;
    static PyObject* module_name = PyUnicode_InternFromString("frit");
    const Ref function = own(PyCFunction_NewEx(definition, nullptr, module_name));
    checked(PyDict_SetItemString(dict, definition->ml_name, function.get()));
  }

  void put_method(PyMethodDef* definition) {
    if (has(methods_, definition->ml_name)) return;
    const Ref method = own(PyDescr_NewMethod(&tensor_type, definition));
    checked(PyDict_SetItemString(methods_, definition->ml_name, method.get()));
  }

  static void copy(PyObject* dict, const char* to, const char* from) {
    PyObject* object = PyDict_GetItemString(dict, from);
    if (object != nullptr && !has(dict, to)) checked(PyDict_SetItemString(dict, to, object));
  }

  PyObject* functions_;
  PyObject* methods_;
  Ref neural_, fourier_, linear_;
};

// [("add", "kBinary"), ...]: the table of ops, for tests.
PyObject* op_rows(PyObject*, PyObject*) {
  return guarded([] {
    Ref list = own(PyList_New(0));
    for (const OpRow& row : rows_of_ops())
      checked(PyList_Append(list.get(), own(Py_BuildValue("(ss)", row.name, row.family)).get()));
    return list.release();
  });
}

// _set_defaults(device, strided): a class that is written in Python, and an object.
PyObject* set_defaults(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *device, *layout;
    if (!PyArg_ParseTuple(args, "OO", &device, &layout)) throw PythonError();
    if (!PyType_Check(device)) throw Error(ErrorKind::kType, "_set_defaults(): expected a class");
    device_class = reinterpret_cast<PyTypeObject*>(share(device).release());
    strided_layout = share(layout).release();
    return share(Py_None).release();
  });
}

void fill(PyObject* module) {
  checked(add_small_types(module));
  checked(ready_tensor_type());
  checked(PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(&tensor_type)));
  checked(add_compiled_type(module));
  checked(add_program_type(module));
  checked(add_generator_type(module));
  checked(add_graph_type(module));
  checked(add_custom_op_type(module));
  give_way_when_blocking();
  Installer installer(module);
  // What was written by hand goes before what follows from the table of ops.
  for (auto* entries : {written_entries,    pointwise_entries, activation_entries, loss_entries,
                        reduce_entries,     shape_entries,     rearrange_entries,  pool_entries,
                        order_entries,      grid_entries,      signal_entries,     linalg_entries,
                        layer_entries,      recurrent_entries, scatter_entries,    index_entries,
                        create_entries,     contract_entries,  neural_entries,     fact_entries,
                        elementwise_entries})
    installer.add(entries());
  installer.add_methods(special_methods());
  installer.add_functions(engine_functions());
  installer.add_functions(custom_op_functions());
  installer.add_functions({freeze_definition(),
                           register_backend_definition(),
                           {"_op_rows", op_rows, METH_NOARGS, nullptr},
                           {"_set_defaults", set_defaults, METH_VARARGS, nullptr}});
  installer.add_functions(extension_functions());
  installer.add_functions(dlpack_functions());
  installer.add_functions(npy_functions());
  installer.add_functions(device_functions());
  installer.add_functions(printing_functions());
  checked(
      PyModule_AddObjectRef(module, "_registered_attribute", registered_attribute_method().get()));
  installer.add_other_names();
  register_onnxruntime();  // looks for the library when it is first asked
}

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "frit._core", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace frit::python

PyMODINIT_FUNC PyInit__core() {
  using namespace frit::python;
  return guarded([] {
    Ref module = own(PyModule_Create(&definition));
    fill(module.get());
    return module.release();
  });
}

// Program: a frozen function, as frit/program.h has it.
#include "src/python/program.h"

#include <memory>

#include "frit/program.h"
#include "src/python/arguments.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

struct ProgramObject {
  PyObject_HEAD std::unique_ptr<Program> program;
};

PyTypeObject program_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

const Program& program_of(PyObject* self) {
  return *reinterpret_cast<ProgramObject*>(self)->program;
}

PyObject* wrap_program(Program program) {
  Ref object = own(program_type.tp_alloc(&program_type, 0));
  new (&reinterpret_cast<ProgramObject*>(object.get())->program)
      std::unique_ptr<Program>(std::make_unique<Program>(std::move(program)));
  return object.release();
}

void dealloc(PyObject* self) {
  reinterpret_cast<ProgramObject*>(self)->program.~unique_ptr();
  Py_TYPE(self)->tp_free(self);
}

std::vector<Tensor> tensors_of(const char* function, const char* argument, PyObject* object) {
  std::vector<Tensor> tensors;
  if (!read(object, &tensors))
    throw Error(ErrorKind::kType, std::string(function) + "(): '" + argument +
                                      "' must be a tuple of Tensors, not " + type_name(object));
  return tensors;
}

// What a Python function makes of these tensors.
std::vector<Tensor> call(PyObject* function, TensorList inputs) {
  const Ref arguments(detail::give_back(std::vector<Tensor>(inputs.begin(), inputs.end())));
  const Ref result = own(PyObject_Call(function, arguments.get(), nullptr));
  if (is_tensor(result.get())) return {tensor_of(result.get())};
  return tensors_of("freeze", "the function's result", result.get());
}

// freeze(function, examples, params=())
PyObject* freeze_function(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"function", "examples", "params", nullptr};
    PyObject *function, *examples_object, *params_object = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:freeze", const_cast<char**>(names),
                                     &function, &examples_object, &params_object))
      throw PythonError();
    const std::vector<Tensor> examples = tensors_of("freeze", "examples", examples_object);
    std::vector<Tensor> params;
    if (params_object != nullptr) params = tensors_of("freeze", "params", params_object);
    return wrap_program(frit::detail::freeze(
        [function](TensorList inputs) { return call(function, inputs); }, examples, params));
  });
}

// run(inputs) gives a tuple; run(inputs, outputs) writes to these.
PyObject* run(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *inputs_object, *outputs_object = nullptr;
    if (!PyArg_ParseTuple(args, "O|O:run", &inputs_object, &outputs_object)) throw PythonError();
    const std::vector<Tensor> inputs = tensors_of("run", "inputs", inputs_object);
    std::vector<Tensor> outputs;
    if (outputs_object != nullptr) outputs = tensors_of("run", "outputs", outputs_object);
    const auto run_it = [&] {
      const ReleaseGil release(true);
      if (outputs_object == nullptr) {
        outputs = program_of(self).run(inputs);
      } else {
        program_of(self).run(inputs, outputs);
      }
    };
    run_it();
    if (outputs_object != nullptr) return share(Py_None).release();
    return detail::give_back(std::move(outputs));
  });
}

// program(x, y): the only output, or a tuple.
PyObject* call_program(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) > 0)
      throw Error(ErrorKind::kType, "program(): no keyword arguments are expected");
    const Ref tuple = own(PyTuple_Pack(1, args));
    const Ref results = own(run(self, tuple.get()));
    if (PyTuple_GET_SIZE(results.get()) != 1) return share(results.get()).release();
    return share(PyTuple_GET_ITEM(results.get(), 0)).release();
  });
}

PyObject* save(PyObject* self, PyObject* path) {
  return guarded([&] {
    const Ref bytes = own(PyOS_FSPath(path));
    std::string name;
    if (!read(bytes.get(), &name)) throw Error(ErrorKind::kType, "save(): the path is no str");
    program_of(self).save(name);
    return share(Py_None).release();
  });
}

PyObject* load(PyObject*, PyObject* path) {
  return guarded([&] {
    const Ref text = own(PyOS_FSPath(path));
    std::string name;
    if (!read(text.get(), &name)) throw Error(ErrorKind::kType, "load(): the path is no str");
    return wrap_program(Program::load(name));
  });
}

PyObject* as_text(PyObject* self) {
  return guarded([&] { return new_text(program_of(self).str()).release(); });
}

PyMethodDef methods[] = {
    {"run", run, METH_VARARGS,
     "run(inputs: Sequence[Tensor], outputs: Sequence[Tensor] = ...) -> tuple[Tensor, ...]\n\nRuns "
     "the program; writes to the outputs where they are given."},
    {"save", save, METH_O,
     "save(path: str | os.PathLike[str]) -> None\n\nWrites the program to a file."},
    {"load", load, METH_O | METH_STATIC,
     "load(path: str | os.PathLike[str]) -> Program\n\nReads a program that save() wrote."},
    {}};

}  // namespace

int add_program_type(PyObject* module) {
  PyTypeObject& type = program_type;
  type.tp_name = "frit.Program";
  type.tp_doc = "A function frozen at one set of shapes; see frit.freeze().";
  type.tp_basicsize = sizeof(ProgramObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_dealloc = dealloc;
  type.tp_call = call_program;
  type.tp_str = as_text;
  type.tp_methods = methods;
  if (PyType_Ready(&type) < 0) return -1;
  return PyModule_AddObjectRef(module, "Program", reinterpret_cast<PyObject*>(&type));
}

PyMethodDef freeze_definition() {
  return {"freeze", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(freeze_function)),
          METH_VARARGS | METH_KEYWORDS,
          "freeze(function: Callable[..., Any], examples: Sequence[Tensor], params: "
          "Sequence[Tensor] = ()) -> Program\n\nThe function as a program for the examples' "
          "shapes; it keeps the parameters."};
}

}  // namespace frit::python

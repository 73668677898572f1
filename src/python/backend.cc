// Plans whose graphs a Python function compiles, and whose code is a Python function.
//
// Both are called from inside the engine, perhaps on a thread of its own, so they take the
// interpreter's lock. What they raise becomes an error of the backend, after which the ops run
// eagerly; Ctrl-C is passed on to the main thread.
#include "src/python/backend.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frit/backend.h"
#include "src/base/blocking.h"
#include "src/python/arguments.h"
#include "src/python/convert.h"
#include "src/python/function.h"
#include "src/python/gil.h"
#include "src/python/graph_object.h"

namespace frit::python {
namespace {

// "ValueError: text", of the error that is set. Ctrl-C is to interrupt the program all the same.
std::string take_error() {
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Ref owned_type(type), owned_value(value), owned_trace(trace);
  std::string text = type_name(value);
  const Ref message(PyObject_Str(value));
  std::string words;
  if (message && read(message.get(), &words)) text += ": " + words;
  PyErr_Clear();
  return text;
}

// Runs fn with the interpreter's lock; errors of Python are the backend's.
template <class Fn>
auto called(const std::string& name, Fn fn) {
  if (is_over()) throw Error(ErrorKind::kRuntime, "backend(" + name + "): Python has ended");
  const Gil gil;
  try {
    return fn();
  } catch (const PythonError&) {
    if (PyErr_ExceptionMatches(PyExc_NotImplementedError))  // refuses, and says why
      throw Error(ErrorKind::kNotImplemented, take_error());
    throw Error(ErrorKind::kRuntime, "backend(" + name + "): " + take_error());
  }
}

Ref arguments_of(std::span<const GraphArg> args) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(args.size())));
  for (size_t i = 0; i < args.size(); ++i)
    PyTuple_SET_ITEM(
        tuple.get(), static_cast<Py_ssize_t>(i),
        args[i].tensor.defined() ? wrap(args[i].tensor) : to_number(args[i].scalar).release());
  return tuple;
}

std::vector<Tensor> tensors_of(const std::string& name, PyObject* object) {
  if (is_tensor(object)) return {tensor_of(object)};
  std::vector<Tensor> tensors;
  if (!read(object, &tensors))
    throw Error(ErrorKind::kRuntime, "backend(" + name +
                                         "): the compiled function gave no Tensor or tuple of "
                                         "Tensors, but " +
                                         type_name(object));
  return tensors;
}

CompiledGraph compiled_by(const std::string& name, PyObject* function) {
  return [name, function = keep(function)](std::span<const GraphArg> args) {
    return called(name, [&] {
      const Ref tuple = arguments_of(args);
      const Ref result = own(PyObject_Call(function.get(), tuple.get(), nullptr));
      return tensors_of(name, result.get());
    });
  };
}

Ref texts_of(const GuardSet& guards) {
  Ref list = own(PyList_New(0));
  for (const Guard& guard : guards) checked(PyList_Append(list.get(), new_text(guard.str()).get()));
  return list;
}

// A Tensor, number or None for each input; none where no call is known.
Ref examples_in(const BackendInput& input) {
  Ref list = own(PyList_New(0));
  for (size_t i = 0; i < input.examples.size(); ++i) {
    const GraphArg& arg = input.examples[i];
    const bool number = input.graph.is_scalar(static_cast<Graph::ValueId>(i));
    const Ref item = number                 ? to_number(arg.scalar)
                     : arg.tensor.defined() ? own(wrap(arg.tensor))
                                            : share(Py_None);
    checked(PyList_Append(list.get(), item.get()));
  }
  return list;
}

Backend backend_of(std::string name, PyObject* compiler) {
  return [name = std::move(name), compiler = keep(compiler)](const BackendInput& input) {
    return called(name, [&]() -> CompiledGraph {
      const Ref graph = wrap_graph(input.graph), guards = texts_of(input.guards);
      const Ref examples = examples_in(input);
      const Ref made = own(PyObject_CallFunctionObjArgs(compiler.get(), graph.get(), guards.get(),
                                                        examples.get(), nullptr));
      if (made.get() == Py_None) return nullptr;
      if (!PyCallable_Check(made.get()))
        throw Error(ErrorKind::kRuntime,
                    "backend(" + name + "): gave no function, but " + type_name(made.get()));
      return compiled_by(name, made.get());
    });
  };
}

std::vector<std::string> names_in(const std::string& call, PyObject* tuple) {
  std::vector<std::string> names;
  for (Py_ssize_t i = 0; i < checked(PyTuple_Size(tuple)); ++i)
    if (!read(PyTuple_GET_ITEM(tuple, i), &names.emplace_back()))
      throw Error(ErrorKind::kType, call + "(): names of ops are str");
  return names;
}

// _register_backend(name, compiler, ops that it takes or None, ops that stay whole or None)
PyObject* register_one(PyObject*, PyObject* args) {
  return guarded([&] {
    const char* name;
    PyObject *compiler, *taken, *kept;
    if (!PyArg_ParseTuple(args, "sOOO", &name, &compiler, &taken, &kept)) throw PythonError();
    if (!PyCallable_Check(compiler))
      throw Error(ErrorKind::kType, "register_backend(" + std::string(name) +
                                        "): not callable: " + type_name(compiler));
    Backend backend = backend_of(name, compiler);
    if (taken != Py_None)
      backend = partitioned(std::move(backend), [names = names_in("partitioned", taken)](
                                                    const Graph&, const Graph::Node& node) {
        return std::ranges::find(names, frit::name(node.op)) != names.end();
      });
    if (kept != Py_None) backend = normalized(std::move(backend), names_in("normalized", kept));
    {
      const ReleaseGil release(true);
      frit::register_backend(name, std::move(backend));
    }
    return share(Py_None).release();
  });
}

constexpr base::BlockingHooks kHooks = {
    [] {
      // Not PyGILState_Check(), which is always true once there was a subinterpreter.
      PyThreadState* const running = is_over() ? nullptr : _PyThreadState_UncheckedGet();
      const bool held = running != nullptr && running == PyGILState_GetThisThreadState();
      return static_cast<void*>(held ? PyEval_SaveThread() : nullptr);
    },
    [](void* state) {
      if (state != nullptr) PyEval_RestoreThread(static_cast<PyThreadState*>(state));
    }};

}  // namespace

PyMethodDef register_backend_definition() {
  return {"_register_backend", register_one, METH_VARARGS, nullptr};
}

void give_way_when_blocking() { base::blocking_hooks.store(&kHooks, std::memory_order_release); }

}  // namespace frit::python

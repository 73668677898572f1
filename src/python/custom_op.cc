// Registered ops as Python calls and defines them.
//
// A function of Python's may be called from inside the engine, on any thread, so it takes the
// interpreter's lock; what it raises goes through the engine as an exception of C++ (Raised).
#include "src/python/custom_op.h"

#include <sys/mman.h>

#include <string>
#include <utility>
#include <vector>

#include "frit/custom_op.h"
#include "src/ops/custom.h"
#include "src/python/arguments.h"
#include "src/python/convert.h"
#include "src/python/gil.h"
#include "src/python/small_types.h"
#include "src/tensor/tensor_impl.h"

namespace frit::python {
namespace {

using custom::ArgKind;
using custom::ArgSpec;
using custom::Schema;

struct CustomOpObject {
  PyObject_HEAD vectorcallfunc call;
  Op op;
  std::vector<PyObject*>* names;  // of the arguments, interned
};

PyTypeObject custom_op_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

CustomOpObject& op_object(PyObject* self) { return *reinterpret_cast<CustomOpObject*>(self); }
const Schema& schema_of(PyObject* self) { return custom::definition(op_object(self).op).schema; }

// ---- calling one ----

[[noreturn]] void refuse(const Schema& schema, const std::string& problem) {
  throw Error(ErrorKind::kType, schema.name + ": " + problem);
}

bool is_optional(ArgKind kind) {
  return kind == ArgKind::kOptionalTensor || kind == ArgKind::kOptionalFloat ||
         kind == ArgKind::kOptionalInt || kind == ArgKind::kOptionalBool;
}

// The arguments of a call, in the schema's order.
class CallArguments {
 public:
  CallArguments(PyObject* self, PyObject* const* args, size_t count, PyObject* names)
      : schema_(schema_of(self)), names_(*op_object(self).names) {
    for (size_t i = 0; i < count; ++i) {
      if (i == schema_.args.size() || schema_.args[i].keyword_only)
        refuse(schema_, "too many positional arguments: " + std::to_string(count));
      objects_[i] = args[i];
    }
    num_given_ = count;
    args_.reserve(schema_.args.size());
    const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < keywords; ++k)
      set(PyTuple_GET_ITEM(names, k), args[count + static_cast<size_t>(k)]);
    for (size_t i = 0; i < num_given_; ++i) args_.push_back(read_arg(i));
  }
  std::span<const OpArg> args() const { return args_; }
  PyObject* object(int i) const { return objects_[i]; }

 private:
  void set(PyObject* name, PyObject* object) {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != name && PyUnicode_Compare(names_[i], name) != 0) continue;
      if (objects_[i] != nullptr) refuse(schema_, "two values for " + schema_.args[i].name);
      objects_[i] = object;
      num_given_ = std::max(num_given_, i + 1);
      return;
    }
    std::string text;
    read(name, &text);
    refuse(schema_, "unknown argument " + text);
  }

  [[noreturn]] void refuse_kind(size_t i) const {
    constexpr const char* kKinds[] = {"a Tensor", "a Tensor or None", "a list of Tensors",
                                      "a float",  "a float or None",  "a number",
                                      "an int",   "an int or None",   "a list of ints",
                                      "a bool",   "a bool or None",   "a str"};
    const ArgSpec& arg = schema_.args[i];
    refuse(schema_, "argument " + arg.name + " must be " + kKinds[static_cast<int>(arg.kind)] +
                        ", not " + type_name(objects_[i]));
  }

  OpArg read_arg(size_t i) {
    const ArgSpec& arg = schema_.args[i];
    PyObject* object = objects_[i];
    if (object == nullptr) return default_of(arg);
    if (object == Py_None && is_optional(arg.kind)) return std::nullopt;
    switch (arg.kind) {
      case ArgKind::kOptionalTensor:
      case ArgKind::kTensor:
        if (!is_tensor(object)) refuse_kind(i);
        return tensor_of(object);
      case ArgKind::kTensors:
        if (!PySequence_Check(object) || !read(object, &tensors_)) refuse_kind(i);
        return tensors_;
      case ArgKind::kFloat:
      case ArgKind::kOptionalFloat:
      case ArgKind::kScalar:
        if (!is_number(object)) refuse_kind(i);
        return to_scalar(object);
      case ArgKind::kInt:
      case ArgKind::kOptionalInt:
        if (int64_t value; !PyBool_Check(object) && read(object, &value)) return value;
        refuse_kind(i);
      case ArgKind::kBool:
      case ArgKind::kOptionalBool:
        if (bool value; read(object, &value)) return value;
        refuse_kind(i);
      case ArgKind::kText:
        texts_.reserve(schema_.args.size());  // they stay where they are
        if (!read(object, &texts_.emplace_back())) refuse_kind(i);
        return texts_.back();
      case ArgKind::kInts:
        if (lists_ == nullptr) lists_ = std::make_unique<Ints[]>(custom::kMaxArgs);
        if (!read(object, &lists_[i])) refuse_kind(i);
        return IntArrayRef(lists_[i]);
    }
    __builtin_unreachable();
  }

  OpArg default_of(const ArgSpec& arg) {
    if (!arg.has_default) refuse(schema_, "argument " + arg.name + " is missing");
    if (arg.kind == ArgKind::kOptionalTensor) return std::nullopt;
    if (arg.kind == ArgKind::kInts) return IntArrayRef(arg.ints);
    if (arg.kind == ArgKind::kText) {
      texts_.reserve(schema_.args.size());
      return texts_.emplace_back(unpacked_text(arg.ints));
    }
    if (arg.kind == ArgKind::kOptionalFloat && !arg.number.is_float()) return std::nullopt;
    const bool in_list = arg.kind == ArgKind::kOptionalInt || arg.kind == ArgKind::kOptionalBool;
    if (!in_list) return arg.number;
    return arg.ints.empty() ? OpArg(std::nullopt) : OpArg(arg.ints[0]);
  }

  const Schema& schema_;
  const std::vector<PyObject*>& names_;
  PyObject* objects_[custom::kMaxArgs] = {};
  size_t num_given_ = 0;
  std::vector<OpArg> args_;
  std::unique_ptr<Ints[]> lists_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> texts_;
};

// What a call gives back: nothing, a Tensor, or a tuple.
PyObject* results_of(const Schema& schema, const CallArguments& arguments,
                     std::vector<Tensor> results) {
  const auto item = [&](size_t i) {
    const int argument = schema.returns[i];
    return argument < 0 ? wrap(std::move(results[i])) : share(arguments.object(argument)).release();
  };
  if (results.empty()) return share(Py_None).release();
  if (results.size() == 1) return item(0);
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t i = 0; i < results.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item(i));
  return tuple.release();
}

PyObject* call_op(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  return guarded([&] {
    release_waiting();
    const CallArguments arguments(self, args, static_cast<size_t>(PyVectorcall_NARGS(count)),
                                  names);
    const CustomOp op(op_object(self).op);
    if (schema_of(self).returns.size() == 1 && schema_of(self).returns[0] < 0)
      return wrap(op.call_one(arguments.args()));
    return results_of(schema_of(self), arguments, op.call(arguments.args()));
  });
}

// ---- functions of Python's ----

Ref list_of(IntArrayRef values) {
  Ref list = own(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    own(PyLong_FromLongLong(values[i])).release());
  return list;
}

// Zeros of that type, whose memory is asked for as it is touched.
Tensor zeros_like(TensorFacts facts) {
  const Layout* layout = intern_layout(facts.dtype(), kCPU, facts.sizes(), facts.strides());
  const int64_t bytes = std::max<int64_t>(layout->span() * byte_size(layout->dtype), 1);
  void* memory = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const StorageRef storage = StorageRef::adopt(wrap_storage(
      memory, bytes, [bytes](void* data) { munmap(data, static_cast<size_t>(bytes)); }));
  storage->write_exposed.store(0, std::memory_order_relaxed);
  return new_view(layout, storage.get(), 0);
}

enum class Asked : uint8_t { kValues, kFacts };

Ref tensor_argument(const OpArgs& args, int i, int k, Asked asked) {
  return own(wrap(asked == Asked::kValues ? args.tensor(i, k) : zeros_like(args.facts(i, k))));
}

Ref tensors_argument(const OpArgs& args, int i, Asked asked) {
  Ref list = own(PyList_New(args.count(i)));
  for (int k = 0; k < args.count(i); ++k)
    PyList_SET_ITEM(list.get(), k, tensor_argument(args, i, k, asked).release());
  return list;
}

Ref argument_of(const OpArgs& args, const ArgSpec& spec, int i, Asked asked) {
  if (!args.has(i)) return share(Py_None);
  switch (spec.kind) {
    case ArgKind::kTensor:
    case ArgKind::kOptionalTensor:
      return tensor_argument(args, i, 0, asked);
    case ArgKind::kTensors:
      return tensors_argument(args, i, asked);
    case ArgKind::kText:
      return new_text(args.text(i));
    case ArgKind::kFloat:
    case ArgKind::kOptionalFloat:
    case ArgKind::kScalar:
      // Types do not depend on it.
      return to_number(asked == Asked::kValues ? args.scalar(i) : Scalar(1.0));
    case ArgKind::kInt:
    case ArgKind::kOptionalInt:
      return own(PyLong_FromLongLong(args.integer(i)));
    case ArgKind::kBool:
    case ArgKind::kOptionalBool:
      return own(PyBool_FromLong(args.flag(i)));
    case ArgKind::kInts:
      return list_of(args.ints(i));
  }
  __builtin_unreachable();
}

// A function and how it is called: those of the arguments that are by keyword only as such.
struct PythonFunction {
  std::shared_ptr<const Schema> schema;
  std::shared_ptr<PyObject> function, keywords;  // the latter a tuple of names

  PythonFunction(std::shared_ptr<const Schema> op, PyObject* callable)
      : schema(std::move(op)), function(keep(callable)) {
    const Ref names = own(PyList_New(0));
    for (const ArgSpec& arg : schema->args)
      if (arg.keyword_only) checked(PyList_Append(names.get(), new_text(arg.name).get()));
    keywords = keep(own(PyList_AsTuple(names.get())).get());
  }

  Ref call(const OpArgs& args, Asked asked) const {
    const size_t count = schema->args.size();
    Ref owned[custom::kMaxArgs];
    PyObject* objects[custom::kMaxArgs];
    for (size_t i = 0; i < count; ++i) {
      owned[i] = argument_of(args, schema->args[i], static_cast<int>(i), asked);
      objects[i] = owned[i].get();
    }
    const size_t positional = count - static_cast<size_t>(PyTuple_GET_SIZE(keywords.get()));
    return own(PyObject_Vectorcall(function.get(), objects, positional, keywords.get()));
  }
};

// The new tensors among what the function gave.
std::vector<Tensor> new_tensors(const Schema& schema, const char* which, PyObject* result) {
  std::vector<Tensor> all;
  if (is_tensor(result)) {
    all.push_back(tensor_of(result));
  } else if (result != Py_None && !read(result, &all)) {
    throw Error(ErrorKind::kRuntime, schema.name + ": its " + which +
                                         " gave no Tensor or tuple of Tensors, but " +
                                         type_name(result));
  }
  if (all.size() != schema.returns.size()) return all;  // the caller says that it is too many
  std::vector<Tensor> made;
  for (size_t i = 0; i < all.size(); ++i)
    if (schema.returns[i] < 0) made.push_back(std::move(all[i]));
  return made;
}

// Runs fn with the interpreter's lock.
template <class Fn>
auto locked(const Schema& schema, Fn fn) {
  if (is_over()) throw Error(ErrorKind::kRuntime, schema.name + ": Python has ended");
  const Gil gil;
  return fn();
}

std::vector<Tensor> run_function(const PythonFunction& function, const OpArgs& args) {
  const Schema& schema = *function.schema;
  return locked(schema, [&] {
    try {
      const Ref result = function.call(args, Asked::kValues);
      return new_tensors(schema, "function", result.get());
    } catch (const PythonError&) {
      throw Raised::take(schema.name);
    }
  });
}

void run_fake(const PythonFunction& function, const OpArgs& args, OpTypes* types) {
  const Schema& schema = *function.schema;
  locked(schema, [&] {
    try {
      const Ref result = function.call(args, Asked::kFacts);
      for (const Tensor& t : new_tensors(schema, "fake function", result.get()))
        types->add(t.dtype(), t.sizes(), t.strides());
    } catch (const PythonError&) {
      if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
      const Raised raised = Raised::take(schema.name + ": its fake function");
      throw Error(ErrorKind::kRuntime, raised.what());
    }
  });
}

CustomFunctions functions_of(const std::string& text, PyObject* function, PyObject* fake,
                             PyObject* autocast) {
  auto schema = std::make_shared<const Schema>(custom::parse_schema(text));
  CustomFunctions functions;
  functions.eager = [fn = PythonFunction(schema, function)](const OpArgs& args) {
    return run_function(fn, args);
  };
  if (fake != Py_None)
    functions.fake = [fn = PythonFunction(schema, fake)](const OpArgs& args, OpTypes& types) {
      run_fake(fn, args, &types);
    };
  if (autocast != Py_None && !read(autocast, &functions.autocast.emplace()))
    throw Error(ErrorKind::kType, "register_op(): autocast is no dtype: " + type_name(autocast));
  return functions;
}

Ref wrap_op(Op op) {
  Ref object = own(custom_op_type.tp_alloc(&custom_op_type, 0));
  CustomOpObject& self = op_object(object.get());
  self.call = call_op;
  self.op = op;
  self.names = new std::vector<PyObject*>;
  for (const ArgSpec& arg : custom::definition(op).schema.args)
    self.names->push_back(own(PyUnicode_InternFromString(arg.name.c_str())).release());
  return object;
}

void dealloc(PyObject* self) {
  if (op_object(self).names != nullptr)
    for (PyObject* name : *op_object(self).names) Py_DECREF(name);
  delete op_object(self).names;
  Py_TYPE(self)->tp_free(self);
}

// Plug-ins may be loaded, whose init may take the interpreter's lock.
std::optional<Op> find_unlocked(const std::string& name) {
  const ReleaseGil release(true);
  return custom::find(name);
}

Op register_unlocked(const char* schema, CustomFunctions functions) {
  const ReleaseGil release(true);
  return register_op(schema, std::move(functions)).op();
}

// _register_op(schema, function, fake, autocast)
PyObject* register_one(PyObject*, PyObject* args) {
  return guarded([&] {
    const char* schema;
    PyObject *function, *fake, *autocast;
    if (!PyArg_ParseTuple(args, "sOOO", &schema, &function, &fake, &autocast)) throw PythonError();
    for (PyObject* given : {function, fake})
      if (given != Py_None && !PyCallable_Check(given))
        throw Error(ErrorKind::kType, "register_op(): not callable: " + type_name(given));
    return wrap_op(register_unlocked(schema, functions_of(schema, function, fake, autocast)))
        .release();
  });
}

// _find_op(name): None where there is none.
PyObject* find_one(PyObject*, PyObject* object) {
  return guarded([&] {
    std::string name;
    if (!read(object, &name))
      throw Error(ErrorKind::kType, "expected str, not " + type_name(object));
    const std::optional<Op> op = find_unlocked(name);
    return op ? wrap_op(*op).release() : share(Py_None).release();
  });
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<CustomOp %s>", schema_of(self).text.c_str());
}
PyObject* get_name(PyObject* self, void*) {
  return guarded([&] { return new_text(schema_of(self).name).release(); });
}
PyObject* get_schema(PyObject* self, void*) {
  return guarded([&] { return new_text(schema_of(self).text).release(); });
}
// An op has one overload, which is itself.
PyObject* get_default(PyObject* self, void*) { return share(self).release(); }

PyGetSetDef properties[] = {{"name", get_name, nullptr, "mylib::scale_add", nullptr},
                            {"schema", get_schema, nullptr, "As it was registered.", nullptr},
                            {"default", get_default, nullptr, "The op itself.", nullptr},
                            {}};

}  // namespace

Raised Raised::take(const std::string& where) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  const Ref owned_type(type), owned_trace(trace);
  std::string text = where + ": " + type_name(value), words;
  const Ref message(PyObject_Str(value));
  if (message && read(message.get(), &words)) text += ": " + words;
  PyErr_Clear();
  return Raised(text, {value, release_later});
}

void Raised::restore() const noexcept {
  PyObject* value = error_.get();
  Py_INCREF(Py_TYPE(value));
  Py_INCREF(value);
  PyErr_Restore(reinterpret_cast<PyObject*>(Py_TYPE(value)), value,
                PyException_GetTraceback(value));
}

int add_custom_op_type(PyObject* module) {
  PyTypeObject& type = custom_op_type;
  type.tp_name = "frit.CustomOp";
  type.tp_doc = "A registered op; see frit.library.";
  type.tp_basicsize = sizeof(CustomOpObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(CustomOpObject, call);
  type.tp_call = PyVectorcall_Call;
  type.tp_repr = repr;
  type.tp_dealloc = dealloc;
  type.tp_getset = properties;
  if (PyType_Ready(&type) < 0) return -1;
  return PyModule_AddObjectRef(module, "CustomOp", reinterpret_cast<PyObject*>(&type));
}

std::vector<PyMethodDef> custom_op_functions() {
  return {{"_register_op", register_one, METH_VARARGS, nullptr},
          {"_find_op", find_one, METH_O, nullptr}};
}

}  // namespace frit::python

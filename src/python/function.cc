// Calls: binding what Python passes to an overload's parameters, out=, writing in place, and errors
// that name the function and the argument.
#include "src/python/function.h"

#include <optional>

#include <algorithm>
#include <cstring>

#include "src/python/convert.h"
#include "src/python/generator.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// What a call passed.
struct Passed {
  PyObject* self;
  PyObject* const* args;
  Py_ssize_t num_args;
  PyObject* keywords;  // tuple of names, or null
  Py_ssize_t num_keywords() const { return keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords); }
};

// Why an overload does not take a call.
struct Misfit {
  enum class Kind : uint8_t { kNone, kTooMany, kUnknown, kTwice, kMissing, kKind };
  Kind kind = Kind::kNone;
  PyObject* name = nullptr;    // of the argument, borrowed
  int position = 0;            // of the parameter
  PyObject* object = nullptr;  // what was passed
  const char* expected = nullptr;
};

// The call's objects by parameter, borrowed but for those in `list`.
struct Bound {
  explicit Bound(size_t num_parameters) { std::fill_n(slots, num_parameters, nullptr); }
  PyObject* slots[kMaxParameters];
  PyObject* out = nullptr;
  Ref list;  // for a parameter that takes all remaining arguments
};

// PyTorch takes NumPy's names for these too.
const char* other_name(const char* name) {
  constexpr const char* kNames[][2] = {
      {"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "input"}, {"x2", "other"}};
  for (const auto& pair : kNames)
    if (std::strcmp(name, pair[0]) == 0) return pair[1];
  return nullptr;
}

int find_parameter(const Overload& overload, PyObject* name) {
  const int count = static_cast<int>(overload.parameters.size());
  for (int i = 0; i < count; ++i)
    if (overload.parameters[i].name == name) return i;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) throw PythonError();
  const char* other = other_name(text);
  for (int i = 0; i < count; ++i) {
    PyObject* parameter = overload.parameters[i].name;
    if (PyUnicode_CompareWithASCIIString(parameter, text) == 0) return i;
    if (other != nullptr && PyUnicode_CompareWithASCIIString(parameter, other) == 0) return i;
  }
  return -1;
}

bool is_list(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

// Positional arguments from `self` on.
bool bind_positions(const Overload& overload, const Passed& passed, Bound* bound, Misfit* misfit) {
  int parameter = 0;
  if (passed.self != nullptr) bound->slots[parameter++] = passed.self;
  for (Py_ssize_t i = 0; i < passed.num_args; ++i, ++parameter) {
    if (parameter >= overload.num_positional) {
      misfit->kind = Misfit::Kind::kTooMany;
      return false;
    }
    const Py_ssize_t left = passed.num_args - i;
    if (overload.parameters[parameter].variadic && (left > 1 || !is_list(passed.args[i]))) {
      bound->list = own(PyTuple_New(left));
      for (Py_ssize_t k = 0; k < left; ++k)
        PyTuple_SET_ITEM(bound->list.get(), k, share(passed.args[i + k]).release());
      bound->slots[parameter] = bound->list.get();
      return true;
    }
    bound->slots[parameter] = passed.args[i];
  }
  return true;
}

bool bind_keywords(const Overload& overload, const Passed& passed, Bound* bound, Misfit* misfit) {
  for (Py_ssize_t i = 0; i < passed.num_keywords(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(passed.keywords, i);
    PyObject* value = passed.args[passed.num_args + i];
    const int parameter = find_parameter(overload, name);
    misfit->name = name;
    if (parameter < 0) {
      if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
        bound->out = value == Py_None ? nullptr : value;
        continue;
      }
      misfit->kind = Misfit::Kind::kUnknown;
      return false;
    }
    if (bound->slots[parameter] != nullptr) {
      misfit->kind = Misfit::Kind::kTwice;
      return false;
    }
    bound->slots[parameter] = value;
  }
  return true;
}

bool bind_defaults(const Overload& overload, Bound* bound, Misfit* misfit) {
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    if (bound->slots[i] != nullptr) continue;
    const Parameter& parameter = overload.parameters[i];
    if (parameter.default_value == nullptr) {
      *misfit = {Misfit::Kind::kMissing, parameter.name, static_cast<int>(i), nullptr, nullptr};
      return false;
    }
    bound->slots[i] = parameter.default_value;
  }
  return true;
}

bool bind(const Overload& overload, const Passed& passed, Bound* bound, Misfit* misfit) {
  return bind_positions(overload, passed, bound, misfit) &&
         (passed.keywords == nullptr || bind_keywords(overload, passed, bound, misfit)) &&
         bind_defaults(overload, bound, misfit);
}

bool is_requires_grad(const Parameter& parameter) {
  return PyUnicode_CompareWithASCIIString(parameter.name, "requires_grad") == 0;
}
// The mark is kept on the object; there are no gradients.
void mark_requires_grad(PyObject* result) {
  if (PyObject_SetAttrString(result, "requires_grad", Py_True) < 0) {
    Py_DECREF(result);
    throw PythonError();
  }
}

bool is_device(const Parameter& parameter) {
  return PyUnicode_CompareWithASCIIString(parameter.name, "device") == 0;
}

// New tensors are made on a device that is named.
Device read_device(const Function& function, PyObject* value) {
  DeviceArgument argument;
  if (!read(value, &argument))
    throw Error(ErrorKind::kType, std::string(function.name) +
                                      "(): argument 'device' must be frit.device, not " +
                                      type_name(value));
  return argument.device;
}

// A result that is made like an operand, or converted.
PyObject* brought_to(Device device, PyObject* result) {
  if (!is_tensor(result) || tensor_of(result).device() == device) return result;
  const Ref held(result);
  return wrap(tensor_of(result).to(device));
}

// "(Tensor, dim=str)"
std::string describe(const Passed& passed) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (passed.self != nullptr) add(type_name(passed.self));
  for (Py_ssize_t i = 0; i < passed.num_args; ++i) add(type_name(passed.args[i]));
  for (Py_ssize_t i = 0; i < passed.num_keywords(); ++i)
    add(std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(passed.keywords, i))) + "=" +
        type_name(passed.args[passed.num_args + i]));
  return "(" + text + ")";
}

std::string describe(const Misfit& misfit, const Passed& passed) {
  const std::string name = misfit.name == nullptr ? "" : PyUnicode_AsUTF8(misfit.name);
  switch (misfit.kind) {
    case Misfit::Kind::kNone:
      break;
    case Misfit::Kind::kTooMany:
      return "too many positional arguments: " + describe(passed);
    case Misfit::Kind::kUnknown:
      return "got an unexpected keyword argument '" + name + "'";
    case Misfit::Kind::kTwice:
      return "got two values for argument '" + name + "'";
    case Misfit::Kind::kMissing:
      return "missing required argument '" + name + "' (position " +
             std::to_string(misfit.position + 1) + ")";
    case Misfit::Kind::kKind:
      return "argument '" + name + "' (position " + std::to_string(misfit.position + 1) +
             ") must be " + misfit.expected + ", not " + type_name(misfit.object);
  }
  return "";
}

[[noreturn]] void fail(const Function& function, const Passed& passed, const Misfit& misfit) {
  const std::string name = std::string(function.name) + "(): ";
  if (function.overloads.size() == 1)
    throw Error(ErrorKind::kType, name + describe(misfit, passed));
  std::string text = name + "the arguments " + describe(passed) + " fit none of";
  for (const Overload& overload : function.overloads)
    text += std::string("\n * (") + overload.text + ")";
  // With the last one's reason, which is that of most calls with a misspelt name.
  throw Error(ErrorKind::kType, text + "\n" + describe(misfit, passed));
}

// Runs the overload on what was bound; null where an argument is of another kind.
PyObject* run(const Function& function, const Overload& overload, const Bound& bound,
              Misfit* misfit) {
  PyObject* arguments[kMaxParameters];
  std::optional<GeneratorScope> scope;
  std::optional<Device> device;
  std::optional<DefaultDeviceScope> device_scope;
  bool marked = false;
  for (size_t i = 0; !overload.plain && i < overload.parameters.size(); ++i) {
    const Parameter& parameter = overload.parameters[i];
    if (parameter.target >= 0) arguments[parameter.target] = bound.slots[i];
    if (parameter.target == kGeneratorTarget && bound.slots[i] != nullptr &&
        bound.slots[i] != Py_None) {
      const Generator* generator = generator_of(bound.slots[i]);
      if (generator == nullptr) {
        *misfit = {Misfit::Kind::kKind, parameter.name, static_cast<int>(i), bound.slots[i],
                   "frit.Generator"};
        return nullptr;
      }
      scope.emplace(*generator);
    }
    if (parameter.target != kIgnoredTarget) continue;
    if (bound.slots[i] != Py_None && is_device(parameter))
      device_scope.emplace(*(device = read_device(function, bound.slots[i])));
    marked |= bound.slots[i] == Py_True && is_requires_grad(parameter);
  }
  const Attempt attempt = overload.call.invoke(overload.plain ? bound.slots : arguments);
  if (attempt.result != nullptr) {
    PyObject* result = device ? brought_to(*device, attempt.result) : attempt.result;
    if (marked) mark_requires_grad(result);
    return result;
  }
  if (attempt.misfit < 0) throw PythonError();
  for (size_t i = 0; i < overload.parameters.size(); ++i)
    if (overload.parameters[i].target == attempt.misfit)
      *misfit = {Misfit::Kind::kKind, overload.parameters[i].name, static_cast<int>(i),
                 bound.slots[i], overload.call.kinds[static_cast<size_t>(attempt.misfit)].name};
  return nullptr;
}

std::vector<Tensor> tensors_among(const Overload& overload, const Bound& bound) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < overload.parameters.size(); ++i)
    if (is_tensor(bound.slots[i])) tensors.push_back(tensor_of(bound.slots[i]));
  return tensors;
}

// Writes a result to a tensor that the caller named.
void write(std::string_view name, PyObject* target, const Tensor& result,
           const std::vector<Tensor>& operands) {
  Tensor& tensor = tensor_of(target);
  if (tensor.is_same(result)) return;
  const ReleaseGil release(result.numel() >= kElementsWithoutGil);
  store_result(name, tensor, result, operands);
}

// out= an empty tensor is given the result's sizes, as in PyTorch.
void write_out(const Function& function, PyObject* out, PyObject* result,
               const std::vector<Tensor>& operands) {
  if (!is_tensor(out))
    throw Error(ErrorKind::kType, std::string(function.name) +
                                      "(): argument 'out' must be Tensor, not " + type_name(out));
  Tensor& target = tensor_of(out);
  if (target.numel() == 0 && target.sizes() != tensor_of(result).sizes())
    target = empty(tensor_of(result).sizes(), target.options());
  write(std::string(function.name) + "(out)", out, tensor_of(result), operands);
}

Ref written_out(const Function& function, const Overload& overload, const Bound& bound,
                Ref result) {
  const std::vector<Tensor> operands = tensors_among(overload, bound);
  if (is_tensor(result.get())) {
    write_out(function, bound.out, result.get(), operands);
  } else if (PyTuple_Check(result.get()) && is_list(bound.out) &&
             PyTuple_GET_SIZE(result.get()) == PySequence_Fast_GET_SIZE(bound.out)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result.get()); ++i)
      write_out(function, PySequence_Fast_GET_ITEM(bound.out, i), PyTuple_GET_ITEM(result.get(), i),
                operands);
  } else {
    throw Error(ErrorKind::kType,
                std::string(function.name) + "(): 'out' does not fit the results");
  }
  return share(bound.out);
}

bool asks_for_in_place(const Overload& overload, const Bound& bound) {
  if (overload.plain) return false;
  for (size_t i = 0; i < overload.parameters.size(); ++i)
    if (overload.parameters[i].target == kInPlaceTarget)
      return checked(PyObject_IsTrue(bound.slots[i])) == 1;
  return false;
}

// An op that gave back its argument gives back the argument's object.
Ref same_object(const Overload& overload, const Bound& bound, Ref result) {
  const Tensor& tensor = tensor_of(result.get());
  for (size_t i = 0; i < overload.parameters.size(); ++i)
    if (is_tensor(bound.slots[i]) && tensor_of(bound.slots[i]).is_same(tensor))
      return share(bound.slots[i]);
  return result;
}

Ref finish(const Function& function, Form form, const Overload& overload, const Bound& bound,
           Ref result) {
  if (bound.out != nullptr) return written_out(function, overload, bound, std::move(result));
  if (!is_tensor(result.get())) return result;
  if (form == Form::kInPlace || asks_for_in_place(overload, bound)) {
    PyObject* target = bound.slots[0];
    if (!is_tensor(target))
      throw Error(ErrorKind::kType, function.in_place_name + "(): the first argument is no Tensor");
    write(function.in_place_name, target, tensor_of(result.get()), tensors_among(overload, bound));
    return share(target);
  }
  return same_object(overload, bound, std::move(result));
}

}  // namespace

PyObject* call_function(const Function& function, Form form, PyObject* self, PyObject* const* args,
                        Py_ssize_t num_args, PyObject* keywords) noexcept {
  return guarded([&] {
    const Passed passed = {self, args, num_args, keywords};
    Misfit misfit;
    for (const Overload& overload : function.overloads) {
      Bound bound(overload.parameters.size());
      misfit = {};
      if (!bind(overload, passed, &bound, &misfit)) continue;
      Ref result(run(function, overload, bound, &misfit));
      if (result) return finish(function, form, overload, bound, std::move(result)).release();
    }
    fail(function, passed, misfit);
  });
}

namespace detail {

PyObject* give_back(std::vector<Tensor> result) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(result.size())));
  for (size_t i = 0; i < result.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(std::move(result[i])));
  return tuple.release();
}

PyObject* give_back(std::pair<Tensor, Tensor> result) {
  static PyTypeObject* type = [] {
    static PyStructSequence_Field fields[] = {{"values", nullptr}, {"indices", nullptr}, {}};
    static PyStructSequence_Desc description = {"frit.return_types.values_indices",
                                                "Values and their indices.", fields, 2};
    return PyStructSequence_NewType(&description);
  }();
  if (type == nullptr) throw PythonError();
  Ref pair = own(PyStructSequence_New(type));
  PyStructSequence_SetItem(pair.get(), 0, wrap(std::move(result.first)));
  PyStructSequence_SetItem(pair.get(), 1, wrap(std::move(result.second)));
  return pair.release();
}

}  // namespace detail

}  // namespace frit::python

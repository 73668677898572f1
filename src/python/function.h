// Function: a public C++ function as Python sees it. One entry of a table makes the function
// `frit.sum`, the method `Tensor.sum` and, where PyTorch has them, `Tensor.abs_` and `out=`.
//
//   {"narrow", kFunction | kMethod,
//    {{"input, dim, start, length",
//      overload<[](const Tensor& x, int64_t dim, int64_t start, int64_t length) {
//        return narrow(x, dim, start, length);
//      }>}}},
//
// The text gives the names of the arguments and their defaults, as in Python; their kinds are those
// of the C++ parameters (arguments.h). What the text may say besides:
//   *size           takes the remaining positional arguments, or one tuple
//   *               from here on by keyword only
//   ~device=None    is checked and not passed on
//   ...options      dtype=None and, not passed on, what else PyTorch's creating functions take
//   -> str          at the end: what comes back, where the C++ function gives a Python object
// The parameter `inplace` is not passed on: the result is written to the first argument. Nor is
// `generator`: while the function runs, random numbers come from it. out= is
// understood wherever the result is one tensor or a pair.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "src/python/arguments.h"
#include "src/python/convert.h"

namespace frit::python {

// What came of an overload: a result, or the position of the first argument of another kind.
struct Attempt {
  PyObject* result = nullptr;
  int misfit = -1;
};
using Invoke = Attempt (*)(PyObject* const* arguments);

inline constexpr size_t kMaxParameters = 24;
struct Parameter {
  PyObject* name = nullptr;           // interned
  PyObject* default_value = nullptr;  // null: required
  bool keyword_only = false;
  bool variadic = false;
  // The function's parameter; negative: one of the roles below.
  int target = 0;
};
inline constexpr int kInPlaceTarget = -1, kIgnoredTarget = -2, kGeneratorTarget = -3;

// A C++ function as an overload: how it is called, what it takes and gives.
struct Call {
  Invoke invoke;
  std::span<const Kind> kinds;  // of its parameters
  const char* result;           // an annotation
};

struct Overload {
  Overload(const char* text, const Call& call) : text(text), call(call) {}
  const char* text;
  Call call;
  // parse_signatures() fills these in.
  std::vector<Parameter> parameters;
  int num_positional = 0;
  bool plain = true;  // all parameters are the function's
};

// Where a function is found.
enum Where : unsigned {
  kFunction = 1,  // frit.name
  kMethod = 2,    // Tensor.name
  kInPlace = 4,   // Tensor.name_, and frit.name_ if kFunction
  kNeural = 8,    // frit.nn.functional.name
  kFourier = 16,  // frit.fft.name
  kLinear = 32,   // frit.linalg.name
};

struct Function {
  const char* name;
  unsigned where;
  std::vector<Overload> overloads;
  // Set by parse_signatures().
  std::string in_place_name = {};
  std::string documentation = {};  // signatures with annotations, an empty line, the meaning
  std::string in_place_documentation = {};
};

// Reads the overloads' texts; once, with the interpreter's lock. -1 with an error set.
int parse_signatures(Function& function);

// How a call is made of a function: as itself, or writing to its first argument.
enum class Form : uint8_t { kPlain, kInPlace };

// `self` is null but for methods. CPython's vectorcall convention.
PyObject* call_function(const Function& function, Form form, PyObject* self, PyObject* const* args,
                        Py_ssize_t num_args, PyObject* keywords) noexcept;

// Makes functions and methods of a table's entries. Names that are there already stay, so that what
// comes first goes before.
struct Entry {
  Function* function;
  PyCFunction function_call, method_call, in_place_function_call, in_place_method_call;
};

template <auto& table, size_t i, Form form>
PyObject* enter_function(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return call_function(table[i], form, nullptr, args, n, keywords);
}
template <auto& table, size_t i, Form form>
PyObject* enter_method(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return call_function(table[i], form, self, args, n, keywords);
}
inline PyCFunction as_c_function(PyObject* (*entry)(PyObject*, PyObject* const*, Py_ssize_t,
                                                    PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry));
}
template <auto& table, size_t... i>
std::vector<Entry> entries_of(std::index_sequence<i...>) {
  return {{&table[i], as_c_function(enter_function<table, i, Form::kPlain>),
           as_c_function(enter_method<table, i, Form::kPlain>),
           as_c_function(enter_function<table, i, Form::kInPlace>),
           as_c_function(enter_method<table, i, Form::kInPlace>)}...};
}
template <auto& table>
std::vector<Entry> entries_of() {
  return entries_of<table>(std::make_index_sequence<std::size(table)>());
}

// The tables, by the file that defines them.
std::vector<Entry> written_entries();      // functions_elementwise.cc: written by hand
std::vector<Entry> elementwise_entries();  // functions_elementwise.cc: from the table of ops
std::vector<Entry> reduce_entries();
std::vector<Entry> shape_entries();
std::vector<Entry> index_entries();
std::vector<Entry> rearrange_entries();
std::vector<Entry> scatter_entries();
std::vector<Entry> pool_entries();
std::vector<Entry> order_entries();
std::vector<Entry> grid_entries();
std::vector<Entry> signal_entries();
std::vector<Entry> linalg_entries();
std::vector<Entry> layer_entries();
std::vector<Entry> recurrent_entries();
std::vector<Entry> create_entries();
std::vector<Entry> contract_entries();
std::vector<Entry> neural_entries();
std::vector<Entry> activation_entries();
std::vector<Entry> loss_entries();
std::vector<Entry> pointwise_entries();
std::vector<Entry> fact_entries();

// Below: how overload<fn> reads arguments and gives back results.

namespace detail {

// What an argument is read into.
template <class P>
struct Holder {
  using type = std::remove_cvref_t<P>;
  static const type& give(const type& value) { return value; }
};
template <>
struct Holder<const Tensor&> {
  using type = const Tensor*;
  static const Tensor& give(const Tensor* value) { return *value; }
};

inline int64_t elements(const Tensor* t) { return t->numel(); }
inline int64_t elements(const Number& n) { return n.is_tensor() ? n.tensor->numel() : 0; }
inline int64_t elements(const Tensor& t) { return t.defined() ? t.numel() : 0; }
inline int64_t elements(const std::vector<Tensor>& list) {
  int64_t sum = 0;
  for (const Tensor& t : list) sum += t.numel();
  return sum;
}
template <class T>
int64_t elements(const T&) {
  return 0;
}

inline PyObject* give_back(Tensor result) { return wrap(std::move(result)); }
inline PyObject* give_back(bool result) { return PyBool_FromLong(result); }
inline PyObject* give_back(int64_t result) { return own(PyLong_FromLongLong(result)).release(); }
inline PyObject* give_back(const Scalar& result) { return to_number(result).release(); }
inline PyObject* give_back(Ref result) { return result.release(); }
PyObject* give_back(std::pair<Tensor, Tensor> result);  // a named tuple (values, indices)
PyObject* give_back(std::vector<Tensor> result);        // a tuple

// The annotations of what they give. A Python object can be anything.
template <class R>
constexpr const char* result_name = R::has_no_result_name;
template <>
inline constexpr const char* result_name<Tensor> = "Tensor";
template <>
inline constexpr const char* result_name<bool> = "bool";
template <>
inline constexpr const char* result_name<int64_t> = "int";
template <>
inline constexpr const char* result_name<Scalar> = "Number";
template <>
inline constexpr const char* result_name<Ref> = "Any";
template <>
inline constexpr const char* result_name<std::pair<Tensor, Tensor>> = "values_indices";
template <>
inline constexpr const char* result_name<std::vector<Tensor>> = "tuple[Tensor, ...]";

// Functions that give Python objects back may run Python code; those of facts are too short.
template <class R>
inline constexpr bool may_run_without_gil =
    !std::is_same_v<R, Ref> && !std::is_same_v<R, int64_t> && !std::is_same_v<R, bool>;
// A number read from a tensor may have to wait for a whole plan.
template <class R>
inline constexpr bool may_wait = std::is_same_v<R, Scalar>;

template <class R, class... P, size_t... i>
Attempt invoke(R (*fn)(P...), PyObject* const* arguments, std::index_sequence<i...>) {
  std::tuple<typename Holder<P>::type...> values;
  int misfit = -1;
  const auto fits = [&](int position, bool ok) {
    if (!ok) misfit = position;
    return ok;
  };
  if (!(fits(static_cast<int>(i), read(arguments[i], &std::get<i>(values))) && ...))
    return {nullptr, misfit};
  const auto run = [&]() -> R {
    const ReleaseGil release(may_wait<R> ||
                             (may_run_without_gil<R> &&
                              (elements(std::get<i>(values)) + ... + 0) >= kElementsWithoutGil));
    return fn(Holder<P>::give(std::get<i>(values))...);
  };
  return {give_back(run()), -1};
}

template <class R, class... P>
constexpr auto parameters_of(R (*)(P...)) {
  return std::array<Kind, sizeof...(P)>{kind_of<typename Holder<P>::type>...};
}
template <auto fn>
inline constexpr auto kinds = parameters_of(+fn);

template <class R, class... P>
constexpr const char* result_of(R (*)(P...)) {
  return result_name<R>;
}

template <class R, class... P>
constexpr size_t count_parameters(R (*)(P...)) {
  return sizeof...(P);
}
template <auto fn>
Attempt invoke(PyObject* const* arguments) {
  return invoke(+fn, arguments, std::make_index_sequence<count_parameters(+fn)>());
}

}  // namespace detail

template <auto fn>
inline constexpr Call overload = {detail::invoke<fn>, std::span<const Kind>(detail::kinds<fn>),
                                  detail::result_of(+fn)};

}  // namespace frit::python

// Reads the texts of overloads, "input, *size, *, dtype=None, ...options", and writes the
// functions' documentation: a line for each overload, with annotations, and what the function does.
// Type stubs are made of these lines (generate_stubs.py).
#include <algorithm>

#include "src/base/check.h"
#include "src/python/function.h"
#include "src/python/module.h"

namespace frit::python {
namespace {

constexpr std::string_view kOptions =
    "dtype=None, ~device=None, ~layout=None, ~requires_grad=False, ~pin_memory=False, "
    "~memory_format=None";

// The value of a default: None, a number, a string.
PyObject* evaluate(const std::string& text) {
  const Ref globals = own(PyDict_New());
  return own(PyRun_String(text.c_str(), Py_eval_input, globals.get(), globals.get())).release();
}

// The annotation of an argument that is checked and not passed on.
std::string ignored_annotation(const std::string& name, PyObject* default_value) {
  if (name == "device") return "frit.device | str | None";
  if (name == "layout" || name == "memory_format") return "frit." + name + " | None";
  return PyBool_Check(default_value) ? "bool" : "object";
}

std::string annotation_of(const Kind& kind, bool variadic) {
  std::string text = kind.annotation;
  if (variadic && text == "Sequence[Tensor]") text = "Tensor | " + text;
  return kind.optional ? text + " | None" : text;
}

class Parser {
 public:
  explicit Parser(Overload& overload) : overload_(overload), text_(overload.text) {
    const std::string_view arrow = " -> ";
    const size_t end = text_.find(arrow);
    result_ = end == text_.npos ? overload.call.result : text_.substr(end + arrow.size());
    text_.resize(std::min(end, text_.size()));
    const std::string_view options = "...options";
    const size_t place = text_.find(options);
    if (place != text_.npos) text_.replace(place, options.size(), kOptions);
  }

  void run() {
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find(", ", begin), text_.size());
      add(text_.substr(begin, end - begin));
      begin = end + 2;
    }
    FRIT_CHECK(static_cast<size_t>(num_targets_) == overload_.call.kinds.size());
    FRIT_CHECK(overload_.parameters.size() <= kMaxParameters);
  }

  // "(input: Tensor, *, dtype: frit.dtype | None = None) -> Tensor"
  std::string documentation(bool has_out) const {
    std::string text = documentation_;
    const bool is_tensor = result_ == "Tensor";
    if (has_out && (is_tensor || result_ == "values_indices")) {
      if (!keyword_only_) text += ", *";
      text +=
          is_tensor ? ", out: Tensor | None = None" : ", out: tuple[Tensor, Tensor] | None = None";
    }
    return "(" + text + ") -> " + result_;
  }

 private:
  void add(std::string item) {
    documentation_ += documentation_.empty() ? "" : ", ";
    if (item == "*") {
      documentation_ += item;
      keyword_only_ = true;
      return;
    }
    Parameter parameter;
    parameter.variadic = item[0] == '*';
    const bool ignored = item[0] == '~';
    if (parameter.variadic || ignored) item.erase(0, 1);
    const size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    parameter.name = PyUnicode_InternFromString(name.c_str());
    if (parameter.name == nullptr) throw PythonError();
    if (equals != item.npos) parameter.default_value = evaluate(item.substr(equals + 1));
    parameter.keyword_only = keyword_only_;
    // What follows a list of any length can only be named.
    keyword_only_ |= parameter.variadic;
    parameter.target = ignored               ? kIgnoredTarget
                       : name == "inplace"   ? kInPlaceTarget
                       : name == "generator" ? kGeneratorTarget
                                             : num_targets_++;
    overload_.plain &= parameter.target >= 0;
    overload_.num_positional += !parameter.keyword_only;
    overload_.parameters.push_back(parameter);
    documentation_ += (parameter.variadic ? "*" : "") + name + ": " + annotation(name, parameter);
    if (equals != item.npos) documentation_ += " = " + item.substr(equals + 1);
  }

  std::string annotation(const std::string& name, const Parameter& parameter) const {
    if (parameter.target < 0) return ignored_annotation(name, parameter.default_value);
    const auto target = static_cast<size_t>(parameter.target);
    FRIT_CHECK(target < overload_.call.kinds.size());
    return annotation_of(overload_.call.kinds[target], parameter.variadic);
  }

  Overload& overload_;
  std::string text_, result_, documentation_;
  bool keyword_only_ = false;
  int num_targets_ = 0;
};

}  // namespace

int parse_signatures(Function& function) {
  return guarded(-1, [&] {
    const std::string name = function.name;
    function.in_place_name = name + "_";
    for (Overload& overload : function.overloads) {
      Parser parser(overload);
      parser.run();
      function.documentation +=
          name + parser.documentation(function.where & ~(kMethod | kInPlace)) + "\n";
      function.in_place_documentation += name + "_" + parser.documentation(false) + "\n";
    }
    const std::string meaning = meaning_of(name);
    if (!meaning.empty()) function.documentation += "\n" + meaning + ".";
    function.in_place_documentation += "\n" + name + "(), written to its first argument.";
    return 0;
  });
}

}  // namespace frit::python

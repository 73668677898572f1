// Reads the texts of overloads: "input, *size, *, dtype=None, ...options".
#include <algorithm>

#include "src/base/check.h"
#include "src/python/function.h"

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

class Parser {
 public:
  explicit Parser(Overload& overload) : overload_(overload), text_(overload.text) {
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
    FRIT_CHECK(static_cast<size_t>(num_targets_) == overload_.kinds.size());
    FRIT_CHECK(overload_.parameters.size() <= kMaxParameters);
  }

 private:
  void add(std::string item) {
    if (item == "*") {
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
    parameter.target = ignored             ? kIgnoredTarget
                       : name == "inplace" ? kInPlaceTarget
                                           : num_targets_++;
    overload_.plain &= parameter.target >= 0;
    overload_.num_positional += !parameter.keyword_only;
    overload_.parameters.push_back(parameter);
  }

  Overload& overload_;
  std::string text_;
  bool keyword_only_ = false;
  int num_targets_ = 0;
};

}  // namespace

int parse_signatures(Function& function) {
  return guarded(-1, [&] {
    function.in_place_name = std::string(function.name) + "_";
    for (Overload& overload : function.overloads) {
      Parser(overload).run();
      function.documentation += function.documentation.empty() ? "" : "\n";
      function.documentation += std::string(function.name) + "(" + overload.text + ")";
    }
    return 0;
  });
}

}  // namespace frit::python

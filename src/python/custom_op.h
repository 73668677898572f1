// frit._core.CustomOp: a registered op, and registering one whose functions are Python's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frit/error.h"
#include "src/python/object.h"

namespace frit::python {

// What a Python function has raised inside of an op, on its way to whoever has called the op: there
// it is raised again, as it was.
class Raised : public Error {
 public:
  // Takes the error that is set.
  static Raised take(const std::string& where);
  // Sets it again.
  void restore() const noexcept;

 private:
  Raised(const std::string& text, std::shared_ptr<PyObject> error)
      : Error(ErrorKind::kRuntime, text), error_(std::move(error)) {}
  std::shared_ptr<PyObject> error_;  // the exception, with its traceback
};

int add_custom_op_type(PyObject* module);
std::vector<PyMethodDef> custom_op_functions();

}  // namespace frit::python

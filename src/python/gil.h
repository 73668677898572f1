// Functions of Python's that are called from inside the engine, on any thread.
#pragma once

#include <memory>

#include "src/python/object.h"

namespace frit::python {

// Whether no Python code can run any more.
inline bool is_over() { return !Py_IsInitialized() || _Py_IsFinalizing(); }

// Holds the interpreter's lock for its scope, whether or not the thread has it already.
class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() noexcept(false) { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

// An object that is let go on any thread, which may hold locks of Frit's.
inline std::shared_ptr<PyObject> keep(PyObject* object) {
  return {share(object).release(), release_later};
}

}  // namespace frit::python

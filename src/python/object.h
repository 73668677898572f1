// What every file of the module needs of CPython: owned references and the way of errors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

namespace frit::python {

// Thrown where CPython's own error is set.
struct PythonError {};

// One reference to an object, or none.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Takes over what a function of CPython gave; where that is null, its error goes on as PythonError.
inline Ref own(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return Ref(object);
}
inline Ref share(PyObject* object) {
  Py_INCREF(object);
  return Ref(object);
}
// For functions that say -1 where they have set an error.
template <class T>
T checked(T result) {
  if (result < 0) throw PythonError();
  return result;
}

// Inside a catch block: sets CPython's error from the exception in flight.
void set_python_error() noexcept;

// Runs `fn`, which may throw; `failed` is what CPython expects where an error is set.
template <class Fn, class Result>
Result guarded(Result failed, Fn fn) noexcept {
  try {
    return fn();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
template <class Fn>
PyObject* guarded(Fn fn) noexcept {
  return guarded(static_cast<PyObject*>(nullptr), fn);
}

// Lets other Python threads run for the time of this scope, if `wanted`.
class ReleaseGil {
 public:
  explicit ReleaseGil(bool wanted) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  // Where the interpreter has ended meanwhile, CPython ends the thread here, by unwinding it.
  ~ReleaseGil() noexcept(false) {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  ReleaseGil(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

// Elements of a call's operands from which on it pays to let other threads run meanwhile: giving
// the lock away and taking it back costs about 50 ns.
inline constexpr int64_t kElementsWithoutGil = 8192;

// "Tensor", "int": the name of an object's type, for messages.
std::string type_name(PyObject* object);
// A Python str from text in UTF-8.
Ref new_text(std::string_view text);

// Drops a reference some time later, by a thread that holds the interpreter's lock and none of
// Frit's. Callable from any thread, with or without that lock.
void release_later(PyObject* object) noexcept;
// Drops those that wait; the caller holds the interpreter's lock.
void release_waiting_now() noexcept;
extern constinit bool some_wait;  // a hint, read without synchronisation
inline void release_waiting() noexcept {
  if (__builtin_expect(__atomic_load_n(&some_wait, __ATOMIC_RELAXED), false)) release_waiting_now();
}

}  // namespace frit::python

// Errors on their way to Python, and references that are dropped late.
#include "src/python/object.h"

#include <atomic>
#include <new>

#include "frit/error.h"
#include "src/python/custom_op.h"

namespace frit::python {
namespace {

PyObject* exception_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValue:
      return PyExc_ValueError;
    case ErrorKind::kIndex:
      return PyExc_IndexError;
    case ErrorKind::kType:
      return PyExc_TypeError;
    case ErrorKind::kRuntime:
      return PyExc_RuntimeError;
    case ErrorKind::kNotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::kOutOfMemory:
      return PyExc_MemoryError;
  }
  __builtin_unreachable();
}

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const Raised& error) {
    error.restore();
  } catch (const Error& error) {
    PyErr_SetString(exception_class(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

std::string type_name(PyObject* object) {
  const std::string name = Py_TYPE(object)->tp_name;
  // The last part, as PyTorch shows it: frit.Tensor is Tensor.
  return name.substr(name.rfind('.') + 1);
}

Ref new_text(std::string_view text) {
  return own(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

// Memory that belongs to a Python object may lose its last tensor on any thread, deep in the engine
// and under its locks. Dropping the object there could run any Python code. So it is put on a list
// without locks, and CPython is asked to come by when it can.
namespace {

struct Waiting {
  PyObject* object;
  Waiting* next;
};
std::atomic<Waiting*> waiting{nullptr};

int come_by(void*) {
  release_waiting_now();
  return 0;
}

}  // namespace

constinit bool some_wait = false;

void release_later(PyObject* object) noexcept {
  auto* entry = new (std::nothrow) Waiting{object, waiting.load()};
  if (entry == nullptr || !Py_IsInitialized())
    return;  // kept for ever: nothing better is safe here
  while (!waiting.compare_exchange_weak(entry->next, entry)) {
  }
  __atomic_store_n(&some_wait, true, __ATOMIC_RELAXED);
  // It fails when too many calls wait already; then the next tensor that dies does it.
  Py_AddPendingCall(come_by, nullptr);
}

void release_waiting_now() noexcept {
  __atomic_store_n(&some_wait, false, __ATOMIC_RELAXED);
  // Dropping an object may run Python code, which may see an error that is set here.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (Waiting* entry = waiting.exchange(nullptr); entry != nullptr;) {
    Waiting* next = entry->next;
    Py_DECREF(entry->object);
    delete entry;
    entry = next;
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace frit::python

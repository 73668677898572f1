#include "src/python/generator.h"

#include <utility>

#include "src/python/arguments.h"
#include "src/python/function.h"
#include "src/python/small_types.h"

namespace frit::python {
namespace {

struct GeneratorObject {
  PyObject_HEAD Generator generator;
};

PyTypeObject generator_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Generator& self_of(PyObject* self) { return reinterpret_cast<GeneratorObject*>(self)->generator; }

PyObject* wrap_generator(Generator generator) {
  Ref object = own(generator_type.tp_alloc(&generator_type, 0));
  new (&reinterpret_cast<GeneratorObject*>(object.get())->generator)
      Generator(std::move(generator));
  return object.release();
}

// Generator(device="cpu")
PyObject* make(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", nullptr};
    PyObject* device = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names),
                                     &device))
      throw PythonError();
    DeviceArgument cpu;
    if (device != nullptr && !read(device, &cpu))
      throw Error(ErrorKind::kType, "Generator(): 'device' must be a frit.device, not " +
                                        std::string(type_name(device)));
    return wrap_generator(Generator());
  });
}

void dealloc(PyObject* self) {
  self_of(self).~Generator();
  Py_TYPE(self)->tp_free(self);
}

// As in PyTorch, negative seeds are those of their bits.
PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    const Ref index = own(PyNumber_Index(seed));
    const unsigned long long bits = PyLong_AsUnsignedLongLongMask(index.get());
    if (PyErr_Occurred() != nullptr) throw PythonError();
    self_of(self).manual_seed(bits);
    return share(self).release();
  });
}

PyObject* seed(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(self_of(self).seed()); });
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(self_of(self).initial_seed()); });
}

PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(self_of(self).get_state()); });
}

PyObject* set_state(PyObject* self, PyObject* state) {
  return guarded([&] {
    if (!is_tensor(state))
      throw Error(ErrorKind::kType,
                  "set_state(): expected a Tensor, not " + std::string(type_name(state)));
    self_of(self).set_state(tensor_of(state));
    return share(self).release();
  });
}

PyObject* device(PyObject*, void*) {
  return guarded([] { return device_object(kCPU).release(); });
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O,
     "manual_seed(seed: int) -> Generator\n\nStarts the sequence of that seed."},
    {"seed", seed, METH_NOARGS,
     "seed() -> int\n\nStarts a sequence that nobody can guess; returns its seed."},
    {"initial_seed", initial_seed, METH_NOARGS,
     "initial_seed() -> int\n\nThe seed that its sequence started with."},
    {"get_state", get_state, METH_NOARGS,
     "get_state() -> Tensor\n\nAll that decides what comes next, as uint8, in PyTorch's form."},
    {"set_state", set_state, METH_O,
     "set_state(state: Tensor) -> Generator\n\nGoes on from what get_state() gave."},
    {}};

PyGetSetDef properties[] = {{"device", device, nullptr, "The CPU.", nullptr}, {}};

}  // namespace

int add_generator_type(PyObject* module) {
  PyTypeObject& type = generator_type;
  type.tp_name = "frit.Generator";
  type.tp_doc =
      "Generator(device=\"cpu\")\n\nWhere random numbers come from: PyTorch's CPU generator. "
      "Functions "
      "that draw take one as `generator`.";
  type.tp_basicsize = sizeof(GeneratorObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = make;
  type.tp_dealloc = dealloc;
  type.tp_methods = methods;
  type.tp_getset = properties;
  if (PyType_Ready(&type) < 0) return -1;
  if (PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(&type)) < 0) return -1;
  const Ref shared(wrap_generator(default_generator()));
  return PyModule_AddObjectRef(module, "default_generator", shared.get());
}

const Generator* generator_of(PyObject* object) {
  return PyObject_TypeCheck(object, &generator_type) ? &self_of(object) : nullptr;
}

}  // namespace frit::python

// The life of a frit.Tensor: made from a free list, compared by operators, hashed by identity.
#include "src/python/tensor_object.h"

#include <new>

#include "src/python/convert.h"

namespace frit::python {

PyTypeObject tensor_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

// Objects without a tensor that wait to be used again, guarded by the interpreter's lock. An op in
// Python code makes one and drops one.
constexpr int kMaxFree = 64;
constinit PyObject* free_objects[kMaxFree] = {};
constinit int num_free = 0;

void dealloc(PyObject* self) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->tensor.~Tensor();
  if (Py_TYPE(self) != &tensor_type) {
    Py_TYPE(self)->tp_free(self);  // of a subtype; CPython drops the type itself
  } else if (num_free < kMaxFree) {
    free_objects[num_free++] = self;
  } else {
    PyObject_Free(self);
  }
  release_waiting();
}

Py_hash_t hash(PyObject* self) { return _Py_HashPointer(self); }

// frit.Tensor(data) and frit.Tensor(2, 3): f32, as the class of that name in PyTorch.
PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) > 0)
      throw Error(ErrorKind::kType, "Tensor(): no keyword arguments are expected");
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 1 && !PyLong_Check(PyTuple_GET_ITEM(args, 0)))
      return wrap_as(type, tensor_from(PyTuple_GET_ITEM(args, 0), kFloat32));
    std::vector<int64_t> sizes;
    for (Py_ssize_t i = 0; i < count; ++i) {
      const int64_t size = PyLong_AsLongLong(PyTuple_GET_ITEM(args, i));
      if (size == -1 && PyErr_Occurred()) throw PythonError();
      sizes.push_back(size);
    }
    if (sizes.empty()) sizes.push_back(0);
    return wrap_as(type, frit::empty(sizes));
  });
}

}  // namespace

PyObject* wrap(Tensor tensor) {
  if (!tensor.defined()) Py_RETURN_NONE;
  PyObject* self;
  if (num_free > 0) {
    self = PyObject_Init(free_objects[--num_free], &tensor_type);
  } else {
    self = own(reinterpret_cast<PyObject*>(PyObject_New(TensorObject, &tensor_type))).release();
  }
  auto* object = reinterpret_cast<TensorObject*>(self);
  new (&object->tensor) Tensor(std::move(tensor));
  object->weak_references = nullptr;
  object->requires_grad = false;
  return self;
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  if (type == &tensor_type) return wrap(std::move(tensor));
  PyObject* self = own(type->tp_alloc(type, 0)).release();  // all zeros
  new (&reinterpret_cast<TensorObject*>(self)->tensor) Tensor(std::move(tensor));
  return self;
}

int ready_tensor_type() {
  PyTypeObject& type = tensor_type;
  type.tp_name = "frit.Tensor";
  type.tp_doc = "A strided block of elements; see frit.tensor().";
  type.tp_basicsize = sizeof(TensorObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_weaklistoffset = offsetof(TensorObject, weak_references);
  type.tp_dealloc = dealloc;
  type.tp_repr = tensor_repr;
  type.tp_hash = hash;
  type.tp_new = make;
  type.tp_getset = tensor_properties;
  set_number_slots(&type);
  set_mapping_slots(&type);
  set_buffer_slots(&type);
  return PyType_Ready(&type);
}

}  // namespace frit::python

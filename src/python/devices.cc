// What the Python side of the module asks about devices.
#include "frit/devices.h"
#include "src/python/arguments.h"
#include "src/python/convert.h"
#include "src/python/small_types.h"
#include "src/python/tensor_methods.h"

namespace frit::python {
namespace {

Device read_device(PyObject* object) {
  DeviceArgument argument;
  if (!read(object, &argument))
    throw Error(ErrorKind::kType, "expected frit.device or str, not " + type_name(object));
  return argument.device;
}

// _check_device(name): throws where there is no such device.
PyObject* check_device(PyObject*, PyObject* name) {
  return guarded([&] {
    read_device(name);
    return share(Py_None).release();
  });
}

// _devices(): ["cpu", "npu"].
PyObject* devices(PyObject*, PyObject*) {
  return guarded([] {
    Ref list = own(PyList_New(0));
    for (const std::string& name : list_devices())
      checked(PyList_Append(list.get(), new_text(name).get()));
    return list.release();
  });
}

// _device_count(type)
PyObject* device_count(PyObject*, PyObject* type) {
  return guarded([&] {
    std::string name;
    if (!read(type, &name)) throw Error(ErrorKind::kType, "expected a device's name");
    return PyLong_FromLong(accelerator::device_count(name));
  });
}

// _accelerator(): the current one, or None.
PyObject* current_accelerator(PyObject*, PyObject*) {
  return guarded([] {
    const std::optional<Device> device = accelerator::current();
    return device ? device_object(*device).release() : share(Py_None).release();
  });
}

PyObject* set_accelerator(PyObject*, PyObject* device) {
  return guarded([&] {
    accelerator::set_device(read_device(device));
    return share(Py_None).release();
  });
}

PyObject* synchronize(PyObject*, PyObject* object) {
  return guarded([&] {
    const Device device = read_device(object);
    {
      const ReleaseGil release(true);
      accelerator::synchronize(device);
    }
    return share(Py_None).release();
  });
}

PyObject* memory_allocated(PyObject*, PyObject* device) {
  return guarded(
      [&] { return PyLong_FromLongLong(accelerator::memory_allocated(read_device(device))); });
}

PyObject* get_default(PyObject*, PyObject*) {
  return guarded([] { return device_object(default_device()).release(); });
}

PyObject* set_default(PyObject*, PyObject* device) {
  return guarded([&] {
    set_default_device(read_device(device));
    return share(Py_None).release();
  });
}

}  // namespace

std::vector<PyMethodDef> device_functions() {
  return {{"_check_device", check_device, METH_O, nullptr},
          {"_devices", devices, METH_NOARGS, nullptr},
          {"_device_count", device_count, METH_O, nullptr},
          {"_accelerator", current_accelerator, METH_NOARGS, nullptr},
          {"_set_accelerator", set_accelerator, METH_O, nullptr},
          {"_synchronize", synchronize, METH_O, nullptr},
          {"_memory_allocated", memory_allocated, METH_O, nullptr},
          {"_default_device", get_default, METH_NOARGS, nullptr},
          {"_set_default_device", set_default, METH_O, nullptr}};
}

}  // namespace frit::python

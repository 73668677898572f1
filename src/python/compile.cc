// Compiled: a Python function and its region. Each call runs the function between the region's
// start and end; its ops are matched against what was compiled.
#include "src/python/compile.h"

#include <map>
#include <memory>

#include "frit/backend.h"
#include "frit/compile.h"
#include "frit/plugins.h"
#include "src/python/arguments.h"

namespace frit::python {
namespace {

struct CompiledObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* attributes;
  PyObject* weak_references;
  std::shared_ptr<frit::detail::Region> region;
};

PyTypeObject compiled_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

CompiledObject& compiled(PyObject* self) { return *reinterpret_cast<CompiledObject*>(self); }

PyObject* call_compiled(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  return guarded([&] {
    // Where the function throws, the scope's end computes what is pending.
    frit::detail::RegionScope scope(compiled(self).region.get());
    Ref result = own(PyObject_Vectorcall(compiled(self).function, args, count, names));
    const ReleaseGil release(true);
    scope.finish();
    return result.release();
  });
}

// Compiled(function, backend, fullgraph, dynamic=None, asynchronous=False)
PyObject* make_compiled(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&] {
    PyObject* function;
    const char* backend;
    PyObject* dynamic = Py_None;
    int fullgraph, asynchronous = 0;
    if (!PyArg_ParseTuple(args, "Osp|Op", &function, &backend, &fullgraph, &dynamic, &asynchronous))
      throw PythonError();
    if (!PyCallable_Check(function))
      throw Error(ErrorKind::kType, "compile(): not callable: " + type_name(function));
    CompileOptions options;
    options.backend = backend;
    options.fullgraph = fullgraph != 0;
    if (dynamic != Py_None) options.dynamic = checked(PyObject_IsTrue(dynamic)) == 1;
    options.async = asynchronous != 0;
    auto region = frit::detail::new_region(options);
    Ref object = own(type->tp_alloc(type, 0));
    CompiledObject& self = compiled(object.get());
    self.call = call_compiled;
    self.function = share(function).release();
    new (&self.region) std::shared_ptr<frit::detail::Region>(std::move(region));
    return object.release();
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(compiled(self).function);
  Py_VISIT(compiled(self).attributes);
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(compiled(self).function);
  Py_CLEAR(compiled(self).attributes);
  return 0;
}
void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (compiled(self).weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  compiled(self).region.~shared_ptr();
  Py_TYPE(self)->tp_free(self);
}

// A method where it stands in a class.
PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return share(self).release();
  return PyMethod_New(self, object);
}

PyGetSetDef compiled_properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

// (text, JSON) of what is known of a compiled function, or of the process for None.
PyObject* explain_compiled(PyObject*, PyObject* object) {
  return guarded([&] {
    const bool one = Py_TYPE(object) == &compiled_type;
    const Explanation known = one ? explain_region(*compiled(object).region) : explain_all();
    return own(Py_BuildValue("(ss)", known.str().c_str(), known.json().c_str())).release();
  });
}

Ref dict_of(const std::map<std::string, int64_t>& counts) {
  Ref dict = own(PyDict_New());
  for (const auto& [name, count] : counts)
    checked(PyDict_SetItemString(dict.get(), name.c_str(), own(PyLong_FromLongLong(count)).get()));
  return dict;
}

PyObject* all_stats(PyObject*, PyObject*) {
  return guarded([&] {
    const Stats s = stats();
    Ref dict = dict_of({{"eager_ops", s.eager_ops},
                        {"plan_ops", s.plan_ops},
                        {"plan_entries", s.plan_entries},
                        {"recipes", s.recipes},
                        {"recordings", s.recordings},
                        {"plans", s.plans},
                        {"resized", s.resized},
                        {"kernels", s.kernels},
                        {"kernel_hits", s.kernel_hits},
                        {"builds", s.builds},
                        {"exits", s.exits},
                        {"pool_live_bytes", s.pool_live_bytes},
                        {"pool_cached_bytes", s.pool_cached_bytes},
                        {"code_bytes", s.code_bytes},
                        {"code_limit", s.code_limit},
                        {"layouts", s.layouts},
                        {"layout_bytes", s.layout_bytes}});
    checked(PyDict_SetItemString(dict.get(), "reasons", dict_of(s.reasons).get()));
    checked(PyDict_SetItemString(dict.get(), "fallbacks", dict_of(s.fallbacks).get()));
    checked(
        PyDict_SetItemString(dict.get(), "device_fallbacks", dict_of(s.device_fallbacks).get()));
    checked(PyDict_SetItemString(dict.get(), "writers", dict_of(s.writers).get()));
    checked(PyDict_SetItemString(dict.get(), "refusals", dict_of(s.refusals).get()));
    return dict.release();
  });
}

std::string text_of(PyObject* object) {
  std::string text;
  if (!read(object, &text)) throw Error(ErrorKind::kType, "expected str, not " + type_name(object));
  return text;
}

// A call of the engine that takes a text or nothing and gives nothing. It may wait for other
// threads' plans.
template <auto fn>
PyObject* told(PyObject*, PyObject* object) {
  return guarded([&] {
    const std::string text = text_of(object);
    {
      const ReleaseGil release(true);
      fn(text);
    }
    return share(Py_None).release();
  });
}
template <auto fn>
PyObject* plain(PyObject*, PyObject*) {
  return guarded([&] {
    {
      const ReleaseGil release(true);
      fn();
    }
    return share(Py_None).release();
  });
}

PyObject* mode(PyObject*, PyObject*) {
  return guarded([&] { return new_text(jit_mode()).release(); });
}
PyObject* set_threads(PyObject*, PyObject* object) {
  return guarded([&] {
    int64_t n;
    if (!read(object, &n) || n > INT_MAX)
      throw Error(ErrorKind::kType, "set_num_threads(): expected int, not " + type_name(object));
    {
      const ReleaseGil release(true);
      set_num_threads(static_cast<int>(n));
    }
    return share(Py_None).release();
  });
}
PyObject* threads(PyObject*, PyObject*) { return PyLong_FromLong(get_num_threads()); }
PyObject* list_of(const std::vector<std::string>& names) {
  const Ref list = own(PyList_New(0));
  for (const std::string& name : names) checked(PyList_Append(list.get(), new_text(name).get()));
  return share(list.get()).release();
}
PyObject* backends(PyObject*, PyObject*) {
  return guarded([&] {
    std::vector<std::string> names;
    {
      const ReleaseGil release(true);  // plug-ins may be loaded, whose init may take it
      names = list_backends();
    }
    return list_of(names);
  });
}
PyObject* load(PyObject*, PyObject* path) {
  return guarded([&] {
    const std::string text = text_of(path);
    PluginInfo info;
    {
      const ReleaseGil release(true);
      info = load_plugin(text);
    }
    return list_of(info.backends);
  });
}

// One dict per plug-in.
PyObject* plugins(PyObject*, PyObject*) {
  return guarded([&] {
    std::vector<PluginInfo> all;
    {
      const ReleaseGil release(true);
      all = list_plugins();
    }
    Ref list = own(PyList_New(0));
    for (const PluginInfo& info : all) {
      const std::string abi = std::to_string(info.major) + "." + std::to_string(info.minor);
      const Ref one =
          own(Py_BuildValue("{s:s,s:s,s:s,s:s,s:N,s:N,s:N,s:N}", "path", info.path.c_str(), "name",
                            info.name.c_str(), "version", info.version.c_str(), "abi", abi.c_str(),
                            "backends", list_of(info.backends), "ops", list_of(info.ops), "writers",
                            list_of(info.writers), "devices", list_of(info.devices)));
      checked(PyList_Append(list.get(), one.get()));
    }
    return list.release();
  });
}

}  // namespace

int add_compiled_type(PyObject* module) {
  PyTypeObject& type = compiled_type;
  type.tp_name = "frit.Compiled";
  type.tp_doc = "A function whose ops are compiled as one region; see frit.compile().";
  type.tp_basicsize = sizeof(CompiledObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                  Py_TPFLAGS_METHOD_DESCRIPTOR;
  type.tp_vectorcall_offset = offsetof(CompiledObject, call);
  type.tp_dictoffset = offsetof(CompiledObject, attributes);
  type.tp_weaklistoffset = offsetof(CompiledObject, weak_references);
  type.tp_call = PyVectorcall_Call;
  type.tp_descr_get = bind_method;
  type.tp_new = make_compiled;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_dealloc = dealloc;
  type.tp_getset = compiled_properties;
  if (PyType_Ready(&type) < 0) return -1;
  return PyModule_AddObjectRef(module, "Compiled", reinterpret_cast<PyObject*>(&type));
}

std::vector<PyMethodDef> engine_functions() {
  return {
      {"_explain", explain_compiled, METH_O, nullptr},
      {"stats", all_stats, METH_NOARGS,
       "stats() -> dict[str, Any]\n\nCounts of all threads since the process started."},
      {"jit_mode", mode, METH_NOARGS, "jit_mode() -> str\n\noff, record or on."},
      {"set_jit_mode", told<set_jit_mode>, METH_O,
       "set_jit_mode(mode: str) -> None\n\nWhether hot traces are compiled: off, record or on."},
      {"set_default_backend", told<set_default_backend>, METH_O,
       "set_default_backend(name: str) -> None\n\nThe backend of plans that name none."},
      {"list_backends", backends, METH_NOARGS,
       "list_backends() -> list[str]\n\nThe names of the backends that plans can be built with."},
      {"load_plugin", load, METH_O,
       "load_plugin(path: str) -> list[str]\n\nLoads a shared library with the interface of "
       "frit/plugin.h; gives the names of its backends."},
      {"list_plugins", plugins, METH_NOARGS,
       "list_plugins() -> list[dict[str, Any]]\n\nOf each plug-in the path, name, version and "
       "interface, and the names of its backends, ops, writers and devices."},
      {"set_num_threads", set_threads, METH_O,
       "set_num_threads(count: int) -> None\n\nThreads that one op or plan may use."},
      {"get_num_threads", threads, METH_NOARGS,
       "get_num_threads() -> int\n\nThreads that one op or plan may use."},
      {"trim", plain<trim>, METH_NOARGS, "trim() -> None\n\nEmpties caches."},
      {"start_profile", plain<start_profile>, METH_NOARGS,
       "start_profile() -> None\n\nStarts to note when ops and plans run."},
      {"stop_profile", plain<stop_profile>, METH_NOARGS,
       "stop_profile() -> None\n\nStops what start_profile() started."},
      {"write_profile", told<write_profile>, METH_O,
       "write_profile(path: str) -> None\n\nWrites what was noted to a file for Perfetto."}};
}

}  // namespace frit::python

#include "src/python/graph_object.h"

#include <new>
#include <utility>
#include <vector>

#include "frit/onnx.h"
#include "src/ops/attrs.h"
#include "src/python/arguments.h"
#include "src/python/convert.h"
#include "src/python/function.h"
#include "src/python/small_types.h"

namespace frit::python {
namespace {

struct GraphObject {
  PyObject_HEAD Graph graph;
};

PyTypeObject graph_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

const Graph& graph_of(PyObject* self) { return reinterpret_cast<GraphObject*>(self)->graph; }

void dealloc(PyObject* self) {
  reinterpret_cast<GraphObject*>(self)->graph.~Graph();
  Py_TYPE(self)->tp_free(self);
}

template <class List, class Make>
Ref list_of(const List& items, Make make) {
  Ref list = own(PyList_New(0));
  for (const auto& item : items) checked(PyList_Append(list.get(), make(item).get()));
  return list;
}

Ref number(int64_t value) { return own(PyLong_FromLongLong(value)); }

const char* scalar_name(Scalar::Kind kind) {
  return kind == Scalar::Kind::kFloat ? "float" : kind == Scalar::Kind::kInt ? "int" : "bool";
}

// (name, dtype, size, stride) of a tensor; (name, "float") of a number.
Ref value_facts(const Graph& graph, Graph::ValueId v) {
  const std::string name = graph.value_name(v).substr(1);
  if (graph.is_scalar(v))
    return own(Py_BuildValue("(ss)", name.c_str(), scalar_name(graph.scalar_kind(v))));
  return own(Py_BuildValue("(sONN)", name.c_str(), dtype_object(graph.dtype(v)),
                           new_size(graph.sizes(v)).release(),
                           new_int_tuple(graph.strides(v)).release()));
}

Ref attribute(AttrKind kind, AttrReader& reader) {
  switch (kind) {
    case AttrKind::kInts:
      return list_of(reader.next_list(), number);
    case AttrKind::kText:
      return new_text(unpacked_text(reader.next_list()));
    case AttrKind::kBool:
      return own(PyBool_FromLong(reader.next_bool()));
    case AttrKind::kDtype:
      return share(dtype_object(reader.next_dtype()));
    case AttrKind::kInt:
      return number(reader.next_int());
  }
  __builtin_unreachable();
}

Ref attributes(const Graph::Node& node) {
  Ref dict = own(PyDict_New());
  const Attrs attrs(node.attrs);
  AttrReader reader(attrs);
  for (const AttrSpec& spec : attr_specs(node.op))
    checked(
        PyDict_SetItem(dict.get(), new_text(spec.name).get(), attribute(spec.kind, reader).get()));
  return dict;
}

// (op, operands, attributes, results, origin): an operand is (value,) or a number.
Ref node_facts(const Graph::Node& node) {
  Ref operands = list_of(node.operands, [](const Graph::Operand& o) {
    return o.is_value() ? own(Py_BuildValue("(i)", o.value)) : to_number(o.literal);
  });
  Ref results = list_of(node.results, number);
  return own(Py_BuildValue("(NNNNN)", new_text(name(node.op)).release(), operands.release(),
                           attributes(node).release(), results.release(),
                           new_text(node.origin).release()));
}

// (name, number of inputs, values, nodes, outputs)
PyObject* facts(PyObject* self, PyObject*) {
  return guarded([&] {
    const Graph& graph = graph_of(self);
    std::vector<Graph::ValueId> all;
    for (Graph::ValueId v = 0; v < graph.num_values(); ++v) all.push_back(v);
    Ref values = list_of(all, [&](Graph::ValueId v) { return value_facts(graph, v); });
    Ref nodes = list_of(graph.nodes(), node_facts);
    Ref outputs = list_of(graph.outputs(), number);
    return own(Py_BuildValue("(siNNN)", graph.name().c_str(), graph.num_inputs(), values.release(),
                             nodes.release(), outputs.release()))
        .release();
  });
}

// run(*arguments): by the reference loops.
PyObject* run(PyObject* self, PyObject* args) {
  return guarded([&] {
    const Graph& graph = graph_of(self);
    std::vector<GraphArg> arguments;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
      PyObject* object = PyTuple_GET_ITEM(args, i);
      Scalar scalar;
      if (is_tensor(object))
        arguments.emplace_back(tensor_of(object));
      else if (read(object, &scalar))
        arguments.emplace_back(scalar);
      else
        throw Error(ErrorKind::kType, "graph(): argument " + std::to_string(i) +
                                          " must be a Tensor or a number, not " +
                                          type_name(object));
    }
    std::vector<Tensor> results;
    {
      const ReleaseGil release(true);
      results = interpret(graph, arguments);
    }
    return detail::give_back(std::move(results));
  });
}

// The graph as an ONNX model.
PyObject* onnx_bytes(PyObject* self, PyObject*) {
  return guarded([&] {
    const std::vector<std::byte> model = onnx::to_bytes(graph_of(self));
    return own(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(model.data()),
                                         static_cast<Py_ssize_t>(model.size())))
        .release();
  });
}

PyObject* parse(PyObject*, PyObject* text) {
  return guarded([&] {
    std::string graph;
    if (!read(text, &graph))
      throw Error(ErrorKind::kType, "parse(): expected str, not " + type_name(text));
    return wrap_graph(Graph::parse(graph)).release();
  });
}

PyObject* as_text(PyObject* self) {
  return guarded([&] { return new_text(graph_of(self).print()).release(); });
}

PyMethodDef methods[] = {{"facts", facts, METH_NOARGS, nullptr},
                         {"run", run, METH_VARARGS, nullptr},
                         {"onnx_bytes", onnx_bytes, METH_NOARGS, nullptr},
                         {"parse", parse, METH_O | METH_STATIC, nullptr},
                         {}};

}  // namespace

Ref wrap_graph(Graph graph) {
  Ref object = own(graph_type.tp_alloc(&graph_type, 0));
  new (&reinterpret_cast<GraphObject*>(object.get())->graph) Graph(std::move(graph));
  return object;
}

int add_graph_type(PyObject* module) {
  PyTypeObject& type = graph_type;
  type.tp_name = "frit._Graph";
  type.tp_doc = "What frit.graph.Graph is made of.";
  type.tp_basicsize = sizeof(GraphObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_dealloc = dealloc;
  type.tp_str = as_text;
  type.tp_methods = methods;
  if (PyType_Ready(&type) < 0) return -1;
  return PyModule_AddObjectRef(module, "_Graph", reinterpret_cast<PyObject*>(&type));
}

}  // namespace frit::python

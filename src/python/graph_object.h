// A graph as Python sees it, without the names that frit.graph gives its parts.
#pragma once

#include "frit/graph.h"
#include "src/python/object.h"

namespace frit::python {

// Readies the type and adds it as _Graph; -1 with an error set where that fails.
int add_graph_type(PyObject* module);

Ref wrap_graph(Graph graph);

}  // namespace frit::python

// Backends written in Python.
#pragma once

#include "src/python/object.h"

namespace frit::python {

// _register_backend(name, compiler, ops, keep): `compiler` gets a _Graph, a list of guards and one
// of example inputs, and gives a function or None. Where `ops` is a tuple of op names and not None,
// it gets the parts that are made of these. Where `keep` is a tuple of op names and not None,
// graphs are normalized, and these composites stay whole.
PyMethodDef register_backend_definition();

// Lets go of the interpreter's lock where a thread that holds it waits for another one.
void give_way_when_blocking();

}  // namespace frit::python

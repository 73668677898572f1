// Compiled functions, and what can be asked of and told to the engine.
#pragma once

#include <vector>

#include "src/python/object.h"

namespace frit::python {

// Readies the type frit._core.Compiled and adds it; -1 with an error set where that fails.
int add_compiled_type(PyObject* module);
// stats(), explain, threads, jit mode, profiles, backends.
std::vector<PyMethodDef> engine_functions();

}  // namespace frit::python

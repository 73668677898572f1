// frit.Program and frit.freeze().
#pragma once

#include "src/python/object.h"

namespace frit::python {

// Readies the type and adds it; -1 with an error set where that fails.
int add_program_type(PyObject* module);
PyMethodDef freeze_definition();

}  // namespace frit::python

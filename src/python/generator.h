// frit.Generator: frit/random.h's.
#pragma once

#include "frit/random.h"
#include "src/python/object.h"

namespace frit::python {

// Readies the type and adds it with default_generator; -1 with an error set where that fails.
int add_generator_type(PyObject* module);

// The generator that the object is; else null.
const Generator* generator_of(PyObject* object);

}  // namespace frit::python

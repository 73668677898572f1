// Methods of frit.Tensor that come from no table.
#pragma once

#include <vector>

#include "src/python/arguments.h"

namespace frit::python {

std::vector<PyMethodDef> special_methods();  // properties.cc

}  // namespace frit::python

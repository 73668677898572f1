// Methods of frit.Tensor, and functions beside it, that come from no table.
#pragma once

#include <vector>

#include "src/python/arguments.h"

namespace frit::python {

std::vector<PyMethodDef> special_methods();      // properties.cc
std::vector<PyMethodDef> extension_functions();  // extension.cc
std::vector<PyMethodDef> dlpack_functions();     // dlpack.cc
std::vector<PyMethodDef> npy_functions();        // npy.cc
std::vector<PyMethodDef> device_functions();     // devices.cc
std::vector<PyMethodDef> printing_functions();   // printing.cc
Ref registered_attribute_method();               // module_attributes.cc

}  // namespace frit::python

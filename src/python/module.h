// The table of ops, as far as the module shows it.
#pragma once

#include <vector>

namespace frit::python {

struct OpRow {
  const char* name;
  const char* family;
};
std::vector<OpRow> rows_of_ops();  // functions_elementwise.cc

}  // namespace frit::python

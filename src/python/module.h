// The table of ops, as far as the module shows it, and what its functions do.
#pragma once

#include <string>
#include <vector>

namespace frit::python {

struct OpRow {
  const char* name;
  const char* family;
  const char* meaning;
};
std::vector<OpRow> rows_of_ops();  // functions_elementwise.cc

// What a function does, in a line; empty where nothing says it.
std::string meaning_of(const std::string& function);  // meanings.cc

}  // namespace frit::python

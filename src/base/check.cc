// Prints a failed CHECK and aborts.
#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace frit::base {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) {
  text_ << "frit: check failed: " << condition << " at " << file << ":" << line << ": ";
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", text_.str().c_str());
  std::abort();
}

}  // namespace frit::base

// The writer that prints kernels as C++: to read, to compare, and to show that writers can be
// swapped.
//
//   auto compiled = new_cpp_writer("")->compile(kernel, &reason);
//   std::cout << compiled->listing();
//
//   for (int64_t i0 = begin; i0 < end; ++i0) {
//     const F32 v0 = x_[i0];
//     const F32 v1 = math::exp(v0);
//     y_[i0] = v1.value;
//   }
#pragma once

#include <memory>
#include <string>

#include "frit/kernel.h"

namespace frit::codegen {

// The source, complete but for the headers of this repository. Empty, with the reason, for dtypes
// and ops that it has no words for.
std::string cpp_source(const Kernel& kernel, std::string* reason);

// With a command, compile() runs `COMMAND SOURCE -shared -fPIC -o LIBRARY` in the shell, in a
// temporary folder, and loads the library. Without one, nothing is compiled: code() is null, and
// listing() is all there is.
std::unique_ptr<Writer> new_cpp_writer(std::string command);

}  // namespace frit::codegen

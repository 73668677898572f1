// The writer that makes machine code for this processor: AVX2 with FMA, in executable memory.
//
//   std::unique_ptr<Writer> writer = new_native_writer();
//   std::string reason;
//   auto compiled = writer->compile(kernel, &reason);   // null, with the reason, where it cannot
//   compiled->code()(args, 0, n);
//
// The kernel has been verified (Kernel::verify). The code runs under the caller's MXCSR and is safe
// on any thread; it is freed with the CompiledKernel. compile() itself is thread-safe.
#pragma once

#include <memory>

#include "frit/kernel.h"

namespace frit::codegen {

std::unique_ptr<Writer> new_native_writer();

}  // namespace frit::codegen

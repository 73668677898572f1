// The writer that needs neither executable memory nor AVX2: kernels run block by block, about 1,000
// elements, over eager's block kernels of the instruction set in use. The bits are those of machine
// code.
//
//   std::unique_ptr<Writer> writer = new_block_writer();
//   auto compiled = writer->compile(kernel, &reason);   // null where an op has no block kernel
//   compiled->run(args, 0, n);
//
// The kernel has been verified (Kernel::verify). Both calls are thread-safe. There is no code():
// what runs is a program of calls (block_program.h).
#pragma once

#include <memory>

#include "frit/kernel.h"

namespace frit::runtime {

std::unique_ptr<Writer> new_block_writer();

}  // namespace frit::runtime

// Runs block programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/runtime/block_program.h"

namespace frit::runtime {

// The memory that a run needs, in bytes, aligned to 64.
int64_t block_scratch_bytes(const BlockProgram& program);

// Runs iterations [begin, end) of the outermost loop. `args` as of CompiledKernel::run. `scratch`
// is the run's own while it lasts.
void run_blocks(const BlockProgram& program, const uint64_t* args, int64_t begin, int64_t end,
                std::byte* scratch);

}  // namespace frit::runtime

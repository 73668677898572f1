// Kernels for the CPU on buffers of a device: on copies, which are written back.
#pragma once

#include <cstdint>
#include <span>

#include "frit/device.h"
#include "frit/kernel.h"

namespace frit::runtime {

struct StagedBuffer {
  size_t word;  // which argument word is an address in it
  std::byte* data;
  int64_t bytes, offset;  // of the buffer, and of the address in it
  bool written;           // else it is only read
};

// Runs all of the kernel. `words` are its arguments, in which addresses are replaced.
void run_staged(const CompiledKernel& kernel, int64_t outer_size, Device device,
                std::span<const StagedBuffer> buffers, uint64_t* words);

}  // namespace frit::runtime

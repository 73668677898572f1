// The simulated device of npu_memory.h, as Frit's "npu".
#pragma once

#include "examples/npu/npu_memory.h"
#include "frit/frit.h"

inline frit::Device register_npu(const std::string& name = "npu", int count = 1) {
  return frit::register_device(
      name,
      {.count = count,
       .allocate = [](int, int64_t bytes) { return npu_allocate(bytes); },
       .deallocate = [](int, void* memory, int64_t bytes) { npu_deallocate(memory, bytes); },
       .copy_in = [](int, void* to, const void* host, int64_t n) { npu_copy_in(to, host, n); },
       .copy_out = [](int, void* host, const void* from,
                      int64_t n) { npu_copy_out(host, from, n); }});
}

// Asks the processor for its instruction sets.
#include "src/base/cpu.h"

#include <algorithm>

#include "src/base/flags.h"

namespace frit::base {

Isa detected_isa() {
  static const Isa detected = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::kBaseline;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return avx512 ? Isa::kAvx512 : Isa::kAvx2;
  }();
  return detected;
}

Isa isa() { return flags().isa; }

void set_isa_cap(Isa cap) { mutable_flags().isa = std::min(cap, detected_isa()); }

}  // namespace frit::base

// What this processor can run, capped by FRIT_ISA.
#pragma once

#include <cstdint>
#include <string_view>

namespace frit {

// kAvx2 means AVX2 with FMA; kAvx512 means F, DQ, BW and VL.
enum class Isa : uint8_t { kBaseline, kAvx2, kAvx512 };

constexpr std::string_view name(Isa isa) {
  constexpr std::string_view kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

namespace base {

// The highest level that the processor has, whatever the cap.
Isa detected_isa();

// The level that kernels are chosen for: the detected one, capped by the flag `isa`.
Isa isa();

// Lowers the level, for tests; kAvx512 lifts the cap. Not while other threads run ops.
void set_isa_cap(Isa cap);

}  // namespace base
}  // namespace frit

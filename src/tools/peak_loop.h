// The loop of multiply-adds, one per ISA level. Private to peak*.cc.
#pragma once

#include <cstdint>

namespace frit::tools {

// Enough chains to fill two units of five cycles.
inline constexpr int kAccumulators = 12;
inline constexpr int64_t kPeakRounds = 4096;

struct PeakLoop {
  double (*run_f32)();
  double (*run_f64)();
  int vector_bytes;
};

namespace baseline {
extern const PeakLoop peak_loop;
}
namespace avx2 {
extern const PeakLoop peak_loop;
}
namespace avx512 {
extern const PeakLoop peak_loop;
}

}  // namespace frit::tools

// Chooses the vectors, and copies.
#include "src/tools/peak.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/base/cpu.h"
#include "src/base/thread_pool.h"
#include "src/tools/peak_loop.h"

namespace frit::tools {
namespace {

constexpr int64_t kLeastBytes = 4096, kMostBytes = 256 << 20;

const PeakLoop& loop() {
  switch (base::isa()) {
    case Isa::kBaseline:
      return baseline::peak_loop;
    case Isa::kAvx2:
      return avx2::peak_loop;
    case Isa::kAvx512:
      return avx512::peak_loop;
  }
  __builtin_unreachable();
}

}  // namespace

double run_multiply_adds(Dtype dtype) {
  FRIT_CHECK(dtype == kFloat32 || dtype == kFloat64);
  return dtype == kFloat32 ? loop().run_f32() : loop().run_f64();
}

double flops_of_multiply_adds(Dtype dtype) {
  const double lanes = loop().vector_bytes / byte_size(dtype);
  return 2.0 * lanes * kAccumulators * static_cast<double>(kPeakRounds);
}

CopyProbe::CopyProbe(int64_t bytes, int threads)
    : from_(static_cast<size_t>(std::clamp(bytes, kLeastBytes, kMostBytes) / 2)),
      to_(from_.size()),
      threads_(threads) {}

void CopyProbe::run() {
  const auto size = static_cast<int64_t>(from_.size());
  const int64_t grain = (size + threads_ - 1) / threads_;
  base::parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    std::memcpy(to_.data() + begin, from_.data() + begin, static_cast<size_t>(end - begin));
  });
  asm volatile("" : : "r"(to_.data()) : "memory");  // somebody may look at it
}

}  // namespace frit::tools

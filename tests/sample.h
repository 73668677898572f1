// Sanitizers are slow, and what they look for shows in a part of very many cases as well: with
// FRIT_TEST_SAMPLE=N in the environment, sweeps and fuzzers take about one case of N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace frit {

// N, or 1 where nothing is said.
inline int sample_step() {
  const char* text = std::getenv("FRIT_TEST_SAMPLE");
  const int step = text == nullptr ? 1 : std::atoi(text);
  return step > 1 ? step : 1;
}

// Whether case i of a list is taken; the first one always is. By a hash, as lists are nested loops,
// of which every Nth would leave out whole dtypes or layouts.
inline bool in_sample(size_t i) {
  return ((static_cast<uint32_t>(i) * 2654435769u) >> 16) % static_cast<uint32_t>(sample_step()) ==
         0;
}

}  // namespace frit

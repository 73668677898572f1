// A measurement as text for people and as JSON for programs.
#pragma once

#include <string>

#include "src/tools/bench_run.h"

namespace frit::tools {

enum class Listings : uint8_t { kNo, kYes };  // of the kernels' machine code

std::string bench_text(const BenchResult& result, Listings listings);
std::string bench_json(const BenchResult& result, Listings listings);

}  // namespace frit::tools

// Batches, turns and quartiles.
#include "src/tools/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/base/check.h"

namespace frit::tools {
namespace {

constexpr int kLeastSamples = 5, kMostSamples = 25;
constexpr double kMostCalls = 1e7;

}  // namespace

// By linear interpolation between neighbours.
Spread spread_of(std::vector<double> samples) {
  FRIT_CHECK(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(samples.size() - 1);
    const size_t below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - std::floor(place)) * (samples[above] - samples[below]);
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Series::Series(std::string name, std::function<void()> run, std::function<void()> prepare)
    : name_(std::move(name)), run_(std::move(run)), prepare_(std::move(prepare)) {}

// Nanoseconds of the whole batch.
double Series::time_batch() {
  if (prepare_) prepare_();
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls_; ++i) run_();
  const auto took = std::chrono::steady_clock::now() - start;
  calls_made_ += calls_;
  return std::chrono::duration<double, std::nano>(took).count();
}

void Series::calibrate(double batch_ns) {
  calls_ = 1;
  double took = time_batch();  // warms up
  for (;;) {
    took = time_batch();
    if (took >= batch_ns / 4 || static_cast<double>(calls_) >= kMostCalls) break;
    calls_ *= 4;
  }
  const double calls = static_cast<double>(calls_) * batch_ns / std::max(took, 1.0);
  calls_ = static_cast<int64_t>(std::clamp(calls, 1.0, kMostCalls));
}

void Series::take_sample() { samples_.push_back(time_batch() / static_cast<double>(calls_)); }

std::string Series::noise() const {
  const double relative = spread().relative();
  if (relative <= kNoisy) return {};
  return name_ + ": quartiles " + std::to_string(std::lround(100 * relative)) +
         " % of the median apart";
}

void sample(std::vector<Series>* series, double seconds) {
  const double total_ns = 1e9 * seconds;
  const double batch_ns = total_ns / static_cast<double>(series->size()) / kMostSamples;
  for (Series& s : *series) s.calibrate(batch_ns);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kMostSamples; ++i) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (i >= kLeastSamples && spent.count() > seconds) break;
    for (Series& s : *series) s.take_sample();
  }
}

// Of registers: processors do some additions of small constants while they rename registers.
void run_dependent_additions() {
  uint64_t sum = 0, term = 1;
  for (int64_t i = 0; i < kDependentAdditions; i += 16)
    asm volatile(
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        : "+r"(sum)
        : "r"(term)
        : "cc");
}

}  // namespace frit::tools

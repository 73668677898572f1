// Times things so that the numbers can be trusted, or says that they cannot.
//
//   std::vector<Series> series = {{"eager", run_eager}, {"hot", run_hot}};
//   sample(&series, 1.0);                       // about a second, the series taking turns
//   series[1].spread().median;                  // nanoseconds per call
//
// A sample is a batch of calls long enough for the clock. The series take turns, so that what
// disturbs the machine disturbs all of them, and medians and quartiles leave out what happens now
// and then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frit::tools {

struct Spread {
  double median = 0, low = 0, high = 0;  // low and high: the quartiles
  // How far the quartiles are apart, as a part of the median.
  double relative() const { return median > 0 ? (high - low) / median : 0; }
};

// Of at least one sample.
Spread spread_of(std::vector<double> samples);

// Above this the quartiles are too far apart for a comparison to mean much.
inline constexpr double kNoisy = 0.1;

class Series {
 public:
  // `run` makes one call; `prepare`, if any, is called before each batch and not timed.
  Series(std::string name, std::function<void()> run, std::function<void()> prepare = {});

  const std::string& name() const { return name_; }
  // Sets how many calls a batch takes, from the time of one.
  void calibrate(double batch_ns);
  void take_sample();
  int64_t calls_made() const { return calls_made_; }     // calibrating included
  Spread spread() const { return spread_of(samples_); }  // ns per call
  // Empty, or how noisy it was: "hot: quartiles 23 % of the median apart".
  std::string noise() const;

 private:
  double time_batch();

  std::string name_;
  std::function<void()> run_, prepare_;
  int64_t calls_ = 1;  // of a batch
  int64_t calls_made_ = 0;
  std::vector<double> samples_;
};

// Samples all of them in turns, for about `seconds` in all but at least five times each.
void sample(std::vector<Series>* series, double seconds);

// A chain of additions, each of which takes the one before: one core cycle each on every processor
// of this kind. The core's clock is `additions` per time of a call.
void run_dependent_additions();
inline constexpr int64_t kDependentAdditions = 1 << 16;

}  // namespace frit::tools

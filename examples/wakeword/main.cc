// Wake-word detection on a recording, streamed in hops of 80 ms as a microphone would deliver it.
//
//   bazel run -c opt //examples/wakeword -- [--model=alexa_v0.1] [--whole] [--jit=on|off]
//   [--repeat=N]
//       [--models=DIR] FILE.wav
//
// Prints detections as they happen, then what a hop cost cold and hot, and a last line for scripts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "examples/wakeword/detector.h"
#include "frit/compile.h"
#include "src/io/wav.h"

namespace {

constexpr float kThreshold = 0.5f;
constexpr double kHopSeconds = wakeword::kHopSamples / 16000.0;
constexpr size_t kFewestHot = 8;  // hot hops below which no figure is given

struct Options {
  std::string model = "alexa_v0.1";
  std::string models;
  std::string jit = "on";
  std::string file;
  bool whole = false;
  int repeat = 1;
};

struct Usage {
  std::string problem;
};

bool take(const std::string& argument, const std::string& name, std::string* value) {
  const std::string prefix = "--" + name + "=";
  if (argument.compare(0, prefix.size(), prefix) != 0) return false;
  *value = argument.substr(prefix.size());
  return true;
}

Options parse(int argc, char** argv) {
  Options options;
  std::string repeat = "1";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (take(argument, "model", &options.model) || take(argument, "models", &options.models) ||
        take(argument, "jit", &options.jit) || take(argument, "repeat", &repeat))
      continue;
    if (argument == "--whole") {
      options.whole = true;
    } else if (argument.compare(0, 2, "--") == 0) {
      throw Usage{"unknown option " + argument};
    } else if (!options.file.empty()) {
      throw Usage{"more than one file: " + options.file + " and " + argument};
    } else {
      options.file = argument;
    }
  }
  options.repeat = std::atoi(repeat.c_str());
  if (options.repeat < 1) throw Usage{"--repeat=" + repeat + ": expected a number from 1"};
  if (options.jit != "on" && options.jit != "off")
    throw Usage{"--jit=" + options.jit + ": expected on or off"};
  if (options.file.empty()) throw Usage{"no file"};
  return options;
}

// `bazel run` starts programs elsewhere and says where the user and the workspace are.
std::string resolve(const std::string& path, const char* variable) {
  const char* base = std::getenv(variable);
  return path.empty() || path[0] == '/' || base == nullptr ? path : std::string(base) + "/" + path;
}

std::string percentiles(std::vector<double> times) {
  if (times.empty()) return "none";
  std::sort(times.begin(), times.end());
  const size_t last = times.size() - 1;
  char text[80];
  std::snprintf(text, sizeof text, "median %.0f us, 99th percentile %.0f us, %zu hops",
                times[times.size() / 2], times[std::min(last, times.size() * 99 / 100)],
                times.size());
  return text;
}

std::string median(std::vector<double> times) {
  if (times.empty()) return "none";
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", times[times.size() / 2]);
  return text;
}

// Scores, times and the best hop of a run.
struct Result {
  int hops = 0;
  float best = -1;
  double best_at = 0;
  std::vector<double> cold_us, hot_us;

  void see(float score, double at) {
    if (score <= best) return;
    best = score;
    best_at = at;
  }
};

void report_detection(float score, double at) {
  if (score > kThreshold) std::printf("detected at=%.2fs score=%.4f\n", at, score);
}

// One pass over the samples. Only the first pass's scores count.
void stream(wakeword::Detector& detector, const std::vector<int16_t>& samples, bool first,
            Result* result) {
  detector.reset();
  const size_t hops = samples.size() / wakeword::kHopSamples;
  for (size_t hop = 0; hop < hops; ++hop) {
    const std::span audio(samples.data() + hop * wakeword::kHopSamples,
                          static_cast<size_t>(wakeword::kHopSamples));
    const frit::Stats before = frit::stats();
    const auto start = std::chrono::steady_clock::now();
    const std::optional<float> score = detector.hop(audio);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    const frit::Stats after = frit::stats();
    const bool hot = after.eager_ops == before.eager_ops && after.builds == before.builds &&
                     after.plan_ops > before.plan_ops;
    if (hot) result->hot_us.push_back(took.count());
    if (after.plans == 0) result->cold_us.push_back(took.count());
    if (!first) continue;
    result->hops = static_cast<int>(hops);
    if (!score) continue;
    const double at = static_cast<double>(hop + 1) * kHopSeconds;
    report_detection(*score, at);
    result->see(*score, at);
  }
}

void run_whole(wakeword::Detector& detector, const std::vector<int16_t>& samples, Result* result) {
  for (const auto& window : detector.whole(samples)) {
    ++result->hops;
    report_detection(window.score, window.end_seconds);
    result->see(window.score, window.end_seconds);
  }
}

void print_result(const Result& result) {
  const frit::Stats stats = frit::stats();
  std::printf("cold hop: %s\n", percentiles(result.cold_us).c_str());
  std::printf("hot hop: %s\n", percentiles(result.hot_us).c_str());
  std::printf("recordings=%lld plans=%lld kernels=%lld entries=%lld eager_ops=%lld plan_ops=%lld\n",
              static_cast<long long>(stats.recordings), static_cast<long long>(stats.plans),
              static_cast<long long>(stats.kernels), static_cast<long long>(stats.plan_entries),
              static_cast<long long>(stats.eager_ops), static_cast<long long>(stats.plan_ops));
  for (const auto& [what, count] : stats.fallbacks)
    std::printf("fallback %s: %lld\n", what.c_str(), static_cast<long long>(count));
  const std::string hot = result.hot_us.size() < kFewestHot ? "none" : median(result.hot_us);
  if (result.best < 0) {
    std::printf("best=none hops=%d", result.hops);
  } else {
    std::printf("best=%.4f at=%.2fs hops=%d", result.best, result.best_at, result.hops);
  }
  std::printf(" hot_hop_us=%s cold_hop_us=%s\n", hot.c_str(), median(result.cold_us).c_str());
}

void run(const Options& options) {
  const frit::io::Wav wav = frit::io::read_wav(resolve(options.file, "BUILD_WORKING_DIRECTORY"));
  frit::io::require_16k_mono(wav, options.file);
  const std::string directory = options.models.empty()
                                    ? resolve("models", "BUILD_WORKSPACE_DIRECTORY")
                                    : resolve(options.models, "BUILD_WORKING_DIRECTORY");
  const wakeword::Models models = wakeword::load_models(directory, options.model);
  if (options.jit == "off") frit::set_jit_mode("off");
  frit::set_num_threads(1);
  wakeword::Detector detector(models);
  Result result;
  for (int pass = 0; pass < options.repeat; ++pass) {
    if (!options.whole) {
      stream(detector, wav.samples, pass == 0, &result);
    } else if (pass == 0) {
      run_whole(detector, wav.samples, &result);
    }
  }
  print_result(result);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const Usage& usage) {
    std::fprintf(stderr,
                 "wakeword: %s\nusage: wakeword [--model=NAME] [--whole] [--jit=on|off] "
                 "[--repeat=N] [--models=DIR] FILE.wav\n",
                 usage.problem.c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wakeword: %s\n", error.what());
    return 1;
  }
}

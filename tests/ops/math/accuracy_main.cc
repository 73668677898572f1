// Measures the transcendental ops against MPFR and prints docs/accuracy.md.
//
//   accuracy_main [stride] [op...]     every stride-th float (1: all 2^32), and as dense a sample
//   of
//                                      f64 as kSamples says
//
// MPFR takes microseconds a value. So each block of values is measured against something quick
// first: f32 against the op's own f64 kernel, f64 against the C library's 80-bit functions. MPFR
// then judges the block's worst value and some others. Where it does not confirm the quick error,
// it judges the whole block.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/eager/blocks/blocks.h"
#include "src/ops/math/value.h"
#include "tests/ops/math/accuracy_rows.h"
#include "tests/ops/math/exact.h"
#include "tests/ops/math/samples.h"

namespace frit::math {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kSamples = 4'000'000;  // of f64, and of ops of two operands
constexpr int64_t kJudged = 2048;        // one value in so many, whatever its error
constexpr double kConfirmed = 0.002;     // how far the two errors may be apart

template <class T>
constexpr Dtype kDtype = sizeof(T) == 4 ? kFloat32 : kFloat64;

// PyTorch defines these powers as products and roots, and these infinities as NaN.
bool is_defined_otherwise(Op op, double x, double y) {
  if (op == Op::pow) return std::fabs(y) == 0.5 || y == 3;
  return (op == Op::i0 || op == Op::i1) && std::isinf(x);
}

template <class T>
void run(Op op, const T* x, const T* y, T* out) {
  const int row = static_cast<int>(op), dtype = static_cast<int>(kDtype<T>);
  if (info(op).operands == 1)
    eager::block_table().unary[row][dtype](x, out, kBlock);
  else
    eager::block_table().binary[row][dtype](x, y, out, kBlock, 0);
}

// ulp_distance of what is ordinary, without its calls.
double quick_distance(float got, double want, Scale scale) {
  const double size = std::fabs(want);
  if (!(size < 0x1.fffffep+127 && size > 0x1p-149 && got != 0 && std::isfinite(got)))
    return ulp_distance(got, static_cast<long double>(want), scale);
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(size) & uint64_t{0x7ff} << 52);
  const double ulp = std::max(power * 0x1p-23, scale == Scale::kOfOne ? 0x1p-23 : 0x1p-149);
  return std::fabs(got - want) / ulp;
}

void quick_distances(const AccuracyRow& row, const float* x, const float* y, const float* got,
                     double* distances) {
  double wide_x[kBlock], wide_y[kBlock], want[kBlock];
  std::copy_n(x, kBlock, wide_x);
  std::copy_n(y, kBlock, wide_y);
  run(row.op, wide_x, wide_y, want);
  for (int64_t i = 0; i < kBlock; ++i) distances[i] = quick_distance(got[i], want[i], row.scale);
}

void quick_distances(const AccuracyRow& row, const double* x, const double* y, const double* got,
                     double* distances) {
  for (int64_t i = 0; i < kBlock; ++i)
    distances[i] = ulp_distance(got[i], row.wide(x[i], y[i]), row.scale);
}

struct Worst {
  double error = 0;
  double x = 0, y = 0;
  void take(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

// One block's largest error as MPFR sees it, or 0 where it cannot be above `so_far`.
template <class T>
Worst worst_of_block(const AccuracyRow& row, const T* x, const T* y, double so_far) {
  T got[kBlock];
  double distances[kBlock];
  run(row.op, x, y, got);
  quick_distances(row, x, y, got, distances);
  for (int64_t i = 0; i < kBlock; ++i)
    if (is_defined_otherwise(row.op, x[i], y[i])) distances[i] = 0;
  Worst worst;
  // Notes what MPFR says of a value; whether that is what was said before.
  const auto confirm = [&](int64_t i) {
    if (is_defined_otherwise(row.op, x[i], y[i])) return true;
    const double judged = ulp_distance(got[i], exact(row.op, x[i], y[i]), row.scale);
    worst.take({judged, x[i], y[i]});
    return distances[i] == judged || std::fabs(distances[i] - judged) < kConfirmed;
  };
  const int64_t candidate = std::max_element(distances, distances + kBlock) - distances;
  bool confirmed = distances[candidate] <= so_far - kConfirmed || confirm(candidate);
  // A place that differs from block to block.
  for (int64_t i = bits_of(x[0]) / kBlock % kJudged; i < kBlock && confirmed; i += kJudged)
    confirmed = confirm(i);
  for (int64_t i = 0; i < kBlock && !confirmed; ++i) confirm(i);
  return worst;
}

// The largest error over blocks 0 ... count - 1; fill(block, x, y) makes their operands.
template <class T, class Fill>
Worst worst_of_blocks(const AccuracyRow& row, int64_t count, Fill fill) {
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  Worst worst;
  const auto work = [&] {
    std::vector<T> x(kBlock), y(kBlock);
    Worst mine;
    for (int64_t b = next++; b < count; b = next++) {
      fill(b, x, y);
      mine.take(worst_of_block(row, x.data(), y.data(), mine.error));
    }
    const std::lock_guard lock(mutex);
    worst.take(mine);
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return worst;
}

Worst worst_of_floats(const AccuracyRow& row, int64_t stride) {
  const int64_t count = ((int64_t{1} << 32) / stride + kBlock - 1) / kBlock;
  return worst_of_blocks<float>(
      row, count, [&](int64_t block, std::vector<float>& x, std::vector<float>& y) {
        for (int64_t i = 0; i < kBlock; ++i)
          x[i] = std::bit_cast<float>(static_cast<uint32_t>((block * kBlock + i) * stride));
        y = x;
      });
}

template <class T>
Worst worst_of_samples(const AccuracyRow& row) {
  return worst_of_blocks<T>(row, kSamples / kBlock,
                            [](int64_t block, std::vector<T>& x, std::vector<T>& y) {
                              std::mt19937_64 random(static_cast<uint64_t>(block));
                              for (std::vector<T>* operand : {&x, &y}) {
                                for (T& value : *operand) {
                                  const uint64_t bits = random_bits(type_of<T>, random);
                                  std::memcpy(&value, &bits, sizeof value);
                                }
                              }
                            });
}

std::string measure(const AccuracyRow& row, int64_t stride) {
  const bool unary = info(row.op).operands == 1;
  const Worst f32 = unary ? worst_of_floats(row, stride) : worst_of_samples<float>(row);
  const Worst f64 = worst_of_samples<double>(row);
  std::fprintf(stderr, "%s: f32 at %a, %a; f64 at %a, %a\n", info(row.op).name.data(), f32.x, f32.y,
               f64.x, f64.y);
  char line[160];
  std::snprintf(line, sizeof line, "| %s | %.3f | %g | %.3f | %g | %s |\n",
                info(row.op).name.data(), f32.error, row.f32_ulp, f64.error, row.f64_ulp,
                row.scale == Scale::kOfOne ? "of max(1, \\|result\\|)" : "");
  return line;
}

bool asked_for(Op op, const std::vector<std::string_view>& ops) {
  for (std::string_view name : ops)
    if (name == info(op).name) return true;
  return ops.empty();
}

void print_preamble(int64_t stride) {
  const std::string floats =
      stride == 1 ? "all floats" : "every " + std::to_string(stride) + "th float";
  std::printf(
      "# Accuracy\n\nThe largest errors of the transcendental ops, in units of the last place of "
      "the true result, beside the bounds that tests\nhold them to: over %s and, for f64 and ops "
      "of two operands, over %lld bit patterns and numbers of ordinary size.\nMeasured against "
      "MPFR. Printed by `bazel run //tests/ops/math:accuracy_main -- %lld`.\n\n"
      "| op | f32 | bound | f64 | bound | units |\n|---|---|---|---|---|---|\n",
      floats.c_str(), static_cast<long long>(kSamples), static_cast<long long>(stride));
}

int run(int argc, char** argv) {
  const int64_t stride = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 1;
  const std::vector<std::string_view> ops(argv + std::min(argc, 2), argv + argc);
  print_preamble(stride);
  for (const AccuracyRow& row : kAccuracyRows) {
    if (!asked_for(row.op, ops)) continue;
    std::printf("%s", measure(row, stride).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace frit::math

int main(int argc, char** argv) { return frit::math::run(argc, argv); }

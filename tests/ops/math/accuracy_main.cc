// Measures the transcendental ops against the references of accuracy_rows.h and prints
// docs/accuracy.md.
//
//   accuracy_main [stride] [op...]     every stride-th float (1: all 2^32, minutes per op), and as
//                                      dense a sample of f64 as fits into the same time
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/eager/blocks/blocks.h"
#include "src/ops/math/value.h"
#include "tests/ops/math/accuracy_rows.h"
#include "tests/ops/math/samples.h"

namespace frit::math {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kSamples = 4'000'000;  // of f64, and of ops of two operands

template <class T>
constexpr Dtype kDtype = sizeof(T) == 4 ? kFloat32 : kFloat64;

template <class T>
long double reference(const AccuracyRow& row, T x, T y) {
  return sizeof(T) == 4 ? row.single(x, y) : row.wide(x, y);
}

// PyTorch defines these powers as products and roots.
bool is_defined_otherwise(Op op, double y) {
  return op == Op::pow && (std::fabs(y) == 0.5 || y == 3);
}

template <class T>
double worst_of_block(const AccuracyRow& row, const T* x, const T* y) {
  T out[kBlock];
  const int op = static_cast<int>(row.op), dtype = static_cast<int>(kDtype<T>);
  if (info(row.op).operands == 1)
    eager::block_table().unary[op][dtype](x, out, kBlock);
  else
    eager::block_table().binary[op][dtype](x, y, out, kBlock, 0);
  double worst = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    if (info(row.op).operands == 2 && is_defined_otherwise(row.op, y[i])) continue;
    worst = std::max(worst, ulp_distance(out[i], reference(row, x[i], y[i]), row.scale));
  }
  return worst;
}

double worst_of_floats(const AccuracyRow& row, uint64_t stride) {
  std::vector<float> x(kBlock);
  double worst = 0;
  uint64_t bits = 0;
  while (bits < uint64_t{1} << 32) {
    for (float& v : x) {
      v = std::bit_cast<float>(static_cast<uint32_t>(bits));
      bits += stride;
    }
    worst = std::max(worst, worst_of_block(row, x.data(), x.data()));
  }
  return worst;
}

// Special values with each other, then bit patterns and numbers of ordinary size.
template <class T>
double worst_of_samples(const AccuracyRow& row) {
  std::mt19937_64 random(1);
  constexpr Type kType = type_of<T>;
  std::vector<T> x(kBlock), y(kBlock);
  const auto draw = [&](T& v) {
    const uint64_t bits = random_bits(kType, random);
    std::memcpy(&v, &bits, sizeof v);
  };
  double worst = 0;
  for (int64_t n = 0; n < kSamples; n += kBlock) {
    for (T& v : x) draw(v);
    for (T& v : y) draw(v);
    worst = std::max(worst, worst_of_block(row, x.data(), y.data()));
  }
  return worst;
}

std::string measure(const AccuracyRow& row, uint64_t stride) {
  const bool unary = info(row.op).operands == 1;
  const double f32 = unary ? worst_of_floats(row, stride) : worst_of_samples<float>(row);
  const double f64 = worst_of_samples<double>(row);
  char line[160];
  std::snprintf(line, sizeof line, "| %s | %.3f | %.3f | %s |\n", info(row.op).name.data(), f32,
                f64, row.scale == Scale::kOfOne ? "of max(1, \\|result\\|)" : "");
  return line;
}

bool asked_for(Op op, const std::vector<std::string_view>& ops) {
  for (std::string_view name : ops)
    if (name == info(op).name) return true;
  return ops.empty();
}

void print_preamble(uint64_t stride) {
  std::printf(
      "# Accuracy\n\n"
      "The largest errors of the transcendental ops, in units of the last place of the true "
      "result, "
      "over %s and, for f64\nand ops of two operands, over %lld bit patterns and numbers of "
      "ordinary "
      "size. Measured against the C library's functions\nin double for f32 and in 80-bit long "
      "double "
      "for f64. Printed by\n`bazel run //tests/ops/math:accuracy_main -- %llu`.\n\n"
      "| op | f32 | f64 | units |\n|---|---|---|---|\n",
      stride == 1 ? "all floats" : ("every " + std::to_string(stride) + "th float").c_str(),
      static_cast<long long>(kSamples), static_cast<unsigned long long>(stride));
}

int run(int argc, char** argv) {
  const uint64_t stride = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::vector<std::string_view> ops(argv + std::min(argc, 2), argv + argc);
  std::vector<AccuracyRow> rows;
  for (const AccuracyRow& row : kAccuracyRows)
    if (asked_for(row.op, ops)) rows.push_back(row);
  std::vector<std::string> lines(rows.size());
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < rows.size(); i = next++) {
        lines[i] = measure(rows[i], std::max<uint64_t>(1, stride));
        std::fprintf(stderr, "%s", lines[i].c_str());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  print_preamble(stride);
  for (const std::string& line : lines) std::printf("%s", line.c_str());
  return 0;
}

}  // namespace
}  // namespace frit::math

int main(int argc, char** argv) { return frit::math::run(argc, argv); }

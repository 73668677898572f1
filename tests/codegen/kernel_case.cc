// Operands for kernels, by their access classes.
#include "tests/codegen/kernel_case.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

namespace frit::codegen {
namespace {

constexpr int64_t kGuard = 64;  // elements before and after

struct Memory {
  std::vector<uint64_t> words;  // aligned storage
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }
};

struct Operand {
  int param;
  std::vector<int64_t> strides;
  int64_t first = 0;  // in elements after the lowest one
  int64_t elements = 0;
  Memory before, compiled, interpreted;
};

class Random {
 public:
  Random(uint32_t seed, const CaseOptions& options) : engine_(seed), options_(options) {}

  // The bits of one element.
  uint64_t element(Dtype dtype) {
    switch (dtype) {
      case Dtype::kF32:
        return __builtin_bit_cast(uint32_t, static_cast<float>(real()));
      case Dtype::kF64:
        return __builtin_bit_cast(uint64_t, real());
      case Dtype::kBool:
        return engine_() & 1;
      case Dtype::kBF16:
        return static_cast<uint16_t>(__builtin_bit_cast(uint32_t, static_cast<float>(real())) >>
                                     16);
      case Dtype::kF16:
        return engine_() & 0xffff;
      case Dtype::kI64:
      case Dtype::kI32:
      case Dtype::kI16:
      case Dtype::kI8:
      case Dtype::kU8:
        break;
    }
    return integer();
  }

  bool one_in(uint32_t n) { return engine_() % n == 0; }

 private:
  double real() {
    static const double kSpecial[] = {0.0,  -0.0,   INFINITY, -INFINITY, NAN,     1,     -1,
                                      0.5,  1e-40,  -1e-40,   3e38,      -3e38,   1e300, 1e-310,
                                      88.8, -103.9, 710,      2.5,       1234567, 4e9,   -3e9,
                                      1e19, -1e19,  3e5,      1e10,      -0.375,  1e-8};
    if (options_.special && engine_() % 4 == 0) return kSpecial[engine_() % std::size(kSpecial)];
    return std::uniform_real_distribution<double>(-options_.range, options_.range)(engine_);
  }
  uint64_t integer() {
    const uint64_t wide = engine_();
    if (!options_.special) return static_cast<uint64_t>(static_cast<int64_t>(wide % 33) - 16);
    switch (engine_() % 4) {
      case 0:
        return static_cast<uint64_t>(static_cast<int64_t>(wide % 33) - 16);
      case 1:
        return uint64_t{1} << wide % 64;
      case 2:
        return (uint64_t{1} << wide % 64) - 1;
      default:
        return wide << 32 | engine_();
    }
  }

  std::mt19937 engine_;
  const CaseOptions& options_;
};

// The dimension of unit stride, then row-major from the last one that the operand moves along;
// strided ones leave gaps.
Operand make_operand(const Kernel& kernel, int index, const CaseOptions& options, Random* random) {
  const KernelParam& param = kernel.params[index];
  Operand operand{index, std::vector<int64_t>(param.access.size()), 0, 0, {}, {}, {}};
  int64_t extent = 1;
  for (const Access access : {Access::kUnit, Access::kReversed, Access::kStrided}) {
    for (size_t d = param.access.size(); d-- > 0;) {
      if (param.access[d] != access) continue;
      operand.strides[d] = access != Access::kStrided ? 1 : extent == 1 ? 3 : extent + 2;
      extent = std::max(extent, operand.strides[d] * std::max<int64_t>(options.sizes[d], 1));
    }
  }
  for (size_t d = 0; d < param.access.size(); ++d) {
    const bool backwards = param.access[d] == Access::kReversed ||
                           (param.access[d] == Access::kStrided && random->one_in(4));
    if (!backwards) continue;
    operand.first += operand.strides[d] * (std::max<int64_t>(options.sizes[d], 1) - 1);
    operand.strides[d] = -operand.strides[d];
  }
  operand.elements = extent + 2 * kGuard + options.offset;
  const int bytes = byte_size(param.dtype);
  operand.before.words.resize(static_cast<size_t>(operand.elements * bytes / 8 + 1));
  for (int64_t i = 0; i < operand.elements; ++i) {
    const uint64_t bits = random->element(param.dtype);
    std::memcpy(operand.before.data() + i * bytes, &bits, static_cast<size_t>(bytes));
  }
  operand.compiled = operand.interpreted = operand.before;
  return operand;
}

bool same(Dtype dtype, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, static_cast<size_t>(byte_size(dtype))) == 0) return true;
  if (dtype == Dtype::kF32) {
    float x, y;
    std::memcpy(&x, a, sizeof x), std::memcpy(&y, b, sizeof y);
    return std::isnan(x) && std::isnan(y);
  }
  if (dtype == Dtype::kF64) {
    double x, y;
    std::memcpy(&x, a, sizeof x), std::memcpy(&y, b, sizeof y);
    return std::isnan(x) && std::isnan(y);
  }
  if (!is_half(dtype)) return false;
  uint16_t x, y;
  std::memcpy(&x, a, sizeof x), std::memcpy(&y, b, sizeof y);
  const uint16_t infinity = dtype == Dtype::kF16 ? 0x7c00 : 0x7f80;
  return (x & 0x7fff) > infinity && (y & 0x7fff) > infinity;
}

std::string compare(const Kernel& kernel, Operand& operand, int64_t offset) {
  const KernelParam& param = kernel.params[operand.param];
  const int bytes = byte_size(param.dtype);
  for (int64_t i = 0; i < operand.elements; ++i) {
    const std::byte *c = operand.compiled.data() + i * bytes,
                    *r = operand.interpreted.data() + i * bytes;
    if (same(param.dtype, c, r)) continue;
    uint64_t compiled = 0, expected = 0;
    std::memcpy(&compiled, c, static_cast<size_t>(bytes)),
        std::memcpy(&expected, r, static_cast<size_t>(bytes));
    std::ostringstream out;
    out << "%" << param.name << " element " << i - kGuard - offset << ": compiled 0x" << std::hex
        << compiled << ", interpreted 0x" << expected;
    return out.str();
  }
  return {};
}

void note_sizes(const std::vector<KernelStmt>& body, const CaseOptions& options,
                std::vector<int64_t>* sizes) {
  for (const KernelStmt& stmt : body) {
    if (stmt.dim >= 0 && stmt.param >= 0) (*sizes)[stmt.param] = options.sizes[stmt.dim];
    note_sizes(stmt.body, options, sizes);
  }
}

}  // namespace

std::string disagreement(const Kernel& kernel, const CompiledKernel& compiled,
                         const CaseOptions& options) {
  Random random(options.seed, options);
  std::vector<int64_t> sizes(kernel.params.size());
  note_sizes(kernel.body, options, &sizes);
  std::vector<Operand> operands;
  std::vector<uint64_t> scalars(kernel.params.size());
  for (int p = 0; p < static_cast<int>(kernel.params.size()); ++p) {
    const KernelParam& param = kernel.params[p];
    if (param.kind == KernelParam::Kind::kBuffer)
      operands.push_back(make_operand(kernel, p, options, &random));
    if (param.kind == KernelParam::Kind::kScalar) {
      const uint64_t bits = random.element(param.dtype);
      std::memcpy(&scalars[p], &bits, static_cast<size_t>(byte_size(param.dtype)));
    }
  }
  const auto words = [&](Memory Operand::*memory) {
    std::vector<uint64_t> args;
    size_t next = 0;
    for (size_t p = 0; p < kernel.params.size(); ++p) {
      const KernelParam& param = kernel.params[p];
      if (param.kind == KernelParam::Kind::kScalar) args.push_back(scalars[p]);
      if (param.kind == KernelParam::Kind::kSize) args.push_back(static_cast<uint64_t>(sizes[p]));
      if (param.kind != KernelParam::Kind::kBuffer) continue;
      Operand& operand = operands[next++];
      args.push_back(reinterpret_cast<uint64_t>((operand.*memory).data() +
                                                (kGuard + options.offset + operand.first) *
                                                    byte_size(param.dtype)));
      for (int64_t stride : operand.strides) args.push_back(static_cast<uint64_t>(stride));
    }
    return args;
  };
  compiled.run(words(&Operand::compiled).data(), 0, options.sizes[0]);
  interpret(kernel, words(&Operand::interpreted).data(), 0, options.sizes[0]);
  for (Operand& operand : operands) {
    const std::string difference = compare(kernel, operand, options.offset);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string disagreement(Writer& writer, const Kernel& kernel, const CaseOptions& options) {
  std::string reason;
  const std::unique_ptr<CompiledKernel> compiled = writer.compile(kernel, &reason);
  return compiled == nullptr ? "refused: " + reason : disagreement(kernel, *compiled, options);
}

}  // namespace frit::codegen

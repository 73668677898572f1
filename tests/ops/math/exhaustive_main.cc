// Runs ops of one operand on all 2^32 floats, on every ISA level of this machine and as machine
// code, and compares hashes of the results.
//
//   exhaustive_main [scalar] [op...]     all ops, the vector levels with FMA, then machine code;
//   `scalar` adds the plain and the baseline form (slow)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frit/kernel.h"
#include "src/base/cpu.h"
#include "src/codegen/native_writer.h"
#include "src/eager/blocks/blocks.h"
#include "src/ops/reference/apply_scalar.h"

namespace frit {
namespace {

constexpr int kBlock = 1 << 14;

// Order matters; any NaN counts as one.
class Hash {
 public:
  void add(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (std::isnan(value)) bits = 0x7fc00000;
    hash_ = (hash_ ^ bits) * 0x9e3779b97f4a7c15;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 1;
};

template <class Fn>
uint64_t hash_of_all(Fn block) {
  Hash hash;
  std::vector<float> x(kBlock), out(kBlock);
  for (uint64_t start = 0; start < uint64_t{1} << 32; start += kBlock) {
    for (uint32_t i = 0; i < kBlock; ++i) {
      const uint32_t bits = static_cast<uint32_t>(start) + i;
      std::memcpy(&x[i], &bits, sizeof bits);
    }
    block(x.data(), out.data());
    for (float value : out) hash.add(value);
  }
  return hash.value();
}

uint64_t hash_of_level(Op op, Isa isa) {
  const eager::UnaryBlock block =
      eager::block_table(isa).unary[static_cast<int>(op)][static_cast<int>(kFloat32)];
  return hash_of_all([block](const float* x, float* out) { block(x, out, kBlock); });
}

uint64_t hash_of_scalar(Op op) {
  const reference::ScalarFn fn = reference::scalar_fn(op, kFloat32);
  return hash_of_all([fn](const float* x, float* out) {
    for (int i = 0; i < kBlock; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, &x[i], sizeof(float));
      const uint64_t result = fn(&bits);
      std::memcpy(&out[i], &result, sizeof(float));
    }
  });
}

std::unique_ptr<CompiledKernel> machine_code_of(Op op) {
  const std::string text =
      "kernel %k(%x: *f32[1], %y: *f32[1], %n: i64) {\n"
      "  loop %i0 = 0 to %n {\n    %0: f32 = load %x[%i0]\n    %1: f32 = " +
      std::string(info(op).name) + " %0\n    store %y[%i0], %1\n  }\n}\n";
  std::string reason;
  auto compiled = codegen::new_native_writer()->compile(Kernel::parse(text), &reason);
  if (compiled == nullptr)
    std::printf("%s: no machine code: %s\n", info(op).name.data(), reason.c_str());
  return compiled;
}

uint64_t hash_of_code(const CompiledKernel& compiled) {
  return hash_of_all([&compiled](const float* x, float* out) {
    const uint64_t args[] = {reinterpret_cast<uint64_t>(x), 1, reinterpret_cast<uint64_t>(out), 1,
                             kBlock};
    compiled.run(args, 0, kBlock);
  });
}

bool same_everywhere(Op op, bool with_scalar) {
  std::vector<uint64_t> hashes;
  if (with_scalar) hashes = {hash_of_scalar(op), hash_of_level(op, Isa::kBaseline)};
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512})
    if (isa <= base::detected_isa()) hashes.push_back(hash_of_level(op, isa));
  if (const auto compiled = machine_code_of(op)) hashes.push_back(hash_of_code(*compiled));
  bool same = true;
  std::printf("%-10s", info(op).name.data());
  for (uint64_t hash : hashes) {
    std::printf(" %016llx", static_cast<unsigned long long>(hash));
    same &= hash == hashes[0];
  }
  std::printf(" %s\n", same ? "same" : "DIFFERENT");
  std::fflush(stdout);
  return same;
}

bool asked_for(std::string_view op, const std::vector<std::string_view>& ops) {
  for (std::string_view name : ops)
    if (name == op) return true;
  return ops.empty();
}

int run(int argc, char** argv) {
  std::vector<std::string_view> ops(argv + 1, argv + argc);
  const bool with_scalar = !ops.empty() && ops[0] == "scalar";
  if (with_scalar) ops.erase(ops.begin());
  bool same = true;
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    const bool to_bool = info(op).dtype == DtypeRule::Bool;
    if (eager::block_table(Isa::kBaseline).unary[i][static_cast<int>(kFloat32)] && !to_bool &&
        asked_for(info(op).name, ops))
      same &= same_everywhere(op, with_scalar);
  }
  return same ? 0 : 1;
}

}  // namespace
}  // namespace frit

int main(int argc, char** argv) { return frit::run(argc, argv); }

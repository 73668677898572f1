// C1 for pointwise math: plain scalars, vectors of every ISA level here, and interpreted programs
// give the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "src/base/cpu.h"
#include "src/eager/blocks/blocks.h"
#include "src/ops/math/record.h"
#include "src/ops/reference/apply_scalar.h"
#include "tests/ops/math/samples.h"
#include "tests/sample.h"

namespace frit::math {
namespace {

using eager::BlockTable;

constexpr uint64_t kSeed = 20240229;
constexpr int64_t kSamples = 200000;
constexpr int64_t kLongSamples = 1000000;  // of one operand
constexpr int64_t kInterpreted = 5000;

Dtype dtype_of_type(Type type) {
  switch (type) {
    case Type::kF32:
      return Dtype::kF32;
    case Type::kF64:
      return Dtype::kF64;
    case Type::kI32:
      return Dtype::kI32;
    case Type::kI64:
      return Dtype::kI64;
    case Type::kM32:
    case Type::kM64:
      break;
  }
  return Dtype::kBool;
}

std::vector<Op> elementwise_ops() {
  std::vector<Op> ops;
  for (int i = 0; i < kNumOps; ++i)
    if (is_elementwise(static_cast<Op>(i))) ops.push_back(static_cast<Op>(i));
  return ops;
}

// Elements of a dtype in memory, from and to bits.
class Memory {
 public:
  Memory(Dtype dtype, int64_t n)
      : dtype_(dtype), size_(byte_size(dtype)), bytes_(n * byte_size(dtype)) {}
  void* data() { return bytes_.data(); }
  void set(int64_t i, uint64_t bits) {
    if (dtype_ == Dtype::kBool) bits = bits != 0;
    std::memcpy(&bytes_[i * size_], &bits, size_);
  }
  uint64_t get(int64_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes_[i * size_], size_);
    return bits;
  }

 private:
  Dtype dtype_;
  int size_;
  std::vector<char> bytes_;
};

struct Case {
  Op op;
  Type type;
  int arity;
  std::vector<uint64_t> operands;  // arity a sample
  std::vector<uint64_t> expected;

  bool gives_bool() const { return is_mask(type) || info(op).dtype == DtypeRule::Bool; }
  int64_t size() const { return static_cast<int64_t>(expected.size()); }
  bool same(uint64_t a, uint64_t b) const {
    if (gives_bool()) return (a != 0) == (b != 0);
    return a == b || (is_nan(type, a) && is_nan(type, b));
  }
  std::string describe(int64_t i) const {
    std::string text = std::string(info(op).name) + " " + std::string(name(type)) + ", seed " +
                       std::to_string(kSeed) + ":";
    char buffer[32];
    for (int k = 0; k < arity; ++k) {
      std::snprintf(buffer, sizeof buffer, " %llx",
                    static_cast<unsigned long long>(operands[i * arity + k]));
      text += buffer;
    }
    return text;
  }
};

Case make_case(Op op, Type type, reference::ScalarFn fn) {
  const int arity = info(op).operands;
  Case c{op, type, arity, {}, {}};
  c.operands = samples(type, arity, (arity == 1 ? kLongSamples : kSamples) / sample_step(), kSeed);
  const int64_t n = static_cast<int64_t>(c.operands.size()) / arity;
  for (int64_t i = 0; i < n; ++i) c.expected.push_back(fn(&c.operands[i * arity]));
  return c;
}

void run_block(const BlockTable& table, const Case& c, Memory* in, void* out) {
  const int op = static_cast<int>(c.op), dtype = static_cast<int>(dtype_of_type(c.type));
  const int64_t n = c.size();
  if (c.arity == 1) return table.unary[op][dtype](in[0].data(), out, n);
  if (c.arity == 2) return table.binary[op][dtype](in[0].data(), in[1].data(), out, n, 0);
  table.ternary[op][dtype](in[0].data(), in[1].data(), in[2].data(), out, n, 0);
}

void expect_block_equal(Isa isa, const Case& c) {
  const int64_t n = c.size();
  const Dtype dtype = dtype_of_type(c.type);
  std::vector<Memory> in;
  for (int k = 0; k < c.arity; ++k) {
    in.emplace_back(k == 0 && c.arity == 3 ? Dtype::kBool : dtype, n);
    for (int64_t i = 0; i < n; ++i) in[k].set(i, c.operands[i * c.arity + k]);
  }
  Memory out(c.gives_bool() ? Dtype::kBool : dtype, n);
  run_block(eager::block_table(isa), c, in.data(), out.data());
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!c.same(out.get(i), c.expected[i]) && ++wrong <= 3)
      ADD_FAILURE() << name(isa) << " " << c.describe(i) << ": " << std::hex << out.get(i)
                    << ", scalar " << c.expected[i];
  }
  EXPECT_EQ(wrong, 0) << info(c.op).name;
}

void expect_program_equal(const Case& c) {
  Program p;
  std::vector<int32_t> ids;
  for (int k = 0; k < c.arity; ++k)
    ids.push_back(p.input(k == 0 && c.arity == 3 ? mask_of(c.type) : c.type, k));
  p.outputs = {*record(p, c.op, ids)};
  const bool masked_first = c.arity == 3;
  for (int64_t i = 0; i < std::min(kInterpreted / sample_step(), c.size()); ++i) {
    std::vector<uint64_t> operands(c.operands.begin() + i * c.arity,
                                   c.operands.begin() + (i + 1) * c.arity);
    if (masked_first && operands[0])
      operands[0] = byte_width(c.type) == 4 ? 0xffffffff : ~uint64_t{0};
    const uint64_t got = interpret(p, operands)[0];
    ASSERT_TRUE(c.same(got, c.expected[i]))
        << c.describe(i) << ": " << std::hex << got << ", scalar " << c.expected[i];
  }
}

class SameBits : public testing::TestWithParam<Op> {};

TEST_P(SameBits, OfScalarsVectorsAndPrograms) {
  const Op op = GetParam();
  for (Type type : {Type::kF32, Type::kF64, Type::kI32, Type::kI64, Type::kM32}) {
    const reference::ScalarFn fn = reference::scalar_fn(op, dtype_of_type(type));
    if (!fn) continue;
    const Case c = make_case(op, type, fn);
    for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512})
      if (isa <= base::detected_isa()) expect_block_equal(isa, c);
    expect_program_equal(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SameBits, testing::ValuesIn(elementwise_ops()),
                         [](const auto& test) { return std::string(frit::info(test.param).name); });

}  // namespace
}  // namespace frit::math

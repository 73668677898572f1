// Every writer against the kernel interpreter, bit for bit: machine code, and block programs at
// each instruction set.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "src/codegen/native_writer.h"
#include "src/ops/op.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/runtime/block_writer.h"
#include "tests/codegen/kernel_case.h"
#include "tests/codegen/kernel_texts.h"
#include "tests/codegen/random_kernel.h"

namespace frit::codegen {
namespace {

// Without the values that swallow a sum.
const CaseOptions kTame{.sizes = {}, .special = false};

struct Way {
  const char* name;
  std::unique_ptr<Writer> (*make)();
  Isa isa;  // needed, and not exceeded
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class EveryWriter : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (base::isa() < GetParam().isa) GTEST_SKIP() << "no " << name(GetParam().isa);
    base::mutable_flags().verify = true;
    if (GetParam().make != new_native_writer) base::set_isa_cap(GetParam().isa);
  }
  void TearDown() override { base::mutable_flags() = saved_; }
  Kernel parse(const std::string& text) {
    Kernel kernel = Kernel::parse(text);
    EXPECT_EQ(kernel.verify(), "") << text;
    return kernel;
  }
  // Agreement for all these sizes of the last dimension.
  void expect_agreement(const std::string& text, const std::vector<int64_t>& outer,
                        const std::vector<int64_t>& inner, CaseOptions options = {}) {
    const Kernel kernel = parse(text);
    std::string reason;
    const auto compiled = writer_->compile(kernel, &reason);
    ASSERT_NE(compiled, nullptr) << reason << "\n" << text;
    for (int64_t n : inner) {
      options.sizes = outer;
      options.sizes.push_back(n);
      options.seed = static_cast<uint32_t>(n + 1);
      options.offset = n % 3;
      ASSERT_EQ(disagreement(kernel, *compiled, options), "") << "n = " << n << "\n" << text;
    }
  }
  std::unique_ptr<Writer> writer_ = GetParam().make();

 private:
  const base::Flags saved_ = base::flags();
};

INSTANTIATE_TEST_SUITE_P(
    Writers, EveryWriter,
    testing::Values(Way{"native", new_native_writer, Isa::kAvx2},
                    Way{"blocks_baseline", runtime::new_block_writer, Isa::kBaseline},
                    Way{"blocks_avx2", runtime::new_block_writer, Isa::kAvx2},
                    Way{"blocks_avx512", runtime::new_block_writer, Isa::kAvx512}),
    [](const testing::TestParamInfo<Way>& info) { return std::string(info.param.name); });

std::vector<int64_t> up_to(int64_t last) {
  std::vector<int64_t> sizes;
  for (int64_t n = 0; n <= last; ++n) sizes.push_back(n);
  return sizes;
}

TEST_P(EveryWriter, AgreesOnEveryElementwiseOpDtypeAndAccess) {
  int compared = 0;
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementwise(op)) continue;
    for (int d = 0; d < kNumDtypes; ++d) {
      const Dtype dtype = static_cast<Dtype>(d);
      if (reference::scalar_fn(op, dtype) == nullptr) continue;
      for (const char* classes : {"uuuu", "ubuu", "buub", "suus", "ssss"}) {
        std::string chosen = classes;
        chosen[info(op).operands] = classes[3] == 's' ? 's' : 'u';
        ASSERT_NO_FATAL_FAILURE(
            expect_agreement(pointwise(op, dtype, chosen), {}, {0, 1, 2, 3, 7, 8, 9, 31, 37, 70}));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

TEST_P(EveryWriter, AgreesOnEveryLength) {
  for (Dtype dtype :
       {Dtype::kF32, Dtype::kF64, Dtype::kI64, Dtype::kI16, Dtype::kU8, Dtype::kBool}) {
    expect_agreement(pointwise(Op::maximum, dtype, "uuu"), {}, up_to(70));
    expect_agreement(pointwise(Op::maximum, dtype, "sbs"), {}, up_to(70));
  }
}

TEST_P(EveryWriter, AgreesOnCasts) {
  for (int i = 0; i < kNumDtypes * kNumDtypes; ++i) {
    const Dtype from = static_cast<Dtype>(i / kNumDtypes), to = static_cast<Dtype>(i % kNumDtypes);
    if (!is_half(from) || !is_half(to)) {
      for (const char* access : {"1", "*"}) {
        const std::string f(name(from)), t(name(to)), a(access);
        expect_agreement("kernel %k(%x: *" + f + "[" + a + "], %y: *" + t + "[" + a +
                             "], %n: i64) {\n  loop %i0 = 0 to %n {\n" + "    %0: " + f +
                             " = load %x[%i0]\n    %1: " + t +
                             " = cast %0\n    store %y[%i0], %1\n  }\n}\n",
                         {}, {0, 1, 5, 8, 9, 43});
      }
    }
  }
}

// One reduction a row, of every element type and length around the edges of lanes and blocks.
std::string row_reduction(const std::string& op, const std::string& type,
                          const std::string& access) {
  return "kernel %k(%x: *" + type + "[*," + access + "], %y: *" + type +
         "[*,0], %n0: i64, %n1: i64) {\n" + "  loop %i0 = 0 to %n0 {\n    %0: " + type +
         " = reduce " + op + " %i1 = 0 to %n1 {\n      %1: " + type +
         " = load %x[%i0, %i1]\n      yield %1\n    }\n    store %y[%i0], %0\n  }\n}\n";
}

TEST_P(EveryWriter, AgreesOnReductionsOfEveryLength) {
  for (const char* op : {"sum", "prod", "amax", "amin"}) {
    for (const char* type : {"f32", "f64", "i32", "i64"}) {
      expect_agreement(row_reduction(op, type, "1"), {2}, up_to(70), kTame);
      expect_agreement(row_reduction(op, type, "1"), {3},
                       {4095, 4096, 4097, 4127, 4128, 3 * 4096 + 5}, kTame);
      expect_agreement(row_reduction(op, type, "*"), {2}, {0, 1, 31, 33, 100, 4100}, kTame);
      expect_agreement(row_reduction(op, type, "1"), {2}, {0, 1, 7, 31, 32, 33, 64, 100});
    }
  }
}

TEST_P(EveryWriter, AgreesOnReductionsOfBools) {
  for (const char* op : {"amax", "amin"}) {
    for (const char* access : {"1", "*"})
      expect_agreement(row_reduction(op, "bool", access), {2}, {0, 1, 2, 31, 32, 33, 100, 4100});
  }
}

TEST_P(EveryWriter, FoldsPartialsOfPartials) {
  expect_agreement(row_reduction("sum", "f32", "1"), {1}, {4096 * 33 + 7}, kTame);
  expect_agreement(row_reduction("sum", "f32", "0"), {1}, {4096 * 4096 + 4097}, kTame);
}

TEST_P(EveryWriter, AgreesOnSoftmaxRows) {
  expect_agreement(kSoftmax, {3}, up_to(70));
  expect_agreement(kSoftmax, {4}, {768, 1000, 4096, 5000}, kTame);
}

TEST_P(EveryWriter, AgreesOnLayerNormRows) {
  expect_agreement(kLayerNorm, {3}, up_to(70), kTame);
  expect_agreement(kLayerNorm, {4}, {768, 1000, 4096, 5000}, kTame);
}

TEST_P(EveryWriter, KeepsRowValuesOfEveryDtypeForInnerLoops) {
  expect_agreement(R"(
kernel %k(%x: *f64[*,1], %f: *f32[*,*], %s: bool, %t: i64, %y: *f32[*,1], %z: *bool[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f64 = reduce amax %i1 = 0 to %n1 {
      %1: f64 = load %x[%i0, %i1]
      yield %1
    }
    %2: f64 = constant 2.0
    %3: bool = lt %2, %0
    %4: f32 = cast %0
    %5: f64 = cast %t
    loop %i1 = 0 to %n1 {
      %6: f32 = load %f[%i0, %i1]
      %7: f32 = where %3, %6, %4
      store %y[%i0, %i1], %7
      %8: f64 = load %x[%i0, %i1]
      %9: bool = le %8, %5
      %10: bool = logical_xor %9, %s
      %11: bool = logical_and %10, %3
      store %z[%i0, %i1], %11
    }
  }
}
)",
                   {3}, {1, 2, 7, 8, 9, 40});
}

TEST_P(EveryWriter, RunsThreeLoopsDeepInEveryAccessClass) {
  expect_agreement(R"(
kernel %k(%a: *f32[*,*,1], %b: *f32[*,0,*], %c: *i32[0,*,0], %d: *bool[1,0,0], %y: *f32[*,*,1], %r: *f32[*,*,0], %n0: i64, %n1: i64, %n2: i64) {
  loop %i0 = 0 to %n0 {
    %0: bool = load %d[%i0]
    loop %i1 = 0 to %n1 {
      %1: i32 = load %c[%i1]
      %2: f32 = cast %1
      loop %i2 = 0 to %n2 {
        %3: f32 = load %a[%i0, %i1, %i2]
        %4: f32 = load %b[%i0, %i2]
        %5: f32 = add %3, %4
        %6: f32 = mul %5, %2
        %7: f32 = where %0, %6, %3
        store %y[%i0, %i1, %i2], %7
      }
      %8: f32 = reduce amin %i2 = 0 to %n2 {
        %9: f32 = load %y[%i0, %i1, %i2]
        yield %9
      }
      store %r[%i0, %i1], %8
    }
  }
}
)",
                   {3, 5}, {0, 1, 3, 8, 13, 40});
}

// A reduction of each column, between other values of the column.
std::string column_reduction(const std::string& op, const std::string& type) {
  return "kernel %k(%x: *" + type + "[1,*], %w: *" + type + "[0,*], %b: *" + type +
         "[1,0], %s: " + type + ", %y: *" + type + "[1,0], %z: *" + type +
         "[*,0], %n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n    %0: " + type +
         " = load %b[%i0]\n    %1: " + type + " = reduce " + op +
         " %i1 = 0 to %n1 {\n      %2: " + type + " = load %x[%i0, %i1]\n      %3: " + type +
         " = load %w[%i1]\n      %4: " + type + " = mul %2, %3\n      %5: " + type +
         " = add %4, %0\n      yield %5\n    }\n    %6: " + type +
         " = mul %1, %s\n    store %y[%i0], %6\n    %7: " + type + " = add %6, %0\n" +
         "    store %z[%i0], %7\n  }\n}\n";
}

TEST_P(EveryWriter, AgreesOnReductionsOfColumns) {
  for (const char* op : {"sum", "prod", "amax", "amin"}) {
    for (const char* type : {"f32", "f64", "i32", "i64"}) {
      for (int64_t columns : {0, 1, 3, 4, 7, 8, 9, 17}) {
        expect_agreement(column_reduction(op, type), {columns}, {0, 1, 2, 31, 32, 33, 100}, kTame);
      }
      expect_agreement(column_reduction(op, type), {11}, {4095, 4096, 4097, 3 * 4096 + 5}, kTame);
    }
  }
}

TEST_P(EveryWriter, FoldsPartialsOfPartialsInColumns) {
  expect_agreement(column_reduction("sum", "f32"), {9}, {4096 * 33 + 7}, kTame);
}

TEST_P(EveryWriter, AgreesOnColumnsWhoseSequenceNeedsWiderLanes) {
  expect_agreement(R"(
kernel %k(%x: *f32[1,*], %y: *f32[1,0], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      %2: f32 = pow %1, %1
      yield %2
    }
    store %y[%i0], %0
  }
}
)",
                   {13}, {0, 1, 40}, kTame);
}

TEST_P(EveryWriter, AgreesOnSeveralReductionsOfOneColumn) {
  expect_agreement(R"(
kernel %k(%x: *f32[*,1,*], %y: *f32[*,1,0], %z: *bool[*,1,0], %n0: i64, %n1: i64, %n2: i64) {
  loop %i0 = 0 to %n0 {
    loop %i1 = 0 to %n1 {
      %0: f32 = reduce amax %i2 = 0 to %n2 {
        %1: f32 = load %x[%i0, %i1, %i2]
        yield %1
      }
      %2: f32 = reduce sum %i2 = 0 to %n2 {
        %3: f32 = load %x[%i0, %i1, %i2]
        %4: f32 = sub %3, %0
        %5: f32 = exp %4
        yield %5
      }
      %6: f32 = log %2
      %7: f32 = add %6, %0
      store %y[%i0, %i1], %7
      %8: bool = isfinite %7
      store %z[%i0, %i1], %8
    }
  }
}
)",
                   {3, 21}, {0, 1, 5, 40, 100});
}

TEST_P(EveryWriter, SpillsWhatRegistersCannotHold) {
  for (int count : {3, 9, 14, 23}) {
    expect_agreement(many_live_values(count, "f32"), {}, {0, 1, 8, 16, 31, 70});
    expect_agreement(many_live_values(count, "f64"), {}, {0, 1, 4, 8, 15, 70});
  }
}

// Bits from all over the range of a type: every exponent, many mantissas.
template <class T, class Bits>
void expect_agreement_on_samples(Writer& writer, Op op, Dtype dtype, Bits step) {
  const reference::ScalarFn fn = reference::scalar_fn(op, dtype);
  if (fn == nullptr || reference::scalar_result(op, dtype) != dtype) return;
  const auto compiled = writer.compile(Kernel::parse(pointwise(op, dtype, "uu")), nullptr);
  ASSERT_NE(compiled, nullptr);
  std::vector<Bits> x(1 << 17), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Bits>(i) * step;
  const uint64_t args[] = {reinterpret_cast<uint64_t>(x.data()), 1,
                           reinterpret_cast<uint64_t>(y.data()), 1, x.size()};
  compiled->run(args, 0, static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const uint64_t operand = x[i];
    const Bits expected = static_cast<Bits>(fn(&operand));
    const T made = __builtin_bit_cast(T, y[i]), right = __builtin_bit_cast(T, expected);
    if (made != made && right != right) continue;
    ASSERT_EQ(y[i], expected) << name(op) << " of bits 0x" << std::hex << x[i];
  }
}

TEST_P(EveryWriter, AgreesOnSamplesOfEveryUnaryOp) {
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    if (info(op).family != Family::kUnary) continue;
    ASSERT_NO_FATAL_FAILURE(
        (expect_agreement_on_samples<float, uint32_t>(*writer_, op, Dtype::kF32, 32771)));
    ASSERT_NO_FATAL_FAILURE((
        expect_agreement_on_samples<double, uint64_t>(*writer_, op, Dtype::kF64, 140737488355333)));
  }
}

TEST_P(EveryWriter, StoresWhatItsLoopDoesNotChange) {
  expect_agreement(R"(
kernel %k(%b: *f32[0], %s: f64, %t: bool, %u: *f32[1], %v: *f32[*], %w: *f64[1], %x: *bool[1], %y: *f32[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %b[]
    store %u[%i0], %0
    %1: f32 = constant 1.5
    store %v[%i0], %1
    store %w[%i0], %s
    store %x[%i0], %t
    %2: f32 = exp %0
    store %y[%i0], %2
  }
}
)",
                   {}, {0, 1, 4, 7, 8, 30});
}

TEST_P(EveryWriter, StoresInPlace) {
  const Kernel kernel = parse(pointwise(Op::exp, Dtype::kF32, "uu"));
  const auto compiled = writer_->compile(kernel, nullptr);
  std::vector<float> x(100), expected(100);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.1f - 4;
  uint64_t args[] = {reinterpret_cast<uint64_t>(x.data()), 1,
                     reinterpret_cast<uint64_t>(expected.data()), 1, 100};
  interpret(kernel, args, 0, 100);
  args[2] = args[0];
  compiled->run(args, 0, 100);
  EXPECT_EQ(x, expected);
}

TEST_P(EveryWriter, RunsOnlyTheIterationsThatItIsGiven) {
  const Kernel kernel = parse(pointwise(Op::neg, Dtype::kF32, "uu"));
  const auto compiled = writer_->compile(kernel, nullptr);
  std::vector<float> x(64, 1), y(64, 0);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(x.data()), 1,
                           reinterpret_cast<uint64_t>(y.data()), 1, 64};
  compiled->run(args, 3, 61);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i >= 3 && i < 61 ? -1 : 0) << i;
}

TEST_P(EveryWriter, TakesTheSlowPathInTheMiddleOfManyLiveValues) {
  std::string text = many_live_values(9, "f32");
  for (size_t at; (at = text.find("= exp")) != std::string::npos;) text.replace(at, 5, "= sin");
  CaseOptions large;
  large.range = 1e9;
  expect_agreement(text, {}, {0, 1, 8, 16, 31, 70}, large);
}

// %t is taken from by places of its own in each lane, once a row, and once for all.
std::string taking(const std::string& type, const std::string& along, const std::string& place) {
  return "kernel %k(%t: *" + type + "[0," + along + "], %p: *i64" + place + ", %y: *" + type +
         "[*,1], %n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n    loop %i1 = 0 to %n1 {\n" +
         "      %0: i64 = load %p" +
         (place == "[*,1]"   ? "[%i0, %i1]"
          : place == "[1,0]" ? "[%i0]"
                             : "[]") +
         "\n      %1: i64 = constant 63\n      %2: i64 = bitwise_and %0, %1\n      %3: " + type +
         " = take %t" + (along == "0" ? "[]" : "[%i1]") +
         " at %2\n      store %y[%i0, %i1], %3\n    }\n  }\n}\n";
}

TEST_P(EveryWriter, AgreesOnTakes) {
  for (const char* type : {"f32", "f64", "i64", "i32", "i16", "i8", "u8", "bool"})
    for (const char* along : {"0", "1", "*"})
      for (const char* place : {"[*,1]", "[1,0]", "[0,0]"})
        ASSERT_NO_FATAL_FAILURE(expect_agreement(taking(type, along, place), {5},
                                                 {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 37, 70}));
}

// Places are one for each lane (some of them equal), one a row, and one for all.
std::string putting(const std::string& type, const std::string& op, const std::string& along,
                    const std::string& place) {
  return "kernel %k(%x: *" + type + "[*,1], %p: *i64" + place + ", %y: *" + type + "[0," + along +
         "], %n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n    loop %i1 = 0 to %n1 {\n" +
         "      %0: " + type + " = load %x[%i0, %i1]\n      %1: i64 = load %p" +
         (place == "[*,1]"   ? "[%i0, %i1]"
          : place == "[1,0]" ? "[%i0]"
                             : "[]") +
         "\n      %2: i64 = constant 31\n      %3: i64 = bitwise_and %1, %2\n      put " + op +
         " %y" + (along == "0" ? "[]" : "[%i1]") + " at %3, %0\n    }\n  }\n}\n";
}

std::vector<std::string> put_ops(const std::string& type) {
  if (type == "f16" || type == "bf16") return {""};
  if (type == "bool") return {"", "maximum", "minimum"};
  return {"", "add", "mul", "maximum", "minimum"};
}

TEST_P(EveryWriter, AgreesOnPuts) {
  for (const char* type : {"f32", "f64", "i64", "i32", "i16", "i8", "u8", "bool", "f16", "bf16"})
    for (const std::string& op : put_ops(type))
      for (const char* along : {"0", "1", "*"})
        for (const char* place : {"[*,1]", "[1,0]", "[0,0]"})
          ASSERT_NO_FATAL_FAILURE(expect_agreement(putting(type, op, along, place), {5},
                                                   {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 37, 70}));
}

// What is put is computed, and put twice: into one buffer by elements, into another one by rows.
TEST_P(EveryWriter, AgreesOnPutsBesideStores) {
  expect_agreement(R"(
kernel %k(%x: *f32[*,1], %p: *i64[*,1], %r: *i64[1,0], %s: f32, %y: *f32[*,1], %z: *f32[0,0], %w: *f32[0,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    loop %i1 = 0 to %n1 {
      %0: f32 = load %x[%i0, %i1]
      %1: f32 = mul %0, %s
      %2: i64 = load %p[%i0, %i1]
      %3: i64 = constant 63
      %4: i64 = bitwise_and %2, %3
      put add %z[] at %4, %1
      store %y[%i0, %i1], %1
      %5: i64 = load %r[%i0]
      %6: i64 = bitwise_and %5, %3
      put add %w[%i1] at %6, %1
    }
  }
}
)",
                   {7}, {1, 4, 9, 37, 1025, 2100}, kTame);
}

TEST_P(EveryWriter, AgreesOnIndices) {
  for (const std::string type : {"i32", "i64"})
    expect_agreement("kernel %k(%y: *" + type + "[*,1], %z: *" + type +
                         "[1,0], %n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n    %0: " + type +
                         " = index %i0\n    store %z[%i0], %0\n    loop %i1 = 0 to %n1 {\n" +
                         "      %1: " + type + " = index %i1\n      %2: " + type +
                         " = mul %0, %1\n      store %y[%i0, %i1], %2\n    }\n  }\n}\n",
                     {37}, up_to(70));
}

TEST_P(EveryWriter, AgreesOnScans) {
  for (const std::string type : {"f32", "f64", "i32", "i64"})
    for (const std::string op : {"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"}) {
      if (op == "logcumsumexp" && type[0] != 'f') continue;
      for (const char* access : {"[*,1]", "[*,*]", "[1,*]"})
        expect_agreement(
            "kernel %k(%x: *" + type + access + ", %y: *" + type + access +
                ", %n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n    loop %i1 = 0 to %n1 {\n" +
                "      %0: " + type + " = load %x[%i0, %i1]\n      %1: " + type + " = scan " + op +
                " %0\n      %2: " + type +
                " = sub %1, %0\n      store %y[%i0, %i1], %2\n    }\n  }\n}\n",
            {5}, {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 33, 70, 1025, 2100}, kTame);
    }
}

// More values than registers, which calls for the lanes out of the ordinary go through.
TEST_P(EveryWriter, AgreesOnManyPowersOfOneValue) {
  std::string params, body;
  int id = 5;
  for (int i = 0; i < 4; ++i) {
    const auto value = [&](int back) { return "%" + std::to_string(id - back); };
    const std::string s = std::to_string(2 * i), t = std::to_string(2 * i + 1);
    params += "%s" + s + ": f32, %s" + t + ": f32, ";
    body += "    " + value(0) + ": f32 = mul %3, %s" + s + "\n";
    ++id;
    body += "    " + value(0) + ": f32 = add " + value(1) + ", %s" + t + "\n";
    ++id;
    body += "    " + value(0) + ": f32 = pow " + value(1) + ", %4\n";
    ++id;
    body += "    " + value(0) + ": f32 = div %1, " + value(1) + "\n";
    ++id;
  }
  std::string stores, outs;
  for (int i = 0; i < 4; ++i) {
    stores += "    store %out" + std::to_string(i) + "[%i0], %" + std::to_string(8 + 4 * i) + "\n";
    outs += "%out" + std::to_string(i) + ": *f32, ";
  }
  const std::string text =
      "kernel %k(%a0: *i64, %a1: *i64, " + params + outs +
      "%n: i64) {\n  loop %i0 = 0 to %n {\n    %0: i64 = load %a0[%i0]\n" +
      "    %1: f32 = cast %0\n    %2: i64 = load %a1[%i0]\n    %3: f32 = cast %2\n" +
      "    %4: f32 = constant 0.75\n" + body + stores + "  }\n}\n";
  expect_agreement(text, {}, {0, 1, 3, 4, 5, 8, 17, 18, 70}, kTame);
}

TEST_P(EveryWriter, AgreesOnRandomKernels) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(
        RandomKernel(seed).text(3 + static_cast<int>(seed % 37)), {}, {0, 1, 6, 8, 27, 70}));
  }
}

TEST_P(EveryWriter, AgreesOnLongRandomKernels) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(
        expect_agreement(RandomKernel(seed).text(12), {}, {1023, 1024, 1025, 2100}));
  }
}

TEST_P(EveryWriter, AgreesOnRandomRows) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomKernel(seed).rows(1 + static_cast<int>(seed % 9));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {1 + seed % 40}, {0, 1, 2, 13, 33, 70}));
  }
}

TEST_P(EveryWriter, AgreesOnRandomScans) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomKernel(seed).scans(static_cast<int>(seed % 9));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {1 + seed % 40}, {0, 1, 2, 13, 33, 70}));
  }
}

// Nothing is repeated for its rows then, and many ops share few buffers.
TEST_P(EveryWriter, AgreesOnRandomRowsOfATileEach) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomKernel(seed).rows(4 + static_cast<int>(seed % 15));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {2}, {520}));
  }
}

TEST_P(EveryWriter, AgreesOnRandomRowsBeyondATileOrABlock) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomKernel(seed).rows(2 + static_cast<int>(seed % 4));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {1100}, {2, 3}));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {3}, {400, 600, 1100}));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text, {2}, {4096, 4100}));
  }
}

TEST_P(EveryWriter, TransposesInPieces) {
  const std::string text = R"(
kernel %k(%x: *f32[1,*], %b: *f32[*,0], %y: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = load %b[%i0]
    loop %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      %2: f32 = mul %1, %0
      store %y[%i0, %i1], %2
    }
  }
}
)";
  for (int64_t rows : {1, 31, 32, 33, 100}) expect_agreement(text, {rows}, {0, 1, 31, 32, 33, 100});
}

// Row values that ops need again after others have used them.
TEST_P(EveryWriter, KeepsWhatIsRepeatedAlongARow) {
  const std::string text = R"(
kernel %k(%m: *bool[*,0], %s: *f32[*,0], %x: *f32[*,1], %y: *f32[*,1], %z: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    loop %i1 = 0 to %n1 {
      %0: bool = load %m[%i0]
      %1: f32 = load %x[%i0, %i1]
      %2: f32 = constant 0.0
      %3: f32 = where %0, %1, %2
      %4: bool = gt %3, %2
      %5: f32 = constant 0.1
      %6: f32 = mul %3, %5
      %7: f32 = where %4, %3, %6
      %8: f32 = where %0, %7, %2
      store %y[%i0, %i1], %8
      %9: f32 = load %s[%i0]
      %10: f32 = exp %9
      %11: f32 = mul %1, %10
      %12: f32 = neg %11
      %13: f32 = mul %12, %1
      %14: f32 = add %13, %10
      %15: f32 = sub %14, %12
      store %z[%i0, %i1], %15
    }
  }
}
)";
  for (int64_t rows : {1, 2, 5}) expect_agreement(text, {rows}, {1, 3, 512, 513, 700, 2100}, kTame);
}

TEST_P(EveryWriter, MixesLoopsOfDifferentDepth) {
  expect_agreement(R"(
kernel %k(%x: *f32[*,*,1], %y: *f32[*,1,0], %z: *f32[*,*,1], %n0: i64, %n1: i64, %n2: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %y[%i0, %i1]
      yield %1
    }
    loop %i1 = 0 to %n1 {
      %2: f32 = load %y[%i0, %i1]
      %3: f32 = div %2, %0
      loop %i2 = 0 to %n2 {
        %4: f32 = load %x[%i0, %i1, %i2]
        %5: f32 = mul %4, %3
        %6: f32 = neg %0
        %7: f32 = add %5, %6
        store %z[%i0, %i1, %i2], %7
      }
    }
  }
}
)",
                   {3, 7}, {0, 1, 5, 300, 1100}, kTame);
}

// Every load comes before the stores, whatever memory they share.
TEST_P(EveryWriter, SwapsTwoBuffers) {
  const Kernel kernel = parse(R"(
kernel %k(%a: *f32[1], %b: *f32[1], %c: *f32[1], %d: *f32[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %a[%i0]
    %1: f32 = load %b[%i0]
    %2: f32 = neg %0
    store %c[%i0], %1
    store %d[%i0], %0
  }
}
)");
  const auto compiled = writer_->compile(kernel, nullptr);
  std::vector<float> a(2000, 1), b(2000, 2);
  const uint64_t address_a = reinterpret_cast<uint64_t>(a.data()),
                 address_b = reinterpret_cast<uint64_t>(b.data());
  const uint64_t args[] = {address_a, 1, address_b, 1, address_a, 1, address_b, 1, 2000};
  compiled->run(args, 0, 2000);
  EXPECT_EQ(a, std::vector<float>(2000, 2));
  EXPECT_EQ(b, std::vector<float>(2000, 1));
}

// A row's value is read before the row's loop replaces it.
TEST_P(EveryWriter, KeepsARowsValueWhileItsMemoryIsWritten) {
  const Kernel kernel = parse(R"(
kernel %k(%a: *f32[*,*], %y: *f32[*,*], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %a[%i0, %i1]
      %2: f32 = neg %1
      store %y[%i0, %i1], %2
      yield %1
    }
    loop %i1 = 0 to %n1 {
      %3: f32 = load %a[%i0, %i1]
      %4: f32 = add %3, %0
      store %y[%i0, %i1], %4
    }
  }
}
)");
  const auto compiled = writer_->compile(kernel, nullptr);
  for (const int64_t columns : {3, 1500}) {
    std::vector<float> made(static_cast<size_t>(4 * columns), 1.5f), expected = made;
    const auto args = [columns](const std::vector<float>& x) {
      const uint64_t address = reinterpret_cast<uint64_t>(x.data());
      const uint64_t stride = static_cast<uint64_t>(columns);
      return std::vector<uint64_t>{address, stride, 1, address, stride, 1, 4, stride};
    };
    compiled->run(args(made).data(), 0, 4);
    interpret(kernel, args(expected).data(), 0, 4);
    EXPECT_EQ(made, expected);
  }
}

TEST_P(EveryWriter, PutsInOrder) {
  const Kernel kernel = parse(R"(
kernel %k(%x: *f32[1], %p: *i64[1], %y: *f32[0], %z: *f32[0], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %x[%i0]
    %1: i64 = load %p[%i0]
    put %y[] at %1, %0
    put add %z[] at %1, %0
  }
}
)");
  const auto compiled = writer_->compile(kernel, nullptr);
  const float x[] = {1e8f, 1, 1, -1e8f, 2, 3, 5, 7, 11};
  const int64_t p[] = {2, 2, 2, 2, 0, 0, 0, 1, 0};
  std::vector<float> y(4, -1), z(4, 0.5f);
  const auto address = [](const auto* data) { return reinterpret_cast<uint64_t>(data); };
  const uint64_t args[] = {address(x),        1, address(p), 1, address(y.data()), 0,
                           address(z.data()), 0, 9};
  compiled->run(args, 0, 9);
  EXPECT_EQ(y, (std::vector<float>{11, 7, -1e8f, -1}));
  EXPECT_EQ(z, (std::vector<float>{21.5f, 7.5f, 0, 0.5f}));
}

TEST_P(EveryWriter, TakesAnyByteButZeroForTrue) {
  const Kernel kernel = parse(R"(
kernel %k(%a: *bool[1], %y: *bool[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: bool = load %a[%i0]
    store %y[%i0], %0
  }
}
)");
  const auto compiled = writer_->compile(kernel, nullptr);
  const uint8_t a[] = {0, 1, 2, 255};
  uint8_t y[] = {9, 9, 9, 9};
  const uint64_t args[] = {reinterpret_cast<uint64_t>(a), 1, reinterpret_cast<uint64_t>(y), 1, 4};
  compiled->run(args, 0, 4);
  EXPECT_EQ(std::vector<uint8_t>(y, y + 4), (std::vector<uint8_t>{0, 1, 1, 1}));
}

}  // namespace
}  // namespace frit::codegen

// What writers compute: elementwise ops, reductions, and random kernels.
#include "src/ops/op.h"
#include "src/ops/reference/apply_scalar.h"
#include "tests/codegen/every_writer.h"
#include "tests/codegen/kernel_texts.h"
#include "tests/codegen/random_kernel.h"
#include "tests/sample.h"

namespace frit::codegen {
namespace {

INSTANTIATE_TEST_SUITE_P(Writers, EveryWriter, every_way(), name_of_way);

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
  step *= static_cast<Bits>(sample_step());
  std::vector<Bits> x((1 << 17) / sample_step()), y(x.size());
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

}  // namespace
}  // namespace frit::codegen

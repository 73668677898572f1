// The C++ writer on every kind of statement and every dtype that it may have: its source, compiled
// by the system's compiler, gives the bits of the kernel interpreter.
//
// Many statements share a kernel, since each kernel is a run of the compiler.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/codegen/cpp_writer.h"
#include "src/ops/op.h"
#include "src/ops/reference/apply_scalar.h"
#include "tests/codegen/compiler_command.h"
#include "tests/codegen/kernel_case.h"

namespace frit::codegen {
namespace {

constexpr Op kScans[] = {Op::cumsum, Op::cumprod, Op::cummax, Op::cummin, Op::logcumsumexp};

std::string disagreement_of(const std::string& text, const CaseOptions& options) {
  const Kernel kernel = Kernel::parse(text);
  const std::string broken = kernel.verify();
  if (!broken.empty()) return broken + "\n" + text;
  return disagreement(*new_cpp_writer(compiler_command()), kernel, options);
}

// A kernel of rank 1 that is put together from statements.
class Builder {
 public:
  explicit Builder(Dtype dtype) : type_(name(dtype)) {}

  std::string type() const { return type_; }
  // Gives the new value's name.
  std::string add(const std::string& type, const std::string& statement) {
    const std::string id = "%" + std::to_string(next_id_++);
    body_ += "    " + id + ": " + type + " = " + statement + "\n";
    return id;
  }
  std::string load(const std::string& type, const std::string& access = "1") {
    const std::string buffer = param(type, access);
    return add(type, "load " + buffer + (access == "0" ? "[]" : "[%i0]"));
  }
  void store(const std::string& type, const std::string& value, const std::string& access = "1") {
    body_ += "    store " + param(type, access) + "[%i0], " + value + "\n";
  }
  void put(const std::string& how, const std::string& place, const std::string& value) {
    body_ += "    put " + how + param(type_, "0") + "[] at " + place + ", " + value + "\n";
  }
  // A buffer.
  std::string param(const std::string& type, const std::string& access) {
    const std::string buffer = "%b" + std::to_string(num_buffers_++);
    params_ += buffer + ": *" + type + "[" + access + "], ";
    return buffer;
  }
  std::string scalar() {
    const std::string name = "%s" + std::to_string(num_buffers_++);
    params_ += name + ": " + type_ + ", ";
    return name;
  }
  std::string text() const {
    return "kernel %k(" + params_ + "%n: i64) {\n  loop %i0 = 0 to %n {\n" + body_ + "  }\n}\n";
  }

 private:
  std::string type_, params_, body_;
  int next_id_ = 0, num_buffers_ = 0;
};

class CppWriterOn : public testing::TestWithParam<Dtype> {};

TEST_P(CppWriterOn, AgreesOnEveryElementwiseOp) {
  Builder b(GetParam());
  const std::string x = b.load(b.type()), y = b.load(b.type(), "*"), s = b.scalar();
  const std::string condition = b.load("bool");
  int ops = 0;
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementwise(op) || reference::scalar_fn(op, GetParam()) == nullptr) continue;
    const std::string result(name(reference::scalar_result(op, GetParam())));
    const std::string operands = op == Op::where          ? condition + ", " + x + ", " + y
                                 : info(op).operands == 1 ? x
                                 : info(op).operands == 2 ? x + ", " + y
                                                          : x + ", " + y + ", " + s;
    b.store(result, b.add(result, std::string(name(op)) + " " + operands));
    ++ops;
  }
  EXPECT_GT(ops, 5);
  EXPECT_EQ(disagreement_of(b.text(), {.sizes = {137}}), "");
}

TEST_P(CppWriterOn, AgreesOnLoadsTakesPutsAndCasts) {
  const Dtype dtype = GetParam();
  Builder b(dtype);
  const std::string place =
      b.add("i64", "bitwise_and " + b.load("i64") + ", " + b.add("i64", "constant 31"));
  for (const char* access : {"1", "*", "0", "-1"}) {
    const std::string x = b.load(b.type(), access);
    b.store(b.type(), x, access[0] == '0' ? "1" : access);
    b.put("", place, x);
    for (const char* how : {"add ", "mul ", "maximum ", "minimum "}) {
      const bool arithmetic = how[0] == 'a' || how[1] == 'u';
      if (!arithmetic || dtype != kBool) b.put(how, place, x);
    }
    for (int d = 0; d < kNumDtypes; ++d) {
      const std::string to(name(static_cast<Dtype>(d)));
      b.store(to, b.add(to, "cast " + x));
    }
  }
  b.store(b.type(), b.add(b.type(), "take " + b.param(b.type(), "0") + "[] at " + place));
  EXPECT_EQ(disagreement_of(b.text(), {.sizes = {137}}), "");
}

// Rows of reductions, then rows of scans that use them.
std::string rows(Dtype dtype) {
  const std::string type(name(dtype));
  const auto rows_of = [&](const std::string& loops, const std::string& params) {
    return "kernel %k(%x: *" + type + "[*,1], " + params + "%n0: i64, %n1: i64) {\n" +
           "  loop %i0 = 0 to %n0 {\n" + loops + "  }\n}\n";
  };
  const auto is_kernel = [&](const std::string& loops, const std::string& params) {
    return Kernel::parse(rows_of(loops, params)).verify().empty();
  };
  std::string loops, params;
  int id = 0;
  const auto value = [](int v) { return "%" + std::to_string(v); };
  for (const char* op : {"sum", "prod", "amax", "amin"}) {
    const std::string out = "%r" + std::to_string(id);
    const std::string more = "    " + value(id) + ": " + type + " = reduce " + op +
                             " %i1 = 0 to %n1 {\n      " + value(id + 1) + ": " + type +
                             " = load %x[%i0, %i1]\n      yield " + value(id + 1) +
                             "\n    }\n    store " + out + "[%i0], " + value(id) + "\n";
    const std::string param = out + ": *" + type + "[1,0], ";
    if (!is_kernel(loops + more, params + param)) continue;
    loops += more, params += param, id += 2;
  }
  for (const Op op : kScans) {
    const std::string out = "%r" + std::to_string(id);
    const std::string more = "    loop %i1 = 0 to %n1 {\n      " + value(id) + ": " + type +
                             " = load %x[%i0, %i1]\n      " + value(id + 1) + ": " + type +
                             " = scan " + std::string(name(op)) + " " + value(id) +
                             "\n      store " + out + "[%i0, %i1], " + value(id + 1) + "\n    }\n";
    const std::string param = out + ": *" + type + "[*,1], ";
    if (!is_kernel(loops + more, params + param)) continue;
    loops += more, params += param, id += 2;
  }
  return id == 0 ? "" : rows_of(loops, params);
}

TEST_P(CppWriterOn, AgreesOnReductionsAndScans) {
  const std::string text = rows(GetParam());
  const bool folds = !is_half(GetParam()) && !is_small_int(GetParam());
  ASSERT_EQ(!text.empty(), folds) << text;
  if (!folds) return;
  const auto compiled = new_cpp_writer(compiler_command())->compile(Kernel::parse(text), nullptr);
  ASSERT_NE(compiled, nullptr) << text;
  for (const int64_t n : {0, 1, 31, 33, 4100})
    EXPECT_EQ(disagreement(Kernel::parse(text), *compiled, {.sizes = {3, n}, .special = false}), "")
        << n;
}

INSTANTIATE_TEST_SUITE_P(Dtypes, CppWriterOn,
                         testing::Values(kFloat64, kFloat32, kInt64, kInt32, kInt16, kInt8, kUInt8,
                                         kBool),
                         [](const auto& info) { return std::string(name(info.param)); });

// The 16-bit floats are only moved and cast: kernels compute in f32.
class CppWriterOnHalves : public CppWriterOn {};
TEST_P(CppWriterOnHalves, AgreesOnLoadsTakesPutsAndCasts) {
  Builder b(GetParam());
  const std::string place =
      b.add("i64", "bitwise_and " + b.load("i64") + ", " + b.add("i64", "constant 31"));
  const std::string x = b.load(b.type(), "*");
  b.store(b.type(), x);
  b.put("", place, x);
  b.store("f32", b.add("f32", "cast " + x));
  b.store(b.type(), b.add(b.type(), "cast " + b.load("f32")));
  b.store(b.type(), b.add(b.type(), "take " + b.param(b.type(), "0") + "[] at " + place));
  EXPECT_EQ(disagreement_of(b.text(), {.sizes = {137}}), "");
}
INSTANTIATE_TEST_SUITE_P(Halves, CppWriterOnHalves, testing::Values(kBFloat16, kFloat16),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(CppWriter, AgreesOnLoopsInEachOther) {
  EXPECT_EQ(disagreement_of(R"(
kernel %k(%a: *f32[*,*,1], %b: *f32[*,0,-1], %d: *bool[1,0,0], %y: *f32[*,*,1], %r: *f32[*,*,0], %n0: i64, %n1: i64, %n2: i64) {
  loop %i0 = 0 to %n0 {
    %0: bool = load %d[%i0]
    loop %i1 = 0 to %n1 {
      %1: i64 = index %i1
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
                            {.sizes = {3, 5, 13}}),
            "");
}

}  // namespace
}  // namespace frit::codegen

// How writers read and write memory: by indices, in order, in place, transposed and repeated.
#include "src/ops/op.h"
#include "tests/codegen/every_writer.h"
#include "tests/codegen/kernel_texts.h"

namespace frit::codegen {
namespace {

INSTANTIATE_TEST_SUITE_P(Writers, EveryWriter, every_way(), name_of_way);

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

// Expressions: what they mean, and what is said about wrong ones.
#include "src/tools/expression.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>

#include "frit/tensor.h"
#include "src/ops/op.h"
#include "src/tensor/layout.h"
#include "tests/error_of.h"

namespace frit::tools {
namespace {

// Whether `name` stands in the text as a word.
bool names(const std::string& text, char name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !is_word(text[i - 1]);
    if (text[i] == name && starts && (i + 1 == text.size() || !is_word(text[i + 1]))) return true;
  }
  return false;
}

// With inputs x: f32[4,8] and y: f32[4,8], as far as the text names them.
Graph parse(const std::string& text) {
  const Layout* layout = intern_contiguous(kFloat32, kCPU, {4, 8});
  std::vector<NamedInput> inputs;
  for (char name : {'x', 'y'})
    if (names(text, name)) inputs.push_back({std::string(1, name), layout});
  return parse_expression(text, inputs);
}

// The ops in order, each with its operands.
std::string ops_of(const std::string& text) {
  std::string ops;
  for (const std::string& line : [&] {
         std::vector<std::string> lines;
         const std::string printed = parse(text).print();
         for (size_t at = 0; (at = printed.find(" = ", at)) != printed.npos; ++at)
           lines.push_back(printed.substr(at + 3, printed.find('\n', at) - at - 3));
         return lines;
       }())
    ops += (ops.empty() ? "" : "; ") + line;
  return ops;
}

std::string error(const std::string& text) {
  return error_of([&] { parse(text); });
}

TEST(Expression, BindsAsPythonDoes) {
  EXPECT_EQ(ops_of("x + y * 2"), "mul %y, 2; add %x, %0");
  EXPECT_EQ(ops_of("(x + y) * 2"), "add %x, %y; mul %0, 2");
  EXPECT_EQ(ops_of("x - y - 1"), "sub %x, %y; sub %0, 1");
  EXPECT_EQ(ops_of("-x ** 2"), "pow %x, 2; neg %0");
  EXPECT_EQ(ops_of("x ** -y ** 2"), "pow %y, 2; neg %0; pow %x, %1");
  EXPECT_EQ(ops_of("x + 1 < y"), "add %x, 1; lt %0, %y");
  EXPECT_EQ(ops_of("x // y / 2"), "floor_divide %x, %y; div %0, 2");
  EXPECT_EQ(ops_of("x<=y"), "le %x, %y");
  EXPECT_EQ(ops_of("x-1"), "sub %x, 1");
}

TEST(Expression, CallsTakeOperandsAndAttributes) {
  EXPECT_EQ(ops_of("softmax(x, dim=-1)"), "softmax %x {dim=-1}");
  EXPECT_EQ(ops_of("sum(x, dims=[0, -1], keepdim=true)"), "sum %x {dims=[0, -1], keepdim=true}");
  EXPECT_EQ(ops_of("sum(x, keepdim=true, dims=1)"), "sum %x {dims=[1], keepdim=true}");
  EXPECT_EQ(ops_of("sum(x)"), "sum %x {dims=[], keepdim=false}");
  EXPECT_EQ(ops_of("cast(x, dtype=f16)"), "cast %x {dtype=f16}");
  EXPECT_EQ(ops_of("where(x == y, x, 0.5)"), "eq %x, %y; where %0, %x, 0.5");
  EXPECT_EQ(ops_of("sort(x, dim=0)"), "sort %x {descending=false, dim=0}");
}

TEST(Expression, NumbersAreComputedWithHere) {
  EXPECT_EQ(ops_of("x * (2 * 3 - 1)"), "mul %x, 5");
  EXPECT_EQ(ops_of("x * (1 / 4)"), "mul %x, 0.25");
  EXPECT_EQ(ops_of("x * -2 ** 2"), "mul %x, -4.0");
  EXPECT_EQ(ops_of("x + 1e3"), "add %x, 1000.0");
  EXPECT_EQ(ops_of("x * 9007199254740993"), "mul %x, 9007199254740993");
  EXPECT_EQ(ops_of("x * (9007199254740992 + 1.0)"), "mul %x, 9007199254740992.0");
}

TEST(Expression, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_EQ(error("x + z"),
            "expression: line 1, column 5: no input 'z': give it as --z dtype[sizes]");
  EXPECT_EQ(error("x + foo(x)"),
            "expression: line 1, column 5: no op 'foo': `frit ops` lists those that there are");
  EXPECT_EQ(error("sum(x, dim=1)"),
            "expression: line 1, column 8: sum: no attribute 'dim': it has dims: list of integers, "
            "keepdim: true or false");
  EXPECT_EQ(error("softmax(x)"),
            "expression: line 1, column 1: softmax: attribute 'dim' (integer) is missing");
  EXPECT_EQ(error("softmax(x, dim=1.5)"),
            "expression: line 1, column 16: softmax: dim: expected a value: integer, found '1.5'");
  EXPECT_EQ(error("sum(x, dims=1, dims=0)"),
            "expression: line 1, column 16: sum: 'dims' is given twice");
  EXPECT_EQ(error("sum(x, dims=1, x)"),
            "expression: line 1, column 16: expected an attribute: operands come first, found 'x'");
  EXPECT_EQ(error("x @ y"),
            "expression: line 1, column 3: matmul(f32[4,8], f32[4,8]): inner dimensions differ: 8 "
            "and 4");
  EXPECT_EQ(error("(x + y"), "expression: line 1, column 7: expected ')', found the end");
  EXPECT_EQ(error("x y"),
            "expression: line 1, column 3: expected an operator or the end, found 'y'");
}

TEST(Expression, NeedsAnOpAndUsesEveryInput) {
  EXPECT_EQ(error("x"), "expression: line 1, column 1: no op is called");
  EXPECT_EQ(error("1 + 2"), "expression: line 1, column 1: no op is called");
  const NamedInput inputs[] = {{"unused", intern_contiguous(kFloat32, kCPU, {2})}};
  EXPECT_EQ(error_of([&] { parse_expression("sin(1)", inputs); }),
            "expression: input 'unused' is not used");
  EXPECT_EQ(error("nonzero(x)"),
            "expression: line 1, column 1: nonzero: the size of its result depends on values");
  EXPECT_EQ(error("store(x, y)"),
            "expression: line 1, column 1: store: has no result to go on with");
}

TEST(Expression, DeepNestingIsRefused) {
  constexpr int kDeep = 100'000;
  for (const char* piece : {"(", "-", "x**", "sin(", "x+("}) {
    std::string text;
    for (int i = 0; i < kDeep; ++i) text += piece;
    EXPECT_NE(error(text + "x").find("nested deeper than 200"), std::string::npos) << piece;
  }
}

TEST(Expression, TooManyOpsAreRefused) {
  std::string text = "x";
  for (int i = 0; i < 10'000; ++i) text += "+x";
  EXPECT_NE(error(text).find("more than 4096 ops"), std::string::npos);
}

TEST(Expression, TooManyAttributesAreRefused) {
  std::string text = "reshape(x, sizes=[1";
  for (int i = 0; i < 100; ++i) text += ",1";
  EXPECT_NE(error(text + "])").find("more than 48 values"), std::string::npos);
}

// Whatever an op is given, it is refused or has a result.
TEST(Expression, EveryOpWithAnyNumberOfNumbersAndTensors) {
  for (const OpInfo& op : all_ops()) {
    std::string attributes;
    for (const char* name : {"dim=0", "dims=1", "n=3", "k=1", "groups=1", "dtype=f32", "end=1",
                             "start=0", "step=1", "index=0", "offset=0"}) {
      for (const AttrSpec& spec : attr_specs(*op_named(op.name)))
        if (spec.name == std::string_view(name, std::strcspn(name, "=")))
          attributes += std::string(", ") + name;
    }
    for (int count = 1; count <= 6; ++count) {
      for (int mask = 0; mask < 1 << count; ++mask) {
        std::string operands;
        for (int i = 0; i < count; ++i)
          operands += std::string(i == 0 ? "" : ", ") + ((mask >> i & 1) ? "x" : "2");
        const std::string text = std::string(op.name) + "(" + operands + attributes + ") + x";
        const std::string what = error(text);
        EXPECT_TRUE(what == "no error" || what.starts_with("expression: line 1")) << text << what;
      }
    }
  }
}

TEST(Expression, RandomTextIsParsedOrRefused) {
  const std::vector<std::string> pieces = {
      "x",    "y",   "(",   ")",    "[", "]",   ",",   "=",    "+",    "-",
      "*",    "/",   "@",   "**",   "<", "sum", "dim", "dims", "1",    "2",
      "1e99", "inf", "nan", "true", "%", "->",  "\n",  "#",    "\x80", "softmax"};
  uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = 0; n < 12; ++n) {
      state = state * 1664525 + 1013904223;
      text += pieces[(state >> 8) % pieces.size()];
    }
    const std::string what = error(text);
    EXPECT_TRUE(what == "no error" || what.starts_with("expression: ")) << text << ": " << what;
  }
}

}  // namespace
}  // namespace frit::tools

// Types and scalars as text.
#include "src/graph/types.h"

#include <cmath>
#include <optional>

#include "frit/error.h"

namespace frit::graph {
namespace {

Dtype parse_dtype(base::Lexer& lexer) {
  if (lexer.peek().kind == base::TokenKind::kWord)
    for (int d = 0; d < kNumDtypes; ++d)
      if (lexer.accept(name(static_cast<Dtype>(d)))) return static_cast<Dtype>(d);
  lexer.fail("expected a dtype");
}

// Up to `close`, which stays.
Dims parse_ints(base::Lexer& lexer, std::string_view close) {
  Dims dims;
  if (lexer.at(close)) return dims;
  do {
    dims.push_back(lexer.expect_int());
  } while (lexer.accept(","));
  if (!lexer.at(close)) lexer.fail("expected '" + std::string(close) + "'");
  return dims;
}

// Takes "]" and the "{" of strides, which touches it: after a blank it is that of a graph's body.
bool accept_strides(base::Lexer& lexer) {
  const base::Token end = lexer.next();
  const bool touches = lexer.peek().line == end.line && lexer.peek().column == end.column + 1;
  return touches && lexer.accept("{");
}

// "@npu:0" after what does not lie on the CPU.
Device parse_device(base::Lexer& lexer) {
  if (!lexer.accept("@")) return kCPU;
  std::string name(lexer.expect_word());
  lexer.expect(":");
  return Device(name + ':' + std::to_string(lexer.expect_int()));
}

}  // namespace

std::string print_scalar(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return scalar.to_bool() ? "true" : "false";
    case Scalar::Kind::kInt:
      return std::to_string(scalar.to_int());
    case Scalar::Kind::kFloat:
      return base::print_double(scalar.to_double());
  }
  __builtin_unreachable();
}

bool at_scalar(const base::Lexer& lexer) {
  return lexer.peek().kind == base::TokenKind::kNumber || lexer.at("true") || lexer.at("false");
}

Scalar parse_scalar(base::Lexer& lexer) {
  if (lexer.accept("true")) return Scalar(true);
  if (lexer.accept("false")) return Scalar(false);
  int64_t integer;
  double real;
  if (lexer.peek().kind == base::TokenKind::kNumber) {
    const std::string_view text = lexer.peek().text;
    if (base::parse_int(text, &integer)) return lexer.next(), Scalar(integer);
    if (base::parse_double(text, &real)) return lexer.next(), Scalar(real);
  }
  lexer.fail("expected a number");
}

std::string_view scalar_type_name(Scalar::Kind kind) {
  constexpr std::string_view kNames[] = {"bool", "i64", "f64"};
  return kNames[static_cast<int>(kind)];
}

Type parse_type(base::Lexer& lexer) {
  const Dtype dtype = parse_dtype(lexer);
  Type type;
  if (!lexer.accept("[")) {
    for (Scalar::Kind kind : {Scalar::Kind::kBool, Scalar::Kind::kInt, Scalar::Kind::kFloat})
      if (scalar_type_name(kind) == name(dtype)) return type.scalar = kind, type;
    lexer.fail("expected '[': a scalar is f64, i64 or bool");
  }
  try {
    const Dims sizes = parse_ints(lexer, "]");
    std::optional<Dims> strides;
    if (accept_strides(lexer)) {
      strides = parse_ints(lexer, "}");
      lexer.expect("}");
      if (strides->rank != sizes.rank) lexer.fail("expected as many strides as sizes");
    }
    const Device device = parse_device(lexer);
    type.layout = strides ? intern_layout(dtype, device, sizes, *strides)
                          : intern_contiguous(dtype, device, sizes);
    return type;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kValue) throw;
    lexer.fail(error.what());
  }
}

Scalar any_scalar(Scalar::Kind kind) {
  switch (kind) {
    case Scalar::Kind::kBool:
      return Scalar(true);
    case Scalar::Kind::kInt:
      return Scalar(1);
    case Scalar::Kind::kFloat:
      return Scalar(1.0);
  }
  __builtin_unreachable();
}

}  // namespace frit::graph

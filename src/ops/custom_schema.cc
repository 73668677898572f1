// Reads schemas of registered ops: the part of PyTorch's language that custom_op.h lists.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <algorithm>

#include "src/base/lexer.h"
#include "src/ops/custom.h"

namespace frit::custom {
namespace {

// Runs of blanks as one, but in quotes, so that a schema broken over lines is the same one.
std::string squeezed(std::string_view text) {
  std::string result;
  char quote = 0;
  bool escaped = false;
  for (char c : text) {
    if (!escaped && (quote == 0 ? c == '"' || c == '\'' : c == quote)) quote = quote == 0 ? c : 0;
    escaped = quote != 0 && !escaped && c == '\\';
    const bool blank = quote == 0 && (c == ' ' || c == '\n' || c == '\t');
    if (!blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

class SchemaParser {
 public:
  explicit SchemaParser(std::string text)
      : what_("register_op(" + text + ")"), lexer_(text_of(std::move(text)), what_) {}

  Schema parse() {
    parse_name();
    parse_args();
    lexer_.expect("->");
    parse_returns();
    if (!lexer_.at_end()) lexer_.fail("expected the end");
    check_counts();
    return std::move(schema_);
  }

 private:
  std::string_view text_of(std::string text) {
    schema_.text = std::move(text);
    return schema_.text;
  }

  void parse_name() {
    const std::string space(lexer_.expect_word());
    lexer_.expect(":");
    lexer_.expect(":");
    schema_.name = space + "::" + std::string(lexer_.expect_word());
  }

  void parse_args() {
    lexer_.expect("(");
    bool keyword_only = false;
    while (!lexer_.accept(")")) {
      if (!schema_.args.empty() || keyword_only) lexer_.expect(",");
      if (lexer_.accept("*")) {
        if (keyword_only) lexer_.fail("a second *");
        keyword_only = true;
        if (schema_.args.empty()) continue;
        lexer_.expect(",");
      }
      ArgSpec arg = parse_arg();
      arg.keyword_only = keyword_only;
      add(std::move(arg));
    }
  }

  void add(ArgSpec arg) {
    const auto same = [&](const ArgSpec& other) { return other.name == arg.name; };
    if (std::any_of(schema_.args.begin(), schema_.args.end(), same))
      lexer_.fail("the argument " + arg.name + " is there twice");
    if (schema_.args.size() == kMaxArgs)
      lexer_.fail("more than " + std::to_string(kMaxArgs) + " arguments");
    const bool follows_default = !schema_.args.empty() && schema_.args.back().has_default;
    if (follows_default && !arg.has_default && !arg.keyword_only)
      lexer_.fail("the argument " + arg.name + " has no default, but one before it has");
    arg.place = is_operand(arg.kind) ? schema_.num_operands++ : schema_.num_attrs++;
    if (arg.kind == ArgKind::kTensors) {
      if (schema_.list >= 0) lexer_.fail("a second Tensor[]");
      schema_.list = arg.place;
    }
    if (arg.mutated) schema_.mutated.push_back(static_cast<int>(schema_.args.size()));
    schema_.args.push_back(std::move(arg));
  }

  // "(a!)" behind Tensor; an alias that is not written to would be a view.
  void parse_alias(ArgSpec* arg) {
    if (!lexer_.accept("(")) return;
    arg->alias = lexer_.expect_word();
    if (!lexer_.at("!"))
      lexer_.fail("expected '!': results that are views are not supported: give a copy");
    lexer_.next();
    lexer_.expect(")");
    arg->mutated = true;
  }

  void parse_type(ArgSpec* arg) {
    const base::Token type = lexer_.peek();
    if (lexer_.accept("Tensor")) {
      parse_alias(arg);
      if (lexer_.accept("[")) {
        lexer_.expect("]");
        arg->kind = ArgKind::kTensors;
      } else if (lexer_.accept("?")) {
        arg->kind = ArgKind::kOptionalTensor;
      }
      if (arg->mutated && arg->kind != ArgKind::kTensor)
        lexer_.fail("a " + std::string(name_of(arg->kind)) +
                    " that is written to is not supported");
      return;
    }
    const auto one_or = [&](ArgKind plain, ArgKind optional) {
      arg->kind = lexer_.accept("?") ? optional : plain;
    };
    if (lexer_.accept("float")) {
      one_or(ArgKind::kFloat, ArgKind::kOptionalFloat);
    } else if (lexer_.accept("Scalar")) {
      arg->kind = ArgKind::kScalar;
    } else if (lexer_.accept("bool")) {
      one_or(ArgKind::kBool, ArgKind::kOptionalBool);
    } else if (lexer_.accept("str")) {
      arg->kind = ArgKind::kText;
    } else if (lexer_.accept("int") || lexer_.accept("SymInt")) {
      one_or(ArgKind::kInt, ArgKind::kOptionalInt);
      if (arg->kind == ArgKind::kInt && lexer_.accept("[")) {
        arg->kind = ArgKind::kInts;
        if (lexer_.peek().kind == base::TokenKind::kNumber) lexer_.next();
        lexer_.expect("]");
      }
    } else {
      lexer_.fail("expected Tensor, float, Scalar, int, int[], bool or str");
    }
    if (lexer_.at("?") || lexer_.at("["))
      lexer_.fail("of " + std::string(type.text) + " nothing else is supported");
  }

  ArgSpec parse_arg() {
    ArgSpec arg;
    parse_type(&arg);
    arg.name = lexer_.expect_word();
    if (!lexer_.accept("=")) return arg;
    arg.has_default = true;
    parse_default(&arg);
    return arg;
  }

  void parse_default(ArgSpec* arg) {
    switch (arg->kind) {
      case ArgKind::kTensor:
      case ArgKind::kTensors:
        lexer_.fail("a " + std::string(name_of(arg->kind)) + " has no default");
      case ArgKind::kOptionalTensor:
        lexer_.expect("None");
        return;
      case ArgKind::kOptionalFloat:
        arg->number = Scalar(false);
        if (lexer_.accept("None")) return;
        [[fallthrough]];
      case ArgKind::kFloat:
        arg->number = Scalar(parse_number().to_double());
        return;
      case ArgKind::kOptionalInt:
        if (!lexer_.accept("None")) arg->ints = {lexer_.expect_int()};
        return;
      case ArgKind::kOptionalBool:
        if (!lexer_.accept("None")) arg->ints = {parse_bool()};
        return;
      case ArgKind::kText:
        arg->ints = packed_text(lexer_.expect_text());
        return;
      case ArgKind::kScalar:
        arg->number = parse_number();
        return;
      case ArgKind::kInt:
        arg->number = Scalar(lexer_.expect_int());
        return;
      case ArgKind::kBool:
        arg->number = Scalar(parse_bool());
        return;
      case ArgKind::kInts:
        arg->ints = parse_ints();
        return;
    }
  }

  bool parse_bool() {
    if (lexer_.accept("True") || lexer_.accept("true")) return true;
    if (lexer_.accept("False") || lexer_.accept("false")) return false;
    lexer_.fail("expected True or False");
  }

  Scalar parse_number() {
    const std::string_view word = lexer_.peek().text;
    if (word == "True" || word == "False") return Scalar(parse_bool());
    int64_t integer;
    double real;
    const std::string_view text = lexer_.peek().text;
    if (lexer_.peek().kind == base::TokenKind::kNumber) {
      if (base::parse_int(text, &integer)) return lexer_.next(), Scalar(integer);
      if (base::parse_double(text, &real)) return lexer_.next(), Scalar(real);
    }
    lexer_.fail("expected a number");
  }

  std::vector<int64_t> parse_ints() {
    std::vector<int64_t> list;
    lexer_.expect("[");
    while (!lexer_.accept("]")) {
      if (!list.empty()) lexer_.expect(",");
      list.push_back(lexer_.expect_int());
    }
    return list;
  }

  void parse_returns() {
    if (!lexer_.accept("(")) return parse_return();
    while (!lexer_.accept(")")) {
      if (!schema_.returns.empty()) lexer_.expect(",");
      parse_return();
    }
  }

  void parse_return() {
    ArgSpec result;
    if (!lexer_.at("Tensor"))
      lexer_.fail("expected Tensor: results of other kinds are not supported");
    parse_type(&result);
    if (result.kind != ArgKind::kTensor)
      lexer_.fail("a result of type " + std::string(name_of(result.kind)) + " is not supported");
    if (lexer_.peek().kind == base::TokenKind::kWord) lexer_.next();  // its name
    schema_.returns.push_back(result.mutated ? argument_of(result.alias) : -1);
  }

  int argument_of(const std::string& alias) {
    for (int i : schema_.mutated)
      if (schema_.args[static_cast<size_t>(i)].alias == alias) return i;
    lexer_.fail("no argument is Tensor(" + alias + "!)");
  }

  void check_counts() {
    if (static_cast<int>(schema_.mutated.size()) + schema_.num_new() > kMaxResults)
      lexer_.fail("more than " + std::to_string(kMaxResults) +
                  " results and operands that are written to");
  }

  Schema schema_;
  std::string what_;
  base::Lexer lexer_;
};

}  // namespace

std::string_view name_of(ArgKind kind) {
  constexpr std::string_view kNames[] = {"Tensor", "Tensor?", "Tensor[]", "float",
                                         "float?", "Scalar",  "int",      "int?",
                                         "int[]",  "bool",    "bool?",    "str"};
  return kNames[static_cast<size_t>(kind)];
}

AttrKind attr_kind(ArgKind kind) {
  if (kind == ArgKind::kText) return AttrKind::kText;
  if (kind == ArgKind::kInt) return AttrKind::kInt;
  return kind == ArgKind::kBool ? AttrKind::kBool : AttrKind::kInts;
}

Schema::Range Schema::operands_of(const ArgSpec& arg, size_t count) const {
  const auto place = static_cast<size_t>(arg.place);
  if (list < 0 || arg.place < list) return {place, 1};
  const size_t listed = count + 1 - static_cast<size_t>(num_operands);
  if (arg.place == list) return {place, listed};
  return {place + listed - 1, 1};
}

int Schema::num_new() const {
  return static_cast<int>(std::count(returns.begin(), returns.end(), -1));
}

Schema parse_schema(std::string_view text) { return SchemaParser(squeezed(text)).parse(); }

}  // namespace frit::custom

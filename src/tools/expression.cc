// A recursive descent parser whose values are those of the graph that it builds.
#include "src/tools/expression.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "frit/error.h"
#include "src/base/lexer.h"
#include "src/graph/types.h"
#include "src/ops/attrs.h"

namespace frit::tools {
namespace {

using base::Token;
using base::TokenKind;
using Operand = Graph::Operand;

constexpr int kMaxDepth = 200;
constexpr size_t kMaxOps = 4096;

struct BinaryOperator {
  std::string_view text;
  int precedence;  // of ** none: it binds to the right, see power()
  Op op;
};
// Longer texts before those that they begin with.
constexpr BinaryOperator kOperators[] = {
    {"==", 1, Op::eq},        {"!=", 1, Op::ne},         {"<=", 1, Op::le},
    {">=", 1, Op::ge},        {"<", 1, Op::lt},          {">", 1, Op::gt},
    {"|", 2, Op::bitwise_or}, {"^", 3, Op::bitwise_xor}, {"&", 4, Op::bitwise_and},
    {"+", 5, Op::add},        {"-", 5, Op::sub},         {"//", 6, Op::floor_divide},
    {"*", 6, Op::mul},        {"/", 6, Op::div},         {"@", 6, Op::matmul},
};

std::string_view kind_name(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt:
      return "integer";
    case AttrKind::kInts:
      return "list of integers";
    case AttrKind::kText:
      return "text in quotes";
    case AttrKind::kBool:
      return "true or false";
    case AttrKind::kDtype:
      return "dtype";
  }
  __builtin_unreachable();
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// " (keepdim: true or false, dims: list of integers)"
std::string describe_attributes(Op op) {
  std::string text;
  for (const AttrSpec& spec : attr_specs(op))
    text += (text.empty() ? "" : ", ") + std::string(spec.name) + ": " +
            std::string(kind_name(spec.kind));
  return text.empty() ? "it has none" : "it has " + text;
}

// What two numbers give, where Python's rules are plain: an integer where both are and it is exact.
std::optional<Scalar> fold(Op op, const Scalar& a, const Scalar& b) {
  const double x = a.to_double(), y = b.to_double();
  double result;
  if (op == Op::add) {
    result = x + y;
  } else if (op == Op::sub) {
    result = x - y;
  } else if (op == Op::mul) {
    result = x * y;
  } else if (op == Op::div) {
    return Scalar(x / y);
  } else if (op == Op::pow) {
    return Scalar(std::pow(x, y));
  } else {
    return std::nullopt;
  }
  const bool exact = !a.is_float() && !b.is_float() && std::abs(result) < 0x1p53;
  return exact ? Scalar(static_cast<int64_t>(result)) : Scalar(result);
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const NamedInput> inputs)
      : lexer_(text, "expression", base::Signs::kOperators), graph_("expression") {
    for (const NamedInput& input : inputs)
      inputs_[input.name] = graph_.add_input(input.name, input.layout);
  }

  Graph parse() {
    const Token start = lexer_.peek();
    const Operand result = binary(1);
    if (!lexer_.at_end()) lexer_.fail("expected an operator or the end");
    if (!result.is_value() || graph_.is_input(result.value))
      lexer_.fail_at(start, ErrorKind::kValue, "no op is called");
    graph_.set_outputs({result.value});
    check_inputs_used();
    return std::move(graph_);
  }

 private:
  // Counts how deep the parser's own calls are nested.
  class Depth {
   public:
    explicit Depth(Parser* parser) : depth_(parser->depth_) {
      if (++depth_ > kMaxDepth)
        parser->lexer_.fail("nested deeper than " + std::to_string(kMaxDepth));
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;

   private:
    int& depth_;
  };

  void check_inputs_used() const {
    std::vector<bool> used(static_cast<size_t>(graph_.num_values()));
    for (const Graph::Node& node : graph_.nodes())
      for (const Operand& operand : node.operands)
        if (operand.is_value()) used[operand.value] = true;
    for (const auto& [name, value] : inputs_)
      if (!used[value])
        throw Error(ErrorKind::kValue, "expression: input " + quoted(name) + " is not used");
  }

  // Takes `text`, whose characters touch.
  bool accept_operator(std::string_view text) {
    base::Lexer ahead = lexer_;
    for (size_t i = 0; i < text.size(); ++i) {
      const Token token = ahead.peek();
      if (!ahead.accept(text.substr(i, 1))) return false;
      const bool touches = i == 0 || token.column == last_column_ + 1;
      if (!touches) return false;
      last_column_ = token.column;
    }
    lexer_ = ahead;
    return true;
  }

  const BinaryOperator* accept_binary(int least) {
    for (const BinaryOperator& candidate : kOperators)
      if (candidate.precedence >= least && accept_operator(candidate.text)) return &candidate;
    return nullptr;
  }

  Operand binary(int least) {
    const Depth depth(this);
    Operand left = unary();
    for (;;) {
      const Token at = lexer_.peek();
      const BinaryOperator* found = accept_binary(least);
      if (found == nullptr) return left;
      const Operand right = binary(found->precedence + 1);
      left = apply(found->op, at, {left, right}, {});
    }
  }

  Operand unary() {
    const Depth depth(this);
    const Token at = lexer_.peek();
    if (!lexer_.accept("-")) return power();
    const Operand operand = unary();
    if (operand.is_value()) return apply(Op::neg, at, {operand}, {});
    return {-1, operand.literal.is_float() ? Scalar(-operand.literal.to_double())
                                           : Scalar(-operand.literal.to_int())};
  }

  Operand power() {
    const Operand base = primary();
    const Token at = lexer_.peek();
    if (!accept_operator("**")) return base;
    return apply(Op::pow, at, {base, unary()}, {});
  }

  Operand primary() {
    if (graph::at_scalar(lexer_)) return {-1, graph::parse_scalar(lexer_)};
    if (lexer_.accept("(")) {
      const Operand inner = binary(1);
      lexer_.expect(")");
      return inner;
    }
    if (lexer_.peek().kind != TokenKind::kWord)
      lexer_.fail("expected an input, a number, an op or '('");
    const Token name = lexer_.next();
    if (lexer_.accept("(")) return call(name);
    const auto known = inputs_.find(name.text);
    if (known == inputs_.end())
      lexer_.fail_at(name, ErrorKind::kValue,
                     "no input " + quoted(name.text) + ": give it as --" + std::string(name.text) +
                         " dtype[sizes]");
    return {known->second, {}};
  }

  // The opening bracket has been taken.
  Operand call(const Token& name) {
    const std::optional<Op> op = op_named(name.text);
    if (!op)
      lexer_.fail_at(name, ErrorKind::kValue,
                     "no op " + quoted(name.text) + ": `frit ops` lists those that there are");
    std::vector<Operand> operands;
    std::map<std::string_view, std::vector<int64_t>> given;  // flat, by attribute
    while (!lexer_.accept(")")) {
      if (!operands.empty() || !given.empty()) lexer_.expect(",");
      if (at_attribute()) {
        parse_attribute(*op, &given);
      } else if (given.empty()) {
        operands.push_back(binary(1));
      } else {
        lexer_.fail("expected an attribute: operands come first");
      }
    }
    return apply(*op, name, std::move(operands), flat_attributes(*op, name, given));
  }

  // Whether `name =` comes, and not `name ==`.
  bool at_attribute() const {
    base::Lexer ahead = lexer_;
    if (ahead.next().kind != TokenKind::kWord || !ahead.accept("=")) return false;
    return !ahead.at("=");
  }

  void parse_attribute(Op op, std::map<std::string_view, std::vector<int64_t>>* given) {
    const Token name = lexer_.next();
    const auto specs = attr_specs(op);
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const AttrSpec& s) { return s.name == name.text; });
    const std::string of = std::string(frit::name(op)) + ": ";
    if (spec == specs.end())
      lexer_.fail_at(name, ErrorKind::kValue,
                     of + "no attribute " + quoted(name.text) + ": " + describe_attributes(op));
    lexer_.expect("=");
    if (!given->emplace(spec->name, parse_value(of + std::string(spec->name), spec->kind)).second)
      lexer_.fail_at(name, ErrorKind::kValue, of + quoted(name.text) + " is given twice");
  }

  std::vector<int64_t> parse_value(const std::string& what, AttrKind kind) {
    const std::string expected = what + ": expected a value: " + std::string(kind_name(kind));
    switch (kind) {
      case AttrKind::kBool:
        if (lexer_.accept("true")) return {1};
        if (lexer_.accept("false")) return {0};
        lexer_.fail(expected);
      case AttrKind::kDtype:
        for (int d = 0; d < kNumDtypes; ++d)
          if (lexer_.accept(frit::name(static_cast<Dtype>(d)))) return {d};
        lexer_.fail(expected);
      case AttrKind::kInt:
        return {parse_int(expected)};
      case AttrKind::kInts:
        return parse_list(expected);
      case AttrKind::kText:
        return parse_text();
    }
    __builtin_unreachable();
  }

  int64_t parse_int(const std::string& expected) {
    const bool negative = lexer_.accept("-");
    int64_t value;
    if (lexer_.peek().kind != TokenKind::kNumber || !base::parse_int(lexer_.peek().text, &value))
      lexer_.fail(expected);
    lexer_.next();
    return negative ? -value : value;
  }

  // A list's length and its values. A single integer is a list of one.
  std::vector<int64_t> parse_list(const std::string& expected) {
    if (!lexer_.accept("[")) return {1, parse_int(expected)};
    std::vector<int64_t> flat = {0};
    while (!lexer_.accept("]")) {
      if (flat.size() > 1) lexer_.expect(",");
      flat.push_back(parse_int(expected));
      ++flat[0];
    }
    return flat;
  }

  std::vector<int64_t> parse_text() {
    std::vector<int64_t> flat = packed_text(lexer_.expect_text());
    flat.insert(flat.begin(), static_cast<int64_t>(flat.size()));
    return flat;
  }

  std::vector<int64_t> flat_attributes(
      Op op, const Token& at, const std::map<std::string_view, std::vector<int64_t>>& given) const {
    std::vector<int64_t> flat;
    for (const AttrSpec& spec : attr_specs(op)) {
      const auto found = given.find(spec.name);
      if (found != given.end()) {
        flat.insert(flat.end(), found->second.begin(), found->second.end());
      } else if (spec.kind == AttrKind::kBool || spec.kind == AttrKind::kInts) {
        flat.push_back(0);
      } else {
        lexer_.fail_at(at, ErrorKind::kValue,
                       std::string(name(op)) + ": attribute " + quoted(spec.name) + " (" +
                           std::string(kind_name(spec.kind)) + ") is missing");
      }
    }
    if (flat.size() > Attrs::kCapacity)
      lexer_.fail_at(at, ErrorKind::kValue,
                     std::string(name(op)) + ": more than " + std::to_string(Attrs::kCapacity) +
                         " values of attributes");
    return flat;
  }

  Operand apply(Op op, const Token& at, std::vector<Operand> operands, std::vector<int64_t> attrs) {
    const bool numbers = operands.size() == 2 && !operands[0].is_value() && !operands[1].is_value();
    if (numbers)
      if (const auto folded = fold(op, operands[0].literal, operands[1].literal))
        return {-1, *folded};
    if (graph_.nodes().size() == kMaxOps)
      lexer_.fail_at(at, ErrorKind::kValue, "more than " + std::to_string(kMaxOps) + " ops");
    const std::string text(name(op));
    if (info(op).results == 0)
      lexer_.fail_at(at, ErrorKind::kValue, text + ": has no result to go on with");
    std::vector<Graph::ValueId> results;
    try {
      results = graph_.add_node(op, std::move(operands), std::move(attrs));
    } catch (const Error& error) {
      lexer_.fail_at(at, error.kind(), error.what());
    }
    if (results.empty())
      lexer_.fail_at(at, ErrorKind::kValue, text + ": the size of its result depends on values");
    return {results[0], {}};
  }

  base::Lexer lexer_;
  Graph graph_;
  std::map<std::string, Graph::ValueId, std::less<>> inputs_;
  int depth_ = 0;
  int last_column_ = 0;  // of the operator's character taken last
};

}  // namespace

Graph parse_expression(std::string_view text, std::span<const NamedInput> inputs) {
  return Parser(text, inputs).parse();
}

}  // namespace frit::tools

// Parses the text form of graphs. Types that the text states must be those that the ops' rules
// give.
#include <map>

#include "frit/error.h"
#include "frit/graph.h"
#include "src/graph/types.h"
#include "src/ops/attrs.h"

namespace frit {
namespace {

class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : lexer_(text, "graph") {}

  Graph parse() {
    lexer_.expect("graph");
    graph_.set_name(std::string(lexer_.expect_name()));
    parse_inputs();
    parse_output_types();
    lexer_.expect("{");
    while (!lexer_.at("return")) parse_node();
    parse_return();
    lexer_.expect("}");
    if (!lexer_.at_end()) lexer_.fail("expected the end");
    return std::move(graph_);
  }

 private:
  void define(std::string_view name, Graph::ValueId v) {
    if (!by_name_.emplace(std::string(name), v).second)
      lexer_.fail("%" + std::string(name) + " is defined twice");
  }

  Graph::ValueId use() {
    const auto it = by_name_.find(std::string(lexer_.peek().text));
    if (lexer_.peek().kind != base::TokenKind::kName || it == by_name_.end())
      lexer_.fail("expected a value defined before");
    lexer_.next();
    return it->second;
  }

  void parse_inputs() {
    lexer_.expect("(");
    if (lexer_.accept(")")) return;
    do {
      const std::string name(lexer_.expect_name());
      lexer_.expect(":");
      const graph::Type type = graph::parse_type(lexer_);
      define(name, type.layout ? graph_.add_input(name, type.layout)
                               : graph_.add_scalar_input(name, type.scalar));
    } while (lexer_.accept(","));
    lexer_.expect(")");
  }

  void parse_output_types() {
    if (!lexer_.accept("->")) return;
    do {
      output_types_.push_back(graph::parse_type(lexer_));
    } while (lexer_.accept(","));
  }

  Graph::Operand parse_operand() {
    Graph::Operand operand;
    if (graph::at_scalar(lexer_)) {
      operand.literal = graph::parse_scalar(lexer_);
    } else {
      operand.value = use();
    }
    return operand;
  }

  int64_t parse_attr_value(AttrKind kind) {
    if (kind == AttrKind::kBool) {
      if (lexer_.accept("true")) return 1;
      lexer_.expect("false");
      return 0;
    }
    if (kind == AttrKind::kInt) return lexer_.expect_int();
    for (int d = 0; d < kNumDtypes; ++d)
      if (lexer_.accept(name(static_cast<Dtype>(d)))) return d;
    lexer_.fail("expected a dtype");
  }

  Attrs parse_attrs(Op op) {
    Attrs attrs;
    if (attr_specs(op).empty()) return attrs;
    lexer_.expect("{");
    for (const AttrSpec& spec : attr_specs(op)) {
      if (&spec != attr_specs(op).data()) lexer_.expect(",");
      lexer_.expect(spec.name);
      lexer_.expect("=");
      if (spec.kind == AttrKind::kText) {
        attrs.add_list(packed_text(lexer_.expect_text()));
        continue;
      }
      if (spec.kind != AttrKind::kInts) {
        attrs.add(parse_attr_value(spec.kind));
        continue;
      }
      lexer_.expect("[");
      std::vector<int64_t> list;
      while (!lexer_.accept("]")) {
        if (!list.empty()) lexer_.expect(",");
        list.push_back(lexer_.expect_int());
      }
      attrs.add_list(list);
    }
    lexer_.expect("}");
    return attrs;
  }

  // relu, or mylib::scale_add.
  Op parse_op() {
    const base::Token start = lexer_.peek();
    std::string op_name(start.text);
    std::optional<Op> op = op_named(op_name);
    if (op || start.kind != base::TokenKind::kWord) {
      if (!op) lexer_.fail("expected an op");
      lexer_.next();
      return *op;
    }
    lexer_.next();
    if (!lexer_.accept(":"))
      lexer_.fail_at(start, ErrorKind::kValue, "expected an op, found '" + op_name + "'");
    lexer_.expect(":");
    op_name += "::" + std::string(lexer_.expect_word());
    op = op_named(op_name);
    if (!op)
      lexer_.fail_at(start, ErrorKind::kValue,
                     "unknown op " + op_name + ": register it, or load the plug-in that does");
    return *op;
  }

  void parse_node() {
    std::vector<std::string> names;
    std::vector<graph::Type> types;
    if (lexer_.peek().kind == base::TokenKind::kName) {
      do {
        names.emplace_back(lexer_.expect_name());
        lexer_.expect(":");
        types.push_back(graph::parse_type(lexer_));
      } while (lexer_.accept(","));
      lexer_.expect("=");
    }
    const Op op = parse_op();
    std::vector<Graph::Operand> operands;
    if (graph::at_scalar(lexer_) || lexer_.peek().kind == base::TokenKind::kName) {
      // A name after an op without operands would start the next line; every op but none has
      // operands.
      do {
        operands.push_back(parse_operand());
      } while (lexer_.accept(","));
    }
    add_node(op, std::move(operands), parse_attrs(op), names, types);
  }

  void add_node(Op op, std::vector<Graph::Operand> operands, const Attrs& attrs,
                const std::vector<std::string>& names, const std::vector<graph::Type>& types) {
    std::vector<Graph::ValueId> results;
    // What is made of no tensors lies where the text says.
    const bool stated = !types.empty() && types[0].layout != nullptr;
    const DefaultDeviceScope device(stated ? types[0].layout->device : kCPU);
    try {
      results = graph_.add_node(op, std::move(operands), attrs.flat().vec());
    } catch (const Error& error) {
      lexer_.fail(error.what());
    }
    if (results.size() != names.size())
      lexer_.fail(std::string(name(op)) + " has " + std::to_string(results.size()) + " results");
    for (size_t i = 0; i < results.size(); ++i) {
      if (graph_.layout(results[i]) != types[i].layout)
        lexer_.fail("%" + names[i] + " is " + to_string(*graph_.layout(results[i])) +
                    " by the rule of " + std::string(name(op)));
      define(names[i], results[i]);
    }
  }

  void parse_return() {
    lexer_.expect("return");
    std::vector<Graph::ValueId> outputs;
    if (lexer_.peek().kind == base::TokenKind::kName) {
      do {
        outputs.push_back(use());
      } while (lexer_.accept(","));
    }
    if (outputs.size() != output_types_.size())
      lexer_.fail("expected as many outputs as types after ->");
    for (size_t i = 0; i < outputs.size(); ++i)
      if (graph_.layout(outputs[i]) != output_types_[i].layout)
        lexer_.fail("output " + std::to_string(i) + " is not of the type after ->");
    graph_.set_outputs(std::move(outputs));
  }

  base::Lexer lexer_;
  Graph graph_;
  std::map<std::string, Graph::ValueId> by_name_;
  std::vector<graph::Type> output_types_;
};

}  // namespace

Graph Graph::parse(std::string_view text) { return GraphParser(text).parse(); }

}  // namespace frit

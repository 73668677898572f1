// The rewriter of Frit's passes for those of others: what breaks its rules is an error.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <algorithm>
#include <optional>
#include <utility>

#include "frit/error.h"
#include "frit/passes.h"
#include "src/normalize/rewriter.h"
#include "src/tensor/layout.h"

namespace frit {

using ValueId = Graph::ValueId;

struct GraphRewriter::State {
  explicit State(Graph& graph)
      : old(graph), rewriter(graph), uses(static_cast<size_t>(graph.num_values())) {
    for (const Graph::Node& node : graph.nodes())
      for (const Graph::Operand& o : node.operands)
        if (o.is_value()) ++uses[static_cast<size_t>(o.value)];
    for (const ValueId v : graph.outputs()) ++uses[static_cast<size_t>(v)];
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::kValue, "rewriter(%" + old.name() + "): " + problem);
  }
  void check_old(ValueId v) const {
    if (v < 0 || v >= old.num_values()) fail("no value: number " + std::to_string(v));
  }
  // An output is memory of its own.
  void copy_shared_outputs() {
    std::vector<std::pair<ValueId, ValueId>> seen;  // old, made
    for (const ValueId v : old.outputs()) {
      const ValueId made = rewriter.value(v);
      const bool twice = std::any_of(seen.begin(), seen.end(), [&](const auto& other) {
        return other.second == made && other.first != v;
      });
      const bool is_input = rewriter.graph()->is_input(made) && !old.is_input(v);
      if (twice || is_input)
        rewriter.replace(v, rewriter.graph()->add_node(Op::clone, {{made, {}}}, {})[0]);
      seen.emplace_back(v, rewriter.value(v));
    }
  }

  Graph& old;
  Rewriter rewriter;
  std::vector<int> uses;
  bool changed = false;
};

GraphRewriter::GraphRewriter(Graph& graph) : state_(std::make_unique<State>(graph)) {}
GraphRewriter::~GraphRewriter() = default;

int GraphRewriter::num_uses(ValueId value) const {
  state_->check_old(value);
  return state_->uses[static_cast<size_t>(value)];
}

const Graph::Node* GraphRewriter::only_use_of(std::string_view op, const Graph::Node& node,
                                              int i) const {
  if (i < 0 || i >= static_cast<int>(node.operands.size())) return nullptr;
  const ValueId v = node.operands[static_cast<size_t>(i)].value;
  const int def = v < 0 ? -1 : state_->old.def(v);
  if (def < 0 || num_uses(v) != 1) return nullptr;
  const Graph::Node& maker = state_->old.nodes()[static_cast<size_t>(def)];
  return name(maker.op) == op && maker.results.size() == 1 ? &maker : nullptr;
}

ValueId GraphRewriter::value(ValueId old) const {
  state_->check_old(old);
  if (!state_->rewriter.has(old))
    state_->fail(state_->old.value_name(old) + " was neither copied nor replaced, and is read");
  return state_->rewriter.value(old);
}

void GraphRewriter::copy(const Graph::Node& node) {
  for (const Graph::Operand& o : node.operands)
    if (o.is_value()) value(o.value);
  state_->rewriter.copy(node);
}

std::vector<ValueId> GraphRewriter::add(std::string_view op, std::vector<Graph::Operand> operands,
                                        std::vector<int64_t> attributes, std::string origin) {
  for (Graph::Operand& o : operands)
    if (o.is_value()) o.value = value(o.value);
  return add_new(op, std::move(operands), std::move(attributes), std::move(origin));
}

std::vector<ValueId> GraphRewriter::add_new(std::string_view op,
                                            std::vector<Graph::Operand> operands,
                                            std::vector<int64_t> attributes, std::string origin) {
  const std::optional<Op> found = op_named(op);
  if (!found) state_->fail("no such op: " + std::string(op));
  for (const Graph::Operand& o : operands)
    if (o.value >= made().num_values()) state_->fail("no value: number " + std::to_string(o.value));
  return state_->rewriter.graph()->add_node(*found, std::move(operands), std::move(attributes),
                                            std::move(origin));
}

void GraphRewriter::replace(ValueId old, ValueId made) {
  state_->check_old(old);
  const Graph &before = state_->old, &after = this->made();
  if (made < 0 || made >= after.num_values())
    state_->fail("no value: number " + std::to_string(made));
  const Layout *was = before.layout(old), *is = after.layout(made);
  const bool same = was == nullptr || is == nullptr
                        ? was == is
                        : was->dtype == is->dtype && was->sizes() == is->sizes();
  if (!same)
    state_->fail(before.value_name(old) + " is " + (was != nullptr ? to_string(*was) : "a number") +
                 ", what is to replace it is " + (is != nullptr ? to_string(*is) : "a number"));
  state_->rewriter.replace(old, made);
  state_->changed = true;
}

void GraphRewriter::replace_by(const Graph::Node& old, std::string_view op,
                               std::vector<Graph::Operand> operands,
                               std::vector<int64_t> attributes) {
  const std::vector<ValueId> results =
      add(op, std::move(operands), std::move(attributes), std::string(name(old.op)));
  if (results.size() != old.results.size())
    state_->fail(std::string(op) + " has " + std::to_string(results.size()) + " results, " +
                 std::string(name(old.op)) + " has " + std::to_string(old.results.size()));
  for (size_t i = 0; i < results.size(); ++i) replace(old.results[i], results[i]);
}

const Graph& GraphRewriter::made() const { return *state_->rewriter.graph(); }

bool GraphRewriter::finish() {
  for (const ValueId v : state_->old.outputs()) value(v);
  if (!state_->changed) return false;
  state_->copy_shared_outputs();
  state_->old = state_->rewriter.finish();
  return true;
}

}  // namespace frit

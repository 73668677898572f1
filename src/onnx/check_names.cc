// Checks that each name is defined once, and before it is used.
//
// A subgraph sees the names of the graphs around it that are defined before the node that holds it,
// and may not define them again. Branches beside one another do not see each other's names.
#include <string_view>
#include <unordered_set>

#include "src/onnx/fail.h"
#include "src/onnx/model.h"

namespace frit::onnx {
namespace {

using Names = std::unordered_set<std::string_view>;

// The names of one graph, and the way to those around it.
struct Scope {
  const Scope* outer;
  Names defined;     // up to where the check has come
  Names made_later;  // by nodes that the check has not come to
};

bool is_defined(const Scope* scope, std::string_view name) {
  for (; scope; scope = scope->outer)
    if (scope->defined.contains(name)) return true;
  return false;
}

bool is_made_later(const Scope* scope, std::string_view name) {
  for (; scope; scope = scope->outer)
    if (scope->made_later.contains(name)) return true;
  return false;
}

class NameChecker {
 public:
  explicit NameChecker(const std::string& path) : path_(path) {}

  void check(const GraphDef& graph, const Scope* outer) const {
    Scope scope{outer, {}, {}};
    for (const ValueInfo& input : graph.inputs) define(scope, input.name, "an input");
    for (const TensorDef& tensor : graph.initializers) define(scope, tensor.name, "an initializer");
    for (const NodeDef& node : graph.nodes)
      scope.made_later.insert(node.outputs.begin(), node.outputs.end());
    for (const NodeDef& node : graph.nodes) check_node(scope, node);
    for (const ValueInfo& output : graph.outputs)
      if (!is_defined(&scope, output.name))
        fail(path_, "undefined name: " + quoted(output.name) + " is an output of the graph");
  }

 private:
  void check_node(Scope& scope, const NodeDef& node) const {
    for (const std::string& input : node.inputs)
      if (!input.empty()) require(scope, input, node);
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* graph = std::get_if<std::shared_ptr<const GraphDef>>(&attribute))
        check(**graph, &scope);
    for (const std::string& output : node.outputs)
      if (!output.empty()) define(scope, output, "an output of " + describe(node));
  }

  void require(const Scope& scope, const std::string& name, const NodeDef& node) const {
    if (is_defined(&scope, name)) return;
    if (is_made_later(&scope, name))
      fail(path_, "nodes out of order, or in a cycle: " + describe(node) + " uses " + quoted(name) +
                      " before it is made");
    fail(path_, "undefined name: " + describe(node) + " uses " + quoted(name));
  }

  void define(Scope& scope, const std::string& name, const std::string& role) const {
    if (name.empty()) fail(path_, role + " has no name");
    if (is_defined(&scope, name))
      fail(path_, "duplicate name: " + quoted(name) + " is defined again as " + role);
    scope.defined.insert(name);
    scope.made_later.erase(name);
  }

  const std::string& path_;
};

}  // namespace

void check_names(const GraphDef& graph, const std::string& path) {
  NameChecker(path).check(graph, nullptr);
}

}  // namespace frit::onnx

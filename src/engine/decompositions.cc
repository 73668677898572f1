// Backends behind normalize, and what it decomposes for them.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <algorithm>
#include <utility>

#include "frit/error.h"
#include "src/engine/built_in_backends.h"

namespace frit {
namespace engine {

Expansions expansions_of(const Decompositions& decompositions, const std::string& call) {
  const auto found = [&](const char* list, const std::string& name) {
    if (const std::optional<Op> op = op_named(name)) return *op;
    throw Error(ErrorKind::kValue, call + "(" + list + "=" + name + "): no such op");
  };
  Expansions expansions;
  for (const std::string& name : decompositions.kept()) expansions.keep.insert(found("keep", name));
  for (const auto& [name, fn] : decompositions.own()) {
    const Op op = found("decompositions", name);
    const auto refuse = [&, &name = name](const char* problem) {
      throw Error(ErrorKind::kValue, call + "(decompositions=" + name + "): " + problem);
    };
    if (!fn) refuse("the function is empty");
    if (info(op).results != 1) refuse("only ops of one result can be decomposed");
    if (expansions.keep.contains(op)) refuse("it is to be kept as well");
    expansions.own.emplace(op, fn);
  }
  return expansions;
}

}  // namespace engine

std::vector<std::string> default_decompositions() {
  std::vector<std::string> names;
  for (const OpInfo& row : all_ops())
    if (row.family == Family::kComposite) names.emplace_back(row.name);
  std::sort(names.begin(), names.end());
  return names;
}

Backend normalized(Backend fn, Decompositions decompositions) {
  if (!fn) throw Error(ErrorKind::kValue, "normalized(): the function is empty");
  return [fn = std::move(fn), expansions = engine::expansions_of(decompositions, "normalized")](
             const BackendInput& input) -> CompiledGraph {
    const std::optional<Graph> core = engine::core_graph_of(input, expansions);
    if (!core) return nullptr;
    return fn({*core, input.guards, input.examples});
  };
}

}  // namespace frit

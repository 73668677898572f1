// The backends that come with Frit, as a third party's are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frit/backend.h"
#include "src/ops/op.h"

namespace frit::engine {

struct BuiltInBackend {
  const char* name;
  Backend compile;
  bool exact;  // its outputs have eager's bits
};
std::vector<BuiltInBackend> built_in_backends();

// What a backend decomposes, with ops found by name.
struct Expansions {
  std::set<Op> keep = {};
  std::map<Op, Decompositions::Decomposition> own = {};
};
// Throws where a name fits no op that can be kept or decomposed. `call` is what errors begin with.
Expansions expansions_of(const Decompositions& decompositions, const std::string& call);

// A backend's graph in core ops, but for what is to stay whole. Nothing where its form depends on
// the value of a scalar, of which there is no guard.
std::optional<Graph> core_graph_of(const BackendInput& input, const Expansions& expansions = {});

}  // namespace frit::engine

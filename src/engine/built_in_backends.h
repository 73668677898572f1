// The backends that come with Frit, as a third party's are.
#pragma once

#include <optional>
#include <set>
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

// A backend's graph in core ops, but for the composites to keep. Nothing where its form depends on
// the value of a scalar, of which there is no guard.
std::optional<Graph> core_graph_of(const BackendInput& input, const std::set<Op>& keep);

}  // namespace frit::engine

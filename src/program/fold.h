// Folding: what depends on constants alone is computed once.
#pragma once

#include <vector>

#include "frit/graph.h"

namespace frit::program {

// `core` is a graph of core ops whose last inputs are `constants`. Afterwards no op works on
// constants alone, but views of them and fills; constants that nothing uses are gone. The values
// are eager's.
void fold_constants(Graph* core, std::vector<Tensor>* constants);

}  // namespace frit::program

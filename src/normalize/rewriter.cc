// Outputs keep the strides that eager gave them.
#include "src/normalize/rewriter.h"

#include "src/ops/attrs.h"
#include "src/tensor/same_places.h"

namespace frit {

// Explicit broadcasts and the like may give a dimension of size 1 another stride, which programs
// see. A view is all it takes.
Graph::ValueId Rewriter::in_layout_of(Graph::ValueId old) {
  const Graph::ValueId made = value(old);
  const Layout* want = old_.layout(old);
  if (old_.is_scalar(old) || graph_.layout(made) == want ||
      !same_places(*graph_.layout(made), *want))
    return made;
  const Attrs attrs = Attrs().add(0).add_list(want->sizes()).add_list(want->strides());
  return graph_.add_node(Op::as_strided, {{made, {}}}, attrs.flat().vec())[0];
}

}  // namespace frit

// Lowering: a group becomes a kernel and the words to call it with.
#pragma once

#include <functional>

#include "src/schedule/fuse.h"
#include "src/schedule/memory.h"

namespace frit::scheduling {

// `group` is the index of one that is no call and has something to compute. Equal groups, but for
// sizes, strides beyond their access classes and addresses, give equal kernels.
KernelStep lower(const Graph& graph, const Roles& roles, const Fusion& fusion, int group,
                 Memory* memory);

// An op that runs by its eager kernel, but for where its results go. `tensor` fills in an
// operand that is one.
OpStep call_step(const Graph& graph, const Graph::Node& node,
                 const std::function<void(size_t operand, OpStep::Arg*)>& tensor);

// Whether the group writes nothing, because the values it would write have no elements.
bool is_empty(const Group& group);

}  // namespace frit::scheduling

// Registers the backend "onednn".
#include "frit/onednn.h"

#include <memory>

#include "frit/compile.h"
#include "src/backends/onednn_lowering.h"

namespace frit {
namespace {

CompiledGraph compile_by_onednn(const BackendInput& input) {
  if (!input.graph.on_cpu())
    throw Error(ErrorKind::kNotImplemented, "onednn: tensors on other devices than the CPU");
  auto runner =
      std::make_shared<onednn::Runner>(onednn::Lowering(input.graph, get_num_threads()).run());
  return [runner](std::span<const GraphArg> args) { return runner->run(args); };
}

}  // namespace

void register_onednn() {
  // What oneDNN has whole.
  const Decompositions table = {"batch_norm",  "clamp", "clamp_max",  "clamp_min",
                                "elu",         "gelu",  "layer_norm", "linear",
                                "log_softmax", "mean",  "softmax",    "softplus"};
  register_backend("onednn", normalized(compile_by_onednn, table));
}

}  // namespace frit

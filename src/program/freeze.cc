// freeze: records, normalizes, folds, compiles.
#include <string>
#include <utility>

#include "src/base/float_mode.h"
#include "src/engine/environment.h"
#include "src/normalize/normalize.h"
#include "src/program/fold.h"
#include "src/program/frozen.h"
#include "src/program/recording.h"

namespace frit {
namespace program {
namespace {

Graph core_of(const Graph& captured, uint32_t mxcsr) {
  NormalizeContext context;
  context.scalar_values.resize(static_cast<size_t>(captured.num_inputs()));
  context.denormals = base::keeps_denormals(mxcsr) ? Denormals::kKept : Denormals::kZero;
  return normalize(captured, &context);
}

// The written sequences, and the identities that kernels use, are for rounding to nearest.
uint32_t checked_mode() {
  const uint32_t mxcsr = engine::mxcsr_mode();
  if (!base::rounds_to_nearest(mxcsr))
    throw Error(ErrorKind::kRuntime, "freeze: MXCSR rounds otherwise than to nearest");
  return mxcsr;
}

}  // namespace
}  // namespace program

Program detail::freeze(const TensorFunction& fn, TensorList examples, TensorList params) {
  const uint32_t mxcsr = program::checked_mode();
  program::Recording recording = program::record(fn, examples, params);
  if (engine::mxcsr_mode() != mxcsr)
    throw Error(ErrorKind::kRuntime, "freeze: the function changes MXCSR");
  const std::string captured = recording.graph.print();
  program::Frozen::Parts parts{program::core_of(recording.graph, mxcsr),
                               std::move(recording.constants), mxcsr};
  program::fold_constants(&parts.graph, &parts.constants);
  return program::Frozen::make(std::move(parts), captured);
}

}  // namespace frit

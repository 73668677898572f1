// Makes the views.
#include "src/engine/plan_inputs.h"

namespace frit::engine {

PlanInputs::PlanInputs(const capture::Pending& pending, std::span<TensorImpl* const> externals)
    : externals_(externals) {
  const capture::Trace& trace = pending.table()->trace;
  if (trace.moving.empty()) return;
  all_.assign(externals.begin(), externals.end());
  for (size_t k = 0; k < trace.moving.size(); ++k) {
    const TensorImpl* base = externals[static_cast<size_t>(trace.moving[k].external)];
    const Layout* layout = trace.externals[trace.num_externals() + k];
    views_.push_back(new_view(layout, base->storage, base->offset + pending.moved_to(k)));
    all_.push_back(views_.back().impl());
  }
}

}  // namespace frit::engine

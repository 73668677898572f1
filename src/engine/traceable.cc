// Sorts op calls into those that a plan may hold and those that run at their call.
#include "src/engine/traceable.h"

#include "src/ops/custom.h"
#include "src/ops/divisor.h"
#include "src/ops/index_range.h"
#include "src/ops/memory.h"

namespace frit::engine {
namespace {

// Ops whose error or result size depends on the elements. Where indices are known to be in range,
// there is no error.
bool depends_on_values(const OpCall& call) {
  switch (info(call.op).family) {
    case Family::kIndex:
      return !goes_by_indices(call.op) || !indices_in_range(call);
    case Family::kScatter:
      return !indices_in_range(call);
    case Family::kCustom:
      return !custom::knows_types(call.op);
    case Family::kBinary:
      return minds_second_operand(call.op) && !second_operand_is_fine(call);
    default:
      return call.op == Op::embedding && !indices_in_range(call);
  }
}

// Whether a store may wait for its plan's end. What its operands have pending is as when the trace
// was recorded, and was looked at then.
bool may_wait(const OpCall& store) {
  const TensorImpl *target = store.operands[0].tensor, *source = store.operands[1].tensor;
  if (may_overlap_itself(*target->layout)) return false;
  if (!target->pending() && (target->storage->write_exposed.load(std::memory_order_relaxed) != 0 ||
                             target->storage->read_exposed.load(std::memory_order_relaxed) != 0))
    return false;
  if (source == nullptr) return true;
  if (source->layout->rank > target->layout->rank) return false;
  const bool here = !target->pending() && !source->pending();
  if (!here) return true;
  const Overlap shared = overlap(*target, *source);
  return shared == Overlap::kNone || shared == Overlap::kSame;
}

// What keeps an op from waiting for its operands' sake.
inline Traceability of_operands(const OpCall& call) {
  const TensorImpl* first = nullptr;
  for (const Operand& operand : call.operands) {
    const TensorImpl* t = operand.tensor;
    if (t == nullptr) continue;
    if (first == nullptr) first = t;
    if (t->layout->device != first->layout->device) return Traceability::kEager;
    if (!t->pending() && t->storage->write_exposed.load(std::memory_order_relaxed) != 0)
      return Traceability::kExposed;
  }
  return Traceability::kTraceable;
}

[[gnu::noinline]] Traceability of_store(const OpCall& call) {
  const bool waits = may_wait(call) && of_operands(call) == Traceability::kTraceable;
  return waits ? Traceability::kTraceable : Traceability::kWrites;
}

}  // namespace

Traceability traceability(const OpCall& call) {
  if (info(call.op).traits == Traits::kEffect) return of_store(call);
  const Traceability kind = of_operands(call);
  if (kind != Traceability::kTraceable) return kind;
  const bool waits = !call.operands.empty() && !depends_on_values(call);
  return waits ? Traceability::kTraceable : Traceability::kEager;
}

}  // namespace frit::engine

// Sorts op calls into those that a plan may hold and those that run at their call.
#include "src/engine/traceable.h"

namespace frit::engine {
namespace {

bool all_integral(const OpCall& call) {
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor() ? is_floating_point(operand.tensor->layout->dtype)
                            : operand.scalar.is_float())
      return false;
  }
  return true;
}

// Ops whose error or result size depends on the elements.
bool depends_on_values(const OpCall& call) {
  switch (info(call.op).family) {
    case Family::kIndex:
      return true;
    case Family::kBinary:
      return (call.op == Op::floor_divide || call.op == Op::fmod || call.op == Op::remainder ||
              call.op == Op::pow) &&
             all_integral(call);
    default:
      return call.op == Op::embedding;
  }
}

}  // namespace

Traceability traceability(const OpCall& call) {
  if (info(call.op).traits == Traits::kEffect) return Traceability::kWrites;
  for (const Operand& operand : call.operands) {
    const TensorImpl* t = operand.tensor;
    if (t == nullptr) continue;
    if (t->layout->device.type != kCPU.type) return Traceability::kEager;
    if (!t->pending() && t->storage->write_exposed.load(std::memory_order_relaxed) != 0)
      return Traceability::kExposed;
  }
  if (call.operands.empty() || depends_on_values(call)) return Traceability::kEager;
  return Traceability::kTraceable;
}

}  // namespace frit::engine

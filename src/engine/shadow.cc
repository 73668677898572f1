// Compares a plan's outputs with eager's: bit by bit, or within a tolerance where a foreign backend
// or writer made them.
#include "src/engine/shadow.h"

#include <cmath>
#include <cstring>

#include "src/base/check.h"
#include "src/eager/dispatch.h"
#include "src/tensor/convert.h"

namespace frit::engine {
namespace {

// How far foreign values may be off: relative, and absolute near zero. What PyTorch's
// testing.assert_close allows by default.
struct Tolerance {
  double relative, absolute;
};
Tolerance tolerance_of(Dtype dtype) {
  switch (dtype) {
    case kFloat64:
      return {1e-7, 1e-7};
    case kBFloat16:
      return {1.6e-2, 1e-5};
    case kFloat16:
      return {1e-3, 1e-5};
    default:
      return {1.3e-6, 1e-5};
  }
}

bool same_element(Dtype dtype, const std::byte* a, const std::byte* b, bool exact) {
  if (std::memcmp(a, b, static_cast<size_t>(byte_size(dtype))) == 0) return true;
  if (!is_floating_point(dtype)) return false;
  const double x = load_element(dtype, a).to_double(), y = load_element(dtype, b).to_double();
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;  // a part of infinity allows anything
  const Tolerance allowed = tolerance_of(dtype);
  return !exact && std::abs(x - y) <= allowed.absolute + allowed.relative * std::abs(x);
}

std::vector<Tensor> run_ops(const capture::Pending& pending) {
  const capture::Trace& trace = pending.table()->trace;
  std::vector<Tensor> slots;
  for (const capture::TraceOp& op : trace.ops) {
    std::vector<Operand> operands;
    for (capture::ValueRef ref : trace.operands_of(op)) {
      switch (ref.kind()) {
        case capture::ValueRef::Kind::kSlot:
          operands.emplace_back(slots[ref.index()]);
          break;
        case capture::ValueRef::Kind::kExternal:
          operands.emplace_back(pending.externals()[ref.index()]);
          break;
        case capture::ValueRef::Kind::kScalar:
          operands.emplace_back(pending.scalars()[ref.index()]);
          break;
      }
    }
    Tensor results[kMaxResults];
    run_eager({op.op, operands, Attrs(trace.attrs_of(op))}, results);
    for (int r = 0; r < op.num_results; ++r) slots.push_back(results[r]);
  }
  return slots;
}

}  // namespace

void shadow_check(const Plan& plan, const Variant& variant, capture::Pending& pending) {
  MuteScope mute;
  const std::vector<Tensor> slots = run_ops(pending);
  std::vector<Scalar> scalars;
  for (int s : variant.scalar_of_input) scalars.push_back(pending.scalars()[s]);
  std::vector<StorageRef> outputs(variant.output_slots.size());
  variant.executable->run(pending.externals(), scalars, outputs);
  const bool exact = variant.executable->exact();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorImpl* expected = slots[variant.output_slots[i]].impl();
    const Layout& layout = *expected->layout;
    const int size = byte_size(layout.dtype);
    // Outputs are dense, so memory order serves as well as index order.
    for (int64_t e = 0; e < layout.numel; ++e) {
      const std::byte *a = expected->data + e * size, *b = outputs[i]->data + e * size;
      FRIT_CHECK(same_element(layout.dtype, a, b, exact))
          << "plan " << plan.id << " output " << i << " element " << e << " in memory: expected "
          << load_element(layout.dtype, a).to_double() << ", got "
          << load_element(layout.dtype, b).to_double() << "\n"
          << variant.captured.print() << (variant.normalized ? variant.normalized->print() : "");
    }
  }
}

}  // namespace frit::engine

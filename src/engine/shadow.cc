// Compares a plan's outputs with eager's: bit by bit, or within a tolerance where a foreign backend
// or writer made them.
#include "src/engine/shadow.h"

#include <cmath>
#include <cstring>

#include "src/base/check.h"
#include "src/eager/dispatch.h"
#include "src/engine/commit.h"
#include "src/engine/plan_inputs.h"
#include "src/tensor/convert.h"
#include "src/tensor/devices.h"

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

// The externals, or copies of them that lie to each other as they do, where they are written.
class Externals {
 public:
  explicit Externals(const capture::Pending& pending)
      : impls_(pending.externals().begin(), pending.externals().end()) {
    const capture::Trace& trace = pending.table()->trace;
    if (!trace.writes_externals) return;
    for (size_t i = 0; i < impls_.size(); ++i) {
      const size_t first = static_cast<size_t>(trace.aliases[i].first);
      const TensorImpl& real = *impls_[i];
      if (first == i) {
        const Device device = real.layout->device;
        storages_.push_back(StorageRef::adopt(new_storage(real.storage->bytes, device)));
        devices::copy_bytes(device, storages_.back()->data, device, real.storage->data,
                            real.storage->bytes);
      } else {
        storages_.push_back(StorageRef::share(storages_[first].get()));
      }
      copies_.push_back(new_view(real.layout, storages_.back().get(), real.offset));
    }
    for (size_t i = 0; i < impls_.size(); ++i) impls_[i] = copies_[i].impl();
  }
  std::span<TensorImpl* const> impls() const { return impls_; }
  // Empty where nothing is written.
  std::span<const StorageRef> storages() const { return storages_; }

 private:
  std::vector<TensorImpl*> impls_;
  std::vector<StorageRef> storages_;
  std::vector<Tensor> copies_;
};

std::vector<Tensor> run_ops(const capture::Pending& pending, const Externals& externals) {
  const capture::Trace& trace = pending.table()->trace;
  std::vector<Tensor> slots;
  for (const capture::TraceOp& op : trace.ops) {
    const std::vector<Operand> operands =
        capture::operands_in_run(trace, op, externals.impls(), pending.scalars(),
                                 [&](size_t slot) { return Operand(slots[slot]); });
    Tensor results[kMaxResults];
    const DefaultDeviceScope device(capture::device_of(trace, op));
    run_eager({op.op, operands, Attrs(pending.attrs_of(op))}, results);
    for (int r = 0; r < op.num_results; ++r) slots.push_back(results[r]);
  }
  return slots;
}

struct Comparison {
  const Plan& plan;
  const Variant& variant;
  bool exact;

  void compare(const std::string& what, Dtype dtype, int64_t count, const std::byte* expected,
               const std::byte* got) const {
    const int size = byte_size(dtype);
    for (int64_t e = 0; e < count; ++e) {
      const std::byte *a = expected + e * size, *b = got + e * size;
      FRIT_CHECK(same_element(dtype, a, b, exact))
          << "plan " << plan.id << ' ' << what << " element " << e << " in memory: expected "
          << load_element(dtype, a).to_double() << ", got " << load_element(dtype, b).to_double()
          << "\n"
          << variant.captured.print() << (variant.normalized ? variant.normalized->print() : "");
    }
  }
};

// The bytes of a device's memory, to be read here.
class Bytes {
 public:
  Bytes(Device device, const std::byte* data, int64_t bytes) : data_(data) {
    if (device.is_cpu()) return;
    copy_ = StorageRef::adopt(new_storage(bytes, kCPU));
    devices::copy_bytes(kCPU, copy_->data, device, data, bytes);
    data_ = copy_->data;
  }
  const std::byte* data() const { return data_; }

 private:
  StorageRef copy_;
  const std::byte* data_;
};

}  // namespace

void shadow_check(const Plan& plan, const Variant& variant, capture::Pending& pending) {
  MuteScope mute;
  const Externals expected(pending), got(pending);
  const std::vector<Tensor> slots = run_ops(pending, expected);
  std::vector<Scalar> scalars;
  for (int s : variant.scalar_of_input) scalars.push_back(pending.scalars()[s]);
  std::vector<StorageRef> outputs(variant.captured.outputs().size());
  const PlanInputs inputs(pending, got.impls());
  variant.executable->run(inputs.impls(), scalars, outputs);
  CommitScope(variant.commits, inputs.impls(), outputs, pending.scalars()).run();
  const Comparison comparison{plan, variant, variant.executable->exact()};
  for (size_t s = 0; s < slots.size(); ++s) {
    const capture::PlanMemory& place = variant.places[s];
    const Layout& layout = *slots[s].impl()->layout;
    const bool is_root = plan.table.trace.slots[s].root ==
                         capture::ValueRef(capture::ValueRef::Kind::kSlot, static_cast<int>(s));
    // Outputs are dense, so memory order serves as well as index order.
    if (!is_root || place.output < 0) continue;
    const Bytes eager(layout.device, slots[s].impl()->data, layout.nbytes());
    const Bytes made(layout.device, outputs[place.output]->data, layout.nbytes());
    comparison.compare("slot " + std::to_string(s), layout.dtype, layout.numel, eager.data(),
                       made.data());
  }
  for (size_t i = 0; i < got.storages().size(); ++i) {
    const auto [dtype, device] =
        std::pair(expected.impls()[i]->layout->dtype, expected.impls()[i]->layout->device);
    const int64_t bytes = got.storages()[i]->bytes;
    const Bytes eager(device, expected.storages()[i]->data, bytes);
    const Bytes made(device, got.storages()[i]->data, bytes);
    comparison.compare("memory of x" + std::to_string(i), dtype, bytes / byte_size(dtype),
                       eager.data(), made.data());
  }
}

}  // namespace frit::engine

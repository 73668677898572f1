// Finds a device's kernel, or copies operands to the CPU and results back.
#pragma GCC optimize("Os")  // copies between devices take longer than what is decided here
#include "src/eager/device_dispatch.h"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "frit/device_kernel.h"
#include "src/base/check.h"
#include "src/base/fork.h"
#include "src/eager/dispatch.h"
#include "src/eager/kernels.h"
#include "src/ops/custom.h"
#include "src/ops/memory.h"
#include "src/tensor/devices.h"

namespace frit {
namespace eager {
namespace {

constexpr int kRows = kNumOps + kMaxCustomOps;

// A kernel as registered. Those that it takes the place of live on: they may be running.
struct Registered {
  DeviceKernel run;
  const Registered* replaced = nullptr;
};

// What is known of a type of devices, by op.
struct OpTable {
  struct Row {
    std::atomic<const Registered*> kernel{nullptr};
    std::atomic<int64_t> fallbacks{0};
    // Of a composite: the generation of kernels in which none of its parts had one. 0: unknown.
    std::atomic<uint32_t> whole_in{0};
  };
  std::array<Row, kRows> rows;
};
std::atomic<OpTable*> op_tables[devices::kMaxTypes] = {};
std::atomic<uint32_t> generation{1};  // of kernels

OpTable& table_of(uint8_t type) {
  static base::ForkMutex* mutex = new base::ForkMutex(base::ForkLevel::kTables);
  OpTable* table = op_tables[type].load(std::memory_order_acquire);
  if (table != nullptr) return *table;
  std::lock_guard lock(*mutex);
  table = op_tables[type].load(std::memory_order_relaxed);
  if (table == nullptr) {
    table = new OpTable;
    op_tables[type].store(table, std::memory_order_release);
  }
  return *table;
}

OpTable::Row& row_of(Device device, Op op) {
  return table_of(device.type).rows[static_cast<size_t>(op)];
}

// How often this thread has found a kernel of a device's, whether that took the call or not.
constinit thread_local int64_t kernels_found = 0;

Device device_of(const OpCall& call) {
  bool any = false;
  for (const Operand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    any = true;
    if (!operand.layout()->device.is_cpu()) return operand.layout()->device;
  }
  return any ? kCPU : default_device();
}

bool is_index(const OpCall& call, size_t i) {
  return (call.op == Op::index && i >= 1) || (call.op == Op::index_put && i >= 2);
}

// The operands as the device's kernels want them: all on the device.
class Gathered {
 public:
  Gathered(const OpCall& call, Device device)
      : operands_(call.operands.begin(), call.operands.end()) {
    for (size_t i = 0; i < operands_.size(); ++i) {
      Operand& operand = operands_[i];
      if (!operand.is_tensor() || operand.layout()->device == device) continue;
      const bool moves =
          operand.layout()->device.is_cpu() && (operand.layout()->rank == 0 || is_index(call, i));
      if (!moves)
        fail(call, ErrorKind::kRuntime,
             "operands are on different devices: " + device.str() + " and " +
                 operand.layout()->device.str());
      held_.push_back(devices::copy_to(device, *operand.tensor));
      operand = held_.back();
    }
  }
  std::span<const Operand> operands() const { return operands_; }

 private:
  std::vector<Operand> operands_;
  std::vector<Tensor> held_;
};

// A call as a kernel sees it. It gets tensors on the same memory, so that what it does with them
// leaves no traces on the program's.
class DeviceCall final : public KernelCall {
 public:
  DeviceCall(const OpCall& call, Device device, std::span<const Tensor> results)
      : call_(call), device_(device), lent_(call.operands.size()) {
    for (size_t i = 0; i < lent_.size(); ++i)
      if (call.operands[i].is_tensor()) lent_[i] = custom::lent(call.operands[i].tensor);
    for (const Tensor& result : results) results_.push_back(custom::lent(result.impl()));
  }

  Op op() const override { return call_.op; }
  Device device() const override { return device_; }
  size_t num_operands() const override { return lent_.size(); }
  bool is_tensor(size_t i) const override { return i < lent_.size() && lent_[i].defined(); }
  const Tensor& tensor(size_t i) const override {
    if (!is_tensor(i)) refuse("operand " + std::to_string(i) + " as a tensor");
    return lent_[i];
  }
  Scalar scalar(size_t i) const override {
    if (i >= lent_.size() || lent_[i].defined())
      refuse("operand " + std::to_string(i) + " as a number");
    return call_.operands[i].scalar;
  }
  int64_t attribute(std::string_view name) const override {
    if (is_list(spec(name).kind)) refuse(std::string(name) + " as one number");
    return int_attr(call_.op, call_.attrs, name);
  }
  IntArrayRef list_attribute(std::string_view name) const override {
    if (!is_list(spec(name).kind)) refuse(std::string(name) + " as a list");
    return list_attr(call_.op, call_.attrs, name);
  }
  std::span<const Tensor> results() const override { return results_; }
  void* stream() const override { return devices::current_stream(device_); }

 private:
  const AttrSpec& spec(std::string_view name) const {
    for (const AttrSpec& each : attr_specs(call_.op))
      if (each.name == name) return each;
    refuse(std::string(name) + ", which the op does not have");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    fail(call_, ErrorKind::kType, "its kernel on " + device_.str() + " asks for " + what);
  }

  const OpCall& call_;
  const Device device_;
  std::vector<Tensor> lent_, results_;
};

// False where the device has no kernel for the call.
bool run_kernel(const OpCall& call, Device device, Tensor* results) {
  const Registered* kernel = row_of(device, call.op).kernel.load(std::memory_order_acquire);
  if (kernel == nullptr) return false;
  ++kernels_found;
  const ResultTypes types = infer(call);
  if (types.count != info(call.op).results) return false;  // they depend on elements
  Tensor made[kMaxResults];
  for (int i = 0; i < types.count; ++i) made[i] = new_tensor(types.results[i].layout);
  const MuteScope mute;
  const DeviceCall as_seen(call, device, {made, static_cast<size_t>(types.count)});
  if (!kernel->run(as_seen)) return false;
  std::move(made, made + types.count, results);
  return true;
}

// On copies of the operands.
void run_on_cpu(const OpCall& call, Device device, Tensor* results) {
  row_of(device, call.op).fallbacks.fetch_add(1, std::memory_order_relaxed);
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  std::vector<Tensor> copies(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_tensor() || operands[i].layout()->device.is_cpu()) continue;
    size_t same = 0;  // an operand that stands there twice
    while (call.operands[same].tensor != operands[i].tensor) ++same;
    copies[i] = same < i ? copies[same] : devices::copy_to(kCPU, *operands[i].tensor);
    operands[i] = copies[i];
  }
  const DefaultDeviceScope here(kCPU);
  Tensor made[kMaxResults];
  run_eager({call.op, operands, call.attrs}, made);
  for (int i = 0; i < kMaxResults; ++i)
    if (made[i].defined()) results[i] = devices::copy_to(device, *made[i].impl());
}

// As its parts, if the device has a kernel for one of them.
void run_as_parts(const OpCall& call, Device device, Tensor* results) {
  OpTable::Row& row = row_of(device, call.op);
  const uint32_t now = generation.load(std::memory_order_acquire);
  if (row.whole_in.load(std::memory_order_relaxed) == now) return run_on_cpu(call, device, results);
  const int64_t before = kernels_found;
  const DefaultDeviceScope scope(device);
  run_composite(call, results);
  if (kernels_found == before) row.whole_in.store(now, std::memory_order_relaxed);
}

// The CPU's kernel on images of what is elsewhere. Of a target that may have gaps the image is read
// first.
void store_through_cpu(const OpCall& call) {
  TensorImpl* to = call.operands[0].tensor;
  const Operand& from = call.operands[1];
  const Layout& layout = *to->layout;
  const bool whole = layout.dense && !layout.device.is_cpu();
  Tensor target =
      layout.device.is_cpu() ? Tensor::share(to)
      : whole ? new_tensor(intern_layout(layout.dtype, kCPU, layout.sizes(), layout.strides()))
              : devices::copy_to(kCPU, *to);
  Tensor source;
  if (from.is_tensor())
    source = from.layout()->device.is_cpu() ? Tensor::share(from.tensor)
                                            : devices::copy_to(kCPU, *from.tensor);
  const Operand operands[] = {target, source.defined() ? Operand(source) : from};
  run_eager({Op::store, operands, call.attrs}, nullptr);
  if (layout.device.is_cpu()) return;
  devices::copy_bytes(layout.device, to->data, kCPU, target.impl()->data,
                      layout.span() * byte_size(layout.dtype));
}

// Between any two devices.
void run_store(const OpCall& call) {
  infer(call);
  check_store(call);
  const TensorImpl* to = call.operands[0].tensor;
  const TensorImpl* from = call.operands[1].tensor;
  const Layout& layout = *to->layout;
  const Device device = layout.device;
  to->storage->version.fetch_add(1, std::memory_order_relaxed);
  if (from != nullptr && overlap(*to, *from) == Overlap::kSame) return;
  const bool plain = from != nullptr && layout.dense && layout.dtype == from->layout->dtype &&
                     layout.sizes() == from->layout->sizes() &&
                     layout.strides() == from->layout->strides();
  if (plain)
    return devices::copy_bytes(device, to->data, from->layout->device, from->data, layout.nbytes());
  const bool here = !device.is_cpu() && (from == nullptr || from->layout->device == device);
  if (here && run_kernel(call, device, nullptr)) return;
  if (here) row_of(device, Op::store).fallbacks.fetch_add(1, std::memory_order_relaxed);
  store_through_cpu(call);
}

bool may_be_view(Op op) {
  return info(op).traits == Traits::kView || info(op).traits == Traits::kMayView;
}

}  // namespace

void run_on_device(const OpCall& call, Tensor* results) {
  if (call.op == Op::store) return run_store(call);
  const Device device = device_of(call);
  const Gathered gathered(call, device);
  const OpCall here{call.op, gathered.operands(), call.attrs};
  if (may_be_view(call.op)) {
    const ResultType type = infer(here).results[0];
    if (type.view_of >= 0) {
      results[0] = make_view(here, type);
      return;
    }
    release_layout(type.layout);
  }
  if (run_kernel(here, device, results)) return;
  if (is_composite(call.op) && !is_custom(call.op)) return run_as_parts(here, device, results);
  run_on_cpu(here, device, results);
}

void add_device_fallbacks(std::map<std::string, int64_t>* counts) {
  for (int type = 1; type < devices::num_types(); ++type) {
    const auto number = static_cast<uint8_t>(type);
    const OpTable* table = op_tables[type].load(std::memory_order_acquire);
    for (int op = 0; table != nullptr && op < kRows; ++op) {
      const int64_t count =
          table->rows[static_cast<size_t>(op)].fallbacks.load(std::memory_order_relaxed);
      if (count > 0)
        (*counts)[devices::record(number).name + " " + std::string(name(static_cast<Op>(op)))] =
            count;
    }
  }
}

}  // namespace eager

void register_kernel(const std::string& device, const std::string& op, DeviceKernel kernel) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::kValue, "register_kernel(" + device + ", " + op + "): " + problem);
  };
  const std::optional<uint8_t> type = devices::find(device);
  if (!type) refuse("no such device");
  if (*type == kCPU.type) refuse("the CPU has kernels of its own");
  const std::optional<Op> known = op_named(op);
  if (!known) refuse("no such op");
  if (!kernel) refuse("the function is empty");
  eager::OpTable& table = eager::table_of(*type);
  std::atomic<const eager::Registered*>& place = table.rows[static_cast<size_t>(*known)].kernel;
  auto* registered = new eager::Registered{std::move(kernel), place.load()};
  while (!place.compare_exchange_weak(registered->replaced, registered)) {
  }
  eager::generation.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace frit

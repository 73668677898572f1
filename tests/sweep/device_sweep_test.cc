// Every op over its sweep cases gives the CPU's bits on a device without kernels, or throws the
// same kind of error. The device's memory faults where the host touches it.
#include "examples/npu/npu_device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/eager/dispatch.h"
#include "src/tensor/devices.h"
#include "tests/sweep/cases.h"
#include "tests/sweep/compare.h"

namespace frit::sweep {
namespace {

Device npu() {
  static const Device device = register_npu();
  return device;
}

// Views of one storage stay so, at the same places.
class Moved {
 public:
  Tensor to_device(const TensorImpl& t) {
    for (const auto& [cpu, device] : storages_)
      if (cpu == t.storage) return view(t, device.get());
    storages_.emplace_back(t.storage, StorageRef::adopt(new_storage(t.storage->bytes, npu())));
    devices::copy_bytes(npu(), storages_.back().second->data, kCPU, t.storage->data,
                        t.storage->bytes);
    return view(t, storages_.back().second.get());
  }
  void bring_back() const {
    for (const auto& [cpu, device] : storages_)
      devices::copy_bytes(kCPU, cpu->data, npu(), device->data, cpu->bytes);
  }

 private:
  static Tensor view(const TensorImpl& t, Storage* storage) {
    const Layout& l = *t.layout;
    return new_view(intern_layout(l.dtype, npu(), l.sizes(), l.strides()), storage, t.offset);
  }
  std::vector<std::pair<Storage*, StorageRef>> storages_;
};

void run_on_npu(const OpCall& call, Tensor* results) {
  Moved moved;
  std::vector<Tensor> held;
  std::vector<Operand> operands;
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor()) held.push_back(moved.to_device(*operand.tensor));
    operands.push_back(operand.is_tensor() ? Operand(held.back()) : operand);
  }
  const DefaultDeviceScope scope(npu());
  Tensor made[kMaxResults];
  run_eager({call.op, operands, call.attrs}, made);
  for (int i = 0; i < info(call.op).results; ++i) {
    EXPECT_EQ(made[i].device(), npu());
    if (results != nullptr) results[i] = devices::copy_to(kCPU, *made[i].impl());
  }
  if (call.op == Op::store) moved.bring_back();
}

class DeviceSweep : public testing::TestWithParam<int> {};

TEST_P(DeviceSweep, EqualsTheCpu) {
  const Op op = static_cast<Op>(GetParam());
  const std::vector<SweepCase> cases = sweep_cases(op), again = sweep_cases(op);
  int ran = 0, differences = 0;
  for (size_t i = 0; i < cases.size() && differences < 5; ++i) {
    const Outcome cpu = run_case(cases[i], &run_eager), device = run_case(again[i], &run_on_npu);
    const std::string difference = compare(cpu, device);
    EXPECT_EQ(difference, "") << "case " << i << ": " << cases[i].str() << "\n"
                              << cpu.error_text << "\n"
                              << device.error_text;
    differences += difference.empty() ? 0 : 1;
    ran += cpu.error.has_value() ? 0 : 1;
  }
  EXPECT_GT(ran, 0) << "every case is an error";
}

void run_beside_npu(const OpCall& call, Tensor* results) {
  const DefaultDeviceScope scope(npu());
  run_eager(call, results);
}

// What the CPU's kernels make for themselves is not made on the default device.
TEST_P(DeviceSweep, TheCpuIsTheSameBesideIt) {
  const Op op = static_cast<Op>(GetParam());
  if (info(op).family == Family::kCreate) return;  // of no tensors: on the device
  const std::vector<SweepCase> cases = sweep_cases(op), again = sweep_cases(op);
  int differences = 0;
  for (size_t i = 0; i < cases.size() && differences < 5; ++i) {
    const bool has_tensors = std::any_of(cases[i].tensors.begin(), cases[i].tensors.end(),
                                         [](const Tensor& t) { return t.defined(); });
    if (!has_tensors) continue;
    const std::string difference =
        compare(run_case(cases[i], &run_eager), run_case(again[i], &run_beside_npu));
    EXPECT_EQ(difference, "") << "case " << i << ": " << cases[i].str();
    differences += difference.empty() ? 0 : 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, DeviceSweep, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::sweep

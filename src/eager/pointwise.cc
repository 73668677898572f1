// Elementwise ops and casts: promotion, the straight path for equal dense operands, loops for the
// rest.
//
// The straight path makes no loop nest: where every operand lies in memory as the result does, or
// is one element, and none needs a cast, it is one call of the block kernel.
#include <cstdlib>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/pointwise_kernel.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

// One operand of the call: its memory, or its scalar converted to the kernel's dtype.
struct Input {
  const TensorImpl* tensor;  // null for a scalar
  const Layout* layout;      // likewise
  std::byte* data;
  Dtype memory, kernel;
  alignas(8) std::byte scalar[8];
};

void set_input(Input& input, const Operand& operand, Dtype kernel) {
  input.tensor = operand.tensor;
  input.layout = operand.layout();
  input.kernel = kernel;
  const bool converts =
      !operand.is_tensor() || (input.layout->numel == 1 && input.layout->dtype != kernel);
  input.memory = converts ? kernel : input.layout->dtype;
  input.data = converts ? one_element(operand, kernel, input.scalar) : operand.tensor->data;
  if (converts) input.layout = nullptr;
}

// What the block kernel is called with on the straight path.
class Straight {
 public:
  // False where the path does not serve: see run().
  bool find(const OpCall& call, const Kernel& kernel, const Layout& out) {
    if (kernel.result != out.dtype) return false;
    for (int i = 0; i < kernel.block.arity; ++i)
      if (!add(i, call.operands[i], kernel.dtype_of(i), out)) return false;
    // Kernels want one operand that is not a broadcast element.
    if (out.numel == 1) broadcast_ = 0;
    return broadcast_ != (1 << kernel.block.arity) - 1;
  }

  void run(const Kernel& kernel, const Layout& out_layout, std::byte* out) const {
    if (out_layout.numel <= kernel.grain)
      return kernel.block(data_, out, out_layout.numel, broadcast_);
    run_in_ranges(kernel, out_layout, out);
  }

 private:
  [[gnu::noinline]] void run_in_ranges(const Kernel& kernel, const Layout& out_layout,
                                       std::byte* out) const {
    const int64_t size = byte_size(out_layout.dtype);
    base::parallel_for(out_layout.numel, kernel.grain, [&](int64_t begin, int64_t end) {
      const void* in[kMaxInputs];
      for (int i = 0; i < kernel.block.arity; ++i)
        in[i] = static_cast<const std::byte*>(data_[i]) + begin * steps_[i];
      kernel.block(in, out + begin * size, end - begin, broadcast_);
    });
  }

  bool add(int i, const Operand& operand, Dtype dtype, const Layout& out) {
    const TensorImpl* t = operand.tensor;
    if (t != nullptr && t->layout->dtype == dtype && lies_as(*t->layout, out)) {
      data_[i] = t->data;
      steps_[i] = byte_size(dtype);
      return true;
    }
    if (t != nullptr && t->layout->numel != 1) return false;
    data_[i] = one_element(operand, dtype, elements_[i]);
    steps_[i] = 0;
    broadcast_ |= 1 << i;
    return true;
  }

  const void* data_[kMaxInputs];
  int64_t steps_[kMaxInputs];  // from one element to the next, in bytes
  int broadcast_ = 0;          // the bits of operands that are one element
  alignas(8) std::byte elements_[kMaxInputs][8];
};

LoopNest nest_of(std::span<const Input> inputs, const Layout& out) {
  LoopNest nest(out);
  for (const Input& input : inputs) {
    if (input.layout) {
      nest.add(*input.layout);
    } else {
      nest.add_scalar(byte_size(input.kernel));
    }
  }
  nest.collapse();
  return nest;
}

// Whether an operand is contiguous along another loop than the result is, so that gathering its
// rows would touch a cache line for each element.
bool crosses(const LoopNest& nest, int operand) {
  const int size = nest.element_size[operand], inner = nest.inner();
  if (std::abs(nest.strides[operand][inner]) <= size) return false;
  for (int d = 0; d < inner; ++d)
    if (nest.strides[operand][d] == size && nest.sizes[d] >= 8) return true;
  return false;
}

// Long operands that cross the result's order are copied into it first: tile by tile that costs
// less. `copies` keeps them alive.
void straighten(const LoopNest& nest, const Layout& out, std::span<Input> inputs, Tensor* copies) {
  constexpr int64_t kLong = 1 << 14;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Input& input = inputs[i];
    if (input.layout == nullptr || input.layout->numel < kLong ||
        !crosses(nest, static_cast<int>(i) + 1))
      continue;
    copies[i] = new_tensor(intern_layout(input.memory, out.device, out.sizes(), out.strides()));
    copy_elements(*copies[i].impl()->layout, copies[i].impl()->data, *input.layout, input.data);
    input.layout = copies[i].impl()->layout;
    input.data = copies[i].impl()->data;
  }
}

[[gnu::noinline]] void run_loops(const OpCall& call, const Kernel& kernel, const Layout& out_layout,
                                 std::byte* out) {
  Input all[kMaxInputs];
  const std::span<Input> inputs(all, call.operands.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    set_input(inputs[i], call.operands[i], kernel.dtype_of(static_cast<int>(i)));
  Tensor copies[kMaxInputs];
  straighten(nest_of(inputs, out_layout), out_layout, inputs, copies);
  const LoopNest nest = nest_of(inputs, out_layout);
  PointwiseLoop::Operand operands[kMaxInputs];
  for (size_t i = 0; i < inputs.size(); ++i)
    operands[i] = {inputs[i].data, inputs[i].memory, inputs[i].kernel};
  const PointwiseLoop loop(nest, kernel.block, {out, out_layout.dtype, kernel.result}, operands);
  run_parallel(loop, nest.numel, kernel.grain);
}

bool holds_zero(const Operand& operand, Dtype kernel) {
  Input divisor;
  set_input(divisor, operand, kernel);
  if (divisor.layout == nullptr) return any_zero(kernel, divisor.data, 1);
  const Layout& layout = *divisor.layout;
  // Where elements repeat or lie apart, the whole span is too much to look at.
  if (layout.dense) return any_zero(divisor.memory, divisor.data, layout.numel);
  const Tensor copy = to_contiguous_copy(divisor.tensor);
  return any_zero(divisor.memory, copy.impl()->data, layout.numel);
}

[[gnu::noinline]] void check_divisor(const OpCall& call, Dtype compute) {
  if (holds_zero(call.operands[1], compute))
    fail(call, ErrorKind::kRuntime, "ZeroDivisionError: the divisor holds a zero");
}

Tensor run_in(const OpCall& call, const OpInfo& row, Dtype compute, const Layout* layout) {
  const Kernel kernel = kernel_for(call, row, compute);
  if (divides_ints(call.op, compute) && layout->numel > 0) check_divisor(call, compute);
  Tensor out = new_tensor(layout);
  if (layout->numel == 0) return out;
  Straight straight;
  if (straight.find(call, kernel, *layout)) {
    straight.run(kernel, *layout, out.impl()->data);
  } else {
    run_loops(call, kernel, *layout, out.impl()->data);
  }
  return out;
}

// A 16-bit result computed in f32. Tensors of other dtypes are rounded to it first, as promotion
// does.
Tensor run_widened(const OpCall& call, const OpInfo& row, const Layout* layout) {
  Tensor rounded[kMaxInputs];
  Operand operands[kMaxInputs];
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands[i] = call.operands[i];
    const bool condition = call.operands.size() == 3 && i == 0;
    if (condition || !operands[i].is_tensor()) continue;
    rounded[i] = to_dtype(operands[i].tensor, layout->dtype);
    operands[i] = Operand(rounded[i]);
  }
  return run_in({call.op, {operands, call.operands.size()}, call.attrs}, row, kFloat32, layout);
}

}  // namespace

void run_pointwise(const OpCall& call, Tensor* results) {
  const OpInfo& row = info(call.op);
  const Layout* layout = infer(call).results[0].layout;
  const Dtype compute = compute_dtype(call, row, layout->dtype);
  const bool widened = is_half(layout->dtype) && !is_half(compute);
  results[0] = widened ? run_widened(call, row, layout) : run_in(call, row, compute, layout);
}

static void run_cast(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  const Layout* layout = infer(call).results[0].layout;
  Tensor out = new_tensor(layout);
  convert_elements(*layout, out.impl()->data, *x->layout, x->data);
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(cast, run_cast)

}  // namespace frit::eager

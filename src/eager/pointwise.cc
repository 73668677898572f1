// Elementwise ops and casts: promotion, the straight path for equal dense operands, loops for the
// rest.
//
// The straight path makes no loop nest: where every operand lies in memory as the result does, or
// is one element, and none needs a cast, it is one call of the block kernel.
#include <cstdlib>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/pointwise_loop.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

constexpr int kMaxInputs = 3;
constexpr int64_t kGrain = 1 << 16;

// One operand of the call: its memory, or its scalar converted to the kernel's dtype.
struct Input {
  const TensorImpl* tensor;  // null for a scalar
  const Layout* layout;      // likewise
  std::byte* data;
  Dtype memory, kernel;
  alignas(8) std::byte scalar[8];

  bool one_element() const { return layout == nullptr || layout->numel == 1; }
};

struct Call {
  Block block;
  int count;
  Dtype block_result;  // what the kernel writes
  int cost;
  Input inputs[kMaxInputs];
};

bool divides_ints(Op op, Dtype compute) {
  return !is_floating_point(compute) &&
         (op == Op::floor_divide || op == Op::fmod || op == Op::remainder);
}

Block block_of(Op op, Family family, Dtype compute) {
  Block block;
  switch (family) {
    case Family::kUnary:
      block.arity = 1;
      block.unary = unary_block(op, compute);
      break;
    case Family::kBinary:
      block.arity = 2;
      block.binary = binary_block(op, compute);
      break;
    default:
      block.arity = 3;
      block.ternary = ternary_block(op, compute);
  }
  return block;
}

void set_input(Input& input, const Operand& operand, Dtype kernel) {
  input.tensor = operand.tensor;
  input.layout = operand.layout();
  input.kernel = kernel;
  if (!operand.is_tensor()) {
    input.data = input.scalar;
    input.memory = kernel;
    store_element(kernel, input.scalar, operand.scalar);
    return;
  }
  input.data = operand.tensor->data;
  input.memory = input.layout->dtype;
  if (input.memory == kernel || input.layout->numel != 1) return;
  cast_block(input.memory, kernel)(input.data, input.scalar, 1);
  input.layout = nullptr;
  input.data = input.scalar;
  input.memory = kernel;
}

void prepare(const OpCall& call, const OpInfo& row, Dtype compute, Call& prepared) {
  prepared.block = block_of(call.op, row.family, compute);
  if (!prepared.block.defined())
    fail(call, ErrorKind::kNotImplemented, std::string(name(compute)) + " is not supported");
  prepared.count = prepared.block.arity;
  prepared.block_result = row.dtype == DtypeRule::Bool ? Dtype::kBool : compute;
  prepared.cost = row.dtype == DtypeRule::Float ? 8 : 1;
  for (int i = 0; i < prepared.count; ++i) {
    const bool condition = prepared.count == 3 && i == 0;
    set_input(prepared.inputs[i], call.operands[i], condition ? Dtype::kBool : compute);
  }
}

bool lies_as(const Layout& input, const Layout& out) {
  if (input.contiguous && out.contiguous) return input.numel == out.numel;
  return out.dense && input.sizes() == out.sizes() && input.strides() == out.strides();
}

// The bits of operands that are one element; -1 where the straight path does not serve.
int straight(const Call& prepared, const Layout& out) {
  if (prepared.block_result != out.dtype) return -1;
  int broadcast = 0;
  for (int i = 0; i < prepared.count; ++i) {
    const Input& input = prepared.inputs[i];
    if (input.memory != input.kernel) return -1;
    if (input.layout != nullptr && lies_as(*input.layout, out)) continue;
    if (!input.one_element()) return -1;
    broadcast |= 1 << i;
  }
  if (out.numel == 1) return 0;
  return broadcast == (1 << prepared.count) - 1 ? -1 : broadcast;
}

void run_straight(const Call& prepared, int broadcast, const Layout& out_layout, std::byte* out) {
  const int out_size = byte_size(out_layout.dtype);
  base::parallel_for(out_layout.numel, kGrain / prepared.cost, [&](int64_t begin, int64_t end) {
    const void* in[kMaxInputs];
    for (int i = 0; i < prepared.count; ++i) {
      const int64_t first = broadcast >> i & 1 ? 0 : begin;
      in[i] = prepared.inputs[i].data + first * byte_size(prepared.inputs[i].memory);
    }
    prepared.block(in, out + begin * out_size, end - begin, broadcast);
  });
}

LoopNest nest_of(const Call& prepared, const Layout& out) {
  LoopNest nest(out);
  for (int i = 0; i < prepared.count; ++i) {
    const Input& input = prepared.inputs[i];
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
void straighten(const LoopNest& nest, const Layout& out, Call& prepared, Tensor* copies) {
  constexpr int64_t kLong = 1 << 14;
  for (int i = 0; i < prepared.count; ++i) {
    Input& input = prepared.inputs[i];
    if (input.layout == nullptr || input.layout->numel < kLong || !crosses(nest, i + 1)) continue;
    copies[i] = new_tensor(intern_layout(input.memory, out.device, out.sizes(), out.strides()));
    copy_elements(*copies[i].impl()->layout, copies[i].impl()->data, *input.layout, input.data);
    input.layout = copies[i].impl()->layout;
    input.data = copies[i].impl()->data;
  }
}

void run_loops(Call& prepared, const Layout& out_layout, std::byte* out) {
  Tensor copies[kMaxInputs];
  straighten(nest_of(prepared, out_layout), out_layout, prepared, copies);
  const LoopNest nest = nest_of(prepared, out_layout);
  PointwiseLoop::Operand inputs[kMaxInputs];
  for (int i = 0; i < prepared.count; ++i)
    inputs[i] = {prepared.inputs[i].data, prepared.inputs[i].memory, prepared.inputs[i].kernel};
  const PointwiseLoop loop(nest, prepared.block, {out, out_layout.dtype, prepared.block_result},
                           inputs);
  run_parallel(loop, nest.numel, prepared.cost);
}

bool holds_zero(const Input& divisor) {
  if (divisor.layout == nullptr) return any_zero(divisor.kernel, divisor.data, 1);
  const Layout& layout = *divisor.layout;
  // Where elements repeat or lie apart, the whole span is too much to look at.
  if (layout.dense) return any_zero(divisor.memory, divisor.data, layout.numel);
  const Tensor copy = to_contiguous_copy(divisor.tensor);
  return any_zero(divisor.memory, copy.impl()->data, layout.numel);
}

Dtype compared_dtype(const OpCall& call) {
  OperandType types[kMaxInputs];
  const size_t count = call.operands.size();
  for (size_t i = 0; i < count; ++i)
    types[i] = {call.operands[i].layout(), call.operands[i].scalar};
  return promote(call.op, {types, count}).compute;
}

// Whether the dtype holds every number among the operands as well as f32 does.
bool holds_numbers(Dtype dtype, const OpCall& call) {
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor()) continue;
    alignas(8) std::byte narrow[8], wide[8];
    store_element(dtype, narrow, operand.scalar);
    store_element(kFloat32, wide, operand.scalar);
    if (load_element(dtype, narrow).to_double() != load_element(kFloat32, wide).to_double())
      return false;
  }
  return true;
}

// The dtype of the block kernel. Only a comparison computes in another dtype than its result's.
// Beside 16-bit floats a number keeps its f32 value; their own kernels, which compute in f32 too,
// serve where it has the same there.
Dtype compute_dtype(const OpCall& call, const OpInfo& row, Dtype result) {
  if (row.dtype == DtypeRule::Bool) return compared_dtype(call);
  return is_half(result) && !holds_numbers(result, call) ? kFloat32 : result;
}

Tensor run_in(const OpCall& call, const OpInfo& row, Dtype compute, const Layout* layout) {
  Call prepared;
  prepare(call, row, compute, prepared);
  if (layout->numel > 0 && divides_ints(call.op, compute) && holds_zero(prepared.inputs[1]))
    fail(call, ErrorKind::kRuntime, "ZeroDivisionError: the divisor holds a zero");
  Tensor out = new_tensor(layout);
  if (layout->numel == 0) return out;
  const int broadcast = straight(prepared, *layout);
  if (broadcast >= 0) {
    run_straight(prepared, broadcast, *layout, out.impl()->data);
  } else {
    run_loops(prepared, *layout, out.impl()->data);
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

void run_cast(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  const Layout* layout = infer(call).results[0].layout;
  Tensor out = new_tensor(layout);
  convert_elements(*layout, out.impl()->data, *x->layout, x->data);
  results[0] = std::move(out);
}

}  // namespace frit::eager

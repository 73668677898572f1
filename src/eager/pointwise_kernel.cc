// Chooses the block kernel of an elementwise call.
#include "src/eager/pointwise_kernel.h"

#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

constexpr int64_t kFloatGrain = kGrain / 8;  // of ops as exp is

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

[[gnu::noinline, noreturn]] void fail_unsupported(const OpCall& call, Dtype compute) {
  fail(call, ErrorKind::kNotImplemented, std::string(name(compute)) + " is not supported");
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

}  // namespace

Kernel kernel_for(const OpCall& call, const OpInfo& row, Dtype compute) {
  Kernel kernel{block_of(call.op, row.family, compute), compute, compute, kGrain};
  if (!kernel.block.defined()) fail_unsupported(call, compute);
  if (row.dtype == DtypeRule::Bool) kernel.result = kBool;
  if (row.dtype == DtypeRule::Float) kernel.grain = kFloatGrain;
  return kernel;
}

Dtype compute_dtype(const OpCall& call, const OpInfo& row, Dtype result) {
  if (row.dtype == DtypeRule::Bool) return compared_dtype(call);
  return is_half(result) && !holds_numbers(result, call) ? kFloat32 : result;
}

bool divides_ints(Op op, Dtype compute) { return !is_floating_point(compute) && divides(op); }

std::byte* one_element(const Operand& operand, Dtype dtype, std::byte* converted) {
  if (!operand.is_tensor()) {
    store_element(dtype, converted, operand.scalar);
    return converted;
  }
  const Dtype memory = operand.layout()->dtype;
  if (memory == dtype) return operand.tensor->data;
  cast_block(memory, dtype)(operand.tensor->data, converted, 1);
  return converted;
}

bool lies_as(const Layout& input, const Layout& out) {
  if (&input == &out) return true;  // a result is dense
  if (input.contiguous && out.contiguous) return input.numel == out.numel;
  return out.dense && input.sizes() == out.sizes() && input.strides() == out.strides();
}

}  // namespace frit::eager

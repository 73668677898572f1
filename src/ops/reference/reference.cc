// Routes calls to the reference loops, and composites to their parts.
#include "src/ops/reference/reference.h"

#include "src/ops/custom.h"
#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

void run_composite(const OpCall& call, Tensor* results) {
  infer(call);  // errors name the composite, not its parts
  ReferenceBuilder builder;
  std::vector<Arg> args;
  for (const Operand& operand : call.operands)
    args.push_back(operand.is_tensor() ? Arg(builder.input(Tensor::share(operand.tensor)))
                                       : Arg(operand.scalar));
  results[0] = builder.tensor(expand_composite(builder, call.op, args, call.attrs));
}

Tensor copy_of(const Tensor& t) {
  const Operand operand(t);
  Tensor copy;
  run({Op::clone, {&operand, 1}, Attrs()}, &copy);
  return copy;
}

bool is_expanded_pow(const OpCall& call) {
  return call.op == Op::pow && call.operands.size() == 2 && call.operands[0].is_tensor() &&
         !call.operands[1].is_tensor() && pow_expands(call.operands[1].scalar);
}

}  // namespace

void run(const OpCall& call, Tensor* results) {
  if (is_expanded_pow(call)) return run_composite(call, results);
  switch (info(call.op).family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return run_elementwise(call, results);
    case Family::kCast:
      return run_cast(call, results);
    case Family::kReduce:
      return run_reduce(call, results);
    case Family::kArgReduce:
      return run_arg_reduce(call, results);
    case Family::kScan:
      return run_scan(call, results);
    case Family::kMove:
      return run_move(call, results);
    case Family::kCopy:
      return run_copy(call, results);
    case Family::kCat:
      return run_cat(call, results);
    case Family::kPad:
      return run_pad(call, results);
    case Family::kIndex:
      return run_index(call, results);
    case Family::kScatter:
      return run_scatter(call, results);
    case Family::kSort:
      return run_sort(call, results);
    case Family::kContract:
      return run_contract(call, results);
    case Family::kPool:
      return run_pool(call, results);
    case Family::kResample:
      return run_resample(call, results);
    case Family::kFft:
      return run_fft(call, results);
    case Family::kLinalg:
      return run_linalg(call, results);
    case Family::kRecurrent:
      return run_recurrent(call, results);
    case Family::kCreate:
      return run_create(call, results);
    case Family::kStore:
      return run_store(call);
    case Family::kComposite:
      return run_composite(call, results);
    case Family::kCustom:
      return custom::run(call, results, copy_of);
  }
}

Value ReferenceBuilder::input(Tensor t) {
  tensors_.push_back(std::move(t));
  return Value{static_cast<int32_t>(tensors_.size()) - 1};
}

Value ReferenceBuilder::op(Op op, std::span<const Arg> args, const Attrs& attrs) {
  std::vector<Operand> operands;
  for (const Arg& arg : args)
    operands.push_back(arg.is_value() ? Operand(tensor(arg.value)) : Operand(arg.scalar));
  Tensor results[kMaxResults];
  run({op, operands, attrs}, results);
  return input(std::move(results[0]));
}

}  // namespace frit::reference

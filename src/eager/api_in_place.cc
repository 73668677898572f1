// Elementwise methods of Tensor, and those that write: the op, then a store into this tensor's
// memory.
#include "src/eager/api.h"
#include "src/ops/memory.h"

namespace frit {
namespace {

// PyTorch lets a result go to a dtype of the same or a higher category: bool < integer < float.
bool can_hold(Dtype target, Dtype result) {
  if (is_floating_point(result)) return is_floating_point(target);
  return result == kBool || target != kBool;
}

// What is pending in a trace of this thread has its place; other values get theirs first.
void settle(const TensorImpl* t) {
  MemoryPlace place;
  if (t->pending() && !observer.locate(t, &place)) materialize(t);
}

void check_overlap(std::string_view method, const Tensor& target, const Operand& source) {
  if (!source.is_tensor() || source.tensor == target.impl()) return;
  settle(target.impl());
  settle(source.tensor);
  if (overlap(*target.impl(), *source.tensor) == Overlap::kPartial)
    api::fail(ErrorKind::kRuntime, method, target,
              "an operand overlaps with the written tensor: clone it first");
}

void check_result(std::string_view method, const Tensor& target, Dtype dtype, IntArrayRef sizes) {
  if (!can_hold(target.dtype(), dtype))
    api::fail(ErrorKind::kRuntime, method, target,
              api::text("the result is ", name(dtype), ", which ", name(target.dtype()),
                        " does not hold"));
  if (sizes != target.sizes())
    api::fail(ErrorKind::kRuntime, method, target,
              api::text("the result has other sizes: ", sizes));
}

void store(const Tensor& target, const Operand& source) {
  const Operand operands[] = {target, source};
  dispatch({Op::store, operands, Attrs()}, nullptr);
}

const Tensor& in_place(std::string_view method, Op op, const Tensor& target, const Operand& other) {
  const OperandType types[] = {{api::checked(method, target).impl()->layout, {}},
                               {other.layout(), other.scalar}};
  check_result(method, target, promote(op, types).result, broadcast_sizes(op, types));
  check_overlap(method, target, other);
  store(target, call(op, {target, other}));
  return target;
}

const Tensor& in_place(std::string_view method, const Tensor& target, const Tensor& result) {
  check_result(method, target, result.dtype(), result.sizes());
  store(target, result);
  return target;
}

}  // namespace

const Tensor& store_result(std::string_view method, const Tensor& target, const Tensor& result,
                           const std::vector<Tensor>& operands) {
  api::checked(method, target);
  for (const Tensor& operand : operands)
    check_overlap(method, target, api::operand(method, operand));
  api::checked(method, result);
  return result.is_same(target) ? target : in_place(method, target, result);
}

Tensor Tensor::relu() const { return frit::relu(*this); }
Tensor Tensor::sigmoid() const { return frit::sigmoid(*this); }
Tensor Tensor::tanh() const { return frit::tanh(*this); }
Tensor Tensor::exp() const { return frit::exp(*this); }
Tensor Tensor::log() const { return frit::log(*this); }
Tensor Tensor::sqrt() const { return frit::sqrt(*this); }
Tensor Tensor::abs() const { return frit::abs(*this); }
Tensor Tensor::neg() const { return frit::neg(*this); }
Tensor Tensor::pow(const Scalar& exponent) const { return frit::pow(*this, exponent); }
Tensor Tensor::clamp(std::optional<Scalar> min, std::optional<Scalar> max) const {
  return frit::clamp(*this, min, max);
}
Tensor Tensor::matmul(const Tensor& other) const { return frit::matmul(*this, other); }
Tensor Tensor::masked_fill(const Tensor& mask, const Scalar& value) const {
  return frit::masked_fill(*this, mask, value);
}

const Tensor& Tensor::copy_(const Tensor& source) const {
  const Operand operand = api::operand("copy_", source);
  check_overlap("copy_", api::checked("copy_", *this), operand);
  if (source.is_same(*this)) return *this;
  store(*this, operand);
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  api::check_fits("fill_", *this, api::checked("fill_", *this).dtype(), value);
  store(*this, value);
  return *this;
}

const Tensor& Tensor::add_(const Tensor& other, const Scalar& alpha) const {
  if (alpha.to_double() == 1) return in_place("add_", Op::add, *this, api::operand("add_", other));
  check_overlap("add_", api::checked("add_", *this), api::operand("add_", other));
  return in_place("add_", *this, frit::add(*this, other, alpha));
}
const Tensor& Tensor::add_(const Scalar& other) const {
  return in_place("add_", Op::add, *this, other);
}

const Tensor& Tensor::sub_(const Tensor& other, const Scalar& alpha) const {
  if (alpha.to_double() == 1) return in_place("sub_", Op::sub, *this, api::operand("sub_", other));
  check_overlap("sub_", api::checked("sub_", *this), api::operand("sub_", other));
  return in_place("sub_", *this, frit::sub(*this, other, alpha));
}
const Tensor& Tensor::sub_(const Scalar& other) const {
  return in_place("sub_", Op::sub, *this, other);
}

const Tensor& Tensor::mul_(const Tensor& other) const {
  return in_place("mul_", Op::mul, *this, api::operand("mul_", other));
}
const Tensor& Tensor::mul_(const Scalar& other) const {
  return in_place("mul_", Op::mul, *this, other);
}

const Tensor& Tensor::div_(const Tensor& other) const {
  return in_place("div_", Op::div, *this, api::operand("div_", other));
}
const Tensor& Tensor::div_(const Scalar& other) const {
  return in_place("div_", Op::div, *this, other);
}

const Tensor& Tensor::relu_() const { return in_place("relu_", *this, frit::relu(*this)); }
const Tensor& Tensor::sigmoid_() const { return in_place("sigmoid_", *this, frit::sigmoid(*this)); }
const Tensor& Tensor::clamp_(std::optional<Scalar> min, std::optional<Scalar> max) const {
  return in_place("clamp_", *this, frit::clamp(*this, min, max));
}

}  // namespace frit

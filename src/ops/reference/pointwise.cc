// Elementwise ops and casts: one element after the other.
#include <algorithm>

#include "src/ops/math/integer.h"
#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

bool divides_integers(Op op, Dtype compute) { return !is_floating_point(compute) && divides(op); }

// One operand, element by element in the dtype where elements meet. A tensor is cast to the compute
// dtype on its way there, a number is not.
class Source {
 public:
  Source(const Operand& operand, Dtype compute, Dtype meeting)
      : tensor_(operand.tensor), compute_(compute), meeting_(meeting) {
    if (tensor_ == nullptr) bits_ = scalar_bits(meeting, operand.scalar);
  }
  uint64_t at(const Index& index) const {
    if (tensor_ == nullptr) return bits_;
    const Elements elements(tensor_);
    return cast_scalar(compute_, meeting_,
                       elements.load_as(compute_, index.offset_in(*tensor_->layout)));
  }

 private:
  const TensorImpl* tensor_;
  Dtype compute_, meeting_;
  uint64_t bits_ = 0;
};

std::vector<OperandType> types_of(const OpCall& call) {
  std::vector<OperandType> types;
  for (const Operand& operand : call.operands) types.push_back({operand.layout(), operand.scalar});
  return types;
}

// The dtype in which elements meet. 16-bit floats meet as f32 and are rounded once at the end, so
// that a number beside them keeps its f32 value; only comparisons take it as the 16-bit float that
// it would be.
Dtype meeting_dtype(Op op, Dtype compute) {
  return is_half(compute) && info(op).dtype != DtypeRule::Bool ? kFloat32 : compute;
}

template <class T>
uint64_t divide_integers(Op op, T a, T b) {
  if (op == Op::floor_divide) return bits_of(math::floor_divide(a, b));
  if (op == Op::trunc_divide) return bits_of(math::trunc_divide(a, b));
  if (op == Op::fmod) return bits_of(math::fmod(a, b));
  if (op == Op::remainder) return bits_of(math::remainder(a, b));
  return bits_of(math::pow(a, b));
}

uint64_t divide_integers(Op op, Dtype dtype, const uint64_t* bits) {
  const auto divide = [&](auto type) {
    return divide_integers(op, number<decltype(type)>(bits[0]), number<decltype(type)>(bits[1]));
  };
  switch (dtype) {
    case Dtype::kI32:
      return divide(int32_t{});
    case Dtype::kI16:
      return divide(int16_t{});
    case Dtype::kI8:
      return divide(int8_t{});
    case Dtype::kU8:
      return divide(uint8_t{});
    default:
      return divide(int64_t{});
  }
}

// An op on elements of one dtype.
class Meaning {
 public:
  Meaning(Op op, Dtype dtype) : op_(op), dtype_(dtype), wide_(is_half(dtype) ? kFloat32 : dtype) {
    integers_ = is_integral(dtype) && (divides_integers(op, dtype) || op == Op::pow);
    if (!integers_) function_ = scalar_fn(op, wide_);
  }
  bool defined() const { return integers_ || function_ != nullptr; }
  Dtype result() const { return scalar_result(op_, wide_); }

  uint64_t operator()(uint64_t* bits, size_t count) const {
    if (integers_) return divide_integers(op_, dtype_, bits);
    for (size_t i = 0; i < count; ++i) bits[i] = cast_scalar(dtype_, wide_, bits[i]);
    return function_(bits);
  }

 private:
  Op op_;
  Dtype dtype_, wide_;
  bool integers_;
  ScalarFn function_ = nullptr;
};

void check_divisor(const OpCall& call, const Source& divisor, IntArrayRef sizes) {
  for (Index i(sizes); i.valid(); i.next())
    if (divisor.at(i) == 0)
      fail(call, ErrorKind::kRuntime, "ZeroDivisionError: the divisor holds a zero");
}

}  // namespace

void run_elementwise(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const Promotion dtypes = promote(call.op, types_of(call));
  const Dtype dtype = meeting_dtype(call.op, dtypes.compute);
  const Meaning meaning(call.op, dtype);
  if (!meaning.defined())
    fail(call, ErrorKind::kNotImplemented, std::string(name(dtype)) + " is not supported");
  std::vector<Source> sources;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const bool condition = call.op == Op::where && i == 0;
    sources.emplace_back(call.operands[i], condition ? kBool : dtypes.compute,
                         condition ? kBool : dtype);
  }
  const Layout& layout = *types.results[0].layout;
  if (divides_integers(call.op, dtype)) check_divisor(call, sources[1], layout.sizes());
  Tensor out = new_result(types);
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    uint64_t bits[3];
    for (size_t k = 0; k < sources.size(); ++k) bits[k] = sources[k].at(i);
    const uint64_t result = meaning(bits, sources.size());
    Elements(out).store(i.offset(layout.strides()),
                        cast_scalar(meaning.result(), dtypes.result, result));
  }
  results[0] = std::move(out);
}

void run_cast(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  copy_elements(out, call.operands[0].tensor);
  results[0] = std::move(out);
}

}  // namespace frit::reference

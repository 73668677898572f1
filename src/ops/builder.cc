// Finds the function of a composite and keeps its promise about the 16-bit floats.
#include "src/ops/builder.h"

#include "frit/error.h"
#include "src/base/check.h"
#include "src/ops/custom.h"

namespace frit {
namespace {

bool is_half_tensor(OpBuilder& b, const Arg& arg) {
  return b.is_tensor(arg) && is_half(b.dtype(arg.value));
}

// PyTorch checks mean and var by name, the others refuse by having no kernel.
void check_floating(OpBuilder& b, Op op, const Arg& x) {
  if (!b.is_tensor(x) || is_floating_point(b.dtype(x.value))) return;
  throw Error(op == Op::mean || op == Op::var ? ErrorKind::kRuntime : ErrorKind::kNotImplemented,
              std::string(name(op)) + "(" + to_string(b.layout(x.value)) +
                  "): only floating point is supported");
}

// Whether all of the composite's tensors are operands of one elementwise meaning, and so promoted.
bool is_promoted(Op op) {
  return info(op).dtype == DtypeRule::Number || info(op).dtype == DtypeRule::Float;
}

// The composite in the dtype that its tensors promote to: f32 for the 16-bit floats, rounded once.
Value expand_promoted(OpBuilder& b, Op op, Args args, const Attrs& attrs) {
  std::vector<OperandType> types;
  for (const Arg& arg : args)
    if (b.is_tensor(arg)) types.push_back({&b.layout(arg.value), {}});
  const Promotion dtypes = promote(op, types);
  const Dtype compute = is_half(dtypes.compute) ? kFloat32 : dtypes.compute;
  std::vector<Arg> same(args.begin(), args.end());
  for (Arg& arg : same)
    if (b.is_tensor(arg) && b.dtype(arg.value) != compute) arg = b.cast(arg, compute);
  const Value result = composite(op)(b, same, attrs);
  return is_half(dtypes.result) ? b.cast(result, dtypes.result) : result;
}

}  // namespace

Composite composite(Op op) {
  switch (op) {
#define FRIT_UNARY(name, ...) case Op::name:
#define FRIT_BINARY(name, ...) case Op::name:
#define FRIT_TERNARY(name, ...) case Op::name:
#define FRIT_CORE(name, ...) case Op::name:
#define FRIT_COMPOSITE(...)
#include "src/ops/ops.def"
    break;
#define FRIT_UNARY(...)
#define FRIT_BINARY(...)
#define FRIT_TERNARY(...)
#define FRIT_CORE(...)
#define FRIT_COMPOSITE(name, ...) \
  case Op::name:                  \
    return composites::name;
#include "src/ops/ops.def"
  }
  FRIT_CHECK(false) << name(op) << " is not a composite";
  __builtin_unreachable();
}

Value expand_composite(OpBuilder& b, Op op, Args args, const Attrs& attrs) {
  if (op == Op::pow) return expand_pow(b, args);
  if (is_custom(op)) return custom::expand(b, op, args, attrs);
  if (is_promoted(op)) return expand_promoted(b, op, args, attrs);
  // The others move or compare elements, or are made of one op that rounds by itself.
  if (info(op).dtype != DtypeRule::FloatOnly) return composite(op)(b, args, attrs);
  check_floating(b, op, args[0]);
  std::vector<Arg> wide(args.begin(), args.end());
  for (Arg& arg : wide)
    if (is_half_tensor(b, arg)) arg = b.cast(arg, kFloat32);
  const Value result = composite(op)(b, wide, attrs);
  return is_half_tensor(b, args[0]) ? b.cast(result, b.dtype(args[0].value)) : result;
}

bool pow_expands(const Scalar& exponent) {
  const double e = exponent.to_double();
  return e == 1 || e == 2 || e == 3 || e == -1 || e == 0.5 || e == -0.5;
}

namespace {

Value power(OpBuilder& b, const Arg& x, double exponent) {
  if (exponent == 2) return b.mul(x, x);
  if (exponent == 3) return b.mul(b.mul(x, x), x);
  if (exponent == -1) return b.reciprocal(x);
  if (exponent == 0.5) return b.sqrt(x);
  if (exponent == -0.5) return b.rsqrt(x);
  return b.mul(x, 1);
}

}  // namespace

Value expand_pow(OpBuilder& b, Args args) {
  if (!b.is_tensor(args[0]) || b.is_tensor(args[1])) return b.op(Op::pow, args, Attrs());
  const Scalar exponent = b.assume(args[1]);
  const OperandType types[] = {{&b.layout(args[0].value), {}}, {nullptr, exponent}};
  // Throws for negative exponents of integers.
  const Dtype dtype = promote(Op::pow, types).result;
  if (!pow_expands(exponent)) return b.op(Op::pow, args, Attrs());
  const Dtype compute = is_half(dtype) ? kFloat32 : dtype;
  Arg x = args[0];
  if (b.dtype(x.value) != compute) x = b.cast(x, compute);
  const Value result = power(b, x, exponent.to_double());
  return compute == dtype ? result : b.cast(result, dtype);
}

}  // namespace frit

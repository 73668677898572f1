// Elementwise ops that ONNX has not, written with those that it has.
#include <cmath>
#include <numbers>

#include "src/onnx/export_ops.h"
#include "src/ops/op.h"

namespace frit::onnx::exports {
namespace {

// Nodes by operators, in the dtype of their operands.
class Formula {
 public:
  Formula(const NodeWriter& w, OnnxValue value) : w_(w), value_(std::move(value)) {}

  operator OnnxValue() const { return value_; }  // NOLINT: what nodes take
  const OnnxValue& value() const { return value_; }
  // A number of the same dtype.
  Formula number(const Scalar& n) const { return {w_, w_.number(n, value_.dtype)}; }
  Formula apply(std::string_view type) const { return {w_, w_.op(type, {value_})}; }
  Formula with(std::string_view type, const Formula& b) const {
    return {w_, w_.op(type, {value_, b.value_})};
  }
  Formula test(std::string_view type, const Formula& b) const {
    return {w_, w_.test(type, {value_, b.value_})};
  }
  // Of a condition.
  Formula choose(const Formula& a, const Formula& b) const {
    return {w_, w_.op_giving(a.value_.dtype, "Where", {value_, a.value_, b.value_})};
  }

  friend Formula operator+(const Formula& a, const Formula& b) { return a.with("Add", b); }
  friend Formula operator-(const Formula& a, const Formula& b) { return a.with("Sub", b); }
  friend Formula operator*(const Formula& a, const Formula& b) { return a.with("Mul", b); }
  friend Formula operator/(const Formula& a, const Formula& b) { return a.with("Div", b); }
  friend Formula operator<(const Formula& a, const Formula& b) { return a.test("Less", b); }
  friend Formula operator==(const Formula& a, const Formula& b) { return a.test("Equal", b); }
  friend Formula operator+(const Formula& a, double b) { return a + a.number(b); }
  friend Formula operator-(const Formula& a, double b) { return a - a.number(b); }
  friend Formula operator*(const Formula& a, double b) { return a * a.number(b); }
  friend Formula operator<(const Formula& a, double b) { return a < a.number(b); }
  friend Formula operator==(const Formula& a, double b) { return a == a.number(b); }
  Formula operator-() const { return apply("Neg"); }
  Formula operator!() const { return apply("Not"); }
  Formula operator&&(const Formula& b) const { return with("And", b); }
  Formula operator||(const Formula& b) const { return with("Or", b); }

 private:
  const NodeWriter& w_;
  OnnxValue value_;
};

Formula abs(const Formula& x) { return x.apply("Abs"); }
Formula log(const Formula& x) { return x.apply("Log"); }
Formula exp(const Formula& x) { return x.apply("Exp"); }
Formula floor(const Formula& x) { return x.apply("Floor"); }
Formula sign(const Formula& x) { return x.apply("Sign"); }
Formula largest(const Formula& a, const Formula& b) { return a.with("Max", b); }

Formula operand(const NodeWriter& w) { return {w, w.promoted()[0]}; }

struct Pair {
  Formula a, b;
};
Pair operands(const NodeWriter& w) {
  const OnnxValues values = w.promoted();
  return {{w, values[0]}, {w, values[1]}};
}

Formula truncated(const Formula& x) { return sign(x) * floor(abs(x)); }

// What rounding 1 + x lost is made good by the quotient (Kahan).
Formula log_of_one_and(const Formula& x) {
  const Formula u = x + 1, d = u - 1;
  const Formula exact = (d == 0) || (u == u.number(INFINITY));
  return exact.choose((d == 0).choose(x, u), log(u) * (x / exact.choose(u.number(1), d)));
}

Formula softplus(const Formula& x) { return x.apply("Softplus"); }

bool of_floats(const Pair& p) { return is_floating_point(p.a.value().dtype); }

// The remainder of the division towards zero, which ONNX's division of integers is.
Formula truncated_remainder(const NodeWriter& w, const Pair& p) {
  if (!of_floats(p)) return p.a - p.a / p.b * p.b;
  return {w, w.op("Mod", {p.a, p.b}, {{"fmod", int64_t{1}}})};
}

// Whether a remainder is to move by the divisor, so that it gets its sign.
Formula of_other_sign(const Formula& rest, const Formula& divisor) {
  return !(rest == 0) && (rest < 0).with("Xor", divisor < 0);
}

// The sign bit, of zeros by their reciprocals.
Formula is_negative(const Formula& x) {
  return (x < 0) || ((x == 0) && (x.apply("Reciprocal") < 0));
}

}  // namespace

void trunc(NodeWriter& w) {
  if (!is_floating_point(w.layout(0).dtype)) return identity(w);
  w.result(truncated(operand(w)));
}

void frac(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(x - truncated(x));
}

void rsqrt(NodeWriter& w) { w.result(operand(w).apply("Sqrt").apply("Reciprocal")); }

void cbrt(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(sign(x) * abs(x).with("Pow", x.number(1.0 / 3)));
}

void exp2(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(x.number(2).with("Pow", x));
}

void log2(NodeWriter& w) { w.result(log(operand(w)) * std::numbers::log2e); }

void log10(NodeWriter& w) { w.result(log(operand(w)) * std::numbers::log10e); }

// Near 0, what rounding e^x lost is made good by the quotient (Kahan).
void expm1(NodeWriter& w) {
  const Formula x = operand(w), u = exp(x), d = u - 1;
  const Formula far = !(abs(x) < 0.5);
  const Formula exact = (u == 1) || far;
  w.result(exact.choose(far.choose(d, x), d * (x / log(exact.choose(x.number(2), u)))));
}

void log1p(NodeWriter& w) { w.result(log_of_one_and(operand(w))); }

void sinc(NodeWriter& w) {
  const Formula x = operand(w), angle = x * std::numbers::pi;
  w.result((x == 0).choose(x.number(1), angle.apply("Sin") / angle));
}

void scaled(NodeWriter& w) {
  w.result(operand(w) * (w.op() == Op::deg2rad ? std::numbers::pi / 180 : 180 / std::numbers::pi));
}

void angle(NodeWriter& w) {
  const Formula x = operand(w);
  w.result((x < 0).choose(x.number(std::numbers::pi), (x == x).choose(x.number(0), x)));
}

void ndtr(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(((x * (1 / std::numbers::sqrt2)).apply("Erf") + 1) * 0.5);
}

void silu(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(x * x.apply("Sigmoid"));
}

void logsigmoid(NodeWriter& w) { w.result(-softplus(-operand(w))); }

void mish(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(x * softplus(x).apply("Tanh"));
}

void tanhshrink(NodeWriter& w) {
  const Formula x = operand(w);
  w.result(x - x.apply("Tanh"));
}

void entr(NodeWriter& w) {
  const Formula x = operand(w);
  w.result((x < 0).choose(x.number(-INFINITY), (x == 0).choose(x.number(0), -(x * log(x)))));
}

void isfinite(NodeWriter& w) {
  const Formula x(w, w.is_tensor(0) ? w.widened(0) : w.operand(0, kFloat32));
  w.result((x - x) == 0);
}

void signbit(NodeWriter& w) {
  const Formula x(w, w.widened(0));
  w.result(is_floating_point(x.value().dtype) ? is_negative(x) : x < 0);
}

void prelu(NodeWriter& w) {
  const auto [x, weight] = operands(w);
  w.result((x.number(0) < x).choose(x, x * weight));
}

void floor_divide(NodeWriter& w) {
  const Pair p = operands(w);
  if (of_floats(p)) {
    const Formula rest = truncated_remainder(w, p), exact = (p.a - rest) / p.b;
    const Formula quotient = of_other_sign(rest, p.b).choose(exact - 1, exact);
    const Formula down = floor(quotient);
    const Formula whole = (down.number(0.5) < quotient - down).choose(down + 1, down);
    return w.result((p.b == 0).choose(p.a / p.b, whole));
  }
  const Formula quotient = p.a / p.b, rest = truncated_remainder(w, p);
  w.result(of_other_sign(rest, p.b).choose(quotient - 1, quotient));
}

void trunc_divide(NodeWriter& w) {
  const Pair p = operands(w);
  w.result(of_floats(p) ? truncated(p.a / p.b) : p.a / p.b);
}

void fmod(NodeWriter& w) { w.result(truncated_remainder(w, operands(w))); }

void remainder(NodeWriter& w) {
  const Pair p = operands(w);
  const Formula rest = truncated_remainder(w, p);
  w.result(of_other_sign(rest, p.b).choose(rest + p.b, rest));
}

// From the right half of the plane to the whole.
void atan2(NodeWriter& w) {
  const auto [y, x] = operands(w);
  const double pi = std::numbers::pi;
  const Formula half = ((y == 0) && (x == x)).choose(y, (y / x).apply("Atan"));
  const Formula turn = is_negative(y).choose(y.number(-pi), y.number(pi));
  const Formula beside = (y == 0) && (x == 0);
  w.result(is_negative(x).choose(beside.choose(turn, half + turn), half));
}

// By the larger of the two, so that no square is too large.
void hypot(NodeWriter& w) {
  const auto [a, b] = operands(w);
  const Formula high = largest(abs(a), abs(b)), low = abs(a).with("Min", abs(b));
  const Formula ratio = low / high;
  const Formula finite = (high == 0).choose(high, high * (ratio * ratio + 1).apply("Sqrt"));
  const Formula infinity = high.number(INFINITY);
  const Formula infinite = (abs(a) == infinity) || (abs(b) == infinity);
  w.result(infinite.choose(infinity, finite));
}

void xlogy(NodeWriter& w) {
  const auto [a, b] = operands(w);
  w.result(((a == 0) && (b == b)).choose(a.number(0), a * log(b)));
}

void xlog1py(NodeWriter& w) {
  const auto [a, b] = operands(w);
  w.result(((a == 0) && (b == b)).choose(a.number(0), a * log_of_one_and(b)));
}

// The larger one, and what the other adds.
void logaddexp(NodeWriter& w) {
  const auto [a, b] = operands(w);
  const bool binary = w.op() == Op::logaddexp2;
  const double scale = binary ? std::numbers::ln2 : 1;
  const Formula equal = a == b;
  const Formula less = equal.choose(a.number(0), -abs(a - b));
  const Formula added = log_of_one_and(exp(binary ? less * scale : less));
  w.result(largest(a, b) + (binary ? added * (1 / scale) : added));
}

void heaviside(NodeWriter& w) {
  const auto [a, b] = operands(w);
  const Formula step = (a.number(0) < a).choose(a.number(1), a.number(0));
  w.result((a == 0).choose(b, step));
}

void fmax(NodeWriter& w) {
  const auto [a, b] = operands(w);
  const Formula both = a.with(w.row().type, b);
  if (!is_floating_point(a.value().dtype)) return w.result(both);
  w.result((a == a).choose((b == b).choose(both, a), b));
}

void copysign(NodeWriter& w) {
  const auto [a, b] = operands(w);
  w.result(is_negative(b).choose(-abs(a), abs(a)));
}

}  // namespace frit::onnx::exports

// OpBuilder: what composite ops are written against, so that one text serves eager execution,
// graphs and the reference interpreter.
//
//   Value relu6(OpBuilder& b, Args args, const Attrs&) {
//     return b.minimum(b.maximum(args[0], 0), 6);
//   }
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frit/error.h"
#include "src/ops/infer.h"

namespace frit {

// A value made by a builder: an index that only that builder understands.
struct Value {
  int32_t id = -1;
};

// An operand of a builder call: a value or a host scalar.
struct Arg {
  Value value;
  Scalar scalar;
  Arg() = default;
  Arg(Value v) : value(v) {}           // NOLINT
  Arg(const Scalar& s) : scalar(s) {}  // NOLINT
  template <class T>
  requires std::is_arithmetic_v<T> Arg(T number) : scalar(number) {}  // NOLINT
  bool is_value() const { return value.id >= 0; }
};

class OpBuilder {
 public:
  virtual ~OpBuilder() = default;

  // Appends or runs an op; throws frit::Error as a call by the user would.
  virtual Value op(Op op, std::span<const Arg> args, const Attrs& attrs) = 0;
  // What is known of a value without computing it.
  virtual const Layout& layout(Value v) = 0;
  // The value of a scalar operand that decides the composite's form. A graph builder notes that the
  // graph holds only for this value.
  virtual Scalar assume(const Arg& scalar) = 0;
  // False for scalars, which a graph also knows as values (its scalar inputs).
  virtual bool is_tensor(const Arg& arg) { return arg.is_value(); }

  Value op(Op o, std::initializer_list<Arg> args, const Attrs& attrs = Attrs()) {
    return op(o, std::span<const Arg>(args.begin(), args.size()), attrs);
  }

  // One short form per elementwise row of ops.def: b.add(x, 1), b.exp(x).
#define FRIT_UNARY(name, ...) \
  Value name(const Arg& x) { return op(Op::name, {x}); }
#define FRIT_BINARY(name, ...) \
  Value name(const Arg& a, const Arg& b) { return op(Op::name, {a, b}); }
#define FRIT_TERNARY(name, ...) \
  Value name(const Arg& c, const Arg& a, const Arg& b) { return op(Op::name, {c, a, b}); }
#include "src/ops/ops.def"

  Value cast(const Arg& x, Dtype dtype) { return op(Op::cast, {x}, Attrs().add(dtype)); }
  Value sum(const Arg& x, IntArrayRef dims, bool keepdim) {
    return op(Op::sum, {x}, Attrs().add_list(dims).add(keepdim));
  }
  Value amax(const Arg& x, IntArrayRef dims, bool keepdim) {
    return op(Op::amax, {x}, Attrs().add_list(dims).add(keepdim));
  }
  Value amin(const Arg& x, IntArrayRef dims, bool keepdim) {
    return op(Op::amin, {x}, Attrs().add_list(dims).add(keepdim));
  }
  Value reshape(const Arg& x, IntArrayRef sizes) {
    return op(Op::reshape, {x}, Attrs().add_list(sizes));
  }
  Value permute(const Arg& x, IntArrayRef dims) {
    return op(Op::permute, {x}, Attrs().add_list(dims));
  }
  Value matmul(const Arg& a, const Arg& b) { return op(Op::matmul, {a, b}); }
  Value addmm(const Arg& bias, const Arg& a, const Arg& b, const Arg& alpha = 1,
              const Arg& beta = 1) {
    return op(Op::addmm, {bias, a, b, alpha, beta});
  }

  Value squeeze(const Arg& x, IntArrayRef dims) {
    return op(Op::squeeze, {x}, Attrs().add_list(dims));
  }
  Value slice(const Arg& x, int64_t dim, int64_t start, int64_t end) {
    return op(Op::slice, {x}, Attrs().add(dim).add(end).add(start).add(1));
  }
  Value index_select(const Arg& x, int64_t dim, const Arg& index) {
    return op(Op::index_select, {x, index}, Attrs().add(dim));
  }
  Value arange(int64_t n) { return op(Op::arange, {0, 1}, Attrs().add(kInt64).add(n)); }

  Dtype dtype(Value v) { return layout(v).dtype; }
  IntArrayRef sizes(Value v) { return layout(v).sizes(); }
};

// The operands of a composite's call. How many it takes may depend on its attributes, so a missing
// one is found where it is asked for.
class Args : public std::span<const Arg> {
 public:
  using std::span<const Arg>::span;
  const Arg& operator[](size_t i) const {
    if (i < size()) return data()[i];
    throw Error(ErrorKind::kType, "operand " + std::to_string(i + 1) + " is missing");
  }
};

// A composite: builds its result from core ops (or other composites). `attrs` as in its row.
using Composite = Value (*)(OpBuilder& b, Args args, const Attrs& attrs);

// The function of a composite's row. CHECKs that the op is one.
Composite composite(Op op);

// The composites, one function a row, by family in composites_*.cc. The 16-bit floats are handled
// by expand_composite: operands cast to f32, result rounded once. Where the row's dtype rule is
// Number or Float, it has promoted the tensors: they come in one dtype.
namespace composites {
#define FRIT_COMPOSITE(name, ...) Value name(OpBuilder& b, Args args, const Attrs& attrs);
#include "src/ops/ops.def"
}  // namespace composites

// Builds `op` from core ops with `b`, rounding once for the 16-bit floats. What every executor of
// composites calls. Takes pow too, see below.
Value expand_composite(OpBuilder& b, Op op, Args args, const Attrs& attrs);

// Whether pow with this scalar exponent is made of products, roots and reciprocals: 1, 2, 3, -1,
// 0.5 and -0.5. Eager, reference and graphs all go through expand_pow then, so that the bits agree.
bool pow_expands(const Scalar& exponent);
// pow of two operands, expanded where pow_expands says so. A scalar exponent is assumed.
Value expand_pow(OpBuilder& b, Args args);

// Whether argmax (argmin) of a tensor like this is, for kernels, a fold and a search for the first
// place of what it gives: rows that are not empty, and not too long for it. That compares and
// counts only, so the result is the same.
bool arg_reduction_expands(const Layout& x, const Attrs& attrs);
Value expand_arg_reduction(OpBuilder& b, Op op, const Arg& x, const Attrs& attrs);

}  // namespace frit

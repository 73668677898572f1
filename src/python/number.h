// Binary ops on operands of which one may be a number.
#pragma once

#include "src/python/arguments.h"

namespace frit::python {

#define FRIT_BINARY_FUNCTION(Name, function)                  \
  struct Name {                                               \
    template <class A, class B>                               \
    auto operator()(const A& a, const B& b) const -> Tensor { \
      return frit::function(a, b);                            \
    }                                                         \
  };
FRIT_BINARY_FUNCTION(Add, add)
FRIT_BINARY_FUNCTION(Sub, sub)
FRIT_BINARY_FUNCTION(Mul, mul)
FRIT_BINARY_FUNCTION(Div, div)
FRIT_BINARY_FUNCTION(FloorDivide, floor_divide)
FRIT_BINARY_FUNCTION(TruncDivide, trunc_divide)
FRIT_BINARY_FUNCTION(Remainder, remainder)
FRIT_BINARY_FUNCTION(Pow, pow)
FRIT_BINARY_FUNCTION(And, bitwise_and)
FRIT_BINARY_FUNCTION(Or, bitwise_or)
FRIT_BINARY_FUNCTION(Xor, bitwise_xor)
FRIT_BINARY_FUNCTION(LeftShift, bitwise_left_shift)
FRIT_BINARY_FUNCTION(RightShift, bitwise_right_shift)
FRIT_BINARY_FUNCTION(Eq, eq)
FRIT_BINARY_FUNCTION(Ne, ne)
FRIT_BINARY_FUNCTION(Lt, lt)
FRIT_BINARY_FUNCTION(Le, le)
FRIT_BINARY_FUNCTION(Gt, gt)
FRIT_BINARY_FUNCTION(Ge, ge)
#undef FRIT_BINARY_FUNCTION

// fn(a, b), where one of them at least is a tensor.
template <class Fn>
Tensor apply(Fn fn, std::string_view name, const Number& a, const Number& b) {
  if (a.is_tensor()) return b.is_tensor() ? fn(*a.tensor, *b.tensor) : fn(*a.tensor, b.scalar);
  if (b.is_tensor()) return fn(a.scalar, *b.tensor);
  throw Error(ErrorKind::kType,
              std::string(name) + "(): argument 'input' (position 1) must be Tensor, not a number");
}

}  // namespace frit::python

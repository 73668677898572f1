// The one meaning of every elementwise op: a function template of the op's name (ops.def) over the
// value type, by family.
//
//   math::gelu is not here: it is a composite.   math::erf(V x) is, for every V of value.h.
//
// Where an op has no template for a type (exp of an integer, sub of bool), the call does not
// compile; tables ask with `requires`.
#pragma once

#include "src/ops/math/activation.h"
#include "src/ops/math/arithmetic.h"
#include "src/ops/math/bessel.h"
#include "src/ops/math/cast.h"
#include "src/ops/math/compare.h"
#include "src/ops/math/complementary_error.h"
#include "src/ops/math/error_function.h"
#include "src/ops/math/exponential.h"
#include "src/ops/math/gamma.h"
#include "src/ops/math/hyperbolic.h"
#include "src/ops/math/integer_division.h"
#include "src/ops/math/inverse_error.h"
#include "src/ops/math/inverse_trigonometric.h"
#include "src/ops/math/log_forms.h"
#include "src/ops/math/logarithm.h"
#include "src/ops/math/power.h"
#include "src/ops/math/trigonometric.h"

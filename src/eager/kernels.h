// The CPU kernels; dispatch.cc's table routes to them.
//
// Each runs one call on materialised CPU operands: it applies the op's rules (infer), makes the
// result and fills it. Errors that depend on values are thrown before anything is written.
//
// A core op with a loop of its own names its kernel beside it, perhaps one of several ops:
//
//   FRIT_EAGER_KERNEL(cumsum, run_scan)
//
// An op that has none does not link.
#pragma once

#include "src/eager/dispatch.h"

namespace frit::eager {

template <Op op>
void run_core(const OpCall& call, Tensor* results);
#define FRIT_CORE(name, ...) \
  template <>                \
  void run_core<Op::name>(const OpCall& call, Tensor* results);
#define FRIT_OP(...)
#include "src/ops/ops.def"

#define FRIT_EAGER_KERNEL(op, kernel)                          \
  template <>                                                  \
  void run_core<Op::op>(const OpCall& call, Tensor* results) { \
    kernel(call, results);                                     \
  }

void run_pointwise(const OpCall& call, Tensor* results);  // unary, binary, ternary
void run_pow(const OpCall& call, Tensor* results);        // small exponents are products and roots
void run_triangle(const OpCall& call, Tensor* results);   // tril triu, if contiguous
void run_cdist(const OpCall& call, Tensor* results);
void run_composite(const OpCall& call, Tensor* results);
void run_custom(const OpCall& call, Tensor* results);  // registered ops

// The view that the call's rule says, on any device.
Tensor make_view(const OpCall& call, const ResultType& type);

}  // namespace frit::eager

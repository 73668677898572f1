// Losses, element by element.
#include <cfloat>
#include <cmath>

#include "src/ops/builder.h"

namespace frit::composites {

Value mse_loss(OpBuilder& b, Args args, const Attrs&) {
  const Value difference = b.sub(args[0], args[1]);
  return b.mul(difference, difference);
}

// With m the smaller one of the distance d and beta, both forms are m / beta * (d - m / 2). Not so
// where beta may be 0 when it is computed with.
Value smooth_l1_loss(OpBuilder& b, Args args, const Attrs&) {
  const double beta = b.assume(args[2]).to_double();
  const Value distance = b.abs(b.sub(args[0], args[1]));
  const bool single = b.layout(distance).dtype != kFloat64;
  if (beta < (single ? static_cast<double>(FLT_MIN) : DBL_MIN))
    return b.where(b.lt(distance, beta), b.div(b.mul(b.mul(distance, 0.5), distance), beta),
                   b.sub(distance, beta / 2));
  const Value least = b.minimum(distance, beta);
  const Value part = beta == 1 ? least : b.div(least, beta);
  return b.mul(part, b.sub(distance, b.mul(least, 0.5)));
}

// Likewise m * (d - m / 2). An infinite distance has no such form where delta is infinite too.
Value huber_loss(OpBuilder& b, Args args, const Attrs&) {
  const double delta = b.assume(args[2]).to_double();
  const Value distance = b.abs(b.sub(args[0], args[1]));
  if (std::isinf(delta)) return b.mul(b.mul(distance, 0.5), distance);
  const Value least = b.minimum(distance, delta);
  return b.mul(least, b.sub(distance, b.mul(least, 0.5)));
}

Value binary_cross_entropy(OpBuilder& b, Args args, const Attrs&) {
  const Arg &x = args[0], &target = args[1];
  const Value of_one = b.maximum(b.log(x), -100), of_zero = b.maximum(b.log1p(b.neg(x)), -100);
  return b.sub(b.mul(b.sub(target, 1), of_zero), b.mul(target, of_one));
}

Value binary_cross_entropy_with_logits(OpBuilder& b, Args args, const Attrs&) {
  const Arg &x = args[0], &target = args[1];
  Value logs = b.logsigmoid(x);
  if (args.size() > 2) logs = b.mul(logs, b.add(b.mul(b.sub(args[2], 1), target), 1));
  return b.sub(b.mul(b.sub(1, target), x), logs);
}

Value kl_div(OpBuilder& b, Args args, const Attrs& attrs) {
  const Arg &x = args[0], &target = args[1];
  if (AttrReader(attrs).next_bool()) return b.mul(b.exp(target), b.sub(target, x));
  return b.sub(b.xlogy(target, target), b.mul(target, x));
}

}  // namespace frit::composites

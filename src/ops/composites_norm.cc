// Normalizations: mean, then the sum of squared deviations, in the operands' precision.
#include "frit/error.h"
#include "src/ops/builder.h"

namespace frit::composites {
namespace {

[[noreturn]] void refuse(OpBuilder& b, Op op, Value x, const std::string& problem) {
  throw Error(ErrorKind::kRuntime,
              std::string(name(op)) + "(" + to_string(b.layout(x)) + "): " + problem);
}

// The last `count` dimensions.
Dims last_dims(OpBuilder& b, Op op, Value x, int64_t count) {
  const int rank = b.layout(x).rank;
  if (count < 1 || count > rank)
    refuse(b, op, x, "cannot normalize over the last " + std::to_string(count) + " dimensions");
  Dims dims;
  for (int64_t d = rank - count; d < rank; ++d) dims.push_back(d);
  return dims;
}

double count(OpBuilder& b, Value x, const Dims& dims) {
  double n = 1;
  for (int64_t d : dims.ref()) n *= static_cast<double>(b.layout(x).size(static_cast<int>(d)));
  return n;
}

// (x - mean) / sqrt(var + eps)
Value standardize(OpBuilder& b, Value x, const Dims& dims, const Arg& eps) {
  const double n = count(b, x, dims);
  const Value deviation = b.sub(x, b.div(b.sum(x, dims, true), n));
  const Value variance = b.div(b.sum(b.mul(deviation, deviation), dims, true), n);
  return b.div(deviation, b.sqrt(b.add(variance, eps)));
}

// One number per channel (dimension 1), so that it broadcasts over x; scalars stay.
Arg per_channel(OpBuilder& b, const Arg& arg, const Layout& x) {
  if (!b.is_tensor(arg)) return arg;
  Dims sizes;
  sizes.push_back(x.size(1));
  for (int d = 2; d < x.rank; ++d) sizes.push_back(1);
  return b.reshape(arg, sizes);
}

void check_affine(OpBuilder& b, Op op, Args args, int64_t dims) {
  const Layout& x = b.layout(args[0].value);
  for (size_t i = 2; i < args.size(); ++i) {
    const IntArrayRef sizes = b.sizes(args[i].value);
    if (sizes != IntArrayRef(x.dims + x.rank - dims, static_cast<size_t>(dims)))
      refuse(b, op, args[0].value,
             "the weight or bias is not of the normalized sizes: " +
                 to_string(b.layout(args[i].value)));
  }
}

}  // namespace

Value layer_norm(OpBuilder& b, Args args, const Attrs& attrs) {
  AttrReader reader(attrs);
  const bool affine = reader.next_bool();
  const int64_t count = reader.next_int();
  const Dims dims = last_dims(b, Op::layer_norm, args[0].value, count);
  check_affine(b, Op::layer_norm, args, count);
  const Value y = standardize(b, args[0].value, dims, args[1]);
  return affine ? b.add(b.mul(y, args[2]), args[3]) : y;
}

Value rms_norm(OpBuilder& b, Args args, const Attrs& attrs) {
  AttrReader reader(attrs);
  const bool affine = reader.next_bool();
  const int64_t n_dims = reader.next_int();
  const Value x = args[0].value;
  const Dims dims = last_dims(b, Op::rms_norm, x, n_dims);
  check_affine(b, Op::rms_norm, args, n_dims);
  const Value square = b.div(b.sum(b.mul(x, x), dims, true), count(b, x, dims));
  const Value y = b.mul(x, b.rsqrt(b.add(square, args[1])));
  return affine ? b.mul(y, args[2]) : y;
}

// x * scale + shift, with what is per channel computed first.
Value batch_norm(OpBuilder& b, Args args, const Attrs&) {
  const Layout& x = b.layout(args[0].value);
  if (x.rank < 2) refuse(b, Op::batch_norm, args[0].value, "expected at least 2 dimensions");
  for (size_t i = 1; i < 5; ++i)
    if (b.is_tensor(args[i]) && b.layout(args[i].value).numel != x.size(1))
      refuse(b, Op::batch_norm, args[0].value,
             "not one number per channel: " + to_string(b.layout(args[i].value)));
  const Value scale = b.div(args[1], b.sqrt(b.add(args[4], args[5])));
  const Value shift = b.sub(args[2], b.mul(args[3], scale));
  return b.add(b.mul(args[0], per_channel(b, scale, x)), per_channel(b, shift, x));
}

Value group_norm(OpBuilder& b, Args args, const Attrs& attrs) {
  AttrReader reader(attrs);
  const bool affine = reader.next_bool();
  const int64_t groups = reader.next_int();
  const Layout& x = b.layout(args[0].value);
  if (x.rank < 2) refuse(b, Op::group_norm, args[0].value, "expected at least 2 dimensions");
  if (groups < 1 || x.size(1) % groups != 0)
    refuse(b, Op::group_norm, args[0].value,
           "groups do not divide the channels: " + std::to_string(groups));
  for (size_t i = 2; i < args.size(); ++i)
    if (b.layout(args[i].value).numel != x.size(1))
      refuse(b, Op::group_norm, args[0].value,
             "not one number per channel: " + to_string(b.layout(args[i].value)));
  const int64_t rows = x.size(0) * groups;
  const Value grouped = b.reshape(args[0], {x.size(0), groups, rows == 0 ? 0 : x.numel / rows});
  const Value y = b.reshape(standardize(b, grouped, Dims({2}), args[1]), x.sizes());
  if (!affine) return y;
  return b.add(b.mul(y, per_channel(b, args[2], x)), per_channel(b, args[3], x));
}

}  // namespace frit::composites

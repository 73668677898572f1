// Composites on matrices: triangles, batched products with a bias.
#include "frit/error.h"
#include "src/ops/builder.h"

namespace frit::composites {
namespace {

[[noreturn]] void refuse(OpBuilder& b, Op op, Value x, const std::string& problem) {
  throw Error(ErrorKind::kRuntime,
              std::string(name(op)) + "(" + to_string(b.layout(x)) + "): " + problem);
}

// How far each element lies above the main diagonal: column - row.
Value distances(OpBuilder& b, Op op, Value x) {
  const Layout& layout = b.layout(x);
  if (layout.rank < 2) refuse(b, op, x, "expected at least 2 dimensions");
  const int64_t rows = layout.size(layout.rank - 2), columns = layout.size(layout.rank - 1);
  return b.sub(b.arange(columns), b.reshape(b.arange(rows), {rows, 1}));
}

}  // namespace

// What is cut off is false, which leaves every dtype as it is.
Value tril(OpBuilder& b, Args args, const Attrs& attrs) {
  const Value distance = distances(b, Op::tril, args[0].value);
  return b.where(b.le(distance, AttrReader(attrs).next_int()), args[0], false);
}

Value triu(OpBuilder& b, Args args, const Attrs& attrs) {
  const Value distance = distances(b, Op::triu, args[0].value);
  return b.where(b.ge(distance, AttrReader(attrs).next_int()), args[0], false);
}

// As addmm: the bias is not read where beta is 0.
Value baddbmm(OpBuilder& b, Args args, const Attrs&) {
  const Value bias = args[0].value, a = args[1].value;
  if (b.layout(a).rank != 3 || b.layout(args[2].value).rank != 3)
    refuse(b, Op::baddbmm, a, "both factors must have 3 dimensions");
  if (b.layout(a).size(0) != b.layout(args[2].value).size(0))
    refuse(b, Op::baddbmm, a, "batch sizes differ");
  if (b.dtype(bias) != b.dtype(a)) refuse(b, Op::baddbmm, bias, "dtypes differ");
  Value product = b.matmul(a, args[2]);
  if (b.assume(args[3]).to_double() != 1) product = b.mul(product, args[3]);
  const Scalar beta = b.assume(args[4]);
  if (beta.to_double() == 0) return product;
  const Value sum = b.add(product, beta.to_double() == 1 ? bias : b.mul(bias, args[4]));
  if (b.sizes(sum) != b.sizes(product))
    refuse(b, Op::baddbmm, bias, "the bias does not broadcast to the product");
  return sum;
}

}  // namespace frit::composites

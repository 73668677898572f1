// Composites that measure: norms, distances, angles, products of vectors in space.
#include <cmath>

#include "frit/error.h"
#include "src/ops/builder.h"
#include "src/ops/distance.h"

namespace frit::composites {
namespace {

struct Over {
  IntArrayRef dims;
  bool keepdim;
};

// The p-norm, each p by its shortest formula.
Value norm_of(OpBuilder& b, Value x, double p, Over over) {
  const auto [dims, keepdim] = over;
  if (p == 2) return b.sqrt(b.sum(b.mul(x, x), dims, keepdim));
  const Value size = b.abs(x);
  if (p == 1) return b.sum(size, dims, keepdim);
  if (p == 0) return b.sum(b.cast(b.ne(x, 0), b.dtype(x)), dims, keepdim);
  if (std::isinf(p)) return p > 0 ? b.amax(size, dims, keepdim) : b.amin(size, dims, keepdim);
  return b.op(Op::pow, {b.sum(b.op(Op::pow, {size, p}), dims, keepdim), 1 / p});
}

void check_float(OpBuilder& b, Op op, Value x) {
  if (!is_floating_point(b.dtype(x)))
    throw Error(ErrorKind::kRuntime, std::string(name(op)) + "(" + to_string(b.layout(x)) +
                                         "): only floating point is supported");
}

Value unsqueezed(OpBuilder& b, const Arg& x, int64_t dim) {
  return b.op(Op::unsqueeze, {x}, Attrs().add(dim));
}

// |x - y|^2 = |x|^2 - 2 x.y + |y|^2 of each pair of rows.
Value distances_by_product(OpBuilder& b, Value x, Value y) {
  const auto transposed = [&b](Value v) {
    Dims order;
    const int rank = b.layout(v).rank;
    for (int d = 0; d < rank - 2; ++d) order.push_back(d);
    order.push_back(rank - 1);
    order.push_back(rank - 2);
    return b.permute(v, order);
  };
  const auto squares = [&b](Value v) { return b.sum(b.mul(v, v), {-1}, true); };
  const Value products = b.matmul(b.mul(x, -2), transposed(y));
  return b.sqrt(b.maximum(b.add(b.add(products, squares(x)), transposed(squares(y))), 0));
}

}  // namespace

Value norm(OpBuilder& b, Args args, const Attrs& attrs) {
  check_float(b, Op::norm, args[0].value);
  AttrReader reader(attrs);
  const IntArrayRef dims = reader.next_list();
  return norm_of(b, args[0].value, b.assume(args[1]).to_double(), {dims, reader.next_bool()});
}

Value cdist(OpBuilder& b, Args args, const Attrs&) {
  const Value x = args[0].value, y = args[1].value;
  check_float(b, Op::cdist, x);
  const Layout &lx = b.layout(x), &ly = b.layout(y);
  if (lx.rank < 2 || ly.rank < 2 || lx.size(lx.rank - 1) != ly.size(ly.rank - 1))
    throw Error(ErrorKind::kRuntime, "cdist(" + to_string(lx) + ", " + to_string(ly) +
                                         "): expected matrices with rows of one length");
  const bool no_columns = lx.size(lx.rank - 1) == 0;
  const double p = b.assume(args[2]).to_double();
  if (!(p >= 0)) throw Error(ErrorKind::kRuntime, "cdist(): p is negative");
  if (cdist_is_product(lx, ly, p)) return distances_by_product(b, x, y);
  const Value apart = b.sub(unsqueezed(b, x, -2), unsqueezed(b, y, -3));
  return norm_of(b, apart, no_columns ? 1 : p, {{-1}, false});
}

// Each vector is divided by its length first, so that large ones do not overflow.
Value cosine_similarity(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t dim = AttrReader(attrs).next_int();
  const auto direction = [&](const Arg& x) {
    check_float(b, Op::cosine_similarity, x.value);
    return b.div(x, b.maximum(norm_of(b, x.value, 2, {{dim}, true}), args[2]));
  };
  return b.sum(b.mul(direction(args[0]), direction(args[1])), {dim}, false);
}

Value cross(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t dim = AttrReader(attrs).next_int();
  const auto part = [&](const Arg& x, int64_t i) {
    const Layout& layout = b.layout(x.value);
    const Dims at = normalize_dims(Op::cross, layout, {dim});
    if (layout.rank == 0 || layout.size(static_cast<int>(at[0])) != 3)
      throw Error(ErrorKind::kRuntime,
                  "cross(" + to_string(layout) + "): the dimension's size is not 3");
    return b.op(Op::slice, {x}, Attrs().add(dim).add(i % 3 + 1).add(i % 3).add(1));
  };
  std::vector<Arg> parts;
  for (int64_t i = 0; i < 3; ++i)
    parts.push_back(b.sub(b.mul(part(args[0], i + 1), part(args[1], i + 2)),
                          b.mul(part(args[0], i + 2), part(args[1], i + 1))));
  return b.op(Op::cat, parts, Attrs().add(dim));
}

}  // namespace frit::composites

namespace frit {

bool cdist_is_product(const Layout& x, const Layout& y, double p) {
  constexpr int64_t kFewRows = 25;  // as in PyTorch
  return p == 2 && x.dtype == y.dtype && x.size(x.rank - 1) > 0 &&
         (x.size(x.rank - 2) > kFewRows || y.size(y.rank - 2) > kFewRows);
}

}  // namespace frit

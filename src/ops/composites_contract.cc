// Composites around matrix products: linear, embedding, attention.
#include "frit/error.h"
#include "src/ops/builder.h"

namespace frit::composites {
namespace {

[[noreturn]] void refuse(OpBuilder& b, Op op, Value x, const std::string& problem) {
  throw Error(ErrorKind::kRuntime,
              std::string(name(op)) + "(" + to_string(b.layout(x)) + "): " + problem);
}

// The last two dimensions swapped.
Value transposed(OpBuilder& b, Value x) {
  Dims dims;
  for (int d = 0; d < b.layout(x).rank; ++d) dims.push_back(d);
  std::swap(dims[dims.rank - 1], dims[dims.rank - 2]);
  return b.permute(x, dims);
}

// x as a matrix whose rows are its last dimension.
Value as_rows(OpBuilder& b, Value x) {
  const Layout& layout = b.layout(x);
  const int64_t width = layout.size(layout.rank - 1);
  int64_t rows = 1;
  for (int d = 0; d < layout.rank - 1; ++d) rows *= layout.size(d);
  return b.reshape(x, {rows, width});
}

}  // namespace

// A matrix times the transposed weight; other ranks are reshaped to a matrix and back.
Value linear(OpBuilder& b, Args args, const Attrs&) {
  const Value x = args[0].value;
  const Layout& layout = b.layout(x);
  const int weight_rank = b.layout(args[1].value).rank;
  if (layout.rank == 0 || weight_rank < 1 || weight_rank > 2)
    refuse(b, Op::linear, x, "expected at least 1 dimension, and a weight with 1 or 2");
  const bool biased = args.size() > 2;
  if (weight_rank == 1) {
    const Value product = b.matmul(x, args[1]);
    return biased ? b.add(product, args[2]) : product;
  }
  const Value weight = transposed(b, args[1].value);
  const bool is_matrix = layout.rank == 2;
  if (!biased && layout.rank <= 2) return b.matmul(x, weight);
  const Value rows = is_matrix ? x : as_rows(b, x);
  const Value product = biased ? b.addmm(args[2], rows, weight) : b.matmul(rows, weight);
  if (is_matrix) return product;
  Dims sizes(b.sizes(x));
  sizes[sizes.rank - 1] = b.layout(product).size(1);
  return b.reshape(product, sizes);
}

Value embedding(OpBuilder& b, Args args, const Attrs&) {
  const Layout& weight = b.layout(args[0].value);
  const Layout& index = b.layout(args[1].value);
  if (weight.rank != 2) refuse(b, Op::embedding, args[0].value, "the weight is not a matrix");
  if (index.rank == 1) return b.index_select(args[0], 0, args[1]);
  const Value rows = b.index_select(args[0], 0, b.reshape(args[1], {index.numel}));
  Dims sizes(index.sizes());
  sizes.push_back(weight.size(1));
  return b.reshape(rows, sizes);
}

namespace {

// Row i may look at columns up to i.
Value masked_by_order(OpBuilder& b, Value scores) {
  const Layout& layout = b.layout(scores);
  const int64_t rows = layout.size(layout.rank - 2), columns = layout.size(layout.rank - 1);
  const Value allowed = b.le(b.arange(columns), b.reshape(b.arange(rows), {rows, 1}));
  return b.where(allowed, scores, -__builtin_inf());
}

}  // namespace

Value scaled_dot_product_attention(OpBuilder& b, Args args, const Attrs& attrs) {
  AttrReader reader(attrs);
  const bool causal = reader.next_bool();
  const bool masked = reader.next_bool();
  for (int i = 0; i < 3; ++i)
    if (b.layout(args[static_cast<size_t>(i)].value).rank < 2)
      refuse(b, Op::scaled_dot_product_attention, args[static_cast<size_t>(i)].value,
             "expected at least 2 dimensions");
  if (causal && masked)
    refuse(b, Op::scaled_dot_product_attention, args[0].value,
           "a mask and is_causal exclude each other");
  Value scores = b.mul(b.matmul(args[0], transposed(b, args[1].value)), args[3]);
  if (causal) scores = masked_by_order(b, scores);
  if (masked)
    scores = b.dtype(args[4].value) == kBool ? b.where(args[4], scores, -__builtin_inf())
                                             : b.add(scores, args[4]);
  const Arg rows[] = {scores};
  return b.matmul(softmax(b, rows, Attrs().add(-1)), args[2]);
}

}  // namespace frit::composites

// Reading and writing where indices say: ONNX's Gather and Scatter families.
#include <algorithm>
#include <numeric>

#include "src/onnx/export_ops.h"
#include "src/ops/op.h"
#include "src/ops/scatter.h"

namespace frit::onnx::exports {
namespace {

// i64 indices; ONNX's ops take i32 too, but not all of them beside each other.
OnnxValue indices(const NodeWriter& w, int i) {
  if (!is_integral(w.layout(i).dtype))
    w.refuse("indices of " + std::string(name(w.layout(i).dtype)));
  return w.operand(i, kInt64);
}

// Several index tensors over dimensions of x, as GatherND and ScatterND have them: x with those
// dimensions in front, and one tensor of places.
class Places {
 public:
  // Index tensors are the operands from `first` on.
  Places(const NodeWriter& w, int first, IntArrayRef dims) : w_(w), first_(first) {
    const int rank = w.layout(0).rank;
    for (const int64_t d : dims) order_.push_back(d < 0 ? d + rank : d);
    const bool together = std::ranges::adjacent_find(order_, [](int64_t a, int64_t b) {
                            return b != a + 1;
                          }) == order_.end();
    before_ = together ? order_[0] : 0;
    for (int64_t d = 0; d < rank; ++d)
      if (std::ranges::count(order_, d) == 0) rest_.push_back(d);
    for (const int64_t d : rest_) order_.push_back(d);
    for (int i = first; i < w.num_operands(); ++i) broadcast(w.layout(i).sizes());
  }

  // x with the indexed dimensions in front, and back.
  OnnxValue in_front(const OnnxValue& x) const { return w_.permute(x, order_); }
  OnnxValue back(const OnnxValue& x) const { return w_.permute(x, inverse(order_)); }

  // [sizes of the indices..., number of indexed dimensions]
  OnnxValue places() const {
    OnnxValues columns;
    for (int i = first_; i < w_.num_operands(); ++i) {
      std::vector<int64_t> column = sizes_;
      column.push_back(1);
      columns.push_back(w_.reshape(w_.expand_to(indices(w_, i), sizes_), column));
    }
    return w_.op("Concat", columns, {{"axis", int64_t{-1}}});
  }

  // Between [indices..., rest...], as ONNX has it, and what PyTorch has: the indices' dimensions in
  // the place of the indexed ones where these are neighbours, else in front.
  OnnxValue to_pytorch(const OnnxValue& x) const { return w_.permute(x, moved()); }
  OnnxValue from_pytorch(const OnnxValue& x) const { return w_.permute(x, inverse(moved())); }

  // In PyTorch's order.
  std::vector<int64_t> result_sizes() const {
    std::vector<int64_t> all = sizes_, result;
    for (const int64_t d : rest_) all.push_back(w_.layout(0).size(static_cast<int>(d)));
    for (const int64_t d : moved()) result.push_back(all[d]);
    return result;
  }

 private:
  static std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
    std::vector<int64_t> result(order.size());
    for (size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<int64_t>(i);
    return result;
  }

  void broadcast(IntArrayRef sizes) {
    if (sizes.size() > sizes_.size())
      sizes_.insert(sizes_.begin(), sizes.size() - sizes_.size(), 1);
    for (size_t i = 1; i <= sizes.size(); ++i) {
      int64_t& size = sizes_[sizes_.size() - i];
      if (size == 1) size = sizes[sizes.size() - i];
    }
  }

  std::vector<int64_t> moved() const {
    std::vector<int64_t> order(sizes_.size() + rest_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto start = order.begin() + static_cast<std::ptrdiff_t>(sizes_.size());
    std::rotate(order.begin(), start, start + before_);
    return order;
  }

  const NodeWriter& w_;
  const int first_;
  std::vector<int64_t> order_, rest_, sizes_;  // sizes of the indices, broadcast
  int64_t before_;                             // dimensions of the rest that stay in front
};

Attributes along(const NodeWriter& w) { return {{"axis", w.dim_attr("dim")}}; }

// What is written where the index tensor says: a tensor, or a number for all places.
OnnxValue written(const NodeWriter& w, int i, Dtype dtype, IntArrayRef sizes) {
  const OnnxValue source = w.operand(i, dtype);
  if (!w.is_tensor(i) || w.layout(i).rank == 0) return w.expand_to(source, sizes);
  if (w.layout(i).sizes() == sizes) return source;
  // The source may be larger than the index.
  std::vector<int64_t> axes(sizes.size());
  std::iota(axes.begin(), axes.end(), 0);
  return w.op("Slice",
              {source, w.ints(std::vector<int64_t>(sizes.size(), 0)), w.ints(sizes), w.ints(axes)});
}

void scatter_as(NodeWriter& w, const char* reduction) {
  if (w.layout(0).rank == 0) w.refuse("of a tensor without dimensions");
  const OnnxValue x = w.widened(0);
  Attributes attributes = along(w);
  if (*reduction != '\0') attributes.emplace_back("reduction", std::string(reduction));
  w.result(w.op("ScatterElements", {x, indices(w, 1), written(w, 2, x.dtype, w.layout(1).sizes())},
                std::move(attributes)));
}

}  // namespace

void index_select(NodeWriter& w) {
  if (w.layout(0).rank == 0) return identity(w);
  OnnxValue index = indices(w, 1);
  if (w.layout(1).rank == 0) index = w.reshape(index, {1});
  w.result(w.op("Gather", {w.operand(0), index}, along(w)));
}

void embedding(NodeWriter& w) { w.result(w.op("Gather", {w.operand(0), indices(w, 1)})); }

void gather(NodeWriter& w) {
  if (w.layout(0).rank == 0) return identity(w);
  w.result(w.op("GatherElements", {w.operand(0), indices(w, 1)}, along(w)));
}

void index(NodeWriter& w) {
  const std::vector<int64_t> dims = w.list_attr("dims");
  if (dims.size() == 1) {
    const int64_t axis = dims[0] < 0 ? dims[0] + w.layout(0).rank : dims[0];
    return w.result(w.op("Gather", {w.operand(0), indices(w, 1)}, {{"axis", axis}}));
  }
  const Places places(w, 1, dims);
  const OnnxValue x = places.in_front(w.operand(0));
  w.result(places.to_pytorch(w.op("GatherND", {x, places.places()})));
}

void scatter(NodeWriter& w) { scatter_as(w, w.op() == Op::scatter_add ? "add" : ""); }

void scatter_reduce(NodeWriter& w) {
  const auto how = static_cast<Write>(w.int_attr("reduce"));
  if (!w.bool_attr("include_self")) w.refuse("ONNX's reductions include what is there");
  if (how != Write::kAdd && how != Write::kProd)
    w.refuse("ONNX has sums and products alone before opset 18");
  scatter_as(w, how == Write::kAdd ? "add" : "mul");
}

// Operands x, values, then the index tensors.
void index_put(NodeWriter& w) {
  const Places places(w, 2, w.list_attr("dims"));
  const OnnxValue x = w.widened(0);
  const OnnxValue values = w.expand_to(w.operand(1, x.dtype), places.result_sizes());
  Attributes attributes;
  if (w.bool_attr("accumulate")) attributes.emplace_back("reduction", std::string("add"));
  const OnnxValue made =
      w.op("ScatterND", {places.in_front(x), places.places(), places.from_pytorch(values)},
           std::move(attributes));
  w.result(places.back(made));
}

// Rows by a 1-D index: ScatterElements with the index repeated along the other dimensions.
void index_rows(NodeWriter& w) {
  if (w.layout(0).rank == 0) w.refuse("of a tensor without dimensions");
  const OnnxValue x = w.widened(0);
  const int64_t dim = w.dim_attr("dim");
  std::vector<int64_t> sizes = w.layout(0).sizes().vec();
  sizes[dim] = w.layout(1).numel;
  std::vector<int64_t> row(sizes.size(), 1);
  row[dim] = sizes[dim];
  const OnnxValue places = w.expand_to(w.reshape(indices(w, 1), row), sizes);
  OnnxValue source = w.operand(2, x.dtype);
  if (w.op() == Op::index_fill || w.layout(2).rank == 0) source = w.expand_to(source, sizes);
  Attributes attributes = {{"axis", dim}};
  if (w.op() == Op::index_add) {
    const std::optional<Scalar> alpha = w.literal(3);
    if (!alpha || alpha->to_double() != 1) source = w.op("Mul", {source, w.operand(3, x.dtype)});
    attributes.emplace_back("reduction", std::string("add"));
  }
  w.result(w.op("ScatterElements", {x, places, source}, std::move(attributes)));
}

}  // namespace frit::onnx::exports

// Public indexing ops.
#include <algorithm>

#include "src/eager/api.h"

namespace frit {

using api::operand;
using api::text;

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  return call(Op::index_select, {operand(Op::index_select, x), operand(Op::index_select, index)},
              Attrs().add(dim));
}

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  return call(Op::gather, {operand(Op::gather, x), operand(Op::gather, index)}, Attrs().add(dim));
}

Tensor nonzero(const Tensor& x) { return call(Op::nonzero, {operand(Op::nonzero, x)}); }

Tensor embedding(const Tensor& weight, const Tensor& index) {
  return call(Op::embedding, {operand(Op::embedding, weight), operand(Op::embedding, index)});
}

namespace {

// Applies the entries of x[...] from the left: integers, slices and new axes at once, as views;
// index tensors are collected and applied together at the end.
class Indexing {
 public:
  Indexing(const Tensor& x, const std::vector<TensorIndex>& entries) : x_(x), view_(x) {
    int64_t used = 0;
    for (const TensorIndex& entry : entries) used += dims_of(entry);
    if (used > x.dim())
      api::fail(ErrorKind::kIndex, "index", x,
                text("too many indices: ", used, " for ", x.dim(), " dimensions"));
    left_out_ = x.dim() - used;
  }

  void apply(const TensorIndex& entry) {
    switch (entry.kind) {
      case TensorIndex::Kind::kInteger:
        view_ = select(view_, dim_, entry.integer);
        break;
      case TensorIndex::Kind::kSlice:
        view_ = sliced(entry.slice);
        break;
      case TensorIndex::Kind::kEllipsis:
        dim_ += left_out_;
        break;
      case TensorIndex::Kind::kNewAxis:
        view_ = unsqueeze(view_, dim_++);
        break;
      case TensorIndex::Kind::kTensor:
        collect(entry.tensor);
        break;
    }
  }

  // What the entries but for index tensors choose.
  const Tensor& chosen() const { return view_; }
  bool by_tensors() const { return !tensors_.empty(); }

  // chosen() with values where the index tensors say.
  Tensor put(const Tensor& values, bool accumulate) const {
    std::vector<Operand> operands = {view_, values};
    for (const Tensor& tensor : tensors_) operands.emplace_back(tensor);
    Tensor result;
    dispatch({Op::index_put, operands, Attrs().add(accumulate).add_list(dims_)}, &result);
    return result;
  }

  Tensor finish() {
    if (tensors_.empty()) return view_.is_same(x_) ? view(x_, x_.sizes()) : view_;
    std::vector<Operand> operands = {view_};
    for (const Tensor& tensor : tensors_) operands.emplace_back(tensor);
    Tensor result;
    dispatch({Op::index, operands, Attrs().add_list(dims_)}, &result);
    return result;
  }

 private:
  static bool is_mask(const Tensor& t) { return t.dtype() == kBool || t.dtype() == kUInt8; }

  static int64_t dims_of(const TensorIndex& entry) {
    switch (entry.kind) {
      case TensorIndex::Kind::kInteger:
      case TensorIndex::Kind::kSlice:
        return 1;
      case TensorIndex::Kind::kEllipsis:
      case TensorIndex::Kind::kNewAxis:
        return 0;
      case TensorIndex::Kind::kTensor:
        api::checked("index", entry.tensor);
        return is_mask(entry.tensor) ? entry.tensor.dim() : 1;
    }
    __builtin_unreachable();
  }

  Tensor sliced(const Slice& s) {
    const int64_t dim = dim_++;
    if (!s.start && !s.stop && s.step == 1) return view_;
    return slice(view_, dim, s.start, s.stop, s.step);
  }

  void collect(const Tensor& index) {
    if (!is_mask(index)) {
      if (index.dtype() != kInt64)
        api::fail(ErrorKind::kIndex, "index", x_,
                  "an index is neither i64, bool nor u8: " + describe(index));
      add(index);
      return;
    }
    for (int64_t d = 0; d < index.dim(); ++d)
      if (index.sizes()[d] != view_.sizes()[dim_ + d])
        api::fail(ErrorKind::kIndex, "index", x_, "the mask's sizes differ: " + describe(index));
    // A 0-dim mask chooses along a new dimension of size 1.
    const Tensor mask = index.dim() == 0 ? unsqueeze(index, 0) : index;
    if (index.dim() == 0) view_ = unsqueeze(view_, dim_);
    const Tensor positions = nonzero(mask);
    for (int64_t d = 0; d < mask.dim(); ++d) add(select(positions, 1, d));
  }

  void add(const Tensor& index) {
    tensors_.push_back(index);
    dims_.push_back(dim_++);
  }

  const Tensor& x_;
  Tensor view_;
  int64_t left_out_;  // dimensions that the ellipsis stands for
  int64_t dim_ = 0;   // of view_, next to be indexed
  std::vector<Tensor> tensors_;
  std::vector<int64_t> dims_;
};

}  // namespace

namespace {

Indexing applied(const Tensor& x, const std::vector<TensorIndex>& indices) {
  Indexing indexing(api::checked("index", x), indices);
  const auto is_ellipsis = [](const TensorIndex& i) {
    return i.kind == TensorIndex::Kind::kEllipsis;
  };
  if (std::count_if(indices.begin(), indices.end(), is_ellipsis) > 1)
    api::fail(ErrorKind::kIndex, "index", x, "more than one ellipsis");
  for (const TensorIndex& entry : indices) indexing.apply(entry);
  return indexing;
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<TensorIndex>& indices) {
  return applied(x, indices).finish();
}

const Tensor& index_put_(const Tensor& x, const std::vector<TensorIndex>& indices,
                         const Tensor& values, bool accumulate) {
  const Indexing indexing = applied(x, indices);
  api::checked("index_put_", values);
  if (indexing.by_tensors())
    indexing.chosen().copy_(indexing.put(values, accumulate));
  else if (accumulate)
    indexing.chosen().add_(values);
  else
    indexing.chosen().copy_(values);
  return x;
}

Tensor index_put(const Tensor& x, const std::vector<TensorIndex>& indices, const Tensor& values,
                 bool accumulate) {
  const Indexing indexing = applied(x, indices);
  if (indexing.by_tensors() && indexing.chosen().is_same(x))
    return indexing.put(api::checked("index_put", values), accumulate);
  const Tensor result = clone(x);
  index_put_(result, indices, values, accumulate);
  return result;
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  const OperandType types[] = {{api::checked("masked_select", x).impl()->layout, {}},
                               {api::checked("masked_select", mask).impl()->layout, {}}};
  if (mask.dtype() != kBool)
    api::fail(ErrorKind::kRuntime, "masked_select", x, "the mask is not bool: " + describe(mask));
  Dims sizes = broadcast_sizes(Op::where, types);
  if (sizes.rank == 0) sizes.push_back(1);
  return index(expand(x, sizes), {TensorIndex(expand(mask, sizes))});
}

Tensor Tensor::operator[](int64_t i) const { return frit::select(*this, 0, i); }
Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
  return frit::index(*this, std::vector<TensorIndex>(indices));
}
Tensor Tensor::index_select(int64_t dim, const Tensor& index) const {
  return frit::index_select(*this, dim, index);
}

}  // namespace frit

// Public ops that move elements or show them differently.
#include <algorithm>
#include <cstdint>

#include "src/eager/api.h"

namespace frit {

using api::operand;
using api::text;
using api::wrap_dim;

Tensor view(const Tensor& x, IntArrayRef sizes) {
  return call(Op::view, {operand(Op::view, x)}, Attrs().add_list(sizes));
}

Tensor reshape(const Tensor& x, IntArrayRef sizes) {
  return call(Op::reshape, {operand(Op::reshape, x)}, Attrs().add_list(sizes));
}

Tensor flatten(const Tensor& x, int64_t start_dim, int64_t end_dim) {
  const int64_t start = wrap_dim("flatten", api::checked("flatten", x), start_dim);
  const int64_t end = wrap_dim("flatten", x, end_dim);
  if (start > end)
    api::fail(ErrorKind::kRuntime, "flatten", x,
              text("the start comes after the end: ", start, " and ", end));
  if (x.dim() == 0) return reshape(x, {1});
  if (start == end) return x;
  Dims sizes;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d <= start || d > end)
      sizes.push_back(x.sizes()[d]);
    else
      sizes[static_cast<int>(start)] *= x.sizes()[d];
  }
  return reshape(x, sizes);
}

Tensor permute(const Tensor& x, IntArrayRef dims) {
  return call(Op::permute, {operand(Op::permute, x)}, Attrs().add_list(dims));
}

Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
  const int64_t a = wrap_dim("transpose", api::checked("transpose", x), dim0);
  const int64_t b = wrap_dim("transpose", x, dim1);
  Dims dims;
  for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  if (x.dim() > 0) std::swap(dims[static_cast<int>(a)], dims[static_cast<int>(b)]);
  return permute(x, dims);
}

Tensor t(const Tensor& x) {
  const int64_t rank = api::checked("t", x).dim();
  if (rank > 2)
    api::fail(ErrorKind::kRuntime, "t", x, text("expected at most 2 dimensions, got ", rank));
  return rank < 2 ? view(x, x.sizes()) : permute(x, {1, 0});
}

Tensor expand(const Tensor& x, IntArrayRef sizes) {
  return call(Op::expand, {operand(Op::expand, x)}, Attrs().add_list(sizes));
}

Tensor squeeze(const Tensor& x) {
  return call(Op::squeeze, {operand(Op::squeeze, x)}, Attrs().add_list({}));
}

Tensor squeeze(const Tensor& x, int64_t dim) {
  return call(Op::squeeze, {operand(Op::squeeze, x)}, Attrs().add_list({dim}));
}

Tensor unsqueeze(const Tensor& x, int64_t dim) {
  return call(Op::unsqueeze, {operand(Op::unsqueeze, x)}, Attrs().add(dim));
}

Tensor slice(const Tensor& x, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
             int64_t step) {
  const Attrs attrs =
      Attrs().add(dim).add(end.value_or(INT64_MAX)).add(start.value_or(0)).add(step);
  return call(Op::slice, {operand(Op::slice, x)}, attrs);
}

Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  return call(Op::select, {operand(Op::select, x)}, Attrs().add(dim).add(index));
}

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  if (api::checked("narrow", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "narrow", x, "a 0-dim tensor has nothing to narrow");
  const int64_t at = wrap_dim("narrow", x, dim), size = x.sizes()[at];
  if (start < -size || start > size)
    api::fail(ErrorKind::kIndex, "narrow", x,
              text("start out of range: ", start, " for size ", size));
  const int64_t from = start < 0 ? start + size : start;
  if (length < 0 || length > size - from)
    api::fail(ErrorKind::kRuntime, "narrow", x,
              text("length out of range: ", length, " from ", from, " of ", size));
  return slice(x, at, from, from + length);
}

Tensor as_strided(const Tensor& x, IntArrayRef sizes, IntArrayRef strides,
                  std::optional<int64_t> storage_offset) {
  const TensorImpl* impl = api::checked("as_strided", x).impl();
  materialize(impl);
  const int64_t offset = storage_offset.value_or(impl->offset);
  if (offset < 0)
    api::fail(ErrorKind::kRuntime, "as_strided", x, text("negative offset: ", offset));
  int64_t last = offset;
  bool empty = false, overflow = false;
  for (size_t d = 0; d < std::min(sizes.size(), strides.size()); ++d) {
    int64_t reach;
    empty |= sizes[d] == 0;
    overflow |= __builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  const int64_t room = impl->storage->bytes / x.element_size();
  if (!empty && (overflow || last >= room))
    api::fail(ErrorKind::kRuntime, "as_strided", x,
              text("sizes ", sizes, " and strides ", strides, " from ", offset,
                   " reach beyond the storage of ", room, " elements"));
  return call(Op::as_strided, {x},
              Attrs().add(offset - impl->offset).add_list(sizes).add_list(strides));
}

std::vector<Tensor> split(const Tensor& x, IntArrayRef split_sizes, int64_t dim) {
  if (api::checked("split", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "split", x, "a 0-dim tensor has nothing to split");
  const int64_t at = wrap_dim("split", x, dim);
  int64_t total = 0;
  for (int64_t size : split_sizes) {
    if (size < 0) api::fail(ErrorKind::kRuntime, "split", x, text("negative size: ", size));
    if (__builtin_add_overflow(total, size, &total))
      api::fail(ErrorKind::kRuntime, "split", x, text("the sizes are too large: ", split_sizes));
  }
  if (total != x.sizes()[at])
    api::fail(ErrorKind::kRuntime, "split", x,
              text("the sizes do not add up to ", x.sizes()[at], ": ", split_sizes));
  std::vector<Tensor> pieces;
  int64_t from = 0;
  for (int64_t size : split_sizes) {
    pieces.push_back(slice(x, at, from, from + size));
    from += size;
  }
  return pieces;
}

std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim) {
  if (api::checked("split", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "split", x, "a 0-dim tensor has nothing to split");
  const int64_t size = x.sizes()[wrap_dim("split", x, dim)];
  if (split_size < 0 || (split_size == 0 && size != 0))
    api::fail(ErrorKind::kRuntime, "split", x,
              text("pieces of ", split_size, " do not make up size ", size));
  std::vector<int64_t> sizes;
  if (size == 0) sizes.push_back(0);
  for (int64_t left = size; left > 0; left -= split_size)
    sizes.push_back(std::min(left, split_size));
  return split(x, sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  if (chunks <= 0)
    api::fail(ErrorKind::kRuntime, "chunk", x,
              text("the number of chunks must be positive: ", chunks));
  if (api::checked("chunk", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "chunk", x, "a 0-dim tensor has nothing to split");
  const int64_t size = x.sizes()[wrap_dim("chunk", x, dim)];
  if (size == 0) return split(x, std::vector<int64_t>(static_cast<size_t>(chunks), 0), dim);
  return split(x, size / chunks + (size % chunks != 0), dim);
}

std::vector<Tensor> unbind(const Tensor& x, int64_t dim) {
  if (api::checked("unbind", x).dim() == 0)
    api::fail(ErrorKind::kIndex, "unbind", x, "a 0-dim tensor has nothing to unbind");
  const int64_t at = wrap_dim("unbind", x, dim);
  std::vector<Tensor> pieces;
  for (int64_t i = 0; i < x.sizes()[at]; ++i) pieces.push_back(select(x, at, i));
  return pieces;
}

Tensor cat(const std::vector<Tensor>& tensors, int64_t dim) {
  std::vector<Operand> operands;
  for (const Tensor& tensor : tensors) operands.push_back(operand(Op::cat, tensor));
  Tensor result;
  dispatch({Op::cat, operands, Attrs().add(dim)}, &result);
  return result;
}

Tensor stack(const std::vector<Tensor>& tensors, int64_t dim) {
  if (tensors.empty()) throw Error(ErrorKind::kRuntime, "stack(): there are no operands");
  const Tensor& first = api::checked("stack", tensors[0]);
  const int64_t at = wrap_dim("stack", first, dim, first.dim() + 1);
  std::vector<Tensor> rows;
  for (const Tensor& tensor : tensors) {
    if (api::checked("stack", tensor).sizes() != first.sizes())
      api::fail(ErrorKind::kRuntime, "stack", first, "sizes differ: " + describe(tensor));
    rows.push_back(unsqueeze(tensor, at));
  }
  return cat(rows, at);
}

Tensor pad(const Tensor& x, IntArrayRef pads, const Scalar& value) {
  return call(Op::pad, {operand(Op::pad, x), value}, Attrs().add_list(pads));
}

Tensor Tensor::view(IntArrayRef sizes) const { return frit::view(*this, sizes); }
Tensor Tensor::view(Dtype dtype) const { return frit::view(*this, dtype); }
Tensor Tensor::reshape(IntArrayRef sizes) const { return frit::reshape(*this, sizes); }
Tensor Tensor::permute(IntArrayRef dims) const { return frit::permute(*this, dims); }
Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  return frit::transpose(*this, dim0, dim1);
}
Tensor Tensor::t() const { return frit::t(*this); }
Tensor Tensor::expand(IntArrayRef sizes) const { return frit::expand(*this, sizes); }
Tensor Tensor::squeeze() const { return frit::squeeze(*this); }
Tensor Tensor::squeeze(int64_t dim) const { return frit::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int64_t dim) const { return frit::unsqueeze(*this, dim); }
Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  return frit::flatten(*this, start_dim, end_dim);
}
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  return frit::narrow(*this, dim, start, length);
}
Tensor Tensor::select(int64_t dim, int64_t index) const { return frit::select(*this, dim, index); }
Tensor Tensor::slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                     int64_t step) const {
  return frit::slice(*this, dim, start, end, step);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  return frit::chunk(*this, chunks, dim);
}
std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim) const {
  return frit::split(*this, split_size, dim);
}

}  // namespace frit

// Public ops that rearrange elements, made of views and few copies.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>

#include "src/eager/api.h"

namespace frit {

using api::operand;
using api::text;
using api::wrap_dim;

Tensor diagonal(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim("diagonal", api::checked("diagonal", x), dim1);
  const int64_t b = wrap_dim("diagonal", x, dim2);
  if (a == b) api::fail(ErrorKind::kRuntime, "diagonal", x, text("the dimensions are one: ", dim1));
  const int64_t rows = x.size(a) + std::min<int64_t>(offset, 0),
                columns = x.size(b) - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  const int64_t first = offset >= 0 ? offset * x.stride(b) : -offset * x.stride(a);
  Dims sizes, strides;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d == a || d == b) continue;
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
  }
  sizes.push_back(length);
  strides.push_back(x.stride(a) + x.stride(b));
  return call(Op::as_strided, {x},
              Attrs().add(length > 0 ? first : 0).add_list(sizes).add_list(strides));
}

Tensor unfold(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  const int64_t at = wrap_dim("unfold", api::checked("unfold", x), dim);
  const int64_t length = x.dim() == 0 ? 1 : x.size(at);
  if (size < 0 || size > length)
    api::fail(ErrorKind::kRuntime, "unfold", x,
              text("windows of ", size, " do not fit dimension ", at, " of size ", length));
  if (step <= 0)
    api::fail(ErrorKind::kRuntime, "unfold", x, text("the step must be positive: ", step));
  Dims sizes(x.sizes()), strides(x.strides());
  if (x.dim() > 0) {
    sizes[static_cast<int>(at)] = (length - size) / step + 1;
    strides[static_cast<int>(at)] *= step;
  }
  sizes.push_back(size);
  strides.push_back(x.dim() == 0 ? 1 : x.stride(at));
  return call(Op::as_strided, {x}, Attrs().add(int64_t{0}).add_list(sizes).add_list(strides));
}

std::vector<Tensor> tensor_split(const Tensor& x, IntArrayRef indices, int64_t dim) {
  if (api::checked("tensor_split", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "tensor_split", x, "a 0-dim tensor has nothing to split");
  const int64_t at = wrap_dim("tensor_split", x, dim);
  std::vector<Tensor> pieces;
  int64_t from = 0;
  for (int64_t index : indices) {
    pieces.push_back(slice(x, at, from, index));
    from = index;
  }
  pieces.push_back(slice(x, at, from));
  return pieces;
}

std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, int64_t dim) {
  if (api::checked("tensor_split", x).dim() == 0)
    api::fail(ErrorKind::kRuntime, "tensor_split", x, "a 0-dim tensor has nothing to split");
  if (sections <= 0)
    api::fail(ErrorKind::kRuntime, "tensor_split", x,
              text("the number of sections must be positive: ", sections));
  const int64_t size = x.size(wrap_dim("tensor_split", x, dim));
  std::vector<int64_t> indices;
  for (int64_t i = 1; i < sections; ++i)
    indices.push_back(i * (size / sections) + std::min(i, size % sections));
  return tensor_split(x, IntArrayRef(indices), dim);
}

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  std::vector<OperandType> types;
  for (const Tensor& t : tensors)
    types.push_back({api::checked("broadcast_tensors", t).impl()->layout, {}});
  if (types.empty()) return {};
  const Dims sizes = broadcast_sizes(Op::expand, types);
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(expand(t, sizes));
  return results;
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, const std::string& indexing) {
  if (tensors.empty()) throw Error(ErrorKind::kRuntime, "meshgrid(): there are no tensors");
  if (indexing != "ij" && indexing != "xy")
    throw Error(ErrorKind::kRuntime, text("meshgrid(indexing=", indexing, "): expected ij or xy"));
  const bool swap = indexing == "xy" && tensors.size() > 1;
  Dims sizes;
  for (const Tensor& t : tensors) {
    if (api::checked("meshgrid", t).dim() > 1)
      api::fail(ErrorKind::kRuntime, "meshgrid", t, "expected at most 1 dimension");
    if (t.dtype() != tensors[0].dtype())
      api::fail(ErrorKind::kRuntime, "meshgrid", t, "dtypes differ: " + describe(tensors[0]));
    sizes.push_back(t.numel());
  }
  const auto place_of = [&](int i) { return swap && i < 2 ? 1 - i : i; };
  if (swap) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> grids;
  for (int i = 0; i < sizes.rank; ++i) {
    Dims own;
    for (int d = 0; d < sizes.rank; ++d) own.push_back(d == place_of(i) ? sizes[d] : 1);
    grids.push_back(expand(view(reshape(tensors[static_cast<size_t>(i)], {-1}), own), sizes));
  }
  return grids;
}

// Each repeated dimension is one of the repeats and one of the elements, expanded and put together.
Tensor repeat(const Tensor& x, IntArrayRef repeats) {
  const int64_t shift = static_cast<int64_t>(repeats.size()) - api::checked("repeat", x).dim();
  if (shift < 0)
    api::fail(ErrorKind::kRuntime, "repeat", x,
              text("too few repeats: ", repeats.size(), " for ", x.dim(), " dimensions"));
  Dims apart, expanded, together;
  bool copies = false;
  for (size_t d = 0; d < repeats.size(); ++d) {
    const int64_t times = repeats[d], own = static_cast<int64_t>(d) - shift;
    const int64_t size = own < 0 ? 1 : x.size(own);
    if (times < 0)
      api::fail(ErrorKind::kRuntime, "repeat", x, text("negative number of repeats: ", times));
    if (times != 1 && size != 1) {
      apart.push_back(1);
      expanded.push_back(times);
    }
    copies |= times != 1;
    apart.push_back(size);
    expanded.push_back(size == 1 ? times : size);
    together.push_back(size * times);
  }
  const Tensor rows = reshape(x, apart);
  if (!copies) return clone(rows);
  return contiguous(reshape(expand(rows, expanded), together));
}

Tensor tile(const Tensor& x, IntArrayRef repeats) {
  Dims all;
  for (int64_t d = static_cast<int64_t>(repeats.size()); d < api::checked("tile", x).dim(); ++d)
    all.push_back(1);
  for (int64_t times : repeats) all.push_back(times);
  return repeat(x, all);
}

Tensor repeat_interleave(const Tensor& x, int64_t repeats, std::optional<int64_t> dim) {
  if (!dim) return repeat_interleave(reshape(x, {-1}), repeats, 0);
  if (repeats < 0)
    api::fail(ErrorKind::kRuntime, "repeat_interleave", x, text("negative repeats: ", repeats));
  if (x.dim() == 0) return repeat_interleave(reshape(x, {1}), repeats, dim);
  const int64_t at = wrap_dim("repeat_interleave", x, *dim);
  Dims apart, together(x.sizes());
  for (int64_t d = 0; d < x.dim(); ++d) {
    apart.push_back(x.size(d));
    if (d == at) apart.push_back(repeats);
  }
  together[static_cast<int>(at)] *= repeats;
  if (repeats == 1) return clone(x);
  return contiguous(reshape(expand(unsqueeze(x, at + 1), apart), together));
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int64_t> dim) {
  if (!dim) return repeat_interleave(reshape(x, {-1}), repeats, 0);
  if (x.dim() == 0) return repeat_interleave(reshape(x, {1}), repeats, dim);
  const int64_t at = wrap_dim("repeat_interleave", x, *dim);
  if (api::checked("repeat_interleave", repeats).dim() > 1 ||
      (repeats.dtype() != kInt64 && repeats.dtype() != kInt32))
    api::fail(ErrorKind::kRuntime, "repeat_interleave", repeats,
              "repeats must be 0-D or 1-D, and i64 or i32");
  if (repeats.numel() == 1) return repeat_interleave(x, repeats.item<int64_t>(), at);
  if (repeats.numel() != x.size(at))
    api::fail(ErrorKind::kRuntime, "repeat_interleave", x,
              text("sizes differ: ", repeats.numel(), " repeats for ", x.size(at), " elements"));
  std::vector<int64_t> rows;
  contiguous(to(repeats.cpu(), kInt64)).with_data<const int64_t>([&](const int64_t* times) {
    for (int64_t i = 0; i < repeats.numel(); ++i) {
      if (times[i] < 0)
        api::fail(ErrorKind::kRuntime, "repeat_interleave", x,
                  text("negative repeats: ", times[i]));
      rows.insert(rows.end(), static_cast<size_t>(times[i]), i);
    }
  });
  const Tensor index = from_host(rows.data(), {static_cast<int64_t>(rows.size())},
                                 TensorOptions(kInt64).device(x.device()));
  return index_select(x, at, index);
}

Tensor flip(const Tensor& x, IntArrayRef dims) {
  return call(Op::flip, {operand(Op::flip, x)}, Attrs().add_list(dims));
}

Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
  if (shifts.empty())
    api::fail(ErrorKind::kRuntime, "roll", api::checked("roll", x), "there are no shifts");
  if (dims.empty() && shifts.size() == 1)
    return reshape(roll(reshape(x, {-1}), shifts, {0}), x.sizes());
  if (dims.size() != shifts.size())
    api::fail(ErrorKind::kRuntime, "roll", api::checked("roll", x),
              text("shifts and dims differ in length: ", shifts.size(), " and ", dims.size()));
  Tensor y = api::checked("roll", x);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t at = wrap_dim("roll", x, dims[i]), size = x.dim() == 0 ? 1 : x.size(at);
    const int64_t shift = size == 0 ? 0 : (shifts[i] % size + size) % size;
    if (shift == 0) continue;
    y = cat({narrow(y, at, size - shift, shift), narrow(y, at, 0, size - shift)}, at);
  }
  return y.is_same(x) ? clone(x) : y;
}

Tensor rot90(const Tensor& x, int64_t k, IntArrayRef dims) {
  if (dims.size() != 2 || api::checked("rot90", x).dim() < 2)
    api::fail(ErrorKind::kRuntime, "rot90", x,
              text("expected two dimensions to turn, of at least two: ", dims));
  const int64_t a = wrap_dim("rot90", x, dims[0]), b = wrap_dim("rot90", x, dims[1]);
  if (a == b) api::fail(ErrorKind::kRuntime, "rot90", x, text("the dimensions are one: ", dims[0]));
  switch ((k % 4 + 4) % 4) {
    case 1:
      return transpose(flip(x, {b}), a, b);
    case 2:
      return flip(x, {a, b});
    case 3:
      return transpose(flip(x, {a}), a, b);
    default:
      return clone(x);
  }
}

Tensor tril(const Tensor& x, int64_t diagonal) {
  return call(Op::tril, {operand(Op::tril, x)}, Attrs().add(diagonal));
}
Tensor triu(const Tensor& x, int64_t diagonal) {
  return call(Op::triu, {operand(Op::triu, x)}, Attrs().add(diagonal));
}

Tensor diag_embed(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t rank = api::checked("diag_embed", x).dim() + 1;
  const int64_t a = wrap_dim("diag_embed", x, dim1, rank),
                b = wrap_dim("diag_embed", x, dim2, rank);
  if (a == b || x.dim() == 0)
    api::fail(ErrorKind::kRuntime, "diag_embed", x, "expected two different dimensions");
  const int64_t length = x.size(-1) + std::abs(offset);
  Dims sizes;
  for (int64_t d = 0, own = 0; d < rank; ++d)
    sizes.push_back(d == a || d == b ? length : x.size(own++));
  const Tensor result = zeros(sizes, x.options());
  diagonal(result, offset, a, b).copy_(x);
  return result;
}

Tensor diag(const Tensor& x, int64_t diagonal) {
  const int64_t rank = api::checked("diag", x).dim();
  if (rank == 1) return diag_embed(x, diagonal);
  if (rank != 2)
    api::fail(ErrorKind::kRuntime, "diag", x, text("expected 1 or 2 dimensions, got ", rank));
  return clone(frit::diagonal(x, diagonal));
}

namespace {

// The sizes in front of the last three.
Dims batch_of(std::string_view op, const Tensor& x) {
  if (api::checked(op, x).dim() < 3)
    api::fail(ErrorKind::kRuntime, op, x, "expected at least 3 dimensions");
  return Dims(IntArrayRef(x.sizes().data(), static_cast<size_t>(x.dim() - 3)));
}

// The batch, and after it these sizes or the dimensions in this order.
Dims followed(const Dims& batch, std::initializer_list<int64_t> sizes) {
  Dims all = batch;
  for (int64_t size : sizes) all.push_back(size);
  return all;
}
Dims in_order(int64_t rank, std::initializer_list<int64_t> order) {
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  for (int64_t d : order) dims.push_back(rank + d);
  return dims;
}

}  // namespace

Tensor pixel_shuffle(const Tensor& x, int64_t upscale_factor) {
  const Dims batch = batch_of("pixel_shuffle", x);
  const int64_t r = upscale_factor, c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (r <= 0 || c % (r * r) != 0)
    api::fail(ErrorKind::kRuntime, "pixel_shuffle", x,
              text("blocks of ", r, " do not divide the channels: ", c));
  const Tensor blocks = reshape(x, followed(batch, {c / (r * r), r, r, h, w}));
  const Tensor rows = permute(blocks, in_order(batch.rank, {0, 3, 1, 4, 2}));
  return reshape(rows, followed(batch, {c / (r * r), h * r, w * r}));
}

Tensor pixel_unshuffle(const Tensor& x, int64_t downscale_factor) {
  const Dims batch = batch_of("pixel_unshuffle", x);
  const int64_t r = downscale_factor, c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (r <= 0 || h % r != 0 || w % r != 0)
    api::fail(ErrorKind::kRuntime, "pixel_unshuffle", x,
              text("blocks of ", r, " do not divide the image: ", h, " x ", w));
  const Tensor blocks = reshape(x, followed(batch, {c, h / r, r, w / r, r}));
  const Tensor planes = permute(blocks, in_order(batch.rank, {0, 2, 4, 1, 3}));
  return reshape(planes, followed(batch, {c * r * r, h / r, w / r}));
}

}  // namespace frit

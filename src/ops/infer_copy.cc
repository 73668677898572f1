// Ops that copy elements to other places: clone, cat, pad, indexing, creation, store.
#include <algorithm>
#include <vector>

#include "src/ops/resample.h"
#include "src/ops/rules.h"

namespace frit::rules {
namespace {

// What `suggest_memory_format` says of an operand, applied to other sizes.
ResultTypes formatted_result(const Layout& like, Dtype dtype, IntArrayRef sizes) {
  if (!is_channels_last(like)) return contiguous_result(like, dtype, sizes);
  return one(intern_layout(dtype, like.device, sizes, channels_last_strides(sizes)));
}

// PyTorch still lets a 1-D empty tensor take part in any cat, as nothing.
bool is_skipped(const Layout& layout) { return layout.rank == 1 && layout.size(0) == 0; }

void check_cat_sizes(const Call& call, const Layout& first, const Layout& other, int dim,
                     size_t at) {
  if (other.rank != first.rank)
    fail(call, ErrorKind::kRuntime,
         text("operand ", at + 1, " has ", int{other.rank}, " dimensions, expected ",
              int{first.rank}));
  for (int d = 0; d < first.rank; ++d)
    if (d != dim && other.size(d) != first.size(d))
      fail(call, ErrorKind::kRuntime,
           text("operand ", at + 1, " has size ", other.size(d), " in dimension ", d, ", expected ",
                first.size(d)));
}

void check_index_dtype(const Call& call, const Layout& index, bool int32_too) {
  if (index.dtype == kInt64 || (int32_too && index.dtype == kInt32)) return;
  fail(call, ErrorKind::kRuntime,
       text("the index is ", name(index.dtype), ", expected ", int32_too ? "i32 or i64" : "i64"));
}

ResultTypes index_select(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& index = call.tensor(1);
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  if (index.rank > 1) fail(call, ErrorKind::kIndex, "the index has more than one dimension");
  check_index_dtype(call, index, true);
  Dims sizes(x.sizes());
  if (x.rank > 0) sizes[dim] = index.numel;
  if (x.rank == 0 && index.numel != 1)
    fail(call, ErrorKind::kIndex, text("a 0-dim tensor takes one index, got ", index.numel));
  return contiguous_result(x, x.dtype, sizes);
}

ResultTypes gather(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& index = call.tensor(1);
  const int dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), x.rank);
  check_index_dtype(call, index, false);
  if (index.numel > 0 && std::max<int>(index.rank, 1) != std::max<int>(x.rank, 1))
    fail(call, ErrorKind::kRuntime,
         text("the index has ", int{index.rank}, " dimensions, expected ", int{x.rank}));
  for (int d = 0; index.numel > 0 && d < std::min(x.rank, index.rank); ++d)
    if (d != dim && index.size(d) > x.size(d))
      fail(call, ErrorKind::kRuntime,
           text("the index has size ", index.size(d), " in dimension ", d, ", more than ",
                x.size(d)));
  return contiguous_result(x, x.dtype, index.sizes());
}

// The dims with an index are replaced by the index's dims: in place where they are neighbours, in
// front where others stand between them.
Dims indexed_sizes(const Layout& x, const Dims& dims, const Dims& index_sizes) {
  bool neighbours = true;
  for (int i = 1; i < dims.rank; ++i) neighbours &= dims[i] == dims[i - 1] + 1;
  Dims sizes;
  const auto add_index = [&] {
    for (int64_t size : index_sizes.ref()) sizes.push_back(size);
  };
  if (!neighbours) add_index();
  for (int d = 0, next = 0; d < x.rank; ++d) {
    if (next < dims.rank && dims[next] == d) {
      if (neighbours && next == 0) add_index();
      ++next;
    } else {
      sizes.push_back(x.size(d));
    }
  }
  return sizes;
}

ResultTypes index_by_tensors(const Call& call) {
  const Layout& x = call.tensor(0);
  return contiguous_result(x, x.dtype, indexed_by_tensors(call, 1));
}

}  // namespace

Dims indexed_by_tensors(const Call& call, size_t first_index) {
  const Layout& x = call.tensor(0);
  const Dims dims = Dims(list_attr(call.op, call.attrs, "dims"));
  if (dims.rank + first_index != call.operands.size() || dims.rank == 0)
    fail(call, ErrorKind::kType, text("expected one index per dimension of ", dims.ref()));
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i] < (i > 0 ? dims[i - 1] + 1 : 0) || dims[i] >= x.rank)
      fail(call, ErrorKind::kIndex, text("dimensions out of range or order: ", dims.ref()));
    const Dtype dtype = call.tensor(static_cast<size_t>(i) + first_index).dtype;
    if (dtype != kInt64)
      fail(call, ErrorKind::kIndex, text("index ", i, " is ", name(dtype), ", expected i64"));
  }
  Dims index_sizes;
  try {
    index_sizes = broadcast_sizes(call.op, call.operands.subspan(first_index));
  } catch (const Error&) {
    fail(call, ErrorKind::kIndex, "the indices do not broadcast");
  }
  int64_t chosen = 1, count = 1;
  for (int64_t d : dims.ref()) chosen *= x.size(static_cast<int>(d));
  for (int64_t size : index_sizes.ref()) count *= size;
  if (chosen == 0 && count != 0) fail(call, ErrorKind::kIndex, "an indexed dimension has size 0");
  return indexed_sizes(x, dims, index_sizes);
}

ResultTypes copy(const Call& call) {
  const Layout& x = call.tensor(0);
  if (call.op == Op::flip) {
    bool chosen[kMaxRank] = {};
    for (int64_t d : list_attr(call.op, call.attrs, "dims")) {
      bool& entry = chosen[wrap_dim(call, d, x.rank)];
      if (entry) fail(call, ErrorKind::kRuntime, text("dimension ", d, " appears twice"));
      entry = true;
    }
    return one(intern_layout(x.dtype, x.device, x.sizes(), dense_strides(x)));
  }
  if (call.op == Op::clone) {
    if (x.dense) return one(same(x));
    return one(intern_layout(x.dtype, x.device, x.sizes(), dense_strides(x)));
  }
  if (x.contiguous) return view(same(x));
  return contiguous_result(x, x.dtype, x.sizes());
}

ResultTypes cat(const Call& call) {
  if (call.operands.empty()) fail(call, ErrorKind::kRuntime, "there are no operands");
  const Layout* first = nullptr;
  std::vector<OperandType> tensors;
  int64_t length = 0;
  int dim = 0;
  bool channels_last = true;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Layout& layout = call.tensor(i);
    tensors.push_back({&layout, {}});
    if (layout.rank == 0)
      fail(call, ErrorKind::kRuntime, text("operand ", i + 1, " is a 0-dim tensor"));
    channels_last &= is_channels_last(layout);
    if (is_skipped(layout)) continue;
    if (first == nullptr) {
      first = &layout;
      dim = wrap_dim(call, int_attr(call.op, call.attrs, "dim"), layout.rank);
    }
    check_cat_sizes(call, *first, layout, dim, i);
    length += layout.size(dim);
  }
  const Dtype dtype = promote(Op::cat, tensors).result;
  if (first == nullptr) return contiguous_result(call.tensor(0), dtype, {0});
  Dims sizes(first->sizes());
  sizes[dim] = length;
  return channels_last ? formatted_result(*first, dtype, sizes)
                       : contiguous_result(*first, dtype, sizes);
}

// Where nothing is added the result is a clone of what is left.
ResultTypes pad(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef pads = list_attr(call.op, call.attrs, "pads");
  if (pads.size() % 2 != 0 || static_cast<int>(pads.size()) > 2 * x.rank)
    fail(call, ErrorKind::kRuntime,
         text("expected pairs for at most ", int{x.rank}, " dimensions, got ", pads.size(),
              " values"));
  const bool only_crops = std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p <= 0; });
  Dims sizes(x.sizes());
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int d = x.rank - 1 - static_cast<int>(i / 2);
    const int64_t before = pads[i], after = pads[i + 1];
    if (-before > sizes[d])
      fail(call, ErrorKind::kIndex, text("dimension ", d, " has less than ", -before, " to crop"));
    if (sizes[d] + std::min<int64_t>(before, 0) + after < 0)
      fail(call, ErrorKind::kRuntime, text("dimension ", d, " has less than ", -after, " to crop"));
    sizes[d] += before + after;
    if (sizes[d] < (only_crops ? 0 : 1))
      fail(call, ErrorKind::kRuntime,
           text("dimension ", d, " of size ", x.size(d), " would have size ", sizes[d]));
  }
  if (!only_crops) return formatted_result(x, x.dtype, sizes);
  const Layout& left = *intern_layout(x.dtype, x.device, sizes, x.strides());
  return one(intern_layout(x.dtype, x.device, sizes, dense_strides(left)));
}

ResultTypes index(const Call& call) {
  if (call.op == Op::index_select) return index_select(call);
  if (call.op == Op::gather) return gather(call);
  if (call.op == Op::index) return index_by_tensors(call);
  call.tensor(0);  // nonzero: how many there are depends on the data
  return {};
}

ResultTypes resample(const Call& call) {
  const Layout& x = call.tensor(0);
  const IntArrayRef wanted = list_attr(call.op, call.attrs, "sizes");
  const int n = static_cast<int>(wanted.size());
  if (n < 1 || n > 3 || x.rank != n + 2 || call.operands.size() != wanted.size() + 1)
    fail(call, ErrorKind::kRuntime,
         text("expected 3 to 5 dimensions, and a scale for each of ", n));
  const auto mode = static_cast<Resampling>(int_attr(call.op, call.attrs, "mode"));
  const bool weighs = mode == Resampling::kLinear || mode == Resampling::kCubic;
  if (weighs && !is_floating_point(x.dtype))
    fail(call, ErrorKind::kNotImplemented,
         text("only floating point is supported: not ", name(x.dtype)));
  Dims sizes(x.sizes());
  for (int d = 0; d < n; ++d) {
    if (call.operands[static_cast<size_t>(d) + 1].layout != nullptr)
      fail(call, ErrorKind::kType, "a scale is a tensor, expected a number");
    sizes[d + 2] = wanted[static_cast<size_t>(d)];
    if (x.size(d + 2) < 1 || sizes[d + 2] < 1)
      fail(call, ErrorKind::kRuntime,
           text("sizes must be positive: ", x.size(d + 2), " to ", sizes[d + 2]));
  }
  if (x.size(1) == 0) fail(call, ErrorKind::kRuntime, "there are no channels");
  return formatted_result(x, x.dtype, sizes);
}

ResultTypes create(const Call& call) {
  for (const OperandType& operand : call.operands)
    if (operand.layout != nullptr)
      fail(call, ErrorKind::kType, "an operand is a tensor, expected a number");
  const Dtype dtype = static_cast<Dtype>(int_attr(call.op, call.attrs, "dtype"));
  if (call.op == Op::full)
    return one(intern_contiguous(dtype, default_device(), list_attr(call.op, call.attrs, "sizes")));
  if (dtype == kBool) fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  return one(intern_contiguous(dtype, default_device(), {int_attr(call.op, call.attrs, "n")}));
}

ResultTypes store(const Call& call) {
  const Layout& target = call.tensor(0);
  for (int d = 0; d < target.rank && target.numel > 0; ++d)
    if (target.stride(d) == 0 && target.size(d) > 1)
      fail(call, ErrorKind::kRuntime,
           "several elements of the written tensor are one memory location: clone it first");
  if (call.operands[1].layout == nullptr) return {};
  const Layout& source = *call.operands[1].layout;
  const int shift = target.rank - source.rank;
  if (shift < 0)
    fail(call, ErrorKind::kRuntime,
         text("the source has more dimensions: ", int{source.rank}, " and ", int{target.rank}));
  for (int d = 0; d < source.rank; ++d) {
    const int64_t wanted = target.size(d + shift);
    if (source.size(d) != 1 && source.size(d) != wanted)
      fail(call, ErrorKind::kRuntime,
           text("size ", source.size(d), " cannot become ", wanted, " in dimension ", d));
  }
  return {};
}

}  // namespace frit::rules

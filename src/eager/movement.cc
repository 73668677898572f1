// Views, and the ops that are copies into a layout: clone, contiguous, cat, pad, store.
#include <algorithm>
#include <string>

#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

// The layout of a block of `sizes` within memory that is laid out as `whole`.
const Layout* block_layout(const Layout& whole, IntArrayRef sizes) {
  return intern_layout(whole.dtype, whole.device, sizes, whole.strides());
}

std::byte* element_at(const Layout& layout, std::byte* data, int64_t element) {
  return data + element * byte_size(layout.dtype);
}

// The bytes that a tensor's elements lie in: [begin, end).
struct Extent {
  const std::byte *begin, *end;
};
Extent extent(const TensorImpl& t) {
  int64_t low = 0;
  for (int d = 0; d < t.layout->rank; ++d)
    low += std::min<int64_t>(0, (t.layout->size(d) - 1) * t.layout->stride(d));
  const std::byte* begin = t.data + low * byte_size(t.layout->dtype);
  return {begin, begin + t.layout->span() * byte_size(t.layout->dtype)};
}

// Whether two indices of the layout may name one element. Exact for expanded and sliced layouts.
bool overlaps_itself(const Layout& l) {
  if (l.dense || l.numel == 0) return false;
  Dims sizes, strides;
  for (int d = 0; d < l.rank; ++d) {
    if (l.size(d) == 1) continue;
    if (l.stride(d) == 0) return true;
    int at = strides.rank;
    sizes.push_back(0), strides.push_back(0);
    for (; at > 0 && strides[at - 1] > l.stride(d); --at) {
      sizes[at] = sizes[at - 1];
      strides[at] = strides[at - 1];
    }
    sizes[at] = l.size(d);
    strides[at] = l.stride(d);
  }
  int64_t reach = 0;  // of the dims with smaller strides
  for (int d = 0; d < strides.rank; ++d) {
    if (strides[d] <= reach) return true;
    reach += (sizes[d] - 1) * strides[d];
  }
  return false;
}

enum class Overlap { kNone, kSame, kPartial, kUnclear };

Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  if (a.storage != b.storage || a.layout->numel == 0 || b.layout->numel == 0) return Overlap::kNone;
  const Extent ea = extent(a), eb = extent(b);
  if (ea.begin >= eb.end || eb.begin >= ea.end) return Overlap::kNone;
  const bool same = ea.begin == eb.begin && a.layout->sizes() == b.layout->sizes() &&
                    a.layout->strides() == b.layout->strides() &&
                    a.layout->dtype == b.layout->dtype;
  if (same) return Overlap::kSame;
  return a.layout->dense && b.layout->dense ? Overlap::kPartial : Overlap::kUnclear;
}

// Leading dims of size 1 that the target does not have go away.
const Layout* without_extra_dims(const Layout& from, int rank) {
  const int extra = from.rank - rank;
  if (extra <= 0) return &from;
  return intern_layout(from.dtype, from.device, {from.dims + extra, static_cast<size_t>(rank)},
                       {from.dims + from.rank + extra, static_cast<size_t>(rank)});
}

void check_in_storage(const OpCall& call, const TensorImpl& x, const Layout& layout,
                      int64_t first) {
  int64_t low = first, high = first;
  for (int d = 0; d < layout.rank; ++d)
    (layout.stride(d) < 0 ? low : high) += (layout.size(d) - 1) * layout.stride(d);
  const int64_t elements = x.storage->bytes / byte_size(layout.dtype);
  if (layout.numel > 0 && (low < 0 || high >= elements))
    fail(call, ErrorKind::kRuntime,
         "out of bounds: elements " + std::to_string(low) + " to " + std::to_string(high) +
             " of a storage of " + std::to_string(elements));
}

void store_tensor(const OpCall& call, TensorImpl* to, const TensorImpl* from) {
  Tensor copy;
  switch (overlap(*to, *from)) {
    case Overlap::kSame:
      return;  // what is there is what would be written
    case Overlap::kPartial:
      fail(call, ErrorKind::kRuntime,
           "unsupported operation: some elements of the input tensor and the written-to tensor "
           "refer to a single memory location; clone() the tensors first");
    case Overlap::kUnclear:
      copy = to_contiguous_copy(from);
      from = copy.impl();
      break;
    case Overlap::kNone:
      break;
  }
  convert_elements(*to->layout, to->data, *without_extra_dims(*from->layout, to->layout->rank),
                   from->data);
}

}  // namespace

void run_view(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  const ResultType type = infer(call).results[0];
  if (type.view_of < 0) {
    // A reshape whose strides do not allow a view: the elements in row-major order, then reshaped.
    Tensor out = new_tensor(type.layout);
    const Layout* in_order =
        intern_contiguous(x->layout->dtype, x->layout->device, x->layout->sizes());
    copy_elements(*in_order, out.impl()->data, *x->layout, x->data);
    results[0] = std::move(out);
    return;
  }
  const int64_t offset = x->offset + type.offset;
  if (call.op == Op::as_strided) check_in_storage(call, *x, *type.layout, offset);
  results[0] = new_view(type.layout, x->storage, offset);
}

void run_clone(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  copy_elements(*out.impl()->layout, out.impl()->data, *x->layout, x->data);
  results[0] = std::move(out);
}

void run_contiguous(const OpCall& call, Tensor* results) {
  results[0] = to_contiguous(call.operands[0].tensor);
}

void run_cat(const OpCall& call, Tensor* results) {
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Layout& layout = *out.impl()->layout;
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += layout.rank;
  int64_t start = 0;
  for (const Operand& operand : call.operands) {
    const TensorImpl* part = operand.tensor;
    // A 1-D empty tensor is skipped whatever the rank of the others, as in PyTorch.
    if (part->layout->numel == 0) continue;
    std::byte* to =
        element_at(layout, out.impl()->data, start * layout.stride(static_cast<int>(dim)));
    convert_elements(*block_layout(layout, part->layout->sizes()), to, *part->layout, part->data);
    start += part->layout->size(static_cast<int>(dim));
  }
  results[0] = std::move(out);
}

void run_pad(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Layout& to = *out.impl()->layout;
  const Layout& from = *x->layout;
  const IntArrayRef pads = list_attr(call.op, call.attrs, "pads");
  Dims inside(from.sizes());
  int64_t to_first = 0, from_first = 0;
  bool border = false;
  for (size_t i = 0; i + 1 < pads.size(); i += 2) {
    const int d = from.rank - 1 - static_cast<int>(i / 2);
    const int64_t before = pads[i], after = pads[i + 1];
    border |= before > 0 || after > 0;
    inside[d] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    inside[d] = std::max<int64_t>(inside[d], 0);
    to_first += std::max<int64_t>(before, 0) * to.stride(d);
    from_first += std::max<int64_t>(-before, 0) * from.stride(d);
  }
  if (border) fill_elements(to, out.impl()->data, call.operands[1].scalar);
  const Layout* source = block_layout(from, inside);
  if (source->numel > 0)
    copy_elements(*block_layout(to, inside), element_at(to, out.impl()->data, to_first), *source,
                  element_at(from, x->data, from_first));
  results[0] = std::move(out);
}

void run_store(const OpCall& call, Tensor*) {
  infer(call);
  TensorImpl* to = call.operands[0].tensor;
  const Operand& from = call.operands[1];
  if (overlaps_itself(*to->layout))
    fail(call, ErrorKind::kRuntime,
         "unsupported operation: more than one element of the written-to tensor refers to a single "
         "memory location; clone() it first");
  if (from.is_tensor()) {
    store_tensor(call, to, from.tensor);
  } else {
    fill_elements(*to->layout, to->data, from.scalar);
  }
  to->storage->version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace frit::eager

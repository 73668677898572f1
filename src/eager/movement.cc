// Views, and the ops that are copies into a layout: clone, contiguous, cat, pad, store.
#include <algorithm>
#include <cstring>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/loop_nest.h"
#include "src/ops/memory.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

// The layout of a block of `sizes` within memory that is laid out as `whole`.
const Layout* block_layout(const Layout& whole, IntArrayRef sizes) {
  return intern_layout(whole.dtype, whole.device, sizes, whole.strides());
}

std::byte* element_at(const Layout& layout, std::byte* data, int64_t element) {
  return data + element * byte_size(layout.dtype);
}

// Leading dims of size 1 that the target does not have go away.
const Layout* without_extra_dims(const Layout& from, int rank) {
  const int extra = from.rank - rank;
  if (extra <= 0) return &from;
  return intern_layout(from.dtype, from.device, {from.dims + extra, static_cast<size_t>(rank)},
                       {from.dims + from.rank + extra, static_cast<size_t>(rank)});
}

// Where elements of the target are one, the last in row-major order stays.
void store_in_order(const TensorImpl& to, const Tensor& source) {
  LoopNest nest(*to.layout);
  nest.add(*source.impl()->layout);
  if (nest.numel == 0) return;
  const int size = byte_size(to.layout->dtype);
  Odometer at(nest, 0);
  for (int64_t i = 0; i < nest.numel; ++i, at.advance(1))
    std::memcpy(to.data + at.offset(0), source.impl()->data + at.offset(1),
                static_cast<size_t>(size));
}

void store_tensor(const TensorImpl& to, const TensorImpl& from) {
  const Overlap shared = overlap(to, from);
  if (shared == Overlap::kSame) return;  // what is there is what would be written
  Tensor copy;
  const TensorImpl* source = &from;
  if (shared != Overlap::kNone) {  // read as a whole before anything is written
    copy = to_contiguous_copy(source);
    source = copy.impl();
  }
  const Layout& layout = *without_extra_dims(*source->layout, to.layout->rank);
  if (!may_overlap_itself(*to.layout))
    return convert_elements(*to.layout, to.data, layout, source->data);
  const Tensor converted = new_tensor(intern_contiguous(to.layout->dtype, kCPU, layout.sizes()));
  convert_elements(*converted.impl()->layout, converted.impl()->data, layout, source->data);
  store_in_order(to, converted);
}

}  // namespace

namespace {

// n elements; strides in bytes. Backwards is common enough for a loop of its own.
template <class T>
void copy_line(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
               int64_t n) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  if (to_stride == kSize && from_stride == kSize)
    std::memcpy(to, from, static_cast<size_t>(n * kSize));
  else if (to_stride == kSize && from_stride == -kSize)
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * kSize, from - i * kSize, sizeof(T));
  else
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

}  // namespace

void copy_strided(const Tensor& out, IntArrayRef strides, const std::byte* from) {
  const int size = byte_size(out.dtype());
  LoopNest nest(*out.impl()->layout);
  nest.add(size, strides);
  nest.collapse();
  const int64_t to_stride = nest.strides[0][nest.inner()], step = nest.strides[1][nest.inner()];
  const auto copy_row = size == 1   ? copy_line<uint8_t>
                        : size == 2 ? copy_line<uint16_t>
                        : size == 4 ? copy_line<uint32_t>
                                    : copy_line<uint64_t>;
  base::parallel_for(nest.numel, kGrain, [&](int64_t begin, int64_t end) {
    Odometer at(nest, begin);
    for (int64_t position = begin; position < end;) {
      const int64_t n = std::min(end - position, at.left_in_row());
      copy_row(out.impl()->data + at.offset(0), to_stride, from + at.offset(1), step, n);
      position += n;
      at.advance(n);
    }
  });
}

Tensor make_view(const OpCall& call, const ResultType& type) {
  const TensorImpl* x = call.operands[0].tensor;
  const int64_t offset = x->offset + type.offset;
  if (call.op == Op::as_strided) check_in_storage(call, *x, *type.layout, offset);
  return new_view(type.layout, x->storage, offset);
}

static void run_view(const OpCall& call, Tensor* results) {
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
  results[0] = make_view(call, type);
}

static void run_clone(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  copy_elements(*out.impl()->layout, out.impl()->data, *x->layout, x->data);
  results[0] = std::move(out);
}

// A copy whose source is read backwards.
static void run_flip(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  Tensor out = new_tensor(infer(call).results[0].layout);
  const Layout& layout = *x->layout;
  Dims strides(layout.strides());
  int64_t first = 0;
  for (int64_t dim : list_attr(call.op, call.attrs, "dims")) {
    const int d = static_cast<int>(dim < 0 ? dim + std::max<int>(layout.rank, 1) : dim);
    if (d >= layout.rank) continue;  // a 0-dim operand
    first += (layout.size(d) - 1) * layout.stride(d);
    strides[d] = -strides[d];
  }
  if (layout.numel > 0) copy_strided(out, strides, element_at(layout, x->data, first));
  results[0] = std::move(out);
}

// tril and triu of row-major matrices: of each row a part is copied, the rest is 0. Others are left
// to the composite.
void run_triangle(const OpCall& call, Tensor* results) {
  const TensorImpl* x = call.operands[0].tensor;
  const Layout& layout = *x->layout;
  if (layout.rank < 2 || !layout.contiguous) return run_composite(call, results);
  Tensor out = new_tensor(intern_contiguous(layout.dtype, kCPU, layout.sizes()));
  const int64_t rows = layout.size(layout.rank - 2), columns = layout.size(layout.rank - 1);
  const int64_t diagonal = std::clamp(int_attr(call.op, call.attrs, "diagonal"), -rows, columns);
  const int64_t size = byte_size(layout.dtype), row_bytes = columns * size;
  const auto copy_row = [&](int64_t row) {
    const std::byte* from = x->data + row * row_bytes;
    std::byte* to = out.impl()->data + row * row_bytes;
    // tril keeps what is before this column, and triu what is not.
    const int64_t column = row % rows + diagonal + (call.op == Op::tril ? 1 : 0);
    const int64_t split = std::clamp<int64_t>(column, 0, columns) * size;
    const auto before = static_cast<size_t>(split), after = static_cast<size_t>(row_bytes - split);
    if (call.op == Op::tril) {
      std::memcpy(to, from, before);
      std::memset(to + split, 0, after);
    } else {
      std::memset(to, 0, before);
      std::memcpy(to + split, from + split, after);
    }
  };
  if (layout.numel > 0)
    base::parallel_for(layout.numel / columns, std::max<int64_t>(1, kGrain / columns),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t row = begin; row < end; ++row) copy_row(row);
                       });
  results[0] = std::move(out);
}

static void run_contiguous(const OpCall& call, Tensor* results) {
  results[0] = to_contiguous(call.operands[0].tensor);
}

static void run_cat(const OpCall& call, Tensor* results) {
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

static void run_pad(const OpCall& call, Tensor* results) {
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

static void run_store(const OpCall& call, Tensor*) {
  infer(call);
  check_store(call);
  TensorImpl* to = call.operands[0].tensor;
  const Operand& from = call.operands[1];
  if (from.is_tensor()) {
    store_tensor(*to, *from.tensor);
  } else {
    fill_elements(*to->layout, to->data, from.scalar);
  }
  to->storage->version.fetch_add(1, std::memory_order_relaxed);
}

FRIT_EAGER_KERNEL(reshape, run_view)
FRIT_EAGER_KERNEL(view, run_view)
FRIT_EAGER_KERNEL(permute, run_view)
FRIT_EAGER_KERNEL(expand, run_view)
FRIT_EAGER_KERNEL(slice, run_view)
FRIT_EAGER_KERNEL(select, run_view)
FRIT_EAGER_KERNEL(squeeze, run_view)
FRIT_EAGER_KERNEL(unsqueeze, run_view)
FRIT_EAGER_KERNEL(as_strided, run_view)
FRIT_EAGER_KERNEL(clone, run_clone)
FRIT_EAGER_KERNEL(flip, run_flip)
FRIT_EAGER_KERNEL(contiguous, run_contiguous)
FRIT_EAGER_KERNEL(cat, run_cat)
FRIT_EAGER_KERNEL(pad, run_pad)
FRIT_EAGER_KERNEL(store, run_store)

}  // namespace frit::eager

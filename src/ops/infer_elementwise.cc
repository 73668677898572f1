// Elementwise ops: promoted dtype, broadcast sizes, strides that follow the operands'.
#include <algorithm>
#include <utility>

#include "src/ops/rules.h"

namespace frit {
namespace rules {
namespace {

// The stride of dimension `d` of `sizes` in an operand that broadcasts to them.
int64_t broadcast_stride(const Layout& layout, IntArrayRef sizes, int d) {
  const int own = d - (static_cast<int>(sizes.size()) - layout.rank);
  if (own < 0 || (layout.size(own) == 1 && sizes[d] != 1)) return 0;
  return layout.stride(own);
}

// Negative: dimension a is the inner one of the two. Zero: the operands do not say.
int compare_dims(IntArrayRef sizes, std::span<const OperandType> operands, int a, int b) {
  for (const OperandType& operand : operands) {
    if (operand.layout == nullptr) continue;
    const int64_t stride_a = broadcast_stride(*operand.layout, sizes, a);
    const int64_t stride_b = broadcast_stride(*operand.layout, sizes, b);
    if (stride_a == 0 || stride_b == 0) continue;
    if (stride_a != stride_b) return stride_a < stride_b ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

// Dimensions from the innermost to the outermost. An insertion sort, since the comparison is not
// transitive and PyTorch's result depends on the sequence of comparisons.
void sort_dims(IntArrayRef sizes, std::span<const OperandType> operands, int* order) {
  const int rank = static_cast<int>(sizes.size());
  for (int i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int at = i;
    for (int before = i - 1; before >= 0; --before) {
      const int order_of = compare_dims(sizes, operands, order[before], order[at]);
      if (order_of < 0) break;
      if (order_of == 0) continue;
      std::swap(order[before], order[at]);
      at = before;
    }
  }
}

// Whether the memory is that of channels_last, whatever the strides of sizes of 1.
bool is_channels_last_dense(const Layout& layout) {
  int64_t expected = 1;
  for (int d : {1, 3, 2, 0}) {
    if (layout.size(d) != 1 && layout.stride(d) != expected) return false;
    expected *= layout.size(d);
  }
  return true;
}

// The strides that all tensor operands share where each has the full sizes; else false.
bool common_strides(IntArrayRef sizes, std::span<const OperandType> operands, Dims* strides) {
  const Layout* first = operands[0].layout;
  bool contiguous = true, channels_last = sizes.size() == 4, equal = true;
  for (const OperandType& operand : operands) {
    const Layout* layout = operand.layout;
    if (layout == nullptr || layout->sizes() != sizes) return false;
    contiguous &= layout->contiguous;
    channels_last = channels_last && is_channels_last_dense(*layout);
    equal &= layout->dense && layout->strides() == first->strides();
  }
  if (contiguous)
    *strides = contiguous_strides(sizes);
  else if (channels_last)
    *strides = channels_last_strides(sizes);
  else if (equal)
    *strides = Dims(first->strides());
  return contiguous || channels_last || equal;
}

void check_condition(const Call& call) {
  if (call.op != Op::where) return;
  const Layout& condition = call.tensor(0);
  if (condition.dtype != kBool)
    fail(call, ErrorKind::kRuntime, text("the condition is not bool: ", name(condition.dtype)));
}

Dims broadcast(const Call& call) {
  Dims sizes;
  for (const OperandType& operand : call.operands) {
    if (operand.layout == nullptr) continue;
    const Layout& layout = *operand.layout;
    while (sizes.rank < layout.rank) {
      std::move_backward(sizes.values, sizes.values + sizes.rank, sizes.values + sizes.rank + 1);
      sizes[0] = 1;
      ++sizes.rank;
    }
    const int shift = sizes.rank - layout.rank;
    for (int d = 0; d < layout.rank; ++d) {
      int64_t& size = sizes[d + shift];
      if (size == 1) size = layout.size(d);
      if (layout.size(d) != 1 && layout.size(d) != size)
        fail(call, ErrorKind::kRuntime,
             text("sizes do not broadcast: ", size, " and ", layout.size(d), " in dimension ",
                  d + shift));
    }
  }
  return sizes;
}

}  // namespace

Dims ordered_strides(IntArrayRef sizes, std::span<const OperandType> operands) {
  int order[kMaxRank];
  sort_dims(sizes, operands, order);
  Dims strides;
  strides.rank = static_cast<int>(sizes.size());
  bool row_major = true;
  int64_t stride = 1;
  for (int i = 0; i < strides.rank; ++i) {
    row_major &= order[i] == strides.rank - 1 - i;
    strides[order[i]] = stride;
    if (__builtin_mul_overflow(stride, sizes[order[i]], &stride)) stride = 0;
  }
  return row_major ? contiguous_strides(sizes) : strides;
}

Dims dense_strides(const Layout& layout) {
  if (layout.dense) return Dims(layout.strides());
  const OperandType self{&layout, {}};
  return ordered_strides(layout.sizes(), {&self, 1});
}

ResultTypes elementwise(const Call& call) {
  check_condition(call);
  const Promotion dtypes = promote(call.op, call.operands);
  const Dims sizes = broadcast(call);
  Dims strides;
  if (!common_strides(sizes, call.operands, &strides))
    strides = ordered_strides(sizes, call.operands);
  Device device;  // of one element on the CPU and tensors elsewhere: theirs
  for (const OperandType& operand : call.operands)
    if (operand.layout != nullptr && !operand.layout->device.is_cpu())
      device = operand.layout->device;
  return one(intern_layout(dtypes.result, device, sizes, strides));
}

ResultTypes cast(const Call& call) {
  const Layout& x = call.tensor(0);
  const Dtype dtype = static_cast<Dtype>(int_attr(call.op, call.attrs, "dtype"));
  if (dtype == x.dtype && x.dense) return one(same(x));
  return one(intern_layout(dtype, x.device, x.sizes(), dense_strides(x)));
}

}  // namespace rules

Dims broadcast_sizes(Op op, std::span<const OperandType> operands) {
  static const Attrs kNone;
  return rules::broadcast(rules::Call{op, operands, kNone});
}

}  // namespace frit

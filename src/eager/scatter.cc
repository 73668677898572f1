// Ops that write elements to where index tensors say: scatter, index_put and their kin.
//
// The indices are checked and turned into offsets first. Then the result begins as a copy of the
// operand, and the elements of the source go into it one after the other in row-major order, on one
// thread: several may go to one place.
#include "src/ops/scatter.h"

#include <algorithm>
#include <cstring>

#include "src/base/wrapping.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/loop_nest.h"
#include "src/eager/offsets.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

// Where elements of a source of these sizes go in the result: at `strides` . i plus an offset.
struct Targets {
  Dims sizes, strides;
  Tensor offsets;
  Dims offset_strides;
};

Targets targets_of_scatter(const OpCall& call, const Layout& out) {
  TensorImpl* index = call.operands[1].tensor;
  const int dim = wrapped_dim(call, out.rank);
  Targets targets{Dims(index->layout->sizes()), {}, zero_offsets(index->layout->sizes()), {}};
  add_offsets(call, out, dim, index_values(index, targets.sizes), Negative::kRefused,
              offsets_of(targets.offsets));
  // A 0-dim operand or index counts as 1-D.
  for (int d = 0; d < targets.sizes.rank; ++d)
    targets.strides.push_back(d == dim || out.rank == 0 ? 0 : out.stride(d));
  targets.offset_strides = contiguous_strides(targets.sizes);
  return targets;
}

Targets targets_of_rows(const OpCall& call, const Layout& out) {
  TensorImpl* index = call.operands[1].tensor;
  const int dim = wrapped_dim(call, out.rank);
  const int64_t count = index->layout->numel;
  Targets targets{Dims(out.sizes()), Dims(out.strides()), zero_offsets({count}), {}};
  if (out.rank == 0) {
    targets.sizes.push_back(count);
    targets.strides.push_back(0);
  } else {
    targets.sizes[dim] = count;
    targets.strides[dim] = 0;
  }
  add_offsets(call, out, dim, index_values(index, {count}),
              call.op == Op::index_fill ? Negative::kFromEnd : Negative::kRefused,
              offsets_of(targets.offsets));
  for (int d = 0; d < targets.sizes.rank; ++d) targets.offset_strides.push_back(d == dim ? 1 : 0);
  return targets;
}

Targets targets_of_put(const OpCall& call, const Layout& out) {
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  const Dims indices = index_sizes(call, 2);
  const IndexStrides strides = index_strides(out, dims, contiguous_strides(indices));
  Targets targets{{}, strides.x, zero_offsets(indices), strides.indices};
  for (size_t i = 0; i < dims.size(); ++i)
    add_offsets(call, out, static_cast<int>(dims[i]),
                index_values(call.operands[i + 2].tensor, indices), Negative::kFromEnd,
                offsets_of(targets.offsets));
  const bool neighbours = dims[dims.size() - 1] - dims[0] == static_cast<int64_t>(dims.size()) - 1;
  const int64_t place = neighbours ? dims[0] : 0;
  const auto add_indices = [&] {
    for (int64_t size : indices.ref()) targets.sizes.push_back(size);
  };
  for (int d = 0; d < out.rank; ++d) {
    if (d == place) add_indices();
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) targets.sizes.push_back(out.size(d));
  }
  return targets;
}

Targets targets_of(const OpCall& call, const Layout& out) {
  if (call.op == Op::index_put) return targets_of_put(call, out);
  if (call.op == Op::index_add || call.op == Op::index_copy || call.op == Op::index_fill)
    return targets_of_rows(call, out);
  return targets_of_scatter(call, out);
}

// Whether the source's elements lie as they are wanted, and stay as they are.
bool serves(const OpCall& call, const TensorImpl& source, const Layout& wanted) {
  const bool scaled = call.op == Op::index_add && call.operands[3].scalar.to_double() != 1;
  const Layout& layout = *source.layout;
  return !scaled && layout.contiguous && layout.dtype == wanted.dtype &&
         layout.numel == wanted.numel && layout.sizes() == wanted.sizes();
}

// The source row-major in `dtype` and of the targets' sizes.
Tensor source_elements(const OpCall& call, const Targets& targets, Dtype dtype) {
  const Operand& source = call.operands[call.op == Op::index_put ? 1 : 2];
  const Layout* wanted = intern_contiguous(dtype, kCPU, targets.sizes);
  if (source.is_tensor() && serves(call, *source.tensor, *wanted))
    return Tensor::share(source.tensor);
  Tensor elements = new_tensor(wanted);
  const Layout& to = *elements.impl()->layout;
  if (!source.is_tensor()) {
    fill_elements(to, elements.impl()->data, source.scalar);
    return elements;
  }
  const Layout& layout = *source.tensor->layout;
  // The source of a scatter may be larger than its index.
  const bool larger = index_error(call.op) == ErrorKind::kRuntime;
  Dims strides;
  for (int d = 0; d < to.rank; ++d) strides.push_back(d < layout.rank ? layout.stride(d) : 0);
  const Layout* from = larger ? intern_layout(layout.dtype, kCPU, to.sizes(), strides) : &layout;
  convert_elements(to, elements.impl()->data, *from, source.tensor->data);
  return elements;
}

template <class T, class Fold>
void write_row(const LoopNest& nest, const Odometer& at, int64_t n, const std::byte* source,
               const std::byte* offsets, std::byte* out, Fold fold) {
  const int inner = nest.inner();
  const int64_t from = nest.strides[0][inner], to = nest.strides[1][inner],
                step = nest.strides[2][inner];
  source += at.offset(0), out += at.offset(1), offsets += at.offset(2);
  int64_t offset;
  std::memcpy(&offset, offsets, sizeof offset);
  if (step == 0) {
    out += offset * static_cast<int64_t>(sizeof(T));
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    if (to == kSize && from == kSize)  // strides that the compiler knows
      for (int64_t i = 0; i < n; ++i) fold(out + i * kSize, source + i * kSize);
    else
      for (int64_t i = 0; i < n; ++i) fold(out + i * to, source + i * from);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(&offset, offsets + i * step, sizeof offset);
    fold(out + i * to + offset * static_cast<int64_t>(sizeof(T)), source + i * from);
  }
}

// fold(target, source) for each element of a row-major source, in its order.
template <class T, class Fold>
void for_each_write(const Targets& targets, const std::byte* source, std::byte* out, Fold fold) {
  const int size = static_cast<int>(sizeof(T));
  LoopNest nest(targets.sizes.ref());
  nest.add(size, contiguous_strides(targets.sizes));
  nest.add(size, targets.strides);
  nest.add(8, targets.offset_strides);
  if (nest.numel == 0) return;
  nest.collapse();
  Odometer at(nest, 0);
  for (int64_t position = 0; position < nest.numel;) {
    const int64_t n = at.left_in_row();
    write_row<T>(nest, at, n, source, targets.offsets.impl()->data, out, fold);
    position += n;
    at.advance(n);
  }
}

template <class T>
void set_elements(const Targets& targets, const std::byte* source, std::byte* out) {
  for_each_write<T>(targets, source, out,
                    [](std::byte* to, const std::byte* from) { std::memcpy(to, from, sizeof(T)); });
}

void set_elements(int size, const Targets& targets, const std::byte* source, std::byte* out) {
  switch (size) {
    case 1:
      return set_elements<uint8_t>(targets, source, out);
    case 2:
      return set_elements<uint16_t>(targets, source, out);
    case 4:
      return set_elements<uint32_t>(targets, source, out);
    default:
      return set_elements<uint64_t>(targets, source, out);
  }
}

template <Write write, class T>
void fold_elements(const Targets& targets, const T* source, T* out) {
  for_each_write<T>(targets, reinterpret_cast<const std::byte*>(source),
                    reinterpret_cast<std::byte*>(out), [](std::byte* to, const std::byte* from) {
                      T& target = *reinterpret_cast<T*>(to);
                      target = writing::combine<write>(target, *reinterpret_cast<const T*>(from));
                    });
}

template <class T>
void fold_elements(Write write, const Targets& targets, const T* source, T* out) {
  switch (write) {
    case Write::kSet:
    case Write::kAdd:
    case Write::kMean:
      return fold_elements<Write::kAdd>(targets, source, out);
    case Write::kProd:
      return fold_elements<Write::kProd>(targets, source, out);
    case Write::kAmax:
      return fold_elements<Write::kAmax>(targets, source, out);
    case Write::kAmin:
      return fold_elements<Write::kAmin>(targets, source, out);
  }
}

// Of a result without gaps: every element by how many were added to it.
template <class T>
void divide_by_counts(const Targets& targets, int64_t numel, bool include_self, T* out) {
  const Tensor counts = new_tensor(intern_contiguous(kInt64, kCPU, {numel}));
  int64_t* count = offsets_of(counts);
  std::fill_n(count, numel, include_self ? 1 : 0);
  const Tensor ones = new_tensor(intern_contiguous(kInt64, kCPU, targets.sizes));
  std::fill_n(offsets_of(ones), ones.numel(), int64_t{1});
  fold_elements<Write::kAdd>(targets, offsets_of(ones), count);
  for (int64_t i = 0; i < numel; ++i)
    out[i] = writing::mean_of(out[i], std::max<int64_t>(count[i], 1));
}

template <class T>
void combine_elements(const OpCall& call, const Targets& targets, const Tensor& source,
                      const Tensor& out) {
  const Write write = write_in_dtype(write_of(call), call.operands[0].layout()->dtype);
  T* from = reinterpret_cast<T*>(source.impl()->data);
  T* to = reinterpret_cast<T*>(out.impl()->data);
  const int64_t n = source.numel();
  if (!includes_self(call)) {
    const Tensor first = new_tensor(intern_contiguous(out.dtype(), kCPU, targets.sizes));
    std::fill_n(reinterpret_cast<T*>(first.impl()->data), n, writing::identity<T>(write));
    set_elements(sizeof(T), targets, first.impl()->data, out.impl()->data);
  }
  if (call.op == Op::index_add && call.operands[3].scalar.to_double() != 1) {
    T factor;
    store_element(out.dtype(), &factor, call.operands[3].scalar);
    for (int64_t i = 0; i < n; ++i) from[i] = wrapping_mul(from[i], factor);
  }
  fold_elements<T>(write, targets, from, to);
  if (write == Write::kMean) divide_by_counts(targets, out.numel(), includes_self(call), to);
}

void combine_elements(const OpCall& call, const Targets& targets, const Tensor& source,
                      const Tensor& out) {
  switch (out.dtype()) {
    case Dtype::kF64:
      return combine_elements<double>(call, targets, source, out);
    case Dtype::kF32:
      return combine_elements<float>(call, targets, source, out);
    case Dtype::kI64:
      return combine_elements<int64_t>(call, targets, source, out);
    case Dtype::kI32:
      return combine_elements<int32_t>(call, targets, source, out);
    case Dtype::kI16:
      return combine_elements<int16_t>(call, targets, source, out);
    case Dtype::kI8:
      return combine_elements<int8_t>(call, targets, source, out);
    case Dtype::kU8:
      return combine_elements<uint8_t>(call, targets, source, out);
    case Dtype::kBool:
    case Dtype::kF16:
    case Dtype::kBF16:
      return;  // write_dtype() widens them
  }
}

}  // namespace

static void run_scatter(const OpCall& call, Tensor* results) {
  const Layout& layout = *infer(call).results[0].layout;
  const TensorImpl& x = *call.operands[0].tensor;
  const Write write = write_of(call);
  const Dtype dtype = write_dtype(write, layout.dtype);
  const Targets targets = targets_of(call, layout);
  const Tensor source = source_elements(call, targets, dtype);
  Tensor out = new_tensor(intern_layout(dtype, kCPU, layout.sizes(), layout.strides()));
  convert_elements(*out.impl()->layout, out.impl()->data, *x.layout, x.data);
  if (write == Write::kSet)
    set_elements(byte_size(dtype), targets, source.impl()->data, out.impl()->data);
  else
    combine_elements(call, targets, source, out);
  results[0] = to_dtype(out.impl(), layout.dtype);
}

FRIT_EAGER_KERNEL(scatter, run_scatter)
FRIT_EAGER_KERNEL(scatter_add, run_scatter)
FRIT_EAGER_KERNEL(scatter_reduce, run_scatter)
FRIT_EAGER_KERNEL(index_put, run_scatter)
FRIT_EAGER_KERNEL(index_add, run_scatter)
FRIT_EAGER_KERNEL(index_copy, run_scatter)
FRIT_EAGER_KERNEL(index_fill, run_scatter)

}  // namespace frit::eager

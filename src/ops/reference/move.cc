// Views, copies, creation and stores.
#include <vector>

#include "src/ops/memory.h"
#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

Tensor view_of(const OpCall& call, const ResultType& type) {
  const TensorImpl* base = call.operands[static_cast<size_t>(type.view_of)].tensor;
  const int64_t first = base->offset + type.offset;
  check_in_storage(call, *base, *type.layout, first);
  return new_view(type.layout, base->storage, first);
}

void reverse_elements(const OpCall& call, const Elements& out) {
  const Elements x(call.operands[0].tensor);
  const Layout& layout = *x.layout;
  bool reversed[kMaxRank] = {};
  for (int64_t d : list_attr(call.op, call.attrs, "dims"))
    reversed[d < 0 ? d + std::max<int>(layout.rank, 1) : d] = true;
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    int64_t from = 0;
    for (int d = 0; d < layout.rank; ++d)
      from += (reversed[d] ? layout.size(d) - 1 - i[d] : i[d]) * layout.stride(d);
    out.store(i.offset(out.layout->strides()), x.load(from));
  }
}

}  // namespace

void copy_elements(const Elements& to, const Elements& from) {
  for (Index i(to.layout->sizes()); i.valid(); i.next())
    to.store(i.offset(to.layout->strides()), from.load_as(to.dtype(), i.offset_in(*from.layout)));
}

Tensor converted(const Elements& from, Dtype dtype) {
  Tensor copy = new_tensor(intern_contiguous(dtype, from.layout->device, from.layout->sizes()));
  copy_elements(copy, from);
  return copy;
}

void run_move(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  if (types.results[0].view_of >= 0) {
    results[0] = view_of(call, types.results[0]);
    return;
  }
  // A reshape whose strides do not allow a view: the same elements in row-major order.
  Tensor out = new_result(types);
  const Elements x(call.operands[0].tensor);
  int64_t position = 0;
  for (Index i(x.layout->sizes()); i.valid(); i.next())
    Elements(out).store(position++, x.load(i.offset(x.layout->strides())));
  results[0] = std::move(out);
}

void run_copy(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  if (types.results[0].view_of >= 0) {
    results[0] = view_of(call, types.results[0]);
    return;
  }
  Tensor out = new_result(types);
  if (call.op == Op::flip)
    reverse_elements(call, out);
  else
    copy_elements(out, call.operands[0].tensor);
  results[0] = std::move(out);
}

void run_cat(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  const Layout& layout = *out.impl()->layout;
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += layout.rank;
  int64_t first = 0;
  for (const Operand& operand : call.operands) {
    const Layout& part = *operand.tensor->layout;
    if (part.numel == 0) {
      // Of the others, only a legacy 1-D empty one has another rank.
      if (part.rank == layout.rank)
        first += part.size(static_cast<int>(dim)) * layout.stride(static_cast<int>(dim));
      continue;
    }
    for (Index i(part.sizes()); i.valid(); i.next())
      Elements(out).store(first + i.offset(layout.strides()),
                          Elements(operand.tensor).load_as(layout.dtype, i.offset(part.strides())));
    first += part.size(static_cast<int>(dim)) * layout.stride(static_cast<int>(dim));
  }
  results[0] = std::move(out);
}

void run_pad(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  Tensor out = new_result(infer(call));
  const Layout& layout = *out.impl()->layout;
  const IntArrayRef pads = list_attr(call.op, call.attrs, "pads");
  const uint64_t border = scalar_bits(layout.dtype, call.operands[1].scalar);
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    int64_t offset = 0;
    bool inside = true;
    for (int d = 0; d < layout.rank; ++d) {
      const size_t pair = 2 * static_cast<size_t>(layout.rank - 1 - d);
      const int64_t at = i[d] - (pair < pads.size() ? pads[pair] : 0);
      inside &= at >= 0 && at < x.layout->size(d);
      offset += at * x.layout->stride(d);
    }
    Elements(out).store(i.offset(layout.strides()), inside ? x.load(offset) : border);
  }
  results[0] = std::move(out);
}

void run_create(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  const Dtype dtype = out.dtype();
  const Scalar first = call.operands[0].scalar;
  for (int64_t i = 0; i < out.numel(); ++i) {
    uint64_t bits;
    if (call.op == Op::full) {
      bits = scalar_bits(dtype, first);
    } else if (is_floating_point(dtype)) {
      const double step = call.operands[1].scalar.to_double();
      bits = scalar_bits(dtype, first.to_double() + static_cast<double>(i) * step);
    } else {
      const uint64_t step = static_cast<uint64_t>(call.operands[1].scalar.to_int());
      const uint64_t value =
          static_cast<uint64_t>(first.to_int()) + static_cast<uint64_t>(i) * step;
      bits = cast_scalar(kInt64, dtype, value);
    }
    Elements(out).store(i, bits);
  }
  results[0] = std::move(out);
}

// The source is read before anything is written, since the two may share memory.
void run_store(const OpCall& call) {
  infer(call);
  check_store(call);
  const Elements target(call.operands[0].tensor);
  std::vector<uint64_t> values;
  for (Index i(target.layout->sizes()); i.valid(); i.next()) {
    const TensorImpl* source = call.operands[1].tensor;
    values.push_back(source == nullptr
                         ? scalar_bits(target.dtype(), call.operands[1].scalar)
                         : Elements(source).load_as(target.dtype(), i.offset_in(*source->layout)));
  }
  size_t position = 0;
  for (Index i(target.layout->sizes()); i.valid(); i.next())
    target.store(i.offset(target.layout->strides()), values[position++]);
  call.operands[0].tensor->storage->version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace frit::reference

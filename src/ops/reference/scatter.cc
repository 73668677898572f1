// Elements written to where indices say, one after the other in row-major order of the source.
#include "src/ops/scatter.h"

#include <vector>

#include "src/base/wrapping.h"
#include "src/ops/reference/index.h"

namespace frit::reference {
namespace {

// Which element of the result each element of the source goes to, both by offset.
struct Moves {
  std::vector<int64_t> to, from;
};

int dim_of(const OpCall& call, const Layout& x) {
  const int64_t dim = int_attr(call.op, call.attrs, "dim");
  return static_cast<int>(dim < 0 ? dim + std::max<int>(x.rank, 1) : dim);
}
int64_t size_of(const Layout& x, int dim) { return x.rank == 0 ? 1 : x.size(dim); }

Moves moves_of_scatter(const OpCall& call, const Layout& out) {
  const TensorImpl* index = call.operands[1].tensor;
  const Layout* source = call.operands[2].layout();
  const int dim = dim_of(call, out);
  const IntArrayRef sizes = index->layout->sizes();
  const std::vector<int64_t> entries =
      checked_entries(call, index, sizes, size_of(out, dim), Negative::kRefused);
  Moves moves;
  size_t position = 0;
  for (Index i(sizes); i.valid(); i.next()) {
    int64_t to = 0, from = 0;
    for (int d = 0; d < out.rank; ++d) to += (d == dim ? entries[position] : i[d]) * out.stride(d);
    for (int d = 0; source != nullptr && d < std::min<int>(source->rank, i.rank()); ++d)
      from += i[d] * source->stride(d);
    moves.to.push_back(to);
    moves.from.push_back(from);
    ++position;
  }
  return moves;
}

Moves moves_of_rows(const OpCall& call, const Layout& out) {
  const TensorImpl* index = call.operands[1].tensor;
  const Layout* source = call.operands[2].layout();
  const int dim = dim_of(call, out);
  const std::vector<int64_t> entries =
      checked_entries(call, index, {index->layout->numel}, size_of(out, dim),
                      call.op == Op::index_fill ? Negative::kFromEnd : Negative::kRefused);
  Moves moves;
  if (out.rank == 0) {  // written once for each entry
    for (size_t i = 0; i < entries.size(); ++i) {
      moves.to.push_back(0);
      moves.from.push_back(
          source == nullptr || source->rank == 0 ? 0 : static_cast<int64_t>(i) * source->stride(0));
    }
    return moves;
  }
  Dims sizes(out.sizes());
  sizes[dim] = index->layout->numel;
  for (Index i(sizes); i.valid(); i.next()) {
    int64_t to = 0, from = 0;
    for (int d = 0; d < out.rank; ++d)
      to += (d == dim ? entries[static_cast<size_t>(i[d])] : i[d]) * out.stride(d);
    for (int d = 0; source != nullptr && source->rank == out.rank && d < out.rank; ++d)
      from += i[d] * source->stride(d);
    moves.to.push_back(to);
    moves.from.push_back(from);
  }
  return moves;
}

// The dims of the operand in the order in which `index` gives them: those with an index are one
// block of the indices' own dims.
Moves moves_of_put(const OpCall& call, const Layout& out) {
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  std::vector<Operand> indices(call.operands.begin() + 2, call.operands.end());
  std::vector<OperandType> types;
  for (const Operand& index : indices) types.push_back({index.layout(), {}});
  const Dims index_sizes = broadcast_sizes(call.op, types);
  std::vector<std::vector<int64_t>> entries;
  for (size_t k = 0; k < dims.size(); ++k)
    entries.push_back(checked_entries(call, indices[k].tensor, index_sizes,
                                      out.size(static_cast<int>(dims[k])), Negative::kFromEnd));
  const int place = are_neighbours(dims) ? static_cast<int>(dims[0]) : 0;
  Dims sizes, strides;  // of the loops; 0 for those of the indices
  const auto add_indices = [&] {
    for (int64_t size : index_sizes.ref()) sizes.push_back(size), strides.push_back(0);
  };
  for (int d = 0, next = 0; d < out.rank; ++d) {
    if (d == place) add_indices();
    if (next < static_cast<int>(dims.size()) && dims[static_cast<size_t>(next)] == d) {
      ++next;
    } else {
      sizes.push_back(out.size(d)), strides.push_back(out.stride(d));
    }
  }
  const Layout* values = call.operands[1].layout();
  Moves moves;
  for (Index i(sizes); i.valid(); i.next()) {
    int64_t to = i.offset(strides), position = 0;
    for (int d = place; d < place + index_sizes.rank; ++d) position = position * sizes[d] + i[d];
    for (size_t k = 0; k < dims.size(); ++k)
      to += entries[k][static_cast<size_t>(position)] * out.stride(static_cast<int>(dims[k]));
    moves.to.push_back(to);
    moves.from.push_back(values == nullptr ? 0 : i.offset_in(*values));
  }
  return moves;
}

Moves moves_of(const OpCall& call, const Layout& out) {
  if (call.op == Op::index_put) return moves_of_put(call, out);
  if (call.op == Op::index_add || call.op == Op::index_copy || call.op == Op::index_fill)
    return moves_of_rows(call, out);
  return moves_of_scatter(call, out);
}

template <class T>
T combined(Write write, T there, T written) {
  switch (write) {
    case Write::kSet:
      return written;
    case Write::kAdd:
    case Write::kMean:
      return wrapping_add(there, written);
    case Write::kProd:
      return wrapping_mul(there, written);
    case Write::kAmax:
      return writing::largest_of(there, written);
    case Write::kAmin:
      return writing::smallest_of(there, written);
  }
  __builtin_unreachable();
}

template <class T>
void divide(const Elements& out, const Moves& moves, bool include_self) {
  std::vector<int64_t> counts(static_cast<size_t>(out.layout->span()), include_self ? 1 : 0);
  for (int64_t to : moves.to) ++counts[static_cast<size_t>(to)];
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    const int64_t at = i.offset(out.layout->strides());
    const int64_t count = std::max<int64_t>(counts[static_cast<size_t>(at)], 1);
    out.store(at, bits_of(writing::mean_of(number<T>(out.load(at)), count)));
  }
}

// `source` of the result's dtype: one element where the call has a number.
template <class T>
void write_elements(const OpCall& call, const Elements& out, const Elements& source,
                    const Moves& moves) {
  const Write write = write_in_dtype(write_of(call), call.operands[0].layout()->dtype);
  T factor = T(1);
  if (call.op == Op::index_add)
    factor = number<T>(scalar_bits(dtype_of<T>, call.operands[3].scalar));
  if (!includes_self(call))
    for (int64_t to : moves.to) out.store(to, bits_of(writing::identity<T>(write)));
  for (size_t i = 0; i < moves.to.size(); ++i) {
    T written = number<T>(source.load(moves.from[i]));
    if (call.op == Op::index_add) written = wrapping_mul(written, factor);
    out.store(moves.to[i], bits_of(combined(write, number<T>(out.load(moves.to[i])), written)));
  }
  if (write == Write::kMean) divide<T>(out, moves, includes_self(call));
}

Tensor source_in(const OpCall& call, Dtype dtype) {
  const Operand& source = call.operands[call.op == Op::index_put ? 1 : 2];
  if (!source.is_tensor()) {
    Tensor number = new_tensor(intern_contiguous(dtype, kCPU, {}));
    Elements(number).store(0, scalar_bits(dtype, source.scalar));
    return number;
  }
  // The same strides, so that offsets stay what they are.
  const Layout& layout = *source.tensor->layout;
  Tensor copy = new_tensor(intern_layout(dtype, kCPU, layout.sizes(), layout.strides()));
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    const int64_t at = i.offset(layout.strides());
    Elements(copy).store(at, Elements(source.tensor).load_as(dtype, at));
  }
  return copy;
}

}  // namespace

void run_scatter(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  Tensor out = new_result(types);
  const Dtype dtype = write_dtype(write_of(call), out.dtype());
  const Layout& layout = *out.impl()->layout;
  const Tensor wide = new_tensor(intern_layout(dtype, kCPU, layout.sizes(), layout.strides()));
  const Moves moves = moves_of(call, layout);
  copy_elements(wide, call.operands[0].tensor);
  const Tensor source = source_in(call, dtype);
  switch (dtype) {
    case Dtype::kF64:
      write_elements<double>(call, wide, source, moves);
      break;
    case Dtype::kF32:
      write_elements<float>(call, wide, source, moves);
      break;
    case Dtype::kI64:
      write_elements<int64_t>(call, wide, source, moves);
      break;
    case Dtype::kI32:
      write_elements<int32_t>(call, wide, source, moves);
      break;
    case Dtype::kI16:
      write_elements<int16_t>(call, wide, source, moves);
      break;
    case Dtype::kI8:
      write_elements<int8_t>(call, wide, source, moves);
      break;
    case Dtype::kU8:
      write_elements<uint8_t>(call, wide, source, moves);
      break;
    case Dtype::kBool:
    case Dtype::kF16:
    case Dtype::kBF16:  // only set, whose elements are moved as they are
      for (size_t i = 0; i < moves.to.size(); ++i)
        Elements(wide).store(moves.to[i], Elements(source).load(moves.from[i]));
      break;
  }
  copy_elements(out, wide);
  results[0] = std::move(out);
}

}  // namespace frit::reference

// Indexing: elements taken from where indices say.
#include "src/ops/reference/index.h"

#include <vector>

namespace frit::reference {
namespace {

int64_t checked_index(const OpCall& call, int64_t index, int64_t size, Negative negative) {
  const bool low = index < (negative == Negative::kFromEnd ? -size : 0);
  if (low || index >= size)
    fail(call, index_error(call.op),
         "index out of range: " + std::to_string(index) + " in a dimension of " +
             std::to_string(size));
  return index < 0 ? index + size : index;
}

int64_t index_at(const TensorImpl* index, int64_t offset) {
  return number<int64_t>(Elements(index).load_as(kInt64, offset));
}

int dim_attr(const OpCall& call, const Layout& x) {
  const int64_t dim = int_attr(call.op, call.attrs, "dim");
  return static_cast<int>(dim < 0 ? dim + std::max<int>(x.rank, 1) : dim);
}

}  // namespace

std::vector<int64_t> checked_entries(const OpCall& call, const TensorImpl* index, IntArrayRef sizes,
                                     int64_t size, Negative negative) {
  std::vector<int64_t> entries;
  for (Index i(sizes); i.valid(); i.next())
    entries.push_back(
        checked_index(call, index_at(index, i.offset_in(*index->layout)), size, negative));
  return entries;
}

bool are_neighbours(IntArrayRef dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i] != dims[i - 1] + 1) return false;
  return true;
}

namespace {

void run_index_select(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  const ResultTypes types = infer(call);
  const Layout& layout = *types.results[0].layout;
  const int dim = dim_attr(call, *x.layout);
  const TensorImpl* index = call.operands[1].tensor;
  const std::vector<int64_t> entries =
      checked_entries(call, index, {index->layout->numel},
                      x.layout->rank == 0 ? 1 : x.layout->size(dim), Negative::kRefused);
  Tensor out = new_result(types);
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    int64_t from = 0;
    for (int d = 0; d < layout.rank; ++d)
      from += (d == dim ? entries[static_cast<size_t>(i[d])] : i[d]) * x.layout->stride(d);
    Elements(out).store(i.offset(layout.strides()), x.load(from));
  }
  results[0] = std::move(out);
}

void run_gather(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  const ResultTypes types = infer(call);
  const Layout& layout = *types.results[0].layout;
  const int dim = dim_attr(call, *x.layout);
  const std::vector<int64_t> entries =
      checked_entries(call, call.operands[1].tensor, layout.sizes(),
                      x.layout->rank == 0 ? 1 : x.layout->size(dim), Negative::kRefused);
  Tensor out = new_result(types);
  size_t position = 0;
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    const int64_t entry = entries[position++];
    int64_t from = 0;
    for (int d = 0; d < x.layout->rank; ++d)
      from += (d == dim ? entry : i[d]) * x.layout->stride(d);
    Elements(out).store(i.offset(layout.strides()), x.load(from));
  }
  results[0] = std::move(out);
}

// Advanced indexing: the index's own dimensions stand in place of the indexed ones, or in front.
void run_index_by_tensors(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  const ResultTypes types = infer(call);
  const Layout& layout = *types.results[0].layout;
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  const int index_rank = layout.rank - (x.layout->rank - static_cast<int>(dims.size()));
  const int place = are_neighbours(dims) ? static_cast<int>(dims[0]) : 0;
  const Dims index_sizes(IntArrayRef(layout.dims + place, static_cast<size_t>(index_rank)));
  std::vector<int64_t> bases(1, 0);
  for (int d = 0; d < index_rank; ++d)
    bases.resize(bases.size() * static_cast<size_t>(index_sizes[d]), 0);
  for (size_t k = 0; k < dims.size(); ++k) {
    const int d = static_cast<int>(dims[k]);
    const std::vector<int64_t> entries = checked_entries(
        call, call.operands[k + 1].tensor, index_sizes, x.layout->size(d), Negative::kFromEnd);
    for (size_t i = 0; i < entries.size(); ++i) bases[i] += entries[i] * x.layout->stride(d);
  }
  Dims kept_strides;
  for (int d = 0, next = 0; d < x.layout->rank; ++d) {
    if (next < static_cast<int>(dims.size()) && dims[static_cast<size_t>(next)] == d)
      ++next;
    else
      kept_strides.push_back(x.layout->stride(d));
  }
  Tensor out = new_result(types);
  for (Index i(layout.sizes()); i.valid(); i.next()) {
    int64_t position = 0, from = 0;
    for (int d = 0, kept = 0; d < layout.rank; ++d) {
      if (d >= place && d < place + index_rank)
        position = position * layout.size(d) + i[d];
      else
        from += i[d] * kept_strides[kept++];
    }
    Elements(out).store(i.offset(layout.strides()),
                        x.load(from + bases[static_cast<size_t>(position)]));
  }
  results[0] = std::move(out);
}

void run_nonzero(const OpCall& call, Tensor* results) {
  const Elements x(call.operands[0].tensor);
  std::vector<int64_t> found;
  int64_t count = 0;
  for (Index i(x.layout->sizes()); i.valid(); i.next()) {
    if (x.load_as(kBool, i.offset(x.layout->strides())) == 0) continue;
    ++count;
    for (int d = 0; d < x.layout->rank; ++d) found.push_back(i[d]);
  }
  results[0] = from_host(found.data(), {count, x.layout->rank}, kInt64);
}

}  // namespace

void run_index(const OpCall& call, Tensor* results) {
  if (call.op == Op::index_select) return run_index_select(call, results);
  if (call.op == Op::gather) return run_gather(call, results);
  if (call.op == Op::index) return run_index_by_tensors(call, results);
  return run_nonzero(call, results);
}

}  // namespace frit::reference

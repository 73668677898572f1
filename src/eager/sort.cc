// sort and topk: rows of keys whose unsigned order is the elements' order, with their indices.
//
// Keys: the bits of a number, mapped so that unsigned comparison orders them; both zeros have one
// key, every NaN has the largest. Descending inverts the keys. The index is part of what is
// compared, so any sorting algorithm gives the stable order.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrain = 4096;

template <class T>
uint64_t key_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    if (value != value) return ~Bits{0};
    const Bits bits = std::bit_cast<Bits>(value + T{0});  // -0.0 becomes 0.0
    return bits & kSign ? static_cast<Bits>(~bits) : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ uint64_t { 1 } << 63;
  } else {
    return value;
  }
}

struct Entry {
  uint64_t key;
  int64_t index;
  friend bool operator<(const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

// How a call orders rows.
struct Order {
  int64_t n, k;  // of a row: its length, and how many are wanted
  bool descending;
};

template <class T>
void order_row(const T* row, const Order& order, std::vector<Entry>& entries, int64_t* indices) {
  for (int64_t i = 0; i < order.n; ++i) {
    const uint64_t key = key_of(row[i]);
    entries[static_cast<size_t>(i)] = {order.descending ? ~key : key, i};
  }
  std::partial_sort(entries.begin(), entries.begin() + order.k, entries.end());
  for (int64_t i = 0; i < order.k; ++i) indices[i] = entries[static_cast<size_t>(i)].index;
}

template <class T>
void order_rows(const std::byte* rows, int64_t count, const Order& order, int64_t* indices) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(order.n, 1));
  base::parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    std::vector<Entry> entries(static_cast<size_t>(order.n));
    for (int64_t r = begin; r < end; ++r)
      order_row(reinterpret_cast<const T*>(rows) + r * order.n, order, entries,
                indices + r * order.k);
  });
}

void order_rows(Dtype dtype, const std::byte* rows, int64_t count, const Order& order,
                int64_t* indices) {
  switch (dtype) {
    case Dtype::kF64:
      return order_rows<double>(rows, count, order, indices);
    case Dtype::kF32:
      return order_rows<float>(rows, count, order, indices);
    case Dtype::kI64:
      return order_rows<int64_t>(rows, count, order, indices);
    case Dtype::kI32:
      return order_rows<int32_t>(rows, count, order, indices);
    case Dtype::kI16:
      return order_rows<int16_t>(rows, count, order, indices);
    case Dtype::kI8:
      return order_rows<int8_t>(rows, count, order, indices);
    case Dtype::kU8:
    case Dtype::kBool:
      return order_rows<uint8_t>(rows, count, order, indices);
    case Dtype::kBF16:
    case Dtype::kF16:
      return;  // callers order them as f32
  }
}

template <class T>
void pick_values(const std::byte* rows, int64_t count, const Order& order, const int64_t* indices,
                 std::byte* out) {
  const T* from = reinterpret_cast<const T*>(rows);
  T* to = reinterpret_cast<T*>(out);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t i = 0; i < order.k; ++i)
      to[r * order.k + i] = from[r * order.n + indices[r * order.k + i]];
}

void pick_values(int size, const std::byte* rows, int64_t count, const Order& order,
                 const int64_t* indices, std::byte* out) {
  switch (size) {
    case 1:
      return pick_values<uint8_t>(rows, count, order, indices, out);
    case 2:
      return pick_values<uint16_t>(rows, count, order, indices, out);
    case 4:
      return pick_values<uint32_t>(rows, count, order, indices, out);
    default:
      return pick_values<uint64_t>(rows, count, order, indices, out);
  }
}

// The layout with `dim` moved to the end.
const Layout* dim_last(const Layout& layout, int dim) {
  Dims sizes, strides;
  for (int i = 0; i < layout.rank; ++i) {
    const int d = i < dim ? i : i + 1 < layout.rank ? i + 1 : dim;
    sizes.push_back(layout.size(d));
    strides.push_back(layout.stride(d));
  }
  return intern_layout(layout.dtype, layout.device, sizes, strides);
}

// The elements with `dim` moved to the end, row-major.
Tensor rows_along(const TensorImpl& x, int dim) {
  const Layout* view = dim_last(*x.layout, dim);
  Tensor rows = new_tensor(intern_contiguous(view->dtype, view->device, view->sizes()));
  copy_elements(*rows.impl()->layout, rows.impl()->data, *view, x.data);
  return rows;
}

// Row-major results with `dim` last, into the call's result.
void put_back(const Tensor& rows, int dim, const Tensor& out) {
  copy_elements(*dim_last(*out.impl()->layout, dim), out.impl()->data, *rows.impl()->layout,
                rows.impl()->data);
}

Tensor sorted_shape(const Tensor& rows, Dtype dtype, int64_t k) {
  Dims sizes(rows.sizes());
  if (sizes.rank > 0) sizes[sizes.rank - 1] = k;
  return empty(sizes, dtype);
}

void order_along(const OpCall& call, int64_t k, bool descending, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  const ResultTypes types = infer(call);
  Tensor values = new_tensor(types.results[0].layout),
         indices = new_tensor(types.results[1].layout);
  const int rank = x.layout->rank;
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += std::max(rank, 1);
  const Order order{rank == 0 ? 1 : x.layout->size(static_cast<int>(dim)), rank == 0 ? 1 : k,
                    descending};
  if (values.numel() > 0) {
    const Tensor rows = rows_along(x, static_cast<int>(dim));
    const Tensor keys = is_half(rows.dtype()) ? to_dtype(rows.impl(), kFloat32) : rows;
    const Tensor row_values = sorted_shape(rows, rows.dtype(), order.k);
    const Tensor row_indices = sorted_shape(rows, kInt64, order.k);
    const int64_t count = rows.numel() / order.n;
    int64_t* found = reinterpret_cast<int64_t*>(row_indices.impl()->data);
    order_rows(keys.dtype(), keys.impl()->data, count, order, found);
    pick_values(byte_size(rows.dtype()), rows.impl()->data, count, order, found,
                row_values.impl()->data);
    put_back(row_values, static_cast<int>(dim), values);
    put_back(row_indices, static_cast<int>(dim), indices);
  }
  results[0] = std::move(values);
  results[1] = std::move(indices);
}

}  // namespace

static void run_sort(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += x.layout->rank;
  const int64_t n = x.layout->rank == 0    ? 1
                    : dim < x.layout->rank ? x.layout->size(static_cast<int>(dim))
                                           : 0;
  order_along(call, n, int_attr(call.op, call.attrs, "descending") != 0, results);
}

static void run_topk(const OpCall& call, Tensor* results) {
  order_along(call, int_attr(call.op, call.attrs, "k"),
              int_attr(call.op, call.attrs, "largest") != 0, results);
}

FRIT_EAGER_KERNEL(sort, run_sort)
FRIT_EAGER_KERNEL(topk, run_topk)

}  // namespace frit::eager

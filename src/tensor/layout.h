// Layout: the facts about a tensor but for its memory - dtype, device, sizes, strides.
//
// Layouts are interned: equal facts, same pointer, so a guard is one comparison. They are immutable
// and live as long as the process, up to a limit in bytes; beyond it layouts are made per tensor
// (interned() is false), counted and freed with it, and no guard on them ever holds.
#pragma once

#include <atomic>
#include <string>

#include "frit/array_ref.h"
#include "frit/device.h"
#include "frit/dtype.h"

namespace frit {

inline constexpr int kMaxRank = 16;

struct Layout {
  uint32_t id;  // dense from 1; 0 when not interned
  Dtype dtype;
  Device device;
  uint8_t rank;
  bool contiguous;  // row-major, strides of size-1 dims ignored
  bool dense;       // some permutation of row-major without gaps or overlap
  // Dense, and every stride is the one that the elementwise rule gives a result: those of sizes 0
  // and 1, which no element is reached by, too.
  bool usual_strides;
  int64_t numel;
  mutable std::atomic<uint32_t> refs;  // counts only when not interned
  int64_t dims[1];                     // rank sizes, then rank strides (in elements)

  IntArrayRef sizes() const { return {dims, rank}; }
  IntArrayRef strides() const { return {dims + rank, rank}; }
  int64_t size(int d) const { return dims[d]; }
  int64_t stride(int d) const { return dims[rank + d]; }
  int64_t nbytes() const { return numel * byte_size(dtype); }
  bool interned() const { return id != 0; }
  // Elements between the first and one past the last that any index reaches; 0 if there are none.
  int64_t span() const;
};

// Sizes and strides on the stack, while rules compute them.
struct Dims {
  int rank = 0;
  int64_t values[kMaxRank];

  Dims() = default;
  explicit Dims(IntArrayRef list);
  void push_back(int64_t v);
  int64_t& operator[](int i) { return values[i]; }
  int64_t operator[](int i) const { return values[i]; }
  // A loop over a Dims keeps it alive; one over ref() of a temporary does not.
  const int64_t* begin() const { return values; }
  const int64_t* end() const { return values + rank; }
  IntArrayRef ref() const { return {values, static_cast<size_t>(rank)}; }
  operator IntArrayRef() const { return ref(); }  // NOLINT
};

// Throws when there are more than kMaxRank dims, a size is negative or the byte size overflows.
const Layout* intern_layout(Dtype dtype, Device device, IntArrayRef sizes, IntArrayRef strides);
const Layout* intern_contiguous(Dtype dtype, Device device, IntArrayRef sizes);

// For layouts that are not interned; nothing for the others.
void retain_layout(const Layout* layout);
void release_layout(const Layout* layout);

Dims contiguous_strides(IntArrayRef sizes);

// f32[8,16]; with strides where they are not those of row-major order, and the device where it is
// not the CPU: f32[8,16]{1,8}@npu:0. Different layouts have different texts.
std::string to_string(const Layout& layout);

struct LayoutStats {
  int64_t count, bytes, limit;
};
LayoutStats layout_stats();

}  // namespace frit

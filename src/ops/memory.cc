// Bounds and overlap of tensors in one storage.
#include "src/ops/memory.h"

#include <algorithm>
#include <string>

#include "src/base/check.h"

namespace frit {
namespace {

MemoryPlace locate(const TensorImpl& t) {
  MemoryPlace place{t.storage, 0};
  if (!t.pending()) {
    place.offset = t.data - t.storage->data;
  } else {
    FRIT_CHECK(observer.locate(&t, &place)) << "the place of a value pending elsewhere";
  }
  return place;
}

// The bytes that a tensor's elements lie in: [begin, end).
struct Extent {
  int64_t begin, end;
};

Extent extent(const Layout& layout, int64_t first) {
  int64_t low = 0;
  for (int d = 0; d < layout.rank; ++d)
    low += std::min<int64_t>(0, (layout.size(d) - 1) * layout.stride(d));
  const int64_t begin = first + low * byte_size(layout.dtype);
  return {begin, begin + layout.span() * byte_size(layout.dtype)};
}

}  // namespace

bool may_overlap_itself(const Layout& layout) {
  if (layout.dense || layout.numel == 0) return false;
  // By growing strides: each must step over all that the smaller ones reach.
  std::pair<int64_t, int64_t> dims[kMaxRank];  // stride, size
  int count = 0;
  for (int d = 0; d < layout.rank; ++d)
    if (layout.size(d) > 1) dims[count++] = {layout.stride(d), layout.size(d)};
  std::sort(dims, dims + count);
  int64_t reach = 0;
  for (int i = 0; i < count; ++i) {
    if (dims[i].first <= reach) return true;
    reach += (dims[i].second - 1) * dims[i].first;
  }
  return false;
}

Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  if (a.layout->numel == 0 || b.layout->numel == 0) return Overlap::kNone;
  const MemoryPlace pa = locate(a), pb = locate(b);
  if (pa.memory != pb.memory) return Overlap::kNone;
  const Extent ea = extent(*a.layout, pa.offset), eb = extent(*b.layout, pb.offset);
  if (ea.begin >= eb.end || eb.begin >= ea.end) return Overlap::kNone;
  const bool same = ea.begin == eb.begin && a.layout->sizes() == b.layout->sizes() &&
                    a.layout->strides() == b.layout->strides() &&
                    a.layout->dtype == b.layout->dtype;
  if (same) return Overlap::kSame;
  return a.layout->dense && b.layout->dense ? Overlap::kPartial : Overlap::kUnclear;
}

void check_in_storage(const OpCall& call, const TensorImpl& x, const Layout& view, int64_t first) {
  int64_t low = first, high = first;
  for (int d = 0; d < view.rank; ++d)
    (view.stride(d) < 0 ? low : high) += (view.size(d) - 1) * view.stride(d);
  const int64_t elements = x.storage->bytes / byte_size(view.dtype);
  if (view.numel > 0 && (low < 0 || high >= elements))
    fail(call, ErrorKind::kRuntime,
         "out of bounds: elements " + std::to_string(low) + " to " + std::to_string(high) +
             " of a storage of " + std::to_string(elements));
}

void check_store(const OpCall& call) {
  const TensorImpl* from = call.operands[1].tensor;
  if (from == nullptr || overlap(*call.operands[0].tensor, *from) != Overlap::kPartial) return;
  fail(call, ErrorKind::kRuntime,
       "the written tensor and the source overlap in part: clone one of them first");
}

}  // namespace frit

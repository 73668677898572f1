// Interns layouts: a per-thread front cache before a table under a lock.
#include "src/tensor/layout.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "frit/error.h"
#include "src/base/check.h"
#include "src/base/fork.h"
#include "src/base/hash.h"

namespace frit {
namespace {

constexpr int64_t kMaxInternedBytes = 16 << 20;

uint64_t hash_facts(Dtype dtype, Device device, IntArrayRef sizes, IntArrayRef strides) {
  uint64_t h = static_cast<uint64_t>(dtype) | device.type << 8 | device.index << 16 |
               static_cast<uint64_t>(sizes.size()) << 24;
  for (int64_t v : sizes) h = base::combine(h, static_cast<uint64_t>(v));
  for (int64_t v : strides) h = base::combine(h, static_cast<uint64_t>(v));
  return base::mix64(h);
}

bool equal_facts(const Layout& l, Dtype dtype, Device device, IntArrayRef sizes,
                 IntArrayRef strides) {
  return l.dtype == dtype && l.device == device && l.sizes() == sizes && l.strides() == strides;
}

// Throws where no tensor can have these sizes; else the number of elements.
int64_t checked_numel(Dtype dtype, IntArrayRef sizes) {
  if (sizes.size() > kMaxRank) {
    std::ostringstream text;
    text << "tensor(" << sizes << "): too many dimensions: " << sizes.size() << ", at most "
         << kMaxRank;
    throw Error(ErrorKind::kRuntime, text.str());
  }
  int64_t numel = 1;
  bool overflow = false, empty = false;
  for (int64_t size : sizes) {
    if (size < 0) {
      std::ostringstream text;
      text << "tensor(" << sizes << "): negative size: " << size;
      throw Error(ErrorKind::kRuntime, text.str());
    }
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(numel, size, &numel);
  }
  if (empty) return 0;
  int64_t bytes;
  if (overflow || __builtin_mul_overflow(numel, int64_t{byte_size(dtype)}, &bytes)) {
    std::ostringstream text;
    text << "tensor(" << sizes << "): too large: the size in bytes does not fit 64 bits";
    throw Error(ErrorKind::kRuntime, text.str());
  }
  return numel;
}

// The distance in elements from the lowest to one past the highest that any index reaches. Nothing
// where that, or its size in bytes, does not fit.
std::optional<int64_t> checked_span(Dtype dtype, IntArrayRef sizes, IntArrayRef strides,
                                    int64_t numel) {
  if (numel == 0) return 0;
  int64_t low = 0, high = 1, span, bytes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach)) return std::nullopt;
    int64_t& end = reach < 0 ? low : high;
    if (__builtin_add_overflow(end, reach, &end)) return std::nullopt;
  }
  if (__builtin_sub_overflow(high, low, &span)) return std::nullopt;
  if (__builtin_mul_overflow(span, int64_t{byte_size(dtype)}, &bytes)) return std::nullopt;
  return span;
}

bool row_major(IntArrayRef sizes, IntArrayRef strides, int64_t numel) {
  if (numel == 0) return true;
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

// Whether the strides are those of row-major memory after reordering the dims.
bool is_dense(IntArrayRef sizes, IntArrayRef strides, int64_t numel) {
  if (numel <= 1) return true;
  bool used[kMaxRank] = {};
  int64_t expected = 1;
  for (size_t placed = 0; placed < sizes.size(); ++placed) {
    int found = -1;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (!used[d] && (sizes[d] == 1 || strides[d] == expected)) found = static_cast<int>(d);
    if (found < 0) return false;
    used[found] = true;
    expected *= sizes[found];
  }
  return true;
}

// Strides of sizes 0 and 1 may be any, and the elementwise rule makes new ones of them. So it gives
// a layout back where it is row-major stride by stride, or where it has no such sizes.
bool are_usual(IntArrayRef sizes, IntArrayRef strides, bool contiguous) {
  if (contiguous) return strides == contiguous_strides(sizes).ref();
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 2; });
}

Layout* make_layout(Dtype dtype, Device device, IntArrayRef sizes, IntArrayRef strides,
                    int64_t numel) {
  const size_t rank = sizes.size();
  const size_t bytes = sizeof(Layout) + 2 * rank * sizeof(int64_t);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw Error(ErrorKind::kOutOfMemory, "layout: out of memory");
  Layout* l = new (memory) Layout;
  l->id = 0;
  l->dtype = dtype;
  l->device = device;
  l->rank = static_cast<uint8_t>(rank);
  l->numel = numel;
  l->contiguous = row_major(sizes, strides, numel);
  l->dense = l->contiguous || is_dense(sizes, strides, numel);
  l->usual_strides = l->dense && are_usual(sizes, strides, l->contiguous);
  l->refs.store(1, std::memory_order_relaxed);
  std::copy(sizes.begin(), sizes.end(), l->dims);
  std::copy(strides.begin(), strides.end(), l->dims + rank);
  return l;
}

struct Table {
  base::ForkMutex mutex{base::ForkLevel::kLayouts};
  std::unordered_multimap<uint64_t, Layout*> by_hash;
  int64_t bytes = 0;
  uint32_t next_id = 1;
};

Table& table() {
  static Table* table = new Table;  // never destroyed: layouts outlive static objects
  return *table;
}

const Layout* intern_slow(uint64_t hash, Dtype dtype, Device device, IntArrayRef sizes,
                          IntArrayRef strides) {
  const int64_t numel = checked_numel(dtype, sizes);
  if (!checked_span(dtype, sizes, strides, numel)) {
    std::ostringstream text;
    text << "tensor(" << sizes << "): too large: with strides " << strides
         << " the size in bytes does not fit 64 bits";
    throw Error(ErrorKind::kRuntime, text.str());
  }
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto [first, last] = t.by_hash.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (equal_facts(*it->second, dtype, device, sizes, strides)) return it->second;
  Layout* made = make_layout(dtype, device, sizes, strides, numel);
  const int64_t bytes = static_cast<int64_t>(sizeof(Layout) + 2 * sizes.size() * 8 + 64);
  if (t.bytes + bytes > kMaxInternedBytes) return made;
  t.bytes += bytes;
  made->id = t.next_id++;
  t.by_hash.emplace(hash, made);
  return made;
}

struct FrontEntry {
  uint64_t hash;
  const Layout* layout;
};
constinit thread_local FrontEntry front_cache[256] = {};

}  // namespace

int64_t Layout::span() const { return *checked_span(dtype, sizes(), strides(), numel); }

Dims::Dims(IntArrayRef list) {
  for (int64_t v : list) push_back(v);
}

void Dims::push_back(int64_t v) {
  if (rank == kMaxRank)
    throw Error(ErrorKind::kRuntime,
                "tensor: too many dimensions: at most " + std::to_string(kMaxRank));
  values[rank++] = v;
}

const Layout* intern_layout(Dtype dtype, Device device, IntArrayRef sizes, IntArrayRef strides) {
  FRIT_CHECK(sizes.size() == strides.size());
  const uint64_t hash = hash_facts(dtype, device, sizes, strides);
  FrontEntry& front = front_cache[hash & 255];
  if (front.hash == hash && front.layout != nullptr &&
      equal_facts(*front.layout, dtype, device, sizes, strides))
    return front.layout;
  const Layout* layout = intern_slow(hash, dtype, device, sizes, strides);
  if (layout->interned()) front = {hash, layout};
  return layout;
}

Dims contiguous_strides(IntArrayRef sizes) {
  Dims strides;
  strides.rank = static_cast<int>(sizes.size());
  int64_t stride = 1;
  for (int d = strides.rank; d-- > 0;) {
    strides[d] = stride;
    // Sizes whose product overflows are refused when the layout is made.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[d], 1), &stride)) stride = 0;
  }
  return strides;
}

const Layout* intern_contiguous(Dtype dtype, Device device, IntArrayRef sizes) {
  if (sizes.size() > kMaxRank) checked_numel(dtype, sizes);
  return intern_layout(dtype, device, sizes, contiguous_strides(sizes));
}

void retain_layout(const Layout* layout) {
  if (!layout->interned()) layout->refs.fetch_add(1, std::memory_order_relaxed);
}

void release_layout(const Layout* layout) {
  if (layout->interned()) return;
  if (layout->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    std::free(const_cast<Layout*>(layout));
}

std::string to_string(const Layout& layout) {
  std::ostringstream out;
  auto list = [&](IntArrayRef values, char open, char close) {
    out << open;
    for (size_t i = 0; i < values.size(); ++i) out << (i ? "," : "") << values[i];
    out << close;
  };
  out << name(layout.dtype);
  list(layout.sizes(), '[', ']');
  // Compared stride by stride: those of sizes 0 and 1 tell layouts apart too.
  if (layout.strides() != contiguous_strides(layout.sizes()).ref())
    list(layout.strides(), '{', '}');
  if (!layout.device.is_cpu()) out << '@' << layout.device.str();
  return out.str();
}

LayoutStats layout_stats() {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  return {static_cast<int64_t>(t.by_hash.size()), t.bytes, kMaxInternedBytes};
}

}  // namespace frit

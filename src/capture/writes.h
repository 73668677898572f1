// Writes: what the stores of a run have left in memory, and through which views it can still be
// told.
//
// Stores in a trace are functionalized: a plan computes from the memory as it was when the trace
// began, and writes at its end. So a value that is read after a store must be known without looking
// at memory: it is what was stored, if it is read through the view that it was stored through, or
// through views made from that since. Reading written memory through any other view ends a path.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>

#include "src/base/flat_map.h"
#include "src/ops/call.h"

namespace frit::capture {

// A view of some memory.
struct Place {
  uint64_t memory;  // which: the id of a storage, or the number of a trace's value
  const Layout* layout;
  int64_t offset;  // of the first element, in bytes
  friend bool operator==(const Place&, const Place&) = default;
};

// Whether the call reads the elements of operand `i`, and not only where they lie. An op that may
// give a view or a copy reads them.
bool reads_elements(Op op, size_t i);

// Whether what a store leaves can be known later without the memory: the source itself, perhaps
// with other strides where sizes are 1, or a scalar as a tensor of the target's layout. `source` is
// null for a scalar.
bool known_after_store(const Layout* target, const Layout* source);

class Writes {
 public:
  static constexpr int kUnknown = -1;

  bool empty() const { return memories_.empty(); }
  void clear() { memories_.clear(); }
  bool written(uint64_t memory) const { return memories_.contains(memory); }
  // The value there; kUnknown where the memory was written through another view. `unwritten` where
  // it was not written at all.
  int value_at(const Place& place, int unwritten) const;
  // From now on `value` is there; kUnknown where it cannot be told.
  void store(const Place& place, int value);
  // A view of known value was made; of no interest unless its memory has been written.
  void add_view(const Place& place, int value);

  struct Known {
    const Layout* layout;
    int64_t offset;
    int value;
  };

 private:
  base::FlatMap<uint64_t, absl::InlinedVector<Known, 2>> memories_;
};

}  // namespace frit::capture

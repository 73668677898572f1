// FlatMap: a small hash map that keeps its memory when it is cleared, and that is as it was when
// there is no memory to insert.
//
// Entries lie one after the other in the order in which they came; the table holds their numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/hash.h"

namespace frit::base {

// `Key` is an integer or a pointer.
template <class Key, class Value>
class FlatMap {
 public:
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool contains(Key key) const { return find(key) != nullptr; }

  // Null when there is none.
  const Value* find(Key key) const {
    if (entries_.empty()) return nullptr;
    const uint32_t number = cells_[cell_of(key)];
    return number != 0 ? &entries_[number - 1].second : nullptr;
  }
  Value* find(Key key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // The key's value, which is `value` when it is new. Valid until the next insertion.
  Value& insert(Key key, Value value) {
    if (Value* known = find(key)) return *known;
    if (cells_.size() < 2 * (entries_.size() + 1)) grow();
    entries_.emplace_back(key, std::move(value));
    cells_[cell_of(key)] = static_cast<uint32_t>(entries_.size());
    return entries_.back().second;
  }

  // Takes back the last insertion, so that no other key's way leads past its cell.
  void pop_back() {
    cells_[cell_of(entries_.back().first)] = 0;
    entries_.pop_back();
  }
  void clear() {
    while (!entries_.empty()) pop_back();
  }
  void swap(FlatMap& other) {
    entries_.swap(other.entries_);
    cells_.swap(other.cells_);
  }

 private:
  static uint64_t bits(Key key) {
    if constexpr (std::is_pointer_v<Key>) {
      return reinterpret_cast<uint64_t>(key);
    } else {
      return static_cast<uint64_t>(key);
    }
  }
  // Where the key is, or an empty cell.
  size_t cell_of(Key key) const {
    const size_t mask = cells_.size() - 1;
    size_t cell = mix64(bits(key)) & mask;
    while (cells_[cell] != 0 && entries_[cells_[cell] - 1].first != key) cell = (cell + 1) & mask;
    return cell;
  }
  void grow() {
    std::vector<uint32_t> larger(std::bit_ceil(4 * (entries_.size() + 1)));
    cells_.swap(larger);
    for (size_t i = 0; i < entries_.size(); ++i)
      cells_[cell_of(entries_[i].first)] = static_cast<uint32_t>(i + 1);
  }

  std::vector<std::pair<Key, Value>> entries_;
  std::vector<uint32_t> cells_;  // a power of two; numbers of entries, from 1; 0: empty
};

}  // namespace frit::base

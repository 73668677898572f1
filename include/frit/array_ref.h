// A view of int64 values that also binds to a braced list: t.reshape({2, 3}).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <vector>

namespace frit {

// Does not own: the values must outlive the call that it is passed to.
class IntArrayRef : public std::span<const int64_t> {
 public:
  constexpr IntArrayRef() = default;
  constexpr IntArrayRef(std::span<const int64_t> s) : span(s) {}  // NOLINT
  constexpr IntArrayRef(const int64_t* data, size_t size) : span(data, size) {}
  constexpr IntArrayRef(std::initializer_list<int64_t> list)
      : span(list.begin(), list.size()) {}                 // NOLINT
  IntArrayRef(const std::vector<int64_t>& v) : span(v) {}  // NOLINT

  std::vector<int64_t> vec() const { return {begin(), end()}; }

  friend bool operator==(IntArrayRef a, IntArrayRef b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  friend std::ostream& operator<<(std::ostream& out, IntArrayRef a) {
    out << '[';
    for (size_t i = 0; i < a.size(); ++i) out << (i ? ", " : "") << a[i];
    return out << ']';
  }
};

}  // namespace frit

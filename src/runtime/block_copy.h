// Copies between memory of any strides and the dense buffers of block programs: how they load,
// store and repeat elements.
//
//   copy_elements(4, {3, 100}, {buffer, 100, 1}, {x, 0, 7});   // 100 elements 7 apart, 3 times
#pragma once

#include <cstddef>
#include <cstdint>

namespace frit::runtime {

// How many elements: `slow` rows of `fast`.
struct Shape {
  int64_t slow, fast;
  int64_t count() const { return slow * fast; }
};

// Where they are. Strides count elements.
struct Elements {
  std::byte* data;
  int64_t slow_stride, fast_stride;

  // Whether they lie one behind the other.
  bool is_dense(Shape shape) const {
    if (shape.fast > 1 && fast_stride != 1) return false;
    return shape.slow <= 1 || slow_stride == shape.fast;
  }
};

// Elements of 1, 2, 4 or 8 bytes. Source and destination are the same or do not overlap.
void copy_elements(int bytes, Shape shape, Elements to, Elements from);

// Dense elements from as far behind those of `from` as the i64 of `places` say, which count
// elements.
void take_elements(int bytes, Shape shape, std::byte* to, Elements from, Elements places);

// The low bytes of `bits`, `count` times.
void fill_elements(int bytes, int64_t count, std::byte* to, uint64_t bits);

}  // namespace frit::runtime

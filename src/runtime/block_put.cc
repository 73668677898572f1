// Element by element, as the definition says.
#include "src/runtime/block_put.h"

#include "src/base/check.h"
#include "src/ops/scatter.h"

namespace frit::runtime {
namespace {

template <class T, class Combine>
void put(Shape shape, const Elements& to, const Elements& places, const Elements& values,
         Combine combine) {
  T* to_row = reinterpret_cast<T*>(to.data);
  const int64_t* place_row = reinterpret_cast<const int64_t*>(places.data);
  const T* value_row = reinterpret_cast<const T*>(values.data);
  for (int64_t i = 0; i < shape.slow; ++i) {
    for (int64_t j = 0; j < shape.fast; ++j) {
      T& element = to_row[j * to.fast_stride + place_row[j * places.fast_stride]];
      element = combine(element, value_row[j * values.fast_stride]);
    }
    to_row += to.slow_stride;
    place_row += places.slow_stride;
    value_row += values.slow_stride;
  }
}

template <class T>
void set(Shape shape, const Elements& to, const Elements& places, const Elements& values) {
  put<T>(shape, to, places, values, [](T, T written) { return written; });
}

void set(int bytes, Shape shape, const Elements& to, const Elements& places,
         const Elements& values) {
  if (bytes == 1) return set<uint8_t>(shape, to, places, values);
  if (bytes == 2) return set<uint16_t>(shape, to, places, values);
  if (bytes == 4) return set<uint32_t>(shape, to, places, values);
  FRIT_CHECK(bytes == 8) << bytes;
  set<uint64_t>(shape, to, places, values);
}

template <class T>
void fold(Op op, Shape shape, const Elements& to, const Elements& places, const Elements& values) {
  const auto by = [&](auto combine) { put<T>(shape, to, places, values, combine); };
  if (op == Op::add) return by(writing::combine<Write::kAdd, T>);
  if (op == Op::mul) return by(writing::combine<Write::kProd, T>);
  if (op == Op::maximum) return by(writing::combine<Write::kAmax, T>);
  FRIT_CHECK(op == Op::minimum) << "put " << name(op);
  by(writing::combine<Write::kAmin, T>);
}

// Any byte but 0 is true; what is written is 0 or 1.
void fold_bools(Op op, Shape shape, const Elements& to, const Elements& places,
                const Elements& values) {
  const bool any = op == Op::maximum;
  FRIT_CHECK(any || op == Op::minimum) << "put " << name(op);
  put<uint8_t>(shape, to, places, values, [any](uint8_t there, uint8_t written) -> uint8_t {
    return any ? there != 0 || written != 0 : there != 0 && written != 0;
  });
}

}  // namespace

void put_elements(Op op, Dtype dtype, Shape shape, Elements to, Elements places, Elements values) {
  if (op == Op::store) return set(byte_size(dtype), shape, to, places, values);
  switch (dtype) {
    case Dtype::kF64:
      return fold<double>(op, shape, to, places, values);
    case Dtype::kF32:
      return fold<float>(op, shape, to, places, values);
    case Dtype::kI64:
      return fold<int64_t>(op, shape, to, places, values);
    case Dtype::kI32:
      return fold<int32_t>(op, shape, to, places, values);
    case Dtype::kI16:
      return fold<int16_t>(op, shape, to, places, values);
    case Dtype::kI8:
      return fold<int8_t>(op, shape, to, places, values);
    case Dtype::kU8:
      return fold<uint8_t>(op, shape, to, places, values);
    case Dtype::kBool:
      return fold_bools(op, shape, to, places, values);
    case Dtype::kF16:
    case Dtype::kBF16:
      break;
  }
  FRIT_CHECK(false) << "put " << name(op) << " of " << name(dtype);
}

}  // namespace frit::runtime

// What C++ made from kernels includes: elements as value types, casts, and reductions in the
// canonical order.
//
// Everything computes by the templates of src/ops/math on one plain lane, so that the listing of a
// kernel, once compiled (with -ffp-contract=off), gives the bits of its machine code.
#pragma once

#include <cstdint>
#include <type_traits>

#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"
#include "src/ops/math/scan.h"
#include "src/ops/reference/reduce.h"

namespace frit::generated {

using F32 = math::Scalar<float>;
using F64 = math::Scalar<double>;
using I32 = math::Scalar<int32_t>;
using I64 = math::Scalar<int64_t>;
using Bool = math::ScalarMask<4>;

using reference::MaxFold;
using reference::MinFold;
using reference::ProdFold;
using reference::SumFold;

// A scalar argument's or a constant's bits.
template <class V>
V from_bits(uint64_t bits) {
  if constexpr (std::is_same_v<V, Bool>)
    return Bool((bits & 0xff) != 0);
  else if constexpr (sizeof(V) == 4)
    return V(__builtin_bit_cast(typename V::Element, static_cast<uint32_t>(bits)));
  else
    return V(__builtin_bit_cast(typename V::Element, bits));
}

// An i32 as one of the small ints.
template <class T>
I32 wrapped(I32 x) {
  return I32(static_cast<T>(x.value));
}

// Comparisons give masks as wide as what they compare.
template <int bytes>
Bool as_bool(math::ScalarMask<bytes> m) {
  return Bool(m.value);
}

template <class V>
V pick(Bool condition, V a, V b) {
  return condition.value ? a : b;
}

template <class To, class From>
To cast(From x) {
  if constexpr (std::is_same_v<To, Bool> && std::is_same_v<From, Bool>)
    return x;
  else if constexpr (std::is_same_v<To, Bool>)
    return as_bool(math::truth(x));
  else if constexpr (std::is_same_v<From, Bool>)
    return To(x.value ? 1 : 0);
  else
    return x.template to<typename To::Element>();
}

template <class T>
using ValueOf = std::conditional_t<std::is_same_v<T, bool>, Bool, math::Scalar<T>>;

// get(0), ..., get(n-1), folded.
template <class Fold, class Get>
ValueOf<typename Fold::Type> reduce(int64_t n, Get&& get) {
  using Value = ValueOf<typename Fold::Type>;
  return Value(reference::fold<Fold>(n, [&](int64_t i) { return get(i).value; }));
}

}  // namespace frit::generated

// The twins of tiles, and the depthwise loops, for any x86-64: fma is a slow but right library call
// there.
#include "src/contraction/depthwise.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction::baseline {
namespace {

// One value: there is no vector fma to use.
template <class T>
struct Single {
  static constexpr int64_t kLanes = 1;
  T v;
  static Single load(const T* p) { return {*p}; }
  static Single splat(T x) { return {x}; }
  void store(T* p) const { *p = v; }
};
template <class T>
using Vector = Single<T>;

inline Single<float> fma(Single<float> a, Single<float> b, Single<float> c) {
  return {__builtin_fmaf(a.v, b.v, c.v)};
}
inline Single<double> fma(Single<double> a, Single<double> b, Single<double> c) {
  return {__builtin_fma(a.v, b.v, c.v)};
}
template <class T>
Single<T> add(Single<T> a, Single<T> b) {
  return {a.v + b.v};
}

#include "src/contraction/depthwise.inc"
#include "src/contraction/tile_twin.inc"

}  // namespace

DepthwiseLoop depthwise_loop(Dtype dtype) {
  return dtype == Dtype::kF64 ? depthwise<double> : depthwise<float>;
}
TileTwin tile_twin(Dtype dtype) {
  return dtype == Dtype::kF64 ? twin_tile<double> : twin_tile<float>;
}

}  // namespace frit::contraction::baseline

#include "src/ops/resample.h"

#include <algorithm>
#include <cmath>

namespace frit {
namespace {

struct Axis {
  int64_t in, out;
  bool align_corners;
  double scale;  // as the user gave it; 0: out / in
};

// Input elements for each output element.
template <class T>
T step_of(const Axis& axis) {
  if (axis.align_corners)
    return axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T(0);
  if (axis.scale > 0) return static_cast<T>(1.0 / axis.scale);
  return static_cast<T>(axis.in) / static_cast<T>(axis.out);
}

// Where output i lies among the inputs: pixels are areas, unless corners are aligned.
template <class T>
T position_of(const Axis& axis, T step, int64_t i, bool may_be_negative) {
  if (axis.align_corners) return step * static_cast<T>(i);
  const T position = step * (static_cast<T>(i) + T(0.5)) - T(0.5);
  return position < T(0) && !may_be_negative ? T(0) : position;
}

// A position within bounds, whatever scale was given; NaN is the lower one.
template <class T>
T bounded(T position, int64_t low, int64_t high) {
  if (!(position > static_cast<T>(low))) return static_cast<T>(low);
  return std::min(position, static_cast<T>(high));
}

template <class T>
void add_nearest(const Axis& axis, bool exact, ResampledDim<T>* dim) {
  const T step = step_of<T>({axis.in, axis.out, false, axis.scale});
  for (int64_t i = 0; i < axis.out; ++i) {
    const T at = exact ? (static_cast<T>(i) + T(0.5)) * step : static_cast<T>(i) * step;
    dim->indices.push_back(
        std::min(static_cast<int64_t>(std::floor(bounded(at, 0, axis.in))), axis.in - 1));
    dim->weights.push_back(T(1));
  }
}

template <class T>
void add_linear(const Axis& axis, ResampledDim<T>* dim) {
  const T step = step_of<T>(axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const T at = axis.in == axis.out ? static_cast<T>(i)
                                     : bounded(position_of(axis, step, i, false), 0, axis.in);
    const int64_t low = std::min(static_cast<int64_t>(at), axis.in - 1);
    const T share = std::clamp(at - static_cast<T>(low), T(0), T(1));
    dim->indices.push_back(low);
    dim->indices.push_back(axis.in == axis.out ? low : std::min(low + 1, axis.in - 1));
    dim->weights.push_back(T(1) - share);
    dim->weights.push_back(share);
  }
}

// Keys' kernel with a = -0.75, at distances up to 1 and from 1 to 2.
template <class T>
T cubic_near(T x) {
  const T a = T(-0.75);
  return ((a + T(2)) * x - (a + T(3))) * x * x + T(1);
}
template <class T>
T cubic_far(T x) {
  const T a = T(-0.75);
  return ((a * x - T(5) * a) * x + T(8) * a) * x - T(4) * a;
}

template <class T>
void add_cubic(const Axis& axis, ResampledDim<T>* dim) {
  const T step = step_of<T>(axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const T at = bounded(position_of(axis, step, i, true), -2, axis.in + 1);
    const T floor = std::floor(at);
    const int64_t low = static_cast<int64_t>(floor);
    const T share = std::clamp(at - floor, T(0), T(1));
    for (int64_t tap = -1; tap <= 2; ++tap)
      dim->indices.push_back(std::clamp<int64_t>(low + tap, 0, axis.in - 1));
    for (T weight : {cubic_far(share + T(1)), cubic_near(share), cubic_near(T(1) - share),
                     cubic_far(T(2) - share)})
      dim->weights.push_back(weight);
  }
}

template <class T>
ResampledDim<T> resampled(Resampling mode, const Axis& axis) {
  ResampledDim<T> dim;
  dim.in = axis.in, dim.out = axis.out;
  dim.indices.clear(), dim.weights.clear();
  switch (mode) {
    case Resampling::kNearest:
    case Resampling::kNearestExact:
      add_nearest(axis, mode == Resampling::kNearestExact, &dim);
      break;
    case Resampling::kLinear:
      dim.taps = 2;
      add_linear(axis, &dim);
      break;
    case Resampling::kCubic:
      dim.taps = 4;
      add_cubic(axis, &dim);
      break;
  }
  return dim;
}

}  // namespace

template <class T>
ResampledDims<T>::ResampledDims(const OpCall& call, const Layout& x) {
  const IntArrayRef sizes = list_attr(call.op, call.attrs, "sizes");
  const int n = static_cast<int>(sizes.size());
  const auto mode = static_cast<Resampling>(int_attr(call.op, call.attrs, "mode"));
  const bool align_corners = int_attr(call.op, call.attrs, "align_corners") != 0;
  for (int d = 0; d < n; ++d)
    dims[3 - n + d] =
        resampled<T>(mode, {x.size(x.rank - n + d), sizes[static_cast<size_t>(d)], align_corners,
                            call.operands[static_cast<size_t>(d) + 1].scalar.to_double()});
}

template struct ResampledDims<float>;
template struct ResampledDims<double>;

}  // namespace frit

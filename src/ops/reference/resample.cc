// interpolate: each output is a weighted sum over the last dimension of weighted sums.
#include "src/ops/resample.h"

#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

// The value at output position i[d...], of the elements from `offset` on.
template <class T>
T sample(const Elements& x, const ResampledDims<T>& to, const int64_t* strides, const int64_t* at,
         int d, int64_t offset) {
  if (d == 3) return number<T>(x.load_as(dtype_of<T>, offset));
  const ResampledDim<T>& dim = to.dims[d];
  T sum = T(0);
  for (int tap = 0; tap < dim.taps; ++tap) {
    const size_t entry = static_cast<size_t>(at[d] * dim.taps + tap);
    const T value = sample(x, to, strides, at, d + 1, offset + dim.indices[entry] * strides[d]) *
                    dim.weights[entry];
    sum = tap == 0 ? value : sum + value;
  }
  return sum;
}

template <class T>
void resample(const OpCall& call, const Elements& out) {
  const Elements x(call.operands[0].tensor);
  const Layout& in = *x.layout;
  const ResampledDims<T> to(call, in);
  const bool moves = to.dims[2].taps == 1;  // nearest: elements as they are
  const int n = static_cast<int>(list_attr(call.op, call.attrs, "sizes").size());
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    int64_t first = 0, strides[3] = {}, at[3] = {};
    for (int d = 0; d < in.rank; ++d) {
      const int spatial = d - (in.rank - 3);
      if (d < in.rank - n) {
        first += i[d] * in.stride(d);
      } else {
        strides[spatial] = in.stride(d), at[spatial] = i[d];
      }
    }
    const int64_t target = i.offset(out.layout->strides());
    if (moves) {
      for (int d = 0; d < 3; ++d)
        first += to.dims[d].indices[static_cast<size_t>(at[d])] * strides[d];
      out.store(target, x.load(first));
    } else {
      const T value = sample(x, to, strides, at, 0, first);
      out.store(target, cast_scalar(dtype_of<T>, out.dtype(), bits_of(value)));
    }
  }
}

}  // namespace

void run_resample(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  if (out.dtype() == kFloat64)
    resample<double>(call, out);
  else
    resample<float>(call, out);
  results[0] = std::move(out);
}

}  // namespace frit::reference

// conv_transpose as its definition reads: each output gathers the inputs that spread to it.
#include <cmath>

#include "src/ops/reference/elements.h"
#include "src/ops/reference/reduce.h"

namespace frit::reference {
namespace {

constexpr int64_t kChannels = 8;  // summed side by side

template <class T>
T load_number(const Elements& x, int64_t offset) {
  return number<T>(x.load_as(dtype_of<T>, offset));
}

template <class T>
T multiply_add(T a, T b, T acc) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_add(acc, wrapping_mul(a, b));
  else
    return std::fma(a, b, acc);
}

// Positions of the input and of the kernel that meet in one output, by offset.
struct Meeting {
  int64_t x, w;
};

// In the order of rising positions of the input.
std::vector<Meeting> meetings_of(const OpCall& call, const Layout& x, const Layout& w,
                                 const Index& i) {
  std::vector<Meeting> meetings{{0, 0}};
  for (int d = 0; d < x.rank - 2; ++d) {
    const auto at = [&](const char* list) {
      return list_attr(call.op, call.attrs, list)[static_cast<size_t>(d)];
    };
    std::vector<Meeting> longer;
    for (const Meeting& m : meetings)
      for (int64_t k = w.size(d + 2) - 1; k >= 0; --k) {
        const int64_t spread = i[d + 2] + at("padding") - k * at("dilation");
        const int64_t input = spread / at("stride");
        if (spread < 0 || spread % at("stride") != 0 || input >= x.size(d + 2)) continue;
        longer.push_back({m.x + input * x.stride(d + 2), m.w + k * w.stride(d + 2)});
      }
    meetings = longer;
  }
  return meetings;
}

template <class T>
void spread(const OpCall& call, const Elements& out) {
  const Elements x(call.operands[0].tensor), w(call.operands[1].tensor);
  const Layout &lx = *x.layout, &lw = *w.layout;
  const int64_t groups = int_attr(call.op, call.attrs, "groups"), in_group = lw.size(0) / groups;
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    const int64_t group = i[1] / lw.size(1), channel = i[1] % lw.size(1);
    const std::vector<Meeting> meetings = meetings_of(call, lx, lw, i);
    T sum = T(0);
    for (int64_t block = 0; block < in_group; block += kChannels)
      for (const Meeting& m : meetings)
        for (int64_t c = block; c < std::min(block + kChannels, in_group); ++c) {
          const int64_t in = group * in_group + c;
          sum = multiply_add(load_number<T>(x, i[0] * lx.stride(0) + in * lx.stride(1) + m.x),
                             load_number<T>(w, in * lw.stride(0) + channel * lw.stride(1) + m.w),
                             sum);
        }
    if (call.operands.size() == 3) {
      const Elements bias(call.operands[2].tensor);
      sum = wrapping_add(sum, load_number<T>(bias, i[1] * bias.layout->stride(0)));
    }
    out.store(i.offset(out.layout->strides()), cast_scalar(dtype_of<T>, out.dtype(), bits_of(sum)));
  }
}

}  // namespace

void run_conv_transpose(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  if (!is_floating_point(out.dtype()))
    spread<int64_t>(call, out);
  else if (out.dtype() == kFloat64)
    spread<double>(call, out);
  else
    spread<float>(call, out);
  results[0] = std::move(out);
}

}  // namespace frit::reference

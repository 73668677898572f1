// Matrix products, convolutions and pooling, each output element one chain in a fixed order.
//
// The 16-bit floats are converted to f32 first and the result is rounded once. Integers wrap.
#include <cmath>

#include "src/ops/reference/elements.h"
#include "src/ops/reference/reduce.h"

namespace frit::reference {
namespace {

// Products are summed in one of these.
Dtype wide_dtype(Dtype dtype) {
  if (!is_floating_point(dtype)) return kInt64;
  return dtype == kFloat64 ? kFloat64 : kFloat32;
}

template <class T>
T load_number(const Elements& x, int64_t offset) {
  return number<T>(x.load_as(dtype_of<T>, offset));
}

template <class T>
void store_number(const Elements& out, int64_t offset, T value) {
  out.store(offset, cast_scalar(dtype_of<T>, out.dtype(), bits_of(value)));
}

// acc + a * b, rounded once.
template <class T>
T multiply_add(T a, T b, T acc) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_add(acc, wrapping_mul(a, b));
  else
    return std::fma(a, b, acc);
}

// Calls fn with a value of the type to compute in.
template <class Fn>
void with_type(Dtype dtype, Fn fn) {
  switch (wide_dtype(dtype)) {
    case Dtype::kF64:
      return fn(double{});
    case Dtype::kF32:
      return fn(float{});
    default:
      return fn(int64_t{});
  }
}

// A row or column of a factor: where it begins and how far its elements are apart.
struct Line {
  int64_t first, stride;
};

template <class T>
T chain(const Elements& a, Line row, const Elements& b, Line column, int64_t k) {
  T acc = 0;
  for (int64_t i = 0; i < k; ++i)
    acc = multiply_add(load_number<T>(a, row.first + i * row.stride),
                       load_number<T>(b, column.first + i * column.stride), acc);
  return acc;
}

// The product of two vectors is a sum in the order of reductions.
template <class T>
T dot(const Elements& a, const Elements& b) {
  return fold<SumFold<T>>(a.layout->size(0), [&](int64_t i) {
    return wrapping_mul(load_number<T>(a, i * a.layout->stride(0)),
                        load_number<T>(b, i * b.layout->stride(0)));
  });
}

// Where the batch dimensions of `i` lie in an operand whose last two dimensions are a matrix.
int64_t batch_offset(const Index& i, int batch_rank, const Layout& x) {
  const int own_rank = std::max(x.rank - 2, 0);
  int64_t offset = 0;
  for (int d = 0; d < own_rank; ++d)
    if (x.size(d) != 1) offset += i[d + batch_rank - own_rank] * x.stride(d);
  return offset;
}

template <class T>
void multiply(const Elements& a, const Elements& b, const Elements& out) {
  const Layout &la = *a.layout, &lb = *b.layout, &lo = *out.layout;
  if (la.rank == 1 && lb.rank == 1) return store_number<T>(out, 0, dot<T>(a, b));
  const int batch_rank = lo.rank - (la.rank > 1) - (lb.rank > 1);
  const int64_t k = la.size(la.rank - 1);
  for (Index i(lo.sizes()); i.valid(); i.next()) {
    const int64_t m = la.rank > 1 ? i[batch_rank] : 0, n = lb.rank > 1 ? i[lo.rank - 1] : 0;
    const Line row{batch_offset(i, batch_rank, la) + (la.rank > 1 ? m * la.stride(la.rank - 2) : 0),
                   la.stride(la.rank - 1)};
    const Line column{
        batch_offset(i, batch_rank, lb) + (lb.rank > 1 ? n * lb.stride(lb.rank - 1) : 0),
        lb.stride(lb.rank == 1 ? 0 : lb.rank - 2)};
    store_number<T>(out, i.offset(lo.strides()), chain<T>(a, row, b, column, k));
  }
}

template <class T>
T scalar_number(const Scalar& s) {
  return number<T>(scalar_bits(dtype_of<T>, s));
}

// chain * alpha unless that is 1, plus beta * bias. With beta 0 the bias is not read.
template <class T>
void add_product(const OpCall& call, const Elements& out) {
  const Elements bias(call.operands[0].tensor), a(call.operands[1].tensor),
      b(call.operands[2].tensor);
  const T alpha = scalar_number<T>(call.operands[3].scalar);
  const T beta = scalar_number<T>(call.operands[4].scalar);
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    const Line row{i[0] * a.layout->stride(0), a.layout->stride(1)};
    const Line column{i[1] * b.layout->stride(1), b.layout->stride(0)};
    T value = chain<T>(a, row, b, column, a.layout->size(1));
    if (alpha != 1) value = wrapping_mul(value, alpha);
    if (beta != 0) {
      const T added = load_number<T>(bias, i.offset_in(*bias.layout));
      value = wrapping_add(value, beta == 1 ? added : wrapping_mul(added, beta));
    }
    store_number<T>(out, i.offset(out.layout->strides()), value);
  }
}

struct Convolution {
  IntArrayRef stride, padding, dilation;
  int64_t groups;

  explicit Convolution(const OpCall& call)
      : stride(list_attr(call.op, call.attrs, "stride")),
        padding(list_attr(call.op, call.attrs, "padding")),
        dilation(list_attr(call.op, call.attrs, "dilation")),
        groups(int_attr(call.op, call.attrs, "groups")) {}
};

// The d-th of a list that may hold one value for all.
int64_t nth(IntArrayRef list, int d) { return list[list.size() == 1 ? 0 : static_cast<size_t>(d)]; }

// Where the kernel's position `k` meets the input, from the output's position; false in the
// padding, which is skipped.
bool input_offset(const Convolution& c, const Index& out, const Index& k, const Layout& x,
                  int64_t* offset) {
  *offset = 0;
  for (int d = 0; d < x.rank - 2; ++d) {
    const int64_t at =
        out[d + 2] * nth(c.stride, d) - nth(c.padding, 2 * d) + k[d] * nth(c.dilation, d);
    if (at < 0 || at >= x.size(d + 2)) return false;
    *offset += at * x.stride(d + 2);
  }
  return true;
}

// One chain over blocks of 8 input channels, in a block over the kernel's positions, at a position
// over the block's channels.
template <class T>
T convolve_at(const Convolution& c, const Elements& x, const Elements& w, const Index& out) {
  constexpr int64_t kChannelBlock = 8;
  const Layout &lx = *x.layout, &lw = *w.layout;
  const int64_t channels = lw.size(1), group = out[1] / (lw.size(0) / c.groups);
  const int64_t x_first = out[0] * lx.stride(0) + group * channels * lx.stride(1);
  const int64_t w_first = out[1] * lw.stride(0);
  const IntArrayRef kernel(lw.dims + 2, static_cast<size_t>(lw.rank - 2));
  const IntArrayRef kernel_strides(lw.dims + lw.rank + 2, static_cast<size_t>(lw.rank - 2));
  T acc = 0;
  for (int64_t block = 0; block < channels; block += kChannelBlock) {
    for (Index k(kernel); k.valid(); k.next()) {
      int64_t x_offset;
      if (!input_offset(c, out, k, lx, &x_offset)) continue;
      for (int64_t i = block; i < std::min(block + kChannelBlock, channels); ++i)
        acc = multiply_add(load_number<T>(x, x_first + i * lx.stride(1) + x_offset),
                           load_number<T>(w, w_first + i * lw.stride(1) + k.offset(kernel_strides)),
                           acc);
    }
  }
  return acc;
}

template <class T>
void convolve(const OpCall& call, const Elements& out) {
  const Elements x(call.operands[0].tensor), w(call.operands[1].tensor);
  const Convolution c(call);
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    T value = convolve_at<T>(c, x, w, i);
    if (call.operands.size() > 2) {
      const Elements bias(call.operands[2].tensor);
      value = wrapping_add(value, load_number<T>(bias, i[1] * bias.layout->stride(0)));
    }
    store_number<T>(out, i.offset(out.layout->strides()), value);
  }
}

// One pooled dimension and its window for an output position.
struct Window {
  int64_t first, dilation, begin,
      end;         // positions first + k*dilation for begin <= k < end lie inside
  int64_t padded;  // how many of the kernel's positions lie inside the padded input
};

Window window_at(const OpCall& call, int d, int64_t out, int64_t size) {
  const int64_t kernel = nth(list_attr(call.op, call.attrs, "kernel"), d);
  const int64_t stride = nth(list_attr(call.op, call.attrs, "stride"), d);
  const int64_t pad = nth(list_attr(call.op, call.attrs, "padding"), d);
  Window w{out * stride - pad, 1, 0, 0, 0};
  if (call.op == Op::max_pool2d) w.dilation = nth(list_attr(call.op, call.attrs, "dilation"), d);
  while (w.first + w.begin * w.dilation < 0) ++w.begin;
  w.end = w.begin;
  while (w.end < kernel && w.first + w.end * w.dilation < size) ++w.end;
  w.padded = std::min(w.first + kernel, size + pad) - w.first;
  return w;
}

template <class T>
T pool_at(const OpCall& call, const Elements& x, int64_t first, const Window& h, const Window& w) {
  const Layout& l = *x.layout;
  const bool is_max = call.op == Op::max_pool2d;
  T acc = is_max ? MaxFold<T>::identity() : T(0);
  for (int64_t i = h.begin; i < h.end; ++i)
    for (int64_t j = w.begin; j < w.end; ++j) {
      const T value = load_number<T>(x, first + (h.first + i * h.dilation) * l.stride(l.rank - 2) +
                                            (w.first + j * w.dilation) * l.stride(l.rank - 1));
      acc = is_max ? MaxFold<T>::combine(acc, value) : acc + value;
    }
  if (is_max) return acc;
  const bool with_padding = int_attr(call.op, call.attrs, "count_include_pad") != 0;
  const int64_t count = with_padding ? h.padded * w.padded : (h.end - h.begin) * (w.end - w.begin);
  return acc / static_cast<T>(count);
}

template <class T>
void pool(const OpCall& call, const Elements& out) {
  const Elements x(call.operands[0].tensor);
  const Layout& l = *x.layout;
  for (Index i(out.layout->sizes()); i.valid(); i.next()) {
    int64_t first = 0;
    for (int d = 0; d < l.rank - 2; ++d) first += i[d] * l.stride(d);
    const Window h = window_at(call, 0, i[l.rank - 2], l.size(l.rank - 2));
    const Window w = window_at(call, 1, i[l.rank - 1], l.size(l.rank - 1));
    store_number<T>(out, i.offset(out.layout->strides()), pool_at<T>(call, x, first, h, w));
  }
}

}  // namespace

void run_contract(const OpCall& call, Tensor* results) {
  if (call.op == Op::conv_transpose) return run_conv_transpose(call, results);
  Tensor out = new_result(infer(call));
  with_type(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (call.op == Op::matmul)
      multiply<T>(call.operands[0].tensor, call.operands[1].tensor, out);
    else if (call.op == Op::addmm)
      add_product<T>(call, out);
    else
      convolve<T>(call, out);
  });
  results[0] = std::move(out);
}

void run_pool(const OpCall& call, Tensor* results) {
  if (call.op != Op::max_pool2d && call.op != Op::avg_pool2d) return run_windows(call, results);
  Tensor out = new_result(infer(call));
  with_type(out.dtype(), [&](auto zero) { pool<decltype(zero)>(call, out); });
  results[0] = std::move(out);
}

}  // namespace frit::reference

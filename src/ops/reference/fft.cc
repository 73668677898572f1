// Fourier transforms: line by line.
#include "src/fft/fft.h"

#include <vector>

#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

// A line of numbers: where it begins, and how far they and the parts of pairs are apart.
struct Line {
  int64_t first, step, part;
  int parts;
};

template <class T>
std::vector<T> load_line(const Elements& x, const Line& line, int64_t n) {
  std::vector<T> numbers;
  for (int64_t i = 0; i < n; ++i)
    for (int p = 0; p < line.parts; ++p)
      numbers.push_back(number<T>(x.load(line.first + i * line.step + p * line.part)));
  return numbers;
}

template <class T>
void store_line(const Elements& out, const Line& line, const std::vector<T>& numbers, T scale) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) / line.parts,
                  p = static_cast<int64_t>(i) % line.parts;
    const T value = scale == T(1) ? numbers[i] : numbers[i] * scale;
    out.store(line.first + at * line.step + p * line.part, bits_of(value));
  }
}

template <class T>
void transform(const OpCall& call, const Elements& x, const Elements& out) {
  const int parts_in = call.op == Op::rfft ? 1 : 2, parts_out = call.op == Op::irfft ? 1 : 2;
  const int rank = x.layout->rank - (parts_in - 1);
  int64_t dim = int_attr(call.op, call.attrs, "dim");
  if (dim < 0) dim += rank;
  const int d = static_cast<int>(dim);
  Dims lines, in_strides, out_strides;
  for (int i = 0; i < rank; ++i) {
    lines.push_back(i == d ? 1 : x.layout->size(i));
    in_strides.push_back(x.layout->stride(i));
    out_strides.push_back(out.layout->stride(i));
  }
  const int64_t n = x.layout->size(d), made = out.layout->size(d);
  const T scale = static_cast<T>(call.operands[1].scalar.to_double());
  for (Index i(lines); i.valid(); i.next()) {
    const Line from{i.offset(in_strides), x.layout->stride(d),
                    parts_in == 2 ? x.layout->stride(rank) : 0, parts_in};
    const Line to{i.offset(out_strides), out.layout->stride(d),
                  parts_out == 2 ? out.layout->stride(rank) : 0, parts_out};
    const std::vector<T> numbers = load_line<T>(x, from, n);
    std::vector<T> result(static_cast<size_t>(made * parts_out));
    if (call.op == Op::rfft)
      fourier::transform_real(numbers.data(), result.data(), n);
    else if (call.op == Op::irfft)
      fourier::inverse_real(numbers.data(), result.data(), made);
    else
      fourier::transform(numbers.data(), result.data(), n,
                         int_attr(call.op, call.attrs, "inverse") != 0
                             ? fourier::Direction::kInverse
                             : fourier::Direction::kForward);
    store_line(out, to, result, scale);
  }
}

}  // namespace

void run_fft(const OpCall& call, Tensor* results) {
  Tensor out = new_result(infer(call));
  const Elements x(call.operands[0].tensor);
  if (out.numel() > 0) {
    if (out.dtype() == kFloat64)
      transform<double>(call, x, out);
    else
      transform<float>(call, x, out);
  }
  results[0] = std::move(out);
}

}  // namespace frit::reference

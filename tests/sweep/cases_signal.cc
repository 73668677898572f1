// Fourier transforms: lengths with small factors and with large ones, every layout and dimension.
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

Attrs fft_attrs(Op op, int64_t dim, int64_t n, bool inverse) {
  Attrs attrs;
  attrs.add(dim);
  if (op == Op::fft) attrs.add(int64_t{inverse});
  if (op == Op::irfft) attrs.add(n);
  return attrs;
}

void add_lengths(Op op, Dtype dtype, Cases& cases) {
  for (int64_t n : {1, 2, 3, 4, 5, 7, 12, 30, 53, 64, 101, 106})
    for (Values values : {Values::kSmall, Values::kSpecial}) {
      Dims sizes({2, n});
      if (op == Op::irfft) sizes[1] = n / 2 + 1;
      if (op != Op::rfft) sizes.push_back(2);
      cases.push_back(CaseBuilder(op)
                          .add(make_tensor(dtype, sizes, Lies::kContiguous, values))
                          .add(n % 2 == 0 ? Scalar(1) : Scalar(1.0 / static_cast<double>(n)))
                          .attrs(fft_attrs(op, -1, n, n % 3 == 0)));
    }
}

void add_layouts(Op op, Dtype dtype, Lies lies, Cases& cases) {
  const auto add = [&](std::initializer_list<int64_t> list, int64_t dim, int64_t n, Scalar scale) {
    Dims sizes{IntArrayRef(list)};
    if (op != Op::rfft) sizes.push_back(2);
    cases.push_back(CaseBuilder(op)
                        .add(make_tensor(dtype, sizes, lies, Values::kSmall))
                        .add(scale)
                        .attrs(fft_attrs(op, dim, n, dim == 0)));
  };
  add({4, 5, 6}, 0, 7, 1);
  add({4, 5, 6}, 1, 8, 0.5);
  add({4, 5, 6}, -1, 10, 1);
  add({300, 33}, 1, 64, 1);
  add({9}, 0, 17, 1);
  add({0, 4}, 1, 6, 1);
  add({}, 0, 1, 1);      // no dimension
  add({4, 5}, 2, 8, 1);  // no such dimension
  add({4, 0}, 1, 0, 1);  // no numbers
  add({4, 5}, 1, 7, 1);  // of irfft: not the number of pairs
}

}  // namespace

Cases fft_cases(Op op) {
  Cases cases;
  for (Dtype dtype : {kFloat32, kFloat64}) {
    add_lengths(op, dtype, cases);
    for (Lies lies : kAllLies) add_layouts(op, dtype, lies, cases);
  }
  for (Dtype dtype : {kInt64, kFloat16, kBool}) {
    const Tensor x = make_tensor(dtype, {3, 2}, Lies::kContiguous, Values::kSmall);
    cases.push_back(CaseBuilder(op).add(x).add(1).attrs(fft_attrs(op, 0, 4, false)));
  }
  const Tensor x = make_tensor(kFloat32, {3, 3}, Lies::kContiguous, Values::kSmall);
  cases.push_back(CaseBuilder(op).add(x).add(1).attrs(fft_attrs(op, 0, 4, false)));
  return cases;
}

}  // namespace frit::sweep

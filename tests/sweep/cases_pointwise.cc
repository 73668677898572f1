// Elementwise ops and casts: all dtypes by all layouts, and pairs of dtypes that promote.
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

constexpr int64_t kRows = 24,
                  kCols = 25;  // every pair of special values, and a row that is no multiple of 8
constexpr int64_t kFull[] = {kRows, kCols};
constexpr std::pair<Dtype, Dtype> kMixed[] = {
    {kFloat32, kInt32}, {kInt8, kUInt8},    {kBFloat16, kFloat16}, {kFloat32, kFloat64},
    {kBool, kInt64},    {kInt64, kFloat16}, {kUInt8, kInt64},      {kBool, kFloat32}};

Tensor special(Dtype dtype, IntArrayRef sizes, Lies lies = Lies::kContiguous, int which = 0) {
  return make_tensor(dtype, sizes, lies, Values::kSpecial, which);
}

void add_pairs(Op op, Dtype a, Dtype b, Cases& cases) {
  auto add = [&](Tensor x, Tensor y) {
    cases.push_back(CaseBuilder(op).add(std::move(x)).add(std::move(y)));
  };
  const IntArrayRef full(kFull);
  add(special(a, full), special(b, full, Lies::kContiguous, 1));
  add(special(a, full), special(b, full, Lies::kTransposed, 1));
  add(special(a, full, Lies::kTransposed), special(b, full, Lies::kTransposed, 1));
  add(special(a, full, Lies::kStrided), special(b, full, Lies::kSliced, 1));
  add(special(a, full), special(b, {kCols}, Lies::kContiguous, 1));
  add(special(a, {kRows, 1}), special(b, full, Lies::kContiguous, 1));
  add(special(a, full, Lies::kBroadcast), special(b, {kRows, 1}, Lies::kContiguous, 1));
  add(special(a, {3, 1, 70}), special(b, {2, 1}, Lies::kContiguous, 1));
  add(special(a, {0, 3}), special(b, {3}, Lies::kContiguous, 1));
}

void add_scalars(Op op, Dtype dtype, Cases& cases) {
  const Tensor x = special(dtype, {kRows, kCols});
  for (const Scalar& s :
       {Scalar(2), Scalar(-3), Scalar(0.5), Scalar(0), Scalar(true), Scalar(0.1), Scalar(70000)}) {
    cases.push_back(CaseBuilder(op).add(x).add(s));
    cases.push_back(CaseBuilder(op).add(s).add(x));
  }
  // 0-dim tensors: alone, and where they do not raise the dtype.
  cases.push_back(
      CaseBuilder(op).add(special(dtype, {})).add(special(dtype, {}, Lies::kContiguous, 1)));
  cases.push_back(CaseBuilder(op).add(x).add(tensor(3, kInt64)));
  cases.push_back(CaseBuilder(op).add(tensor(1.5, kFloat64)).add(x));
}

}  // namespace

Cases unary_cases(Op op) {
  Cases cases;
  for (int d = 0; d < kNumDtypes; ++d) {
    const Dtype dtype = static_cast<Dtype>(d);
    for (Lies lies : kAllLies)
      cases.push_back(CaseBuilder(op).add(special(dtype, {2, 13, 27}, lies)));
    cases.push_back(CaseBuilder(op).add(special(dtype, {1037})));
    cases.push_back(CaseBuilder(op).add(special(dtype, {5000}, Lies::kStrided)));
    cases.push_back(CaseBuilder(op).add(special(dtype, {2, 3, 4, 5}, Lies::kChannelsLast)));
    cases.push_back(CaseBuilder(op).add(special(dtype, {0, 4})));
    cases.push_back(CaseBuilder(op).add(special(dtype, {})));
  }
  return cases;
}

Cases binary_cases(Op op) {
  Cases cases;
  for (int d = 0; d < kNumDtypes; ++d) {
    add_pairs(op, static_cast<Dtype>(d), static_cast<Dtype>(d), cases);
    add_scalars(op, static_cast<Dtype>(d), cases);
  }
  for (auto [a, b] : kMixed) {
    add_pairs(op, a, b, cases);
    add_pairs(op, b, a, cases);
  }
  // Long enough that operands in another order than the result's are copied into it first.
  cases.push_back(CaseBuilder(op)
                      .add(special(kFloat32, {150, 150}))
                      .add(special(kFloat32, {150, 150}, Lies::kTransposed, 1)));
  cases.push_back(CaseBuilder(op)
                      .add(special(kFloat16, {3, 150, 150}))
                      .add(special(kFloat32, {150, 150}, Lies::kTransposed, 1)));
  // Without a zero in the divisor, so that integer division does not throw.
  for (Dtype dtype : {kInt64, kInt32, kInt16, kInt8, kUInt8}) {
    Tensor divisor = special(dtype, {kRows, kCols}, Lies::kContiguous, 1);
    std::byte* data = divisor.impl()->data;
    for (int64_t i = 0; i < divisor.nbytes(); i += byte_size(dtype)) data[i] |= std::byte{1};
    for (Lies lies : kAllLies)
      cases.push_back(CaseBuilder(op).add(special(dtype, {kRows, kCols}, lies)).add(divisor));
  }
  return cases;
}

Cases ternary_cases(Op op) {
  Cases cases;
  for (int d = 0; d < kNumDtypes; ++d) {
    const Dtype dtype = static_cast<Dtype>(d);
    auto add = [&](Tensor c, Tensor a, Tensor b) {
      cases.push_back(CaseBuilder(op).add(std::move(c)).add(std::move(a)).add(std::move(b)));
    };
    const IntArrayRef full(kFull);
    for (Lies lies : kAllLies)
      add(special(kBool, full, lies, 2), special(dtype, full),
          special(dtype, full, Lies::kContiguous, 1));
    add(special(kBool, {kCols}, Lies::kContiguous, 2), special(dtype, {kRows, 1}),
        special(dtype, full));
    add(special(kBool, {kRows, 1}), special(dtype, full, Lies::kTransposed), special(kFloat32, {}));
    add(special(kBool, {0, 2}), special(dtype, {}), special(dtype, {2}));
    cases.push_back(
        CaseBuilder(op).add(special(kBool, full, Lies::kStrided)).add(special(dtype, full)).add(2));
    cases.push_back(CaseBuilder(op).add(special(kBool, full)).add(1.5).add(special(dtype, full)));
    cases.push_back(CaseBuilder(op).add(special(dtype, full)).add(1.5).add(2));
  }
  return cases;
}

Cases cast_cases(Op op) {
  Cases cases;
  for (int from = 0; from < kNumDtypes; ++from) {
    for (int to = 0; to < kNumDtypes; ++to) {
      const Attrs attrs = Attrs().add(static_cast<Dtype>(to));
      for (Lies lies : {Lies::kContiguous, Lies::kTransposed, Lies::kStrided, Lies::kBroadcast})
        cases.push_back(
            CaseBuilder(op).add(special(static_cast<Dtype>(from), {27, 41}, lies)).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(special(static_cast<Dtype>(from), {})).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(special(static_cast<Dtype>(from), {3, 0})).attrs(attrs));
    }
  }
  return cases;
}

}  // namespace frit::sweep

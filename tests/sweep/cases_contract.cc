// Products, convolutions and pooling: every rank rule, odd sizes, strides, padding, groups.
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

constexpr Dtype kFloats[] = {kFloat32, kFloat64, kFloat16, kBFloat16};
constexpr Dtype kProducts[] = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt64,
                               kInt32,   kInt8,    kUInt8,   kBool};

Tensor small(Dtype dtype, IntArrayRef sizes, Lies lies = Lies::kContiguous, int which = 0) {
  return make_tensor(dtype, sizes, lies, Values::kSmall, which);
}

void add_matmuls(Op op, Dtype dtype, Cases& cases) {
  auto add = [&](std::initializer_list<int64_t> a, Lies lies_a, std::initializer_list<int64_t> b,
                 Lies lies_b) {
    cases.push_back(CaseBuilder(op)
                        .add(small(dtype, IntArrayRef(a), lies_a))
                        .add(small(dtype, IntArrayRef(b), lies_b, 1)));
  };
  const Lies plain = Lies::kContiguous;
  add({7}, plain, {7}, plain);
  add({5000}, Lies::kStrided, {5000}, plain);
  add({5, 7}, plain, {7}, plain);
  add({7}, plain, {7, 9}, plain);
  for (Lies a : {plain, Lies::kTransposed, Lies::kStrided, Lies::kBroadcast})
    for (Lies b : {plain, Lies::kTransposed, Lies::kSliced}) add({13, 31}, a, {31, 37}, b);
  add({1, 16}, plain, {16, 16}, plain);
  add({1, 70}, plain, {70, 1}, plain);
  add({33, 130}, plain, {130, 65}, plain);
  add({3, 5, 7}, plain, {7, 4}, plain);
  add({3, 5, 7}, plain, {3, 7, 4}, Lies::kTransposed);
  add({2, 1, 5, 7}, plain, {3, 7, 4}, plain);
  add({2, 3, 5, 7}, Lies::kTransposed, {2, 1, 7, 4}, plain);
  add({7}, plain, {2, 7, 4}, plain);
  add({2, 5, 7}, Lies::kStrided, {7}, plain);
  add({4, 0}, plain, {0, 3}, plain);
  add({0, 4}, plain, {4, 3}, plain);
  add({4, 5}, plain, {4, 5}, plain);  // inner sizes differ
  add({}, plain, {4}, plain);
}

void add_addmms(Op op, Dtype dtype, Cases& cases) {
  auto add = [&](std::initializer_list<int64_t> bias, Scalar alpha, Scalar beta) {
    cases.push_back(CaseBuilder(op)
                        .add(small(dtype, IntArrayRef(bias), Lies::kContiguous, 2))
                        .add(small(dtype, {13, 31}))
                        .add(small(dtype, {31, 37}, Lies::kTransposed, 1))
                        .add(alpha)
                        .add(beta));
  };
  add({37}, 1, 1);
  add({13, 37}, 1, 1);
  add({13, 1}, 2, 1);
  add({}, 1, 3);
  add({37}, 2, 0);
  add({1, 37}, 0, 2);
  if (is_floating_point(dtype)) add({37}, 0.3, 0.7);
  add({36}, 1, 1);
  cases.push_back(CaseBuilder(op)
                      .add(make_tensor(dtype, {37}, Lies::kContiguous, Values::kSpecial, 2))
                      .add(small(dtype, {13, 0}))
                      .add(small(dtype, {0, 37}))
                      .add(1)
                      .add(0));
  cases.push_back(CaseBuilder(op)
                      .add(small(dtype, {1, 16}))
                      .add(small(dtype, {1, 16}))
                      .add(small(dtype, {16, 16}, Lies::kTransposed, 1))
                      .add(1)
                      .add(1));
}

struct ConvolutionShape {
  Dims x, w;
  Dims dilation, padding, stride;
  int64_t groups = 1;
};

// Attributes in name order: dilation, groups, padding, stride.
Attrs convolution_attrs(const ConvolutionShape& c) {
  return Attrs().add_list(c.dilation).add(c.groups).add_list(c.padding).add_list(c.stride);
}

std::vector<ConvolutionShape> convolution_shapes() {
  const Dims one({1}), none({0});
  return {
      {Dims({2, 3, 9, 8}), Dims({5, 3, 3, 3}), one, Dims({1}), one},
      {Dims({1, 16, 7, 7}), Dims({24, 16, 1, 1}), one, none, one},
      {Dims({1, 9, 6, 10}), Dims({8, 9, 3, 1}), Dims({1, 2}), Dims({1, 0, 2, 1}), Dims({2, 1})},
      {Dims({2, 8, 6, 6}), Dims({8, 1, 3, 3}), one, Dims({1}), one, 8},
      {Dims({1, 8, 5, 5}), Dims({6, 4, 2, 2}), Dims({2}), none, one, 2},
      {Dims({1, 1, 40}), Dims({7, 1, 12}), one, none, Dims({5})},
      {Dims({2, 10, 15}), Dims({4, 10, 3}), Dims({2}), Dims({1, 2}), one},
      {Dims({1, 2, 4, 5, 6}), Dims({3, 2, 2, 3, 2}), one, Dims({1}), Dims({1, 2, 1})},
      {Dims({0, 3, 9, 8}), Dims({5, 3, 3, 3}), one, none, one},
      {Dims({1, 3, 2, 2}), Dims({5, 3, 3, 3}), one, none, one},  // the kernel does not fit
      {Dims({1, 3, 9, 8}), Dims({5, 4, 3, 3}), one, none, one},  // channels differ
  };
}

void add_convolutions(Op op, Dtype dtype, Cases& cases) {
  for (const ConvolutionShape& c : convolution_shapes()) {
    for (Lies lies : {Lies::kContiguous, Lies::kChannelsLast, Lies::kStrided}) {
      CaseBuilder plain(op), biased(op);
      plain.add(small(dtype, c.x, lies))
          .add(small(dtype, c.w, lies == Lies::kStrided ? Lies::kContiguous : lies, 1));
      biased.add(small(dtype, c.x, lies))
          .add(small(dtype, c.w, Lies::kContiguous, 1))
          .add(small(dtype, {c.w[0]}, Lies::kContiguous, 2));
      cases.push_back(plain.attrs(convolution_attrs(c)));
      cases.push_back(biased.attrs(convolution_attrs(c)));
    }
  }
}

// Attributes in name order; avg: ceil_mode, count_include_pad, kernel, padding, stride; max:
// ceil_mode, dilation, kernel, padding, stride.
Attrs pool_attrs(Op op, bool flag, IntArrayRef kernel, IntArrayRef padding, IntArrayRef stride) {
  Attrs attrs;
  attrs.add(flag);
  if (op == Op::max_pool2d) {
    attrs.add_list({flag ? 2 : 1});
  } else {
    attrs.add(!flag);
  }
  return attrs.add_list(kernel).add_list(padding).add_list(stride);
}

struct SpreadShape {
  Dims x, w, dilation, output_padding, padding, stride;
  int64_t groups = 1;
};

void add_transposed(Op op, Dtype dtype, Cases& cases) {
  const std::vector<SpreadShape> shapes = {
      {Dims({2, 3, 7, 6}), Dims({3, 5, 3, 3}), Dims({1, 1}), Dims({0, 0}), Dims({1, 1}),
       Dims({2, 2})},
      {Dims({1, 9, 4, 5}), Dims({9, 8, 4, 2}), Dims({1, 2}), Dims({1, 0}), Dims({0, 1}),
       Dims({3, 1})},
      {Dims({2, 8, 5, 5}), Dims({8, 1, 2, 2}), Dims({1, 1}), Dims({0, 1}), Dims({0, 0}),
       Dims({2, 2}), 8},
      {Dims({1, 8, 5, 4}), Dims({8, 3, 3, 3}), Dims({2, 3}), Dims({1, 2}), Dims({2, 1}),
       Dims({2, 3}), 2},
      {Dims({1, 4, 3, 3}), Dims({4, 6, 1, 1}), Dims({1, 1}), Dims({0, 0}), Dims({0, 0}),
       Dims({3, 2})},
      {Dims({1, 16, 6, 6}), Dims({16, 24, 1, 1}), Dims({1, 1}), Dims({0, 0}), Dims({0, 0}),
       Dims({1, 1})},
      {Dims({2, 10, 15}), Dims({10, 4, 5}), Dims({2}), Dims({1}), Dims({3}), Dims({2})},
      {Dims({1, 2, 3, 4, 3}), Dims({2, 3, 2, 3, 2}), Dims({1, 1, 1}), Dims({0, 1, 0}),
       Dims({1, 0, 0}), Dims({2, 2, 1})},
      {Dims({1, 3, 4, 4}), Dims({5, 3, 3, 3}), Dims({1, 1}), Dims({0, 0}), Dims({0, 0}),
       Dims({1, 1})},  // channels differ
      {Dims({1, 3, 4, 4}), Dims({3, 2, 3, 3}), Dims({1, 1}), Dims({2, 0}), Dims({0, 0}),
       Dims({2, 2})},  // too much added
  };
  for (const SpreadShape& c : shapes) {
    const Attrs attrs = Attrs()
                            .add_list(c.dilation)
                            .add(c.groups)
                            .add_list(c.output_padding)
                            .add_list(c.padding)
                            .add_list(c.stride);
    for (Lies lies : {Lies::kContiguous, Lies::kChannelsLast, Lies::kStrided}) {
      CaseBuilder plain(op), biased(op);
      plain.add(small(dtype, c.x, lies)).add(small(dtype, c.w, Lies::kTransposed, 1));
      biased.add(small(dtype, c.x, lies))
          .add(small(dtype, c.w, Lies::kContiguous, 1))
          .add(small(dtype, {c.w[1] * c.groups}, Lies::kContiguous, 2));
      cases.push_back(plain.attrs(attrs));
      cases.push_back(biased.attrs(attrs));
    }
  }
  // What does not meet an infinite weight is not multiplied by it.
  cases.push_back(
      CaseBuilder(op)
          .add(make_tensor(dtype, {1, 3, 5, 4}, Lies::kContiguous, Values::kSpecial))
          .add(make_tensor(dtype, {3, 2, 3, 3}, Lies::kContiguous, Values::kSpecial, 1))
          .attrs(
              Attrs().add_list({1, 1}).add(1).add_list({0, 0}).add_list({1, 1}).add_list({2, 2})));
}

// Attributes of a pool of `n` dimensions (src/ops/window.h).
std::vector<Attrs> window_attrs(Op op, int n) {
  const auto all = [&](int64_t value) {
    Dims list;
    for (int d = 0; d < n; ++d) list.push_back(value);
    return list;
  };
  if (op == Op::adaptive_avg_pool || op == Op::adaptive_max_pool)
    return {Attrs().add_list(all(3)), Attrs().add_list(all(1)), Attrs().add_list(all(7)),
            Attrs().add_list(all(0))};
  std::vector<Attrs> list;
  for (bool ceil_mode : {false, true}) {
    for (int64_t kernel : {2, 3}) {
      Attrs attrs;
      attrs.add(ceil_mode);
      if (op == Op::max_pool)
        attrs.add_list(all(ceil_mode ? 2 : 1));
      else
        attrs.add(kernel == 2).add(int64_t{ceil_mode ? 0 : kernel});
      list.push_back(attrs.add_list(all(kernel)).add_list(all(1)).add_list(all(kernel - 1)));
    }
  }
  return list;
}

void add_windows(Op op, Dtype dtype, Lies lies, Values values, Cases& cases) {
  for (const Dims& shape : {Dims({2, 3, 11}), Dims({3, 11}), Dims({2, 3, 5, 8}),
                            Dims({2, 3, 5, 4, 6}), Dims({0, 3, 5, 8}), Dims({3, 2})})
    for (int n = std::max(shape.rank - 2, 1); n <= std::min(shape.rank - 1, 3); ++n)
      for (const Attrs& attrs : window_attrs(op, n))
        cases.push_back(CaseBuilder(op).add(make_tensor(dtype, shape, lies, values)).attrs(attrs));
}

}  // namespace

Cases resample_cases(Op op) {
  Cases cases;
  const std::pair<Dims, Dims> shapes[] = {
      {Dims({2, 3, 11}), Dims({7})},       {Dims({2, 3, 5, 8}), Dims({5, 8})},
      {Dims({1, 3, 5, 8}), Dims({13, 3})}, {Dims({2, 2, 3, 4, 5}), Dims({5, 4, 2})},
      {Dims({2, 3, 1, 1}), Dims({3, 2})},  {Dims({0, 3, 4, 4}), Dims({3, 2})},
      {Dims({2, 3, 4, 4}), Dims({0, 2})}};
  for (Dtype dtype : {kFloat32, kFloat64, kFloat16, kBFloat16, kUInt8, kInt64})
    for (Lies lies : kAllLies)
      for (const auto& [shape, sizes] : shapes)
        for (int64_t mode : {0, 1, 2, 3})
          for (bool align_corners : {false, true}) {
            CaseBuilder builder(op);
            builder.add(
                make_tensor(dtype, shape, lies, mode == 0 ? Values::kSpecial : Values::kSmall));
            for (int d = 0; d < sizes.rank; ++d) builder.add(d == 0 ? 0.0 : 1.3);
            cases.push_back(builder.attrs(Attrs().add(align_corners).add(mode).add_list(sizes)));
          }
  return cases;
}

Cases contract_cases(Op op) {
  Cases cases;
  if (op == Op::conv_transpose) {
    for (Dtype dtype : {kFloat32, kFloat64, kFloat16, kBFloat16, kInt64, kInt8})
      add_transposed(op, dtype, cases);
    return cases;
  }
  if (op == Op::convolution) {
    for (Dtype dtype : kFloats) add_convolutions(op, dtype, cases);
    for (Dtype dtype : {kInt64, kInt8}) add_convolutions(op, dtype, cases);
    return cases;
  }
  for (Dtype dtype : kProducts)
    op == Op::matmul ? add_matmuls(op, dtype, cases) : add_addmms(op, dtype, cases);
  return cases;
}

Cases pool_cases(Op op) {
  Cases cases;
  if (op != Op::max_pool2d && op != Op::avg_pool2d) {
    for (Dtype dtype : {kFloat32, kFloat64, kFloat16, kInt64, kInt8, kBool})
      for (Lies lies : {Lies::kContiguous, Lies::kTransposed, Lies::kChannelsLast})
        for (Values values : {Values::kSpecial, Values::kSmall})
          add_windows(op, dtype, lies, values, cases);
    return cases;
  }
  for (Dtype dtype : {kFloat32, kFloat64, kFloat16, kBFloat16, kInt64, kInt8, kBool}) {
    for (Lies lies : kAllLies) {
      for (Values values : {Values::kSpecial, Values::kSmall}) {
        for (bool flag : {false, true}) {
          const Tensor x = make_tensor(dtype, {2, 3, 9, 11}, lies, values);
          const Tensor image = make_tensor(dtype, {10, 8, 9}, lies, values);
          cases.push_back(CaseBuilder(op).add(x).attrs(pool_attrs(op, flag, {2}, {0}, {2})));
          cases.push_back(
              CaseBuilder(op).add(x).attrs(pool_attrs(op, flag, {3, 2}, {1, 1}, {2, 1})));
          cases.push_back(CaseBuilder(op).add(image).attrs(pool_attrs(op, flag, {3}, {1}, {3})));
          cases.push_back(CaseBuilder(op).add(x).attrs(pool_attrs(op, flag, {3}, {2}, {1})));
        }
      }
    }
  }
  return cases;
}

}  // namespace frit::sweep

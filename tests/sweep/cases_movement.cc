// Views, copies, indexing, creation and writing: every layout, attributes that hit each rule.
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

constexpr Dtype kSizes[] = {kFloat64, kFloat32, kFloat16, kInt8, kBool};  // each element size

// The attribute sets of a movement op on a tensor of sizes [4, 1, 6].
std::vector<Attrs> move_attrs(Op op) {
  using List = std::initializer_list<int64_t>;
  auto list = [](List values) { return Attrs().add_list(IntArrayRef(values)); };
  auto numbers = [](List values) {
    Attrs attrs;
    for (int64_t v : values) attrs.add(v);
    return attrs;
  };
  if (op == Op::reshape || op == Op::view)
    return {list({24}),      list({-1}),   list({4, 6}),
            list({2, 2, 6}), list({6, 4}), list({4, 1, 1, 3, 2}),
            list({5})};
  if (op == Op::permute)
    return {list({0, 1, 2}), list({2, 0, 1}), list({-1, -2, -3}), list({0, 0, 1})};
  if (op == Op::expand)
    return {list({4, 5, 6}), list({3, 4, -1, 6}), list({4, 1, 6}), list({4, 1, 5})};
  if (op == Op::slice)  // dim, end, start, step
    return {numbers({0, 3, 1, 1}), numbers({2, 100, -5, 2}), numbers({-1, 2, 4, 1}),
            numbers({0, 4, 0, 3}), numbers({3, 1, 0, 1})};
  if (op == Op::select)
    return {numbers({0, 2}), numbers({-1, -1}), numbers({1, 0}), numbers({0, 4})};
  if (op == Op::squeeze) return {list({1}), list({}), list({0, -2}), list({7})};
  if (op == Op::unsqueeze) return {numbers({0}), numbers({-1}), numbers({2}), numbers({9})};
  // as_strided: offset, sizes, strides
  return {Attrs().add(int64_t{0}).add_list({2, 3}).add_list({1, 2}),
          Attrs().add(int64_t{1}).add_list({2, 2}).add_list({1, 0}),
          Attrs().add(int64_t{0}).add_list({100}).add_list({100})};
}

SweepCase with_index(Op op, Tensor x, Tensor index, const Attrs& attrs) {
  return CaseBuilder(op).add(std::move(x)).add(std::move(index)).attrs(attrs);
}

void add_index_cases(Op op, Dtype dtype, Lies lies, Cases& cases) {
  const Tensor x = make_tensor(dtype, {4, 5, 6}, lies, Values::kDistinct);
  auto at = [](int64_t dim) { return Attrs().add(dim); };
  if (op == Op::index_select) {
    for (int64_t dim : {0, 1, -1}) cases.push_back(with_index(op, x, make_index({7}, 4), at(dim)));
    cases.push_back(with_index(op, x, make_index({0}, 4), at(0)));
    cases.push_back(with_index(op, x, make_index({}, 4), at(1)));
    cases.push_back(with_index(op, x, make_index({7}, 4, true), at(0)));
    cases.push_back(with_index(op, x, make_index({20}, 9), at(2)));
  } else if (op == Op::gather) {
    cases.push_back(with_index(op, x, make_index({4, 5, 9}, 6), at(2)));
    cases.push_back(with_index(op, x, make_index({8, 5, 6}, 4), at(0)));
    cases.push_back(with_index(op, x, make_index({2, 3, 4}, 5), at(-2)));
    cases.push_back(with_index(op, x, make_index({4, 5, 6}, 7, true), at(0)));
    cases.push_back(
        with_index(op, make_tensor(dtype, {}, lies, Values::kSmall), make_index({}, 1), at(0)));
  } else {
    auto dims = [](std::initializer_list<int64_t> list) {
      return Attrs().add_list(IntArrayRef(list));
    };
    cases.push_back(with_index(op, x, make_index({3, 2}, 4, true), dims({0})));
    cases.push_back(with_index(op, x, make_index({3}, 6), dims({2})));
    cases.push_back(CaseBuilder(op)
                        .add(x)
                        .add(make_index({3}, 4))
                        .add(make_index({2, 1}, 5, true))
                        .attrs(dims({0, 1})));
    cases.push_back(
        CaseBuilder(op).add(x).add(make_index({3}, 4)).add(make_index({3}, 6)).attrs(dims({0, 2})));
    cases.push_back(with_index(op, x, make_index({9}, 6), dims({0})));
  }
}

void add_nonzero_cases(Op op, Dtype dtype, Lies lies, Cases& cases) {
  cases.push_back(CaseBuilder(op).add(make_tensor(dtype, {4, 5, 6}, lies, Values::kSpecial)));
  cases.push_back(CaseBuilder(op).add(make_tensor(dtype, {}, lies, Values::kSpecial)));
  cases.push_back(CaseBuilder(op).add(make_tensor(dtype, {0, 2}, lies, Values::kSpecial)));
}

// Pairs whose second operand is part of the first one's memory.
void add_overlaps(Op op, Cases& cases) {
  const auto view = [](const Tensor& t, std::initializer_list<int64_t> sizes,
                       std::initializer_list<int64_t> strides, int64_t offset) {
    return new_view(intern_layout(t.dtype(), kCPU, IntArrayRef(sizes), IntArrayRef(strides)),
                    t.impl()->storage, offset);
  };
  const Tensor x = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(x).add(x));
  const Tensor y = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(view(y, {63}, {1}, 1)).add(view(y, {63}, {1}, 0)));
  const Tensor z = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(view(z, {8, 8}, {8, 1}, 0)).add(view(z, {8, 8}, {1, 8}, 0)));
  const Tensor w = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(view(w, {32}, {1}, 0)).add(view(w, {32}, {1}, 32)));
  // Not dense, so that an overlap is no error: gaps between elements, and elements that are one.
  const Tensor v = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(view(v, {20}, {2}, 4)).add(view(v, {20}, {2}, 0)));
  const Tensor u = make_tensor(kFloat32, {64}, Lies::kContiguous, Values::kDistinct);
  cases.push_back(CaseBuilder(op).add(view(u, {4, 9}, {2, 1}, 1)).add(view(u, {4, 9}, {9, 1}, 20)));
}

}  // namespace

Cases move_cases(Op op) {
  Cases cases;
  for (Dtype dtype : kSizes)
    for (Lies lies : kAllLies)
      for (const Attrs& attrs : move_attrs(op))
        cases.push_back(CaseBuilder(op)
                            .add(make_tensor(dtype, {4, 1, 6}, lies, Values::kDistinct))
                            .attrs(attrs));
  return cases;
}

namespace {

void add_flips(Op op, Cases& cases) {
  for (Dtype dtype : kSizes)
    for (Lies lies : kAllLies)
      for (const Dims& dims : {Dims({0}), Dims({-1}), Dims({0, 2}), Dims({1, 3, 0, 2}), Dims(),
                               Dims({0, -4}), Dims({4})})
        cases.push_back(CaseBuilder(op)
                            .add(make_tensor(dtype, {2, 33, 4, 5}, lies, Values::kDistinct))
                            .attrs(Attrs().add_list(dims)));
  for (const Dims& shape : {Dims(), Dims({0, 3}), Dims({70000})})
    cases.push_back(CaseBuilder(op)
                        .add(make_tensor(kFloat32, shape, Lies::kContiguous, Values::kDistinct))
                        .attrs(Attrs().add_list({0})));
}

}  // namespace

Cases copy_cases(Op op) {
  Cases cases;
  if (op == Op::flip) {
    add_flips(op, cases);
    return cases;
  }
  const Dims sizes[] = {
      Dims({100}),  Dims({33, 70}), Dims({3, 1, 45}), Dims({2, 3, 4, 5}), Dims({64, 9, 40}),
      Dims({0, 3}), Dims()};
  for (const Dims& shape : sizes)
    for (Dtype dtype : kSizes)
      for (Lies lies : kAllLies)
        cases.push_back(CaseBuilder(op).add(make_tensor(dtype, shape, lies, Values::kDistinct)));
  return cases;
}

Cases cat_cases(Op op) {
  Cases cases;
  for (Lies lies : kAllLies) {
    for (int64_t dim : {0, 1, -1}) {
      const Attrs attrs = Attrs().add(dim);
      const Tensor a = make_tensor(kFloat32, {4, 5}, lies, Values::kSpecial);
      const Tensor b = make_tensor(kFloat32, {4, 5}, Lies::kContiguous, Values::kSpecial, 1);
      const Tensor c = make_tensor(kInt32, {4, 5}, Lies::kTransposed, Values::kSpecial, 1);
      cases.push_back(CaseBuilder(op).add(a).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(a).add(b).add(a).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(a).add(c).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(empty({0})).add(a).add(empty({0})).attrs(attrs));
      cases.push_back(CaseBuilder(op).add(a).add(empty({3})).attrs(attrs));
      cases.push_back(CaseBuilder(op)
                          .add(make_tensor(kBool, {2, 3, 4, 5}, lies, Values::kSpecial))
                          .add(make_tensor(kFloat16, {2, 3, 4, 5}, lies, Values::kSpecial))
                          .attrs(attrs));
    }
  }
  return cases;
}

Cases pad_cases(Op op) {
  Cases cases;
  const std::initializer_list<int64_t> pads[] = {{1, 2},   {0, 0},         {2, 0, 1, 3},
                                                 {-1, -2}, {-1, 2, 3, -1}, {-9, 0}};
  for (Dtype dtype : kSizes)
    for (Lies lies : kAllLies)
      for (const auto& list : pads)
        for (const Scalar& value : {Scalar(0), Scalar(1.5)})
          cases.push_back(CaseBuilder(op)
                              .add(make_tensor(dtype, {2, 3, 4, 5}, lies, Values::kDistinct))
                              .add(value)
                              .attrs(Attrs().add_list(IntArrayRef(list))));
  return cases;
}

Cases index_cases(Op op) {
  Cases cases;
  for (Dtype dtype : kSizes) {
    for (Lies lies : kAllLies) {
      if (op == Op::nonzero) {
        add_nonzero_cases(op, dtype, lies, cases);
      } else {
        add_index_cases(op, dtype, lies, cases);
      }
    }
  }
  return cases;
}

Cases create_cases(Op op) {
  Cases cases;
  for (int d = 0; d < kNumDtypes; ++d) {
    const Dtype dtype = static_cast<Dtype>(d);
    for (const Scalar& value : {Scalar(3), Scalar(-0.75), Scalar(true), Scalar(1e300)}) {
      if (op == Op::full) {
        cases.push_back(CaseBuilder(op).add(value).attrs(Attrs().add(dtype).add_list({3, 4})));
        cases.push_back(CaseBuilder(op).add(value).attrs(Attrs().add(dtype).add_list({})));
      } else {
        cases.push_back(
            CaseBuilder(op).add(value).add(2).attrs(Attrs().add(dtype).add(int64_t{100})));
        cases.push_back(
            CaseBuilder(op).add(-1).add(value).attrs(Attrs().add(dtype).add(int64_t{33})));
        cases.push_back(
            CaseBuilder(op).add(0.1).add(0.3).attrs(Attrs().add(dtype).add(int64_t{0})));
      }
    }
  }
  return cases;
}

Cases store_cases(Op op) {
  Cases cases;
  auto small = [](Dtype dtype, IntArrayRef sizes, Lies lies, int which) {
    return make_tensor(dtype, sizes, lies, Values::kDistinct, which);
  };
  for (Dtype dtype : kSizes) {
    for (Lies to : kAllLies) {
      for (Lies from : {Lies::kContiguous, Lies::kTransposed, Lies::kStrided})
        cases.push_back(
            CaseBuilder(op).add(small(dtype, {9, 33}, to, 0)).add(small(dtype, {9, 33}, from, 1)));
      cases.push_back(CaseBuilder(op)
                          .add(small(dtype, {9, 33}, to, 0))
                          .add(small(kInt64, {33}, Lies::kContiguous, 1)));
      cases.push_back(CaseBuilder(op)
                          .add(small(dtype, {9, 33}, to, 0))
                          .add(small(kFloat32, {1, 9, 1}, Lies::kContiguous, 1)));
      cases.push_back(CaseBuilder(op).add(small(dtype, {9, 33}, to, 0)).add(2.5));
      cases.push_back(CaseBuilder(op)
                          .add(small(dtype, {9, 33}, to, 0))
                          .add(small(dtype, {4}, Lies::kContiguous, 1)));
    }
  }
  add_overlaps(op, cases);
  return cases;
}

}  // namespace frit::sweep

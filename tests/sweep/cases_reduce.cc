// Reductions, and ops that order elements: lengths around lanes and blocks, every choice of dims.
#include "src/tensor/convert.h"
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

struct Shape {
  Dims sizes;
  std::vector<int64_t> dims;  // reduced; empty for all
};

// Lengths around the 32 lanes and the 4,096 elements of a block, as rows and as columns.
std::vector<Shape> shapes() {
  std::vector<Shape> list;
  for (int64_t n : {1, 2, 5, 31, 32, 33, 63, 64, 100, 1000}) {
    list.push_back({Dims({3, n}), {1}});
    list.push_back({Dims({n, 5}), {0}});
  }
  for (int64_t n : {4095, 4096, 4097, 9000}) {
    list.push_back({Dims({2, n}), {-1}});
    list.push_back({Dims({n, 3}), {0}});
    list.push_back({Dims({n}), {}});
  }
  for (std::vector<int64_t> dims :
       {std::vector<int64_t>{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {-3, -1, -2}, {}})
    list.push_back({Dims({4, 5, 70}), dims});
  list.push_back({Dims({2, 3, 4, 5}), {0, 2, 3}});
  list.push_back({Dims({40, 150}), {0}});
  list.push_back({Dims({0, 3}), {0}});
  list.push_back({Dims({3, 0}), {0}});
  list.push_back({Dims({0}), {}});
  list.push_back({Dims(), {}});
  list.push_back({Dims(), {0}});
  return list;
}

void add_layouts(Op op, const Shape& shape, const Attrs& attrs, Dtype dtype, Cases& cases) {
  const int64_t numel = intern_contiguous(dtype, kCPU, shape.sizes)->numel;
  for (Lies lies : kAllLies) {
    // Long ones once: the layouts differ in how rows are found, not in how they are folded.
    if (numel > 5000 && lies != Lies::kContiguous && lies != Lies::kTransposed) continue;
    for (Values values : {Values::kSpecial, Values::kSmall})
      cases.push_back(
          CaseBuilder(op).add(make_tensor(dtype, shape.sizes, lies, values)).attrs(attrs));
  }
}

// Zeros of both signs and nothing else: the order decides the sign of a sum, a largest, a smallest.
Tensor signed_zeros(IntArrayRef sizes) {
  Tensor t = make_tensor(kFloat32, sizes, Lies::kContiguous, Values::kSmall);
  float* values = reinterpret_cast<float*>(t.impl()->data);
  for (int64_t i = 0; i < t.numel(); ++i) values[i] = values[i] < 1.9f ? -0.0f : 0.0f;
  return t;
}

}  // namespace

Cases reduce_cases(Op op) {
  Cases cases;
  for (const Shape& shape : shapes())
    for (int d = 0; d < kNumDtypes; ++d)
      add_layouts(op, shape, Attrs().add_list(shape.dims).add(d % 2), static_cast<Dtype>(d), cases);
  for (int64_t n : {1, 7, 40, 5000})
    for (int64_t dim : {0, 1})
      cases.push_back(CaseBuilder(op)
                          .add(signed_zeros({n, n > 100 ? 2 : 9}))
                          .attrs(Attrs().add_list({dim}).add(int64_t{0})));
  return cases;
}

Cases arg_reduce_cases(Op op) {
  Cases cases;
  for (const Shape& shape : shapes()) {
    if (shape.dims.size() > 1) continue;
    for (int d = 0; d < kNumDtypes; ++d)
      add_layouts(op, shape, Attrs().add_list(shape.dims).add(d % 2), static_cast<Dtype>(d), cases);
  }
  return cases;
}

Cases scan_cases(Op op) {
  Cases cases;
  const Dims sizes[] = {Dims({100}),    Dims({5, 33}), Dims({70, 3}), Dims({3, 4, 5}),
                        Dims({2, 130}), Dims({3, 0}),  Dims()};
  for (const Dims& shape : sizes)
    for (int64_t dim = -1; dim < std::max(shape.rank, 1); ++dim)
      for (int d = 0; d < kNumDtypes; ++d)
        for (Lies lies : kAllLies)
          for (Values values : {Values::kSpecial, Values::kSmall})
            cases.push_back(CaseBuilder(op)
                                .add(make_tensor(static_cast<Dtype>(d), shape, lies, values))
                                .attrs(Attrs().add(dim)));
  cases.push_back(CaseBuilder(op).add(signed_zeros({4, 40})).attrs(Attrs().add(1)));
  cases.push_back(CaseBuilder(op).add(signed_zeros({4, 40})).attrs(Attrs().add(2)));  // no such dim
  return cases;
}

namespace {

// Rising numbers in each row.
Tensor sorted_rows(Dtype dtype, IntArrayRef sizes) {
  Tensor t = make_tensor(dtype, sizes, Lies::kContiguous, Values::kSmall);
  const int64_t n = sizes[sizes.size() - 1];
  for (int64_t i = 0; i < t.numel(); ++i)
    store_element(dtype, t.impl()->data + i * t.element_size(), Scalar(i % n / 2));
  return t;
}

void add_searches(Op op, Cases& cases) {
  for (int d = 0; d < kNumDtypes; ++d)
    for (Lies lies : {Lies::kContiguous, Lies::kTransposed, Lies::kStrided})
      for (bool right : {false, true}) {
        const Dtype dtype = static_cast<Dtype>(d);
        const auto add = [&](IntArrayRef rows, IntArrayRef values) {
          cases.push_back(CaseBuilder(op)
                              .add(sorted_rows(dtype, rows))
                              .add(make_tensor(dtype, values, lies, Values::kSpecial))
                              .attrs(Attrs().add(right)));
        };
        add({9}, {4, 33});
        add({1}, {5});
        add({4, 9}, {4, 33});
        add({2, 3, 8}, {2, 3, 2});
        add({9}, {});
        add({9}, {0, 3});
        add({3, 9}, {4, 33});  // other rows
      }
  cases.push_back(CaseBuilder(op)
                      .add(sorted_rows(kFloat32, {9}))
                      .add(sorted_rows(kFloat64, {9}))
                      .attrs(Attrs().add(false)));
}

}  // namespace

Cases sort_cases(Op op) {
  Cases cases;
  if (op == Op::searchsorted) {
    add_searches(op, cases);
    return cases;
  }
  const Dims sizes[] = {Dims({100}), Dims({5, 33}), Dims({3, 4, 5}), Dims({3, 0}), Dims()};
  for (const Dims& shape : sizes) {
    for (int64_t dim = -1; dim < std::max(shape.rank, 1); ++dim) {
      for (int d = 0; d < kNumDtypes; ++d) {
        for (int64_t flag : {0, 1}) {
          const Attrs attrs = op == Op::topk
                                  ? Attrs().add(dim).add(shape.rank > 1 ? 3 : 1).add(flag)
                                  : Attrs().add(flag).add(dim);
          for (Lies lies : {Lies::kContiguous, Lies::kTransposed, Lies::kStrided})
            cases.push_back(CaseBuilder(op)
                                .add(make_tensor(static_cast<Dtype>(d), shape, lies,
                                                 flag ? Values::kSpecial : Values::kSmall))
                                .attrs(attrs));
        }
      }
    }
  }
  return cases;
}

}  // namespace frit::sweep

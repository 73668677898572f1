// Ops that write to where indices say: equal indices, indices out of range, every layout and dtype.
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

Tensor element_values(Dtype dtype, IntArrayRef sizes, Lies lies, int which) {
  return make_tensor(dtype, sizes, lies, which == 0 ? Values::kSpecial : Values::kSmall, which);
}

// The attributes of a scatter along `dim`, one set for each way to reduce.
std::vector<Attrs> scatter_attrs(Op op, int64_t dim) {
  if (op != Op::scatter_reduce) return {Attrs().add(dim)};
  std::vector<Attrs> list;
  for (int64_t reduce : {1, 2, 3, 4, 5})
    for (bool include_self : {false, true})
      list.push_back(Attrs().add(dim).add(include_self).add(reduce));
  return list;
}

void add_scatters(Op op, Dtype dtype, Lies lies, Cases& cases) {
  const auto add = [&](IntArrayRef x, int64_t dim, const Tensor& index, IntArrayRef source) {
    for (const Attrs& attrs : scatter_attrs(op, dim))
      cases.push_back(CaseBuilder(op)
                          .add(element_values(dtype, x, lies, 0))
                          .add(index)
                          .add(element_values(dtype, source, lies, 1))
                          .attrs(attrs));
  };
  add({4, 5, 6}, 1, make_index({4, 9, 6}, 5), {4, 9, 6});
  add({4, 5, 6}, -1, make_index({2, 3, 70}, 6), {3, 5, 80});
  add({7}, 0, make_index({100}, 7), {100});
  add({}, 0, make_index({}, 1), {});
  add({4, 5}, 0, make_index({0, 3}, 4), {4, 5});
  add({4, 5}, 0, make_index({3, 4}, 5, true), {3, 4});  // negative
  add({4, 5}, 1, make_index({3, 90}, 6), {3, 90});      // too large
  add({4, 5}, 1, make_index({3, 4}, 5), {2, 4});        // not enough of the source
  for (const Attrs& attrs : scatter_attrs(op, 0))
    cases.push_back(CaseBuilder(op)
                        .add(element_values(dtype, {4, 5}, lies, 0))
                        .add(make_index({3, 5}, 4))
                        .add(2)
                        .attrs(attrs));
}

void add_puts(Op op, Dtype dtype, Lies lies, Cases& cases) {
  const auto add = [&](IntArrayRef x, std::initializer_list<int64_t> dims, IntArrayRef values,
                       const std::vector<Tensor>& indices) {
    for (bool accumulate : {false, true}) {
      CaseBuilder builder(op);
      builder.add(element_values(dtype, x, lies, 0)).add(element_values(dtype, values, lies, 1));
      for (const Tensor& index : indices) builder.add(index);
      cases.push_back(builder.attrs(Attrs().add(accumulate).add_list(IntArrayRef(dims))));
    }
  };
  add({4, 5, 6}, {0}, {3, 2, 5, 6}, {make_index({3, 2}, 4, true)});
  add({4, 5, 6}, {2}, {9}, {make_index({9}, 6)});
  add({4, 5, 6}, {1, 2}, {4, 2, 7}, {make_index({2, 1}, 5), make_index({7}, 6)});
  add({4, 5, 6}, {0, 2}, {40, 5}, {make_index({40}, 4), make_index({40}, 6, true)});
  add({4, 5, 6}, {0, 2}, {}, {make_index({40}, 4), make_index({40}, 6)});
  add({4, 5}, {0, 1}, {0}, {make_index({0}, 4), make_index({0}, 5)});
  add({4, 5}, {0}, {90, 5}, {make_index({90}, 5)});  // too large
  add({4, 5}, {0}, {3, 4}, {make_index({3}, 4)});    // values do not broadcast
}

void add_rows(Op op, Dtype dtype, Lies lies, Cases& cases) {
  const auto add = [&](IntArrayRef x, int64_t dim, const Tensor& index, IntArrayRef source) {
    for (const Scalar& alpha : {Scalar(1), Scalar(-2)}) {
      CaseBuilder builder(op);
      builder.add(element_values(dtype, x, lies, 0)).add(index);
      if (op == Op::index_fill)
        builder.add(alpha);
      else
        builder.add(element_values(dtype, source, lies, 1));
      if (op == Op::index_add) builder.add(alpha);
      cases.push_back(builder.attrs(Attrs().add(dim)));
    }
  };
  add({4, 5, 6}, 1, make_index({9}, 5), {4, 9, 6});
  add({4, 5, 6}, 0, make_index({7}, 4), {7, 5, 6});
  add({4, 70}, -1, make_index({130}, 70), {4, 130});
  add({7}, 0, make_index({}, 7), {});
  add({}, 0, make_index({3}, 1), {3});
  add({4, 5}, 0, make_index({0}, 4), {0, 5});
  add({4, 5}, 0, make_index({3}, 4, true), {3, 5});  // negative
  add({4, 5}, 0, make_index({30}, 5), {30, 5});      // too large
  add({4, 5}, 0, make_index({3}, 4), {3, 4});        // other rows
}

}  // namespace

Cases scatter_cases(Op op) {
  Cases cases;
  for (int d = 0; d < kNumDtypes; ++d)
    for (Lies lies : {Lies::kContiguous, Lies::kTransposed, Lies::kStrided}) {
      const Dtype dtype = static_cast<Dtype>(d);
      if (op == Op::index_put)
        add_puts(op, dtype, lies, cases);
      else if (op == Op::index_add || op == Op::index_copy || op == Op::index_fill)
        add_rows(op, dtype, lies, cases);
      else
        add_scatters(op, dtype, lies, cases);
    }
  return cases;
}

}  // namespace frit::sweep

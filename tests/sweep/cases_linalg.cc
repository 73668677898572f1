// Linear algebra: sizes up to where blocks begin, batches, layouts, matrices that fail.
#include "src/tensor/convert.h"
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

std::vector<Attrs> linalg_attrs(Op op) {
  std::vector<Attrs> list;
  switch (op) {
    case Op::inv:
    case Op::cholesky:
      return {Attrs().add(int64_t{0}), Attrs().add(int64_t{1})};
    case Op::qr:
      return {Attrs().add(int64_t{0}), Attrs().add(int64_t{1}), Attrs().add(int64_t{2})};
    case Op::svd:
    case Op::eigh:
      for (int64_t i : {0, 1, 2, 3}) list.push_back(Attrs().add(i % 2).add(i / 2));
      return list;
    case Op::solve_triangular:
      for (int64_t i = 0; i < 8; ++i) list.push_back(Attrs().add(i % 2).add(i / 2 % 2).add(i / 4));
      return list;
    default:
      return {Attrs()};
  }
}

void add_case(Op op, const Tensor& a, IntArrayRef right, Cases& cases) {
  for (const Attrs& attrs : linalg_attrs(op)) {
    CaseBuilder builder(op);
    builder.add(a);
    if (info(op).operands == 2)
      builder.add(make_tensor(a.dtype(), right, Lies::kTransposed, Values::kSmall, 1));
    cases.push_back(builder.attrs(attrs));
  }
}

}  // namespace

Cases linalg_cases(Op op) {
  Cases cases;
  for (Dtype dtype : {kFloat32, kFloat64}) {
    for (int64_t n : {1, 2, 3, 5, 19, 40})
      add_case(op, make_tensor(dtype, {n, n}, Lies::kContiguous, Values::kSmall), {n, n}, cases);
    for (Lies lies : kAllLies)
      add_case(op, make_tensor(dtype, {3, 2, 4, 4}, lies, Values::kSmall), {3, 2, 4, 4}, cases);
    add_case(op, make_tensor(dtype, {2, 7, 4}, Lies::kStrided, Values::kSmall), {2, 7, 4}, cases);
    add_case(op, make_tensor(dtype, {2, 4, 7}, Lies::kSliced, Values::kSmall), {2, 4, 1}, cases);
    add_case(op, make_tensor(dtype, {5, 5}, Lies::kContiguous, Values::kSmall), {5, 2}, cases);
    add_case(op, make_tensor(dtype, {5, 5}, Lies::kContiguous, Values::kDistinct), {3, 5}, cases);
    add_case(op, make_tensor(dtype, {4, 4}, Lies::kBroadcast, Values::kSmall), {4, 4}, cases);
    add_case(op, make_tensor(dtype, {6, 6}, Lies::kContiguous, Values::kSpecial), {6, 6}, cases);
    for (const Dims& sizes :
         {Dims({0, 3, 3}), Dims({2, 0, 0}), Dims({3, 0}), Dims({0, 3}), Dims({3})})
      add_case(op, make_tensor(dtype, sizes, Lies::kContiguous, Values::kSmall), sizes, cases);
    // Diagonal and positive, for what asks for that.
    Tensor positive = make_tensor(dtype, {4, 4}, Lies::kContiguous, Values::kSmall);
    for (int64_t i = 0; i < 4; ++i)
      store_element(dtype, positive.impl()->data + i * 5 * byte_size(dtype),
                    Scalar(20.0 + static_cast<double>(i)));
    add_case(op, positive, {4, 4}, cases);
  }
  for (Dtype dtype : {kInt64, kFloat16})
    add_case(op, make_tensor(dtype, {3, 3}, Lies::kContiguous, Values::kSmall), {3, 3}, cases);
  return cases;
}

}  // namespace frit::sweep

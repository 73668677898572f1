// The rules as op calls see them and as graphs see them are one rule.
#include "src/ops/infer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace frit {
namespace {

// Every order of memory of `sizes`, dense, and each with another stride in place of one that says
// nothing.
std::vector<Dims> memory_orders(const Dims& sizes) {
  std::vector<Dims> list;
  std::vector<int> order;
  for (int d = 0; d < sizes.rank; ++d) order.push_back(d);
  do {
    Dims strides = sizes;
    int64_t stride = 1;
    for (int d : order) {
      strides[d] = stride;
      stride *= std::max<int64_t>(sizes[d], 1);
    }
    list.push_back(strides);
    for (int d = 0; d < sizes.rank; ++d) {
      if (sizes[d] > 1) continue;
      list.push_back(strides);
      list.back()[d] = 7;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return list;
}

// All lists of `rank` sizes from 0 to 3.
std::vector<Dims> all_sizes(int rank) {
  std::vector<Dims> list;
  for (int code = 0; code < 1 << 2 * rank; ++code) {
    Dims sizes;
    for (int d = 0; d < rank; ++d) sizes.push_back(code >> 2 * d & 3);
    list.push_back(sizes);
  }
  return list;
}

void expect_one_rule(Op op, std::span<const Operand> operands) {
  std::vector<OperandType> types;
  for (const Operand& o : operands) types.push_back({o.layout(), o.scalar});
  const Attrs none;
  const Layout* of_call = infer({op, operands, none}).results[0].layout;
  const Layout* of_types = infer(op, types, none).results[0].layout;
  EXPECT_EQ(of_call, of_types) << describe(OpCall{op, operands, none}) << ": "
                               << to_string(*of_call) << " and " << to_string(*of_types);
}

TEST(Infer, GivesACallTheStridesThatItGivesANode) {
  for (int rank = 0; rank <= 4; ++rank) {
    for (const Dims& sizes : all_sizes(rank)) {
      for (const Dims& strides : memory_orders(sizes)) {
        Storage* storage = new_storage(4096, kCPU);
        const Tensor x = new_view(intern_layout(kFloat32, kCPU, sizes, strides), storage, 0);
        release(storage);
        const Operand alone[] = {x}, twice[] = {x, x}, number[] = {x, Scalar(2.0)},
                      before[] = {Scalar(2.0), x};
        expect_one_rule(Op::exp, alone);
        expect_one_rule(Op::isnan, alone);
        expect_one_rule(Op::add, twice);
        expect_one_rule(Op::mul, number);
        expect_one_rule(Op::sub, before);
      }
    }
  }
}

}  // namespace
}  // namespace frit

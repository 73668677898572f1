// Distances of rows without a tensor of all differences: some pairs of rows at a time.
#include "src/ops/distance.h"

#include <algorithm>

#include "src/eager/composite_builder.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

constexpr int64_t kDifferences = 1 << 18;  // elements, at most unless single rows have more

// What lies before the last two dimensions.
int64_t batches(const Layout& layout) {
  int64_t count = 1;
  for (int d = 0; d < layout.rank - 2; ++d) count *= layout.size(d);
  return count;
}

struct Range {
  int64_t begin, end;
};

// Computes out[..., rows, columns], of rows of x and of y.
void fill_part(const OpCall& call, const Tensor& out, Range rows, Range columns) {
  EagerBuilder b;
  const auto input = [&](int i) { return b.input(Tensor::share(call.operands[i].tensor)); };
  const Arg args[] = {b.slice(input(0), -2, rows.begin, rows.end),
                      b.slice(input(1), -2, columns.begin, columns.end), call.operands[2].scalar};
  const Value distances = expand_composite(b, call.op, args, call.attrs);
  const Value of_rows = b.slice(b.input(out), -2, rows.begin, rows.end);
  b.op(Op::store, {b.slice(of_rows, -1, columns.begin, columns.end), distances});
}

}  // namespace

void run_cdist(const OpCall& call, Tensor* results) {
  const Layout &x = *call.operands[0].layout(), &y = *call.operands[1].layout();
  // The composite names what is wrong.
  if (x.rank < 2 || y.rank < 2 || call.operands[2].is_tensor()) return run_composite(call, results);
  const int64_t per_pair = std::max(batches(x), batches(y)) * x.size(x.rank - 1);
  const int64_t rows = x.size(x.rank - 2), columns = y.size(y.rank - 2);
  const bool is_small = per_pair * rows * columns <= kDifferences;
  if (is_small || cdist_is_product(x, y, call.operands[2].scalar.to_double()))
    return run_composite(call, results);
  const Tensor out = new_tensor(infer(call).results[0].layout);
  const int64_t pairs = std::max<int64_t>(1, kDifferences / per_pair);
  const int64_t down = std::clamp<int64_t>(pairs / columns, 1, rows);
  const int64_t right = std::clamp<int64_t>(pairs / down, 1, columns);
  for (int64_t i = 0; i < rows; i += down)
    for (int64_t j = 0; j < columns; j += right)
      fill_part(call, out, {i, std::min(i + down, rows)}, {j, std::min(j + right, columns)});
  results[0] = out;
}

}  // namespace frit::eager

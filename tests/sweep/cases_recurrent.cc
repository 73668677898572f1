// Recurrent layers: every mode, both directions, one step and several, batches, layouts.
#include "src/ops/recurrent.h"

#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

struct Sizes {
  int64_t steps, batch, inputs, hidden;
};

SweepCase recurrent_case(Op op, const Attrs& attrs, Dtype dtype, const Sizes& s, Lies lies,
                         Values values) {
  const RecurrentCall layer(attrs);
  const int64_t rows = gates_of(layer.mode) * s.hidden;
  int which = 0;
  CaseBuilder builder(op);
  const auto add = [&](IntArrayRef sizes) {
    builder.add(make_tensor(dtype, sizes, lies, which == 0 ? values : Values::kSmall, which));
    ++which;
  };
  add({s.steps, s.batch, s.inputs});
  add({rows, s.inputs});
  add({rows, s.hidden});
  add({s.batch, s.hidden});
  if (layer.mode == Recurrence::kLstm) add({s.batch, s.hidden});
  if (layer.bias) add({rows}), add({rows});
  return builder.attrs(attrs);
}

}  // namespace

Cases recurrent_cases(Op op) {
  Cases cases;
  for (int64_t mode : {0, 1, 2, 3})
    for (bool bias : {false, true})
      for (bool reverse : {false, true}) {
        const Attrs attrs = Attrs().add(int64_t{bias}).add(mode).add(int64_t{reverse});
        const auto add = [&](Dtype dtype, const Sizes& sizes, Lies lies, Values values) {
          cases.push_back(recurrent_case(op, attrs, dtype, sizes, lies, values));
        };
        for (Dtype dtype : {kFloat32, kFloat64, kBFloat16, kFloat16, kInt64}) {
          add(dtype, {1, 1, 1, 1}, Lies::kContiguous, Values::kSmall);
          add(dtype, {3, 2, 5, 7}, Lies::kContiguous, Values::kSpecial);
          add(dtype, {2, 3, 4, 33}, Lies::kStrided, Values::kSmall);
        }
        for (Lies lies : kAllLies) add(kFloat32, {5, 4, 3, 9}, lies, Values::kSmall);
        add(kFloat32, {6, 1, 17, 40}, Lies::kContiguous, Values::kSmall);
        add(kFloat32, {0, 2, 3, 4}, Lies::kContiguous, Values::kSmall);  // no steps
        add(kFloat32, {2, 0, 3, 4}, Lies::kContiguous, Values::kSmall);
        add(kFloat32, {2, 2, 0, 4}, Lies::kContiguous, Values::kSmall);
        add(kFloat32, {2, 2, 3, 0}, Lies::kContiguous, Values::kSmall);
      }
  // A state of another batch.
  SweepCase other = recurrent_case(op, Attrs().add(int64_t{0}).add(int64_t{0}).add(int64_t{0}),
                                   kFloat32, {2, 3, 4, 5}, Lies::kContiguous, Values::kSmall);
  other.tensors[3] = make_tensor(kFloat32, {2, 5}, Lies::kContiguous, Values::kSmall);
  cases.push_back(other);
  return cases;
}

}  // namespace frit::sweep

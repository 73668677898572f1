// Sweep cases: for each op of the table, calls over dtypes, layouts, sizes and special values.
//
//   for (const SweepCase& c : sweep_cases(Op::relu)) ... run c.call() in two ways, compare ...
//
// Deterministic: the same call of sweep_cases gives tensors with the same bits in new memory, so an
// op that writes to its operand can be run once on each of two lists. Some cases are errors (a
// dtype that the op refuses): every way must then throw the same kind of error.
#pragma once

#include <string>
#include <vector>

#include "src/ops/call.h"

namespace frit::sweep {

struct SweepCase {
  Op op;
  std::vector<Tensor> tensors;  // undefined where the operand is a scalar
  std::vector<Scalar> scalars;  // of those
  Attrs attrs;

  std::vector<Operand> operands() const;
  // add(f32[24,25], 2), with layouts: for failure messages.
  std::string str() const;
};

using Cases = std::vector<SweepCase>;

Cases all_cases(Op op);
// Those that tests run which make plans of each: a sample where tests/sample.h says so.
Cases sweep_cases(Op op);

// How a tensor lies in memory.
enum class Lies : uint8_t {
  kContiguous,
  kTransposed,   // column-major
  kStrided,      // every second element of the last dim, gaps between
  kSliced,       // a slice of a larger tensor, with an offset
  kBroadcast,    // the first dim has stride 0
  kChannelsLast  // of four dims; contiguous else
};
inline constexpr Lies kAllLies[] = {Lies::kContiguous, Lies::kTransposed, Lies::kStrided,
                                    Lies::kSliced,     Lies::kBroadcast,  Lies::kChannelsLast};

enum class Values : uint8_t {
  kSpecial,  // zeros, infinities, NaN, limits, and random bits; pairs of operands meet in all
             // combinations
  kSmall,    // between -2 and 2; integers -4 to 4
  kDistinct  // small, but no two alike where the dtype has enough values
};

// `which` is the number of the operand.
Tensor make_tensor(Dtype dtype, IntArrayRef sizes, Lies lies, Values values, int which = 0);
// i64 indices below `bound`, negative ones too if wanted.
Tensor make_index(IntArrayRef sizes, int64_t bound, bool negatives = false);

// Builds a case operand by operand.
class CaseBuilder {
 public:
  explicit CaseBuilder(Op op) { case_.op = op; }
  CaseBuilder& add(Tensor t) {
    case_.tensors.push_back(std::move(t));
    case_.scalars.emplace_back();
    return *this;
  }
  CaseBuilder& add(const Scalar& s) {
    case_.tensors.emplace_back();
    case_.scalars.push_back(s);
    return *this;
  }
  CaseBuilder& attrs(const Attrs& a) {
    case_.attrs = a;
    return *this;
  }
  operator SweepCase() const { return case_; }  // NOLINT

 private:
  SweepCase case_;
};

// One generator a family, in cases_*.cc.
Cases unary_cases(Op op);
Cases binary_cases(Op op);
Cases ternary_cases(Op op);
Cases cast_cases(Op op);
Cases reduce_cases(Op op);
Cases arg_reduce_cases(Op op);
Cases scan_cases(Op op);
Cases move_cases(Op op);
Cases copy_cases(Op op);
Cases cat_cases(Op op);
Cases pad_cases(Op op);
Cases index_cases(Op op);
Cases scatter_cases(Op op);
Cases sort_cases(Op op);
Cases contract_cases(Op op);
Cases pool_cases(Op op);
Cases resample_cases(Op op);
Cases fft_cases(Op op);
Cases linalg_cases(Op op);
Cases recurrent_cases(Op op);
Cases create_cases(Op op);
Cases store_cases(Op op);
Cases composite_cases(Op op);

}  // namespace frit::sweep

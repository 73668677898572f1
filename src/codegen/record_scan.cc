// By the ops that the steps are made of.
#include "src/codegen/record_scan.h"

#include <initializer_list>
#include <vector>

#include "src/base/check.h"
#include "src/ops/math/record.h"

namespace frit::codegen {
namespace {

class ScanRecorder {
 public:
  explicit ScanRecorder(math::Program* program) : program_(*program) {}

  // takes_over(best, x) ? x : best
  int32_t extreme(Op compares, int32_t best, int32_t x) {
    int32_t over = op(compares, {x, best});
    if (math::is_float(program_[x].type)) over = op(Op::logical_or, {op(Op::ne, {x, x}), over});
    return op(Op::where, {over, x, best});
  }

  int32_t op(Op op, std::initializer_list<int32_t> operands) {
    const std::optional<int32_t> result =
        math::record(program_, op, std::vector<int32_t>(operands));
    FRIT_CHECK(result) << name(op) << " has no sequence for a scan";
    return *result;
  }

 private:
  math::Program& program_;
};

}  // namespace

std::optional<int32_t> record_scan(math::Program* program, Op op, int32_t so_far, int32_t x) {
  ScanRecorder recorder(program);
  const bool real = math::is_float((*program)[x].type);
  if (op == Op::cumsum) return recorder.op(Op::add, {so_far, x});
  if (op == Op::cumprod) return recorder.op(Op::mul, {so_far, x});
  if (op == Op::cummax) return recorder.extreme(Op::ge, so_far, x);
  if (op == Op::cummin) return recorder.extreme(Op::le, so_far, x);
  if (op == Op::logcumsumexp && real) return recorder.op(Op::logaddexp, {so_far, x});
  return std::nullopt;
}

}  // namespace frit::codegen

// Questions about statements and those inside them.
#include "src/schedule/kernel_walk.h"

#include <algorithm>

namespace frit {

bool is_loop(const KernelStmt& stmt) {
  return stmt.kind == KernelStmt::Kind::kLoop || stmt.kind == KernelStmt::Kind::kReduce;
}

bool is_innermost(const KernelStmt& loop) {
  return std::none_of(loop.body.begin(), loop.body.end(), is_loop);
}

void count_uses(const std::vector<KernelStmt>& body, std::vector<int>* counts) {
  for (const KernelStmt& stmt : body) {
    for (int operand : stmt.operands) {
      if (operand < 0) continue;
      if (operand >= static_cast<int>(counts->size()))
        counts->resize(static_cast<size_t>(operand) + 1);
      ++(*counts)[operand];
    }
    count_uses(stmt.body, counts);
  }
}

}  // namespace frit

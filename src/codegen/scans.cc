// By what stands in the loop and how its memory lies.
#include "src/codegen/scans.h"

#include <algorithm>

#include "src/ops/op.h"
#include "src/schedule/kernel_walk.h"

namespace frit::codegen {
namespace {

bool is_scan(const KernelStmt& stmt) { return stmt.kind == KernelStmt::Kind::kScan; }

// A step of many instructions, which are worth gathering rows for.
bool is_long(const KernelStmt& stmt) { return is_scan(stmt) && stmt.op == Op::logcumsumexp; }

}  // namespace

WayOfScans way_of_scans(const KernelStmt& loop, const Kernel& kernel) {
  if (loop.body.size() != 1 || !is_innermost(loop.body[0])) return WayOfScans::kInTurn;
  const KernelStmt& inner = loop.body[0];
  if (std::none_of(inner.body.begin(), inner.body.end(), is_scan)) return WayOfScans::kInTurn;
  if (std::any_of(inner.body.begin(), inner.body.end(), is_long)) return WayOfScans::kColumns;
  bool columns = false;
  for (const KernelStmt& access : inner.body) {
    if (access.kind != KernelStmt::Kind::kLoad && access.kind != KernelStmt::Kind::kStore) continue;
    const std::vector<Access>& classes = kernel.params[access.param].access;
    if (classes[inner.dim] == Access::kUnit) return WayOfScans::kRows;
    columns |= classes[inner.dim] == Access::kStrided && classes[loop.dim] == Access::kUnit;
  }
  return columns ? WayOfScans::kColumns : WayOfScans::kRows;
}

}  // namespace frit::codegen

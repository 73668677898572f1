// From a kernel's statements to steps over buffers.
#include "src/runtime/block_program.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "src/base/check.h"
#include "src/schedule/kernel_walk.h"

namespace frit::runtime {
namespace {

using Kind = KernelStmt::Kind;

// Whether the loops inside are all innermost.
bool is_row_loop(const KernelStmt& stmt) {
  return std::all_of(stmt.body.begin(), stmt.body.end(),
                     [](const KernelStmt& s) { return !is_loop(s) || is_innermost(s); });
}

class ProgramMaker {
 public:
  ProgramMaker(const Kernel& kernel, BlockProgram* program) : kernel_(kernel), program_(*program) {
    program_.rank = kernel.rank;
    note_dtypes(kernel.body);
    extents_.resize(dtypes_.size());
    uses_.resize(dtypes_.size());
    count_uses(kernel.body, &uses_);
    int word = 0;
    for (const KernelParam& param : kernel.params) {
      words_.push_back(word);
      word += param.kind == KernelParam::Kind::kBuffer ? 1 + kernel.rank : 1;
      if (param.kind == KernelParam::Kind::kScalar) {
        scalars_.push_back(add_value(Extent::kOne, param.dtype));
        program_.scalars.emplace_back(scalars_.back(), words_.back());
      } else {
        scalars_.push_back(-1);
      }
    }
  }

  // Empty, or why it cannot be done.
  std::string run() {
    lower(kernel_.body, &program_.body);
    program_.num_values = static_cast<int>(dtypes_.size());
    return reason_;
  }

 private:
  // Kernel values keep their numbers; what is added here comes after them.
  void note_dtypes(const std::vector<KernelStmt>& body) {
    for (const KernelStmt& stmt : body) {
      if (stmt.id >= static_cast<int>(dtypes_.size()))
        dtypes_.resize(static_cast<size_t>(stmt.id) + 1);
      if (stmt.id >= 0) dtypes_[stmt.id] = stmt.dtype;
      note_dtypes(stmt.body);
    }
  }

  int add_value(Extent extent, Dtype dtype) {
    extents_.push_back(extent);
    dtypes_.push_back(dtype);
    uses_.push_back(0);
    return static_cast<int>(dtypes_.size()) - 1;
  }

  void refuse(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }

  int value_of(int operand) const { return operand >= 0 ? operand : scalars_[~operand]; }

  void lower(const std::vector<KernelStmt>& body, std::vector<BlockStep>* out) {
    for (const KernelStmt& stmt : body) lower(stmt, out);
  }

  void lower(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    switch (stmt.kind) {
      case Kind::kLoad:
        return lower_load(stmt, out);
      case Kind::kTake:
        return lower_take(stmt, out);
      case Kind::kIndex:
        return lower_index(stmt, out);
      case Kind::kScan:
        return lower_scan(stmt, out);
      case Kind::kConstant:
        program_.constants.emplace_back(stmt.id, stmt.bits);
        return;
      case Kind::kOp:
        return stmt.op == Op::cast ? lower_cast(stmt, out) : lower_op(stmt, out);
      case Kind::kStore:
        return lower_store(stmt, out);
      case Kind::kPut:
        return lower_put(stmt, out);
      case Kind::kLoop:
        return lower_loop(stmt, out);
      case Kind::kReduce:
        return lower_reduce(stmt, out);
      case Kind::kYield:
        yielded_ = value_of(stmt.operands[0]);
        return;
    }
  }

  int access_of(const KernelStmt& stmt) {
    BlockAccess access;
    access.word = words_[stmt.param];
    for (int dim : stmt.dims)
      if (kernel_.params[stmt.param].access[dim] != Access::kBroadcast)
        access.moves.push_back({dim, access.word + 1 + dim});
    program_.accesses.push_back(std::move(access));
    return static_cast<int>(program_.accesses.size()) - 1;
  }

  bool moves_along(int access, int dim) const {
    const auto& moves = program_.accesses[access].moves;
    return dim >= 0 && std::any_of(moves.begin(), moves.end(),
                                   [dim](const BlockAccess::Move& m) { return m.dim == dim; });
  }

  static BlockStep step_for(BlockStep::Kind kind, const KernelStmt& stmt) {
    BlockStep step{};
    step.kind = kind;
    step.dtype = stmt.dtype;
    step.result = stmt.id;
    return step;
  }

  void add(BlockStep step, std::vector<BlockStep>* out) {
    if (step.result >= 0) extents_[step.result] = step.extent;
    out->push_back(std::move(step));
  }

  void lower_load(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kLoad, stmt);
    step.access = access_of(stmt);
    // Any byte but 0 is true.
    if (stmt.dtype == kBool) step.unary = eager::cast_block(kUInt8, kBool);
    step.extent = extent_of(step.access);
    add(std::move(step), out);
  }

  Extent extent_of(int access) const {
    return moves_along(access, tile_dim_)  ? Extent::kTile
           : moves_along(access, row_dim_) ? Extent::kRow
                                           : Extent::kOne;
  }

  void lower_take(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kTake, stmt);
    step.access = access_of(stmt);
    step.operands[0] = value_of(stmt.operands[0]);
    if (stmt.dtype == kBool) step.unary = eager::cast_block(kUInt8, kBool);
    step.from = extents_[step.operands[0]];
    step.extent = std::max(extent_of(step.access), step.from);
    add(std::move(step), out);
  }

  void lower_index(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kIndex, stmt);
    step.dim = stmt.dim;
    step.extent = stmt.dim == tile_dim_  ? Extent::kTile
                  : stmt.dim == row_dim_ ? Extent::kRow
                                         : Extent::kOne;
    add(std::move(step), out);
  }

  void lower_scan(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kScan, stmt);
    step.operands[0] = value_of(stmt.operands[0]);
    step.from = extents_[step.operands[0]];
    step.extent = Extent::kTile;
    step.op = stmt.op;
    step.scan = program_.num_scans++;
    add(std::move(step), out);
  }

  void lower_cast(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kUnary, stmt);
    step.operands[0] = value_of(stmt.operands[0]);
    step.extent = extents_[step.operands[0]];
    step.unary = eager::cast_block(dtypes_[step.operands[0]], stmt.dtype);
    add(std::move(step), out);
  }

  // An operand as a step of that extent takes it: repeated where it has to be.
  int operand_for(BlockStep* step, int value, int index, std::vector<BlockStep>* out) {
    const Extent from = extents_[value];
    if (from == step->extent) return value;
    const int bit = 1 << index;
    if (from == Extent::kOne) return step->mode |= bit, value;
    step->row_mode |= bit;
    return expand(value, out);
  }

  int expand(int value, std::vector<BlockStep>* out) {
    const auto known = expanded_.find(value);
    if (known != expanded_.end()) return known->second;
    return expanded_[value] = add_expand(value, out);
  }

  int add_expand(int value, std::vector<BlockStep>* out) {
    BlockStep step{};
    step.kind = BlockStep::Kind::kExpand;
    step.extent = Extent::kTile;
    step.from = extents_[value];
    step.dtype = dtypes_[value];
    step.operands[0] = value;
    step.result = add_value(Extent::kTile, step.dtype);
    out->push_back(std::move(step));
    return out->back().result;
  }

  void lower_op(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    const int count = static_cast<int>(stmt.operands.size());
    BlockStep step = step_for(count == 1   ? BlockStep::Kind::kUnary
                              : count == 2 ? BlockStep::Kind::kBinary
                                           : BlockStep::Kind::kTernary,
                              stmt);
    for (int operand : stmt.operands)
      step.extent = std::max(step.extent, extents_[value_of(operand)]);
    for (int i = 0; i < count; ++i)
      step.operands[i] = operand_for(&step, value_of(stmt.operands[i]), i, out);
    const Dtype dtype = dtypes_[value_of(stmt.operands.back())];
    const int op = static_cast<int>(stmt.op), d = static_cast<int>(dtype);
    const eager::BlockTable& table = eager::block_table();
    step.unary = table.unary[op][d];
    step.binary = table.binary[op][d];
    step.ternary = table.ternary[op][d];
    const bool known = count == 1   ? step.unary != nullptr
                       : count == 2 ? step.binary != nullptr
                                    : step.ternary != nullptr;
    if (!known)
      refuse(std::string(name(stmt.op)) + ": no block kernel for " + std::string(name(dtype)));
    add(std::move(step), out);
  }

  // An op right before its only use writes to memory itself.
  bool joins_store(int value, Extent extent, const std::vector<BlockStep>& out) const {
    if (out.empty() || out.back().result != value || out.back().extent != extent) return false;
    const BlockStep::Kind kind = out.back().kind;
    return uses_[value] == 1 &&
           (kind == BlockStep::Kind::kUnary || kind == BlockStep::Kind::kBinary ||
            kind == BlockStep::Kind::kTernary);
  }

  void lower_store(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kStore, stmt);
    step.operands[0] = value_of(stmt.operands[0]);
    step.access = access_of(stmt);
    step.dtype = kernel_.params[stmt.param].dtype;
    step.from = extents_[step.operands[0]];
    step.extent = tile_dim_ >= 0 ? Extent::kTile : row_dim_ >= 0 ? Extent::kRow : Extent::kOne;
    if (joins_store(step.operands[0], step.extent, *out)) {
      out->back().access = step.access;
    } else {
      out->push_back(std::move(step));
    }
  }

  void lower_put(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kPut, stmt);
    step.operands[0] = value_of(stmt.operands[1]);
    step.operands[1] = value_of(stmt.operands[0]);
    step.access = access_of(stmt);
    step.dtype = kernel_.params[stmt.param].dtype;
    step.from = extents_[step.operands[0]];
    step.place = extents_[step.operands[1]];
    step.extent = Extent::kTile;
    step.op = stmt.op;
    out->push_back(std::move(step));
  }

  void lower_loop(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep loop{};
    loop.dim = stmt.dim;
    loop.size_word = words_[stmt.param];
    if (is_innermost(stmt)) {
      loop.kind = BlockStep::Kind::kTileLoop;
      lower_inner(stmt, &loop.body);
    } else if (is_row_loop(stmt)) {
      loop.kind = BlockStep::Kind::kRowLoop;
      choose_order(stmt, &loop);
      row_dim_ = stmt.dim;
      lower(stmt.body, &loop.body);
      row_dim_ = -1;
    } else {
      loop.kind = BlockStep::Kind::kPlainLoop;
      lower(stmt.body, &loop.body);
    }
    out->push_back(std::move(loop));
  }

  void lower_inner(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    tile_dim_ = stmt.dim;
    expanded_.clear();
    lower(stmt.body, out);
    tile_dim_ = -1;
  }

  void lower_reduce(const KernelStmt& stmt, std::vector<BlockStep>* out) {
    BlockStep step = step_for(BlockStep::Kind::kReduce, stmt);
    step.dim = stmt.dim;
    step.size_word = words_[stmt.param];
    step.extent = row_dim_ >= 0 ? Extent::kRow : Extent::kOne;
    lower_inner(stmt, &step.body);
    const int value = yielded_;
    const auto makes = [value](const BlockStep& s) { return s.result == value; };
    const bool made_here =
        extents_[value] == Extent::kTile && std::any_of(step.body.begin(), step.body.end(), makes);
    step.operands[0] = made_here ? value : add_expand(value, &step.body);
    if (!made_here) step.body.back().copies = true;
    step.folds_memory = made_here && step.body.size() == 1 && stmt.dtype != kBool &&
                        step.body[0].kind == BlockStep::Kind::kLoad;
    program_.yields.push_back(step.operands[0]);
    const std::optional<BlockFold> fold = BlockFold::make(stmt.op, stmt.dtype);
    if (!fold)
      return refuse(std::string(name(stmt.op)) + ": no fold for " + std::string(name(stmt.dtype)));
    step.fold = static_cast<int>(program_.folds.size());
    program_.folds.push_back(*fold);
    add(std::move(step), out);
  }

  // Columns where what the loops inside read is contiguous along this loop, not theirs.
  void choose_order(const KernelStmt& loop, BlockStep* step) const {
    bool along_rows = false, along_tile = false, reduces = false;
    for (const KernelStmt& inner : loop.body) {
      if (!is_loop(inner)) continue;
      reduces = reduces || inner.kind == Kind::kReduce;
      step->inner_sizes.push_back(words_[inner.param]);
      for (const KernelStmt& s : inner.body) {
        if (s.kind == Kind::kPut) return;  // row after row
        if (s.kind != Kind::kLoad && s.kind != Kind::kStore) continue;
        const std::vector<Access>& access = kernel_.params[s.param].access;
        along_tile = along_tile || access[inner.dim] == Access::kUnit;
        along_rows = along_rows ||
                     (access[loop.dim] == Access::kUnit && access[inner.dim] == Access::kStrided);
      }
    }
    if (!along_rows) return;
    if (!along_tile) step->order = TileOrder::kColumns;
    if (along_tile && !reduces) step->order = TileOrder::kSquares;
  }

  const Kernel& kernel_;
  BlockProgram& program_;
  std::vector<int> words_, scalars_;  // of each parameter
  std::vector<Dtype> dtypes_;         // of each value
  std::vector<Extent> extents_;
  std::vector<int> uses_;
  std::map<int, int> expanded_;  // in the current innermost loop
  int row_dim_ = -1, tile_dim_ = -1, yielded_ = -1;
  std::string reason_;
};

void print(const std::vector<BlockStep>& body, int depth, std::ostream& out) {
  constexpr std::string_view kKinds[] = {"load",   "take",    "index",  "scan",  "unary",
                                         "binary", "ternary", "expand", "store", "put",
                                         "loop",   "rows",    "tiles",  "reduce"};
  constexpr std::string_view kExtents[] = {"one", "row", "tile"};
  for (const BlockStep& step : body) {
    out << std::string(static_cast<size_t>(2 * depth), ' ');
    if (step.result >= 0)
      out << "v" << step.result << ": " << name(step.dtype) << " "
          << kExtents[static_cast<int>(step.extent)] << " = ";
    out << kKinds[static_cast<int>(step.kind)];
    for (int operand : step.operands)
      if (operand >= 0) out << " v" << operand;
    if (step.access >= 0) out << " access " << step.access;
    if (step.dim >= 0) out << " over i" << step.dim;
    out << "\n";
    print(step.body, depth + 1, out);
  }
}

}  // namespace

std::unique_ptr<BlockProgram> make_block_program(const Kernel& kernel, std::string* reason) {
  auto program = std::make_unique<BlockProgram>();
  const std::string problem = ProgramMaker(kernel, program.get()).run();
  if (!problem.empty()) {
    if (reason != nullptr) *reason = problem;
    return nullptr;
  }
  place_block_values(program.get());
  return program;
}

std::string BlockProgram::listing() const {
  std::ostringstream out;
  print(body, 0, out);
  return out.str();
}

}  // namespace frit::runtime

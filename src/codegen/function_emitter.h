// FunctionEmitter: a kernel's loop nest as one function of the kernel calling convention.
//
//   FunctionEmitter emitter(kernel, Assembly::Validation::kOff);
//   std::string reason = emitter.emit();
//   if (reason.empty()) publish(emitter.assembly().code(), ...);
//
// Outer loops keep index and addresses in the frame. Straight code between loops works on vectors
// whose lanes are all equal, and leaves what later code needs in the frame; so a row's values,
// scalar parameters and what a loop hoists look the same to the loops that use them.
#pragma once

#include <string>
#include <vector>

#include "frit/kernel.h"
#include "src/codegen/access.h"
#include "src/codegen/block.h"
#include "src/codegen/body.h"
#include "src/codegen/fold.h"

namespace frit::codegen {

class FunctionEmitter {
 public:
  // Whether reductions over other than the contiguous dimension may take several at once.
  enum class ColumnLoops : uint8_t { kAllowed, kNever };
  FunctionEmitter(const Kernel& kernel, Assembly::Validation validation,
                  ColumnLoops column_loops = ColumnLoops::kAllowed);

  // Before emit(): the assembly is to have a listing.
  void keep_listing() { assembly_.keep_listing(); }
  // Assembles the function. Empty, or why it cannot be done. Once.
  std::string emit();
  const Assembly& assembly() const { return assembly_; }
  // emit() failed for a reason that it would not have without column loops.
  bool failed_in_columns() const { return failed_in_columns_; }

 private:
  // From where to where a loop runs: frame offsets; no begin is 0.
  struct Range {
    int begin = -1, end = -1;
  };
  // A reduction on its way.
  struct Reduction {
    const Fold* fold;
    math::Type type;
    int vectors;       // that hold the 32 lanes
    int lanes_slot;    // the accumulators
    int partial_slot;  // of one block
    int state_slot;    // of all blocks
    int end_slot, block_end_slot, rest_slot;
  };

  struct ColumnReduction {
    int lanes_slot, state_slot, left_slot;  // left: elements not yet taken
    const Pins* pins;
    const std::vector<int>* streams;  // that the reduction moves
    int dim;
  };
  // While the lanes of a vector are neighbouring columns: see column_loop.cc.
  struct Columns {
    int dim = -1;
    int lanes = 8;
    Extent extent = Extent::kWhole;
  };

  // Scans side by side: see scan_columns.cc.
  struct ScanColumns {
    const BlockPlan& plan;
    const Pins& pins;
    int dim, row_dim;
    int counter_slot, end_slot;  // of the loop along the rows
    struct Moved {
      int stream, outer_slot, slot;
    };
    std::vector<Moved> moved;  // by that loop
  };

  void emit_entry();
  void emit_scalar(int param, int word);
  bool refuse(const std::string& reason);

  bool emit_statements(const std::vector<KernelStmt>& body, bool outermost);
  bool flush(BlockBuilder* builder, const std::vector<const KernelStmt*>& statements);
  Range range_of(const KernelStmt& stmt, bool outermost) const;
  bool emit_outer_loop(const KernelStmt& stmt, const Range& range);
  bool emit_row_loop(const KernelStmt& stmt, const Range& range);

  // vector_loop.cc
  bool emit_vector_loop(const KernelStmt& stmt, const Range& range);
  void begin_scans(const Block& block, const Pins& pins);
  BlockPlan begin_loops(const Block& block, uint32_t dims);
  BlockPlan begin_innermost(const Block& block, int dim);
  std::vector<bool> streams_moved_by(uint32_t dims) const;
  void emit_whole_vectors(const BlockPlan& plan, const Pins& pins, int vectors);
  void emit_body(const BlockPlan& plan, const BodyShape& shape);

  // reduce_loop.cc
  bool emit_reduce(const KernelStmt& stmt, const Range& range);
  Reduction begin_reduction(const Fold& fold, math::Type type, int lanes, const Range& range);
  void emit_block_of_reduction(const BlockPlan& plan, const RegisterBudget& budget,
                               const Reduction& reduction);
  void emit_rest_of_block(const BlockPlan& plan, const Reduction& reduction);
  void emit_join(const Reduction& reduction);
  void emit_result(const Reduction& reduction, int slot);
  void emit_end_of_sum(const Fold& fold, math::Type type);
  void clear_partials(int state_slot, PartialWidth width);

  // column_loop.cc
  bool is_column_loop(const KernelStmt& stmt) const;
  bool emit_column_loop(const KernelStmt& stmt, const Range& range);
  bool emit_column_reduce(const KernelStmt& stmt, const Range& range);
  void emit_column_block(const BlockPlan& plan, const Fold& fold, const ColumnReduction& reduction);
  void join_columns(const Fold& fold, math::Type type, int lanes_slot);
  bool take_column_lanes(BlockPlan* plan);
  void emit_column_body(const Block& block, const BlockPlan& plan, const BodyShape& shape);

  // scan_columns.cc
  bool emit_scan_columns(const KernelStmt& stmt, const Range& range);
  void emit_whole_columns(const ScanColumns& scan, const Range& range, int vectors);
  void emit_down_columns(const ScanColumns& scan, const BodyShape& shape);

  // scan_rows.cc
  bool emit_scan_rows(const KernelStmt& stmt, const Range& range);
  void place_rows(const ScanColumns::Moved& moved, int dim);
  void emit_along_rows(const BlockPlan& plan, const Pins& pins, int end_slot);

  asmjit::x86::Assembler& a() { return assembly_.a(); }

  const Kernel& kernel_;
  Assembly assembly_;
  Emitter emitter_;
  Environment env_;
  StreamAccess access_;
  std::vector<int> use_counts_;  // of each value, in the whole kernel
  std::vector<int> sizes_;       // frame offset, of each size parameter
  Range outermost_;
  ColumnLoops column_loops_;
  Columns columns_;
  bool failed_in_columns_ = false;
  std::string reason_;
};

}  // namespace frit::codegen

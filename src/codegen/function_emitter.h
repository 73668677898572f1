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
  FunctionEmitter(const Kernel& kernel, Assembly::Validation validation);

  // Assembles the function. Empty, or why it cannot be done. Once.
  std::string emit();
  const Assembly& assembly() const { return assembly_; }

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

  void emit_entry();
  void emit_scalar(int param, int word);
  bool refuse(const std::string& reason);

  bool emit_statements(const std::vector<KernelStmt>& body, bool outermost);
  bool flush(BlockBuilder* builder, const std::vector<const KernelStmt*>& statements);
  Range range_of(const KernelStmt& stmt, bool outermost) const;
  bool emit_outer_loop(const KernelStmt& stmt, const Range& range);

  // vector_loop.cc
  bool emit_vector_loop(const KernelStmt& stmt, const Range& range);
  BlockPlan begin_innermost(const Block& block, int dim);
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

  asmjit::x86::Assembler& a() { return assembly_.a(); }

  const Kernel& kernel_;
  Assembly assembly_;
  Emitter emitter_;
  Environment env_;
  StreamAccess access_;
  std::vector<int> use_counts_;  // of each value, in the whole kernel
  std::vector<int> sizes_;       // frame offset, of each size parameter
  Range outermost_;
  std::string reason_;
};

}  // namespace frit::codegen

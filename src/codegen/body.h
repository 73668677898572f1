// BodyEmitter: the machine code of one pass over a block's steps, for several vectors at once, with
// registers assigned on the way.
//
// Every step is emitted for each vector in turn, so that independent chains interleave. A value
// gets a register when it is made and loses it after its last use (known, since the code is
// straight). Where there is none left, the value whose next use is furthest away goes: to a spill
// slot, or nowhere if it is a constant or lies in the frame anyway. Such values are taken as memory
// operands where the instruction can; the most used ones are pinned to the registers that the steps
// leave over.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "src/codegen/access.h"
#include "src/codegen/plan.h"

namespace frit::codegen {

inline constexpr int kMaxVectors = 4;

// What the bodies of one loop share: registers that stay assigned from its start to its end.
struct Pins {
  std::vector<std::pair<int32_t, int>> values;  // invariant, register
  std::vector<int> accumulators;                // register of each; empty: they are in the frame
  std::vector<int> scans;                       // likewise, of what scans have come to
};

// How a body is to be emitted.
struct BodyShape {
  int vectors = 1;  // at once
  int first = 0;    // number of the first one, counted from the index
  Extent extent = Extent::kWhole;
  const Pins* pins = nullptr;  // null: nothing is pinned
  // Vector i is of row i, not the i-th of one row. Only whole groups of rows: see scan_rows.cc.
  bool of_rows = false;
  int accumulator_slot = -1;  // frame offset of the first accumulator, where they are in the frame
  bool accumulator_indexed = false;  // it is at accumulator_slot + r8
};

class BodyEmitter {
 public:
  BodyEmitter(Assembly& assembly, Emitter& emitter, StreamAccess& access, const BlockPlan& plan,
              const BodyShape& shape);
  void run();

 private:
  static constexpr int kFree = -1, kPinned = -2, kTemporary = -3;
  struct Location {
    int reg = -1;
    int spill = -1;
    int next_use = 0;  // index into the plan's uses
  };

  Location& at(int32_t inst, int vector);
  int key(int32_t inst, int vector) const;
  math::Type type(int32_t inst) const { return plan_.block().program[inst].type; }
  int next_use(int key);

  int take_register();
  void evict(int reg);
  int take_temporary();
  void drop_temporaries();
  int in_register(int32_t inst, int vector);
  Place place(int32_t inst, int vector, bool memory_allowed);
  void define(int32_t inst, int vector, int reg);
  int take_result(int32_t inst, int vector, int preferred);
  bool dies(int32_t inst, int vector);
  void lock_present(const std::array<int32_t, 4>& taken, int vector);
  void release_operands(const Step& step, int vector);

  void emit(const Step& step, int vector);
  void emit_input(int32_t inst, int vector);
  bool emit_take(const Step& step, int vector);
  bool emit_scan(const Step& step, int vector);
  void emit_scan_of_rows(const Step& step, const BlockScan& scan);
  void emit_store(const BlockStore& store, int vector);
  std::vector<int> take_temporaries(int count);
  void emit_op(const Step& step, int vector);
  void emit_fma(const Step& step, int vector);
  void emit_slow(const Step& step, int vector);
  void emit_fold(const Step& step, int vector);
  Mem accumulator(int vector) const;
  Mem carried(const BlockScan& scan, int vector) const;
  Mem home(int32_t inst) const;

  Assembly& as_;
  Emitter& emitter_;
  StreamAccess& access_;
  const BlockPlan& plan_;
  const BodyShape& shape_;
  int step_ = 0;
  std::vector<Location> locations_;
  std::array<int, Emitter::kRegisters> owner_;
  uint32_t locked_ = 0;
  std::vector<int> free_spills_, read_spills_;  // read: for the last time, by the current step
};

// How many vectors to have in flight, and what to pin beside them. `accumulators`: how many a
// reduction has, else 0.
struct RegisterBudget {
  int vectors;
  Pins pins;
};
RegisterBudget divide_registers(const BlockPlan& plan, int accumulators);

// Loads what is pinned, before a loop.
void load_pins(Assembly& assembly, Emitter& emitter, const BlockPlan& plan, const Pins& pins);

}  // namespace frit::codegen

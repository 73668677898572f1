// BlockPlan: what of a block is done where (before its loop, or in it), in which order, and the
// facts that register allocation needs: who uses what next, and how many values live at once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/codegen/block.h"
#include "src/codegen/emitter.h"

namespace frit::codegen {

struct Step {
  enum class Kind : uint8_t {
    kInst,   // instruction `index`
    kStore,  // store `index` of the block
    kKeep,   // instruction `index`, into the frame at `slot` as a splat
    kCarry,  // what scan `index` of the block has come to, for the next iteration
    kFold,   // the block's folded value, into the accumulator
  };
  Kind kind;
  int32_t index;
  int slot = -1;
};

// Where a value that no step makes is found.
struct Home {
  enum class Kind : uint8_t { kNone, kConstant, kFrame };
  Kind kind = Kind::kNone;
  int slot = -1;  // kFrame
};

class BlockPlan {
 public:
  using Kept = std::span<const std::pair<int32_t, int>>;  // instruction, slot
  enum class Effects : uint8_t { kNone, kStores };

  // One run over the block: every load is one element in all lanes. `keep`: what later code needs.
  static BlockPlan straight(const Block& block, Kept keep, Effects effects);

  // The steps of one iteration over `dims`, as bits. `moves(stream)` tells whether their loops move
  // it.
  // Invariant values are listed in `hoisted` with new slots of the frame; straight(block, hoisted,
  // kNone) makes them.
  static BlockPlan loop(const Block& block, uint32_t dims, const std::vector<bool>& moves,
                        Assembly& assembly);
  std::vector<std::pair<int32_t, int>> hoisted;

  const Block& block() const { return *block_; }
  const std::vector<Step>& steps() const { return steps_; }
  // The instruction that makes a value: bitcasts make none.
  int32_t source(int32_t inst) const { return source_[inst]; }
  const Home& home(int32_t inst) const { return homes_[inst]; }
  // The steps that use a value, ascending; without end: one past the last.
  std::span<const int32_t> uses(int32_t inst) const {
    return {uses_.data() + first_use_[inst],
            static_cast<size_t>(first_use_[inst + 1] - first_use_[inst])};
  }
  // What a step takes, by source; -1 where it takes less. A take's place that has a home is read
  // from there.
  std::array<int32_t, 4> operands(const Step& step) const;

  int lanes() const { return lanes_; }
  void set_lanes(int lanes) { lanes_ = lanes; }     // to fewer than they could be
  int pressure() const { return pressure_; }        // most values alive at once, without homes
  int temporaries() const { return temporaries_; }  // most that one instruction uses up
  // Values with a home, most used first.
  const std::vector<int32_t>& invariants() const { return invariants_; }

 private:
  explicit BlockPlan(const Block& block);
  void mark_live(Kept keep, Effects effects);
  void hoist(uint32_t dims, const std::vector<bool>& moves, Assembly& assembly);
  void list_steps(Kept keep, Effects effects);
  void list_uses();
  void measure();

  const Block* block_;
  std::vector<Step> steps_;
  std::vector<int32_t> source_, first_use_, uses_, invariants_;
  std::vector<Home> homes_;
  std::vector<bool> live_;
  int lanes_ = 8, pressure_ = 0, temporaries_ = 0;
};

// The number of lanes that a program of these types has.
int lanes_of(const math::Program& program);

}  // namespace frit::codegen

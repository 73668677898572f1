// Places the buffers of a block program's values by liveness.
//
// Steps are numbered in the order of the text; a loop has a number at its begin and one at its end.
// A value lives from its step to its last use; one that a loop uses but does not make, to the end
// of that loop. An op may write where an operand ends that has the same size. An expand may stand
// for its operand's buffer instead of copying it, so the operand lives as long as the result.
#include <algorithm>
#include <map>

#include "src/runtime/block_program.h"

namespace frit::runtime {
namespace {

bool is_loop(const BlockStep& step) { return step.kind >= BlockStep::Kind::kPlainLoop; }

bool stores(const BlockStep& step) {
  return step.access >= 0 && step.kind != BlockStep::Kind::kLoad &&
         step.kind != BlockStep::Kind::kTake;
}

int64_t bytes_of(const BlockStep& step) {
  const int64_t count = step.extent == Extent::kOne ? 1 : kTileElements;
  return (count * byte_size(step.dtype) + 63) & ~int64_t{63};
}

class Placing {
 public:
  explicit Placing(BlockProgram* program)
      : program_(*program),
        last_(static_cast<size_t>(program->num_values), -1),
        depth_(last_.size()),
        is_yield_(last_.size()) {
    program_.slots.assign(last_.size(), -1);
    for (int value : program_.yields) is_yield_[value] = true;
  }

  void run() {
    find_lives(program_.body);
    for (const BlockStep* step : expands_)
      last_[step->operands[0]] = std::max(last_[step->operands[0]], last_[step->result]);
    dying_.resize(static_cast<size_t>(position_) + 1);
    sizes_.resize(last_.size());
    position_ = 0;
    place(&program_.body);
    program_.buffer_bytes = end_;
  }

 private:
  void find_lives(const std::vector<BlockStep>& body) {
    for (const BlockStep& step : body) {
      const int here = position_++;
      if (step.result >= 0) {
        last_[step.result] = here;
        depth_[step.result] = open_.size();
      }
      if (stores(step)) stores_.push_back(here);
      if (step.kind == BlockStep::Kind::kExpand) expands_.push_back(&step);
      if (!is_loop(step)) {
        use_operands(step, here);
        continue;
      }
      open_.emplace_back();
      find_lives(step.body);
      use_operands(step, position_);
      for (int value : open_.back()) last_[value] = position_;
      open_.pop_back();
      ++position_;
    }
  }

  void use_operands(const BlockStep& step, int here) {
    for (int value : step.operands) {
      if (value < 0) continue;
      last_[value] = std::max(last_[value], here);
      if (depth_[value] < open_.size()) open_[depth_[value]].push_back(value);
    }
  }

  void place(std::vector<BlockStep>* body) {
    for (BlockStep& step : *body) {
      const int here = position_++;
      if (step.kind == BlockStep::Kind::kLoad) step.in_place = may_stay(step, here);
      if (step.result >= 0 && !is_yield_[step.result]) {
        reuse_operands(step, here);
        give_slot(step);
      }
      if (is_loop(step)) {
        place(&step.body);
        release(position_++);
      } else {
        release(here);
      }
    }
  }

  // No store comes between the load and the value's last use. Loads of bool make 0 and 1 of what
  // they find.
  bool may_stay(const BlockStep& load, int here) const {
    if (load.dtype == kBool || is_yield_[load.result]) return false;
    return std::none_of(stores_.begin(), stores_.end(),
                        [&](int store) { return store > here && store < last_[load.result]; });
  }

  void reuse_operands(const BlockStep& step, int here) {
    if (is_loop(step) || step.kind == BlockStep::Kind::kExpand ||
        step.kind == BlockStep::Kind::kTake || step.kind == BlockStep::Kind::kScan)
      return;
    for (int i = 0; i < 3; ++i) {
      const int value = step.operands[i];
      if (value < 0 || last_[value] != here || sizes_[value] != bytes_of(step)) continue;
      if (((step.mode | step.row_mode) >> i & 1) == 0) release_one(value);
    }
  }

  void give_slot(const BlockStep& step) {
    const int value = step.result;
    sizes_[value] = bytes_of(step);
    std::vector<int64_t>& free = free_[sizes_[value]];
    if (free.empty()) {
      program_.slots[value] = end_;
      end_ += sizes_[value];
    } else {
      program_.slots[value] = free.back();
      free.pop_back();
    }
    dying_[last_[value]].push_back(value);
  }

  void release(int here) {
    for (int value : dying_[here]) release_one(value);
  }

  void release_one(int value) {
    if (sizes_[value] == 0) return;
    free_[sizes_[value]].push_back(program_.slots[value]);
    sizes_[value] = 0;
  }

  BlockProgram& program_;
  std::vector<int> last_;
  std::vector<size_t> depth_;           // number of loops around the value's step
  std::vector<std::vector<int>> open_;  // of each open loop: the values that must outlive it
  std::vector<bool> is_yield_;
  std::vector<int> stores_;
  std::vector<const BlockStep*> expands_;
  std::vector<std::vector<int>> dying_;
  std::vector<int64_t> sizes_;  // of slots in use; 0: none
  std::map<int64_t, std::vector<int64_t>> free_;
  int64_t end_ = 0;
  int position_ = 0;
};

}  // namespace

void place_block_values(BlockProgram* program) { Placing(program).run(); }

}  // namespace frit::runtime

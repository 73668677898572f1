// Recipes: values that the program holds though nobody is expected to read them, and that a plan
// has therefore left out. recipe.cc tells how.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "src/base/fork.h"
#include "src/capture/match.h"

namespace frit::engine {

struct Plan;

// What the frames of one thread hold.
struct RecipeBudget {
  std::atomic<int64_t> bytes{0};  // of their externals, whoever else holds these; an upper bound
  SharedCount frames;             // that are in use
};

// What one run of a plan has left behind for its recipes: the operands it had.
//
// In use while any of its recipes is pending; then its thread may use it for the next run.
class Frame {
 public:
  explicit Frame(std::shared_ptr<RecipeBudget> budget);
  Frame(const Frame&) = delete;

  bool in_use() const { return state_.load(std::memory_order_acquire) == State::kInUse; }
  // By the thread it belongs to, when not in use. Takes what `pending` has bound, without the
  // `unneeded` externals, and makes recipes of the `recipes` among the placeholders. Where it can,
  // it leaves other ready placeholders for them, with the owner that they had.
  struct Leaving {
    const std::shared_ptr<Plan>& plan;
    std::span<const int> recipes, unneeded;
    std::vector<TensorImpl*>& placeholders;
    void* owner;
  };
  // What keep() needs besides, so that it cannot fail.
  void reserve(size_t slots) { slots_.reserve(slots); }
  void keep(const Leaving& leaving, capture::Pending* pending);
  // Its thread does without it; it goes when it is no longer in use.
  void abandon();

  // The following by whoever has a hold on it, which all recipes have.
  bool try_hold();  // false when it is not in use
  void release();
  // Computes those recipes that depend on the storage, or, where it is null, all of them.
  void compute_readers(const Storage* storage);
  void compute(const TensorImpl* recipe);
  bool reads(const Storage* storage) const;
  // Bytes of externals that nobody but frames and deferred calls holds.
  int64_t bytes_held_alone() const;
  const RecipeBudget* budget() const { return budget_.get(); }
  // Takes a recipe whose last handle is gone back. False when it has been computed meanwhile.
  static bool take_back(TensorImpl* recipe);

 private:
  enum class State : uint8_t { kIdle, kInUse, kAbandoned };

  ~Frame();
  void vacate();
  void compute_slots(const std::vector<int>& slots);
  void run_op(const capture::TraceOp& op, std::vector<Tensor>* values) const;
  std::vector<int> pending_slots() const;
  std::vector<int> recipes_sharing_memory_of(int slot) const;
  bool depends_on(int slot, const Storage* storage) const;
  bool attach_value(int slot, const TensorImpl* value);
  void* tag() const { return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(this) | 1); }

  std::atomic<State> state_{State::kIdle};
  SharedCount holds_;  // pending recipes, and whoever is at work on them
  std::shared_ptr<RecipeBudget> budget_;
  std::shared_ptr<Plan> plan_;
  std::vector<TensorImpl*> externals_;  // null where no recipe needs it
  std::vector<Scalar> scalars_;
  std::vector<int64_t> attrs_;  // of the calls; empty: as recorded
  int64_t bytes_ = 0;           // of the externals
  // Per slot: a recipe, pending or dropped; null where there is none, or where it was computed.
  std::vector<TensorImpl*> slots_;
  base::ForkMutex computing_{base::ForkLevel::kReplay};  // guards slots_ while in use
};

// The frames of one plan in one thread.
class FrameList {
 public:
  FrameList() = default;
  ~FrameList() { clear(); }
  FrameList(const FrameList&) = delete;
  // One that is not in use. Where all are, the one used longest ago is left to itself.
  Frame* take(const std::shared_ptr<RecipeBudget>& budget);
  void clear();

 private:
  std::vector<Frame*> frames_;  // the one used longest ago first
};

// Which externals the slots are made from.
std::vector<bool> externals_behind(const capture::Trace& trace, const std::vector<int>& slots);

// Computes a recipe that is read. Throws what computing it throws; then it stays a recipe.
void compute_recipe(TensorImpl* recipe);
void compute_readers_of(const Storage* storage);
// Before a write to the storage, which may be null: computes the recipes, of all threads, that are
// made from it.
inline void compute_recipes_made_from(const Storage* storage) {
  if (storage != nullptr && storage->recipes.get() > 0) compute_readers_of(storage);
}
// Computes all recipes.
void compute_all_recipes();
// Whether one more frame, with externals of that many bytes, is within what recipes may hold.
bool has_room_for_recipes(const RecipeBudget& budget, int64_t bytes);

// ---- inline bodies ----

inline constexpr int64_t kMaxRecipeBytes = 64 << 20;  // of what one thread's frames alone hold
inline constexpr int kMaxFrames = 256;                // of one thread, in use

bool holds_little_alone(const RecipeBudget& budget);  // looks at each frame
inline bool has_room_for_recipes(const RecipeBudget& budget, int64_t bytes) {
  if (budget.frames.get() >= kMaxFrames) return false;
  return budget.bytes.load(std::memory_order_relaxed) + bytes <= kMaxRecipeBytes ||
         holds_little_alone(budget);
}

}  // namespace frit::engine

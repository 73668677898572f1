// Frames and their recipes.
//
// A plan stores what is read later. A value that the program merely holds, a named local, is left
// out: its tensor stays pending, and its owner is the frame of that run. When it is read after all,
// the ops that lead to it are run eagerly from the frame's externals.
//
//  1. A frame counts its pending recipes. With the last one it lets go of its externals.
//  2. The storages of its externals count it: who writes to one first computes the recipes that are
//  made from it, before a deferred write is noted even, so that a recipe finds memory as it was.
//  3. Recipes that share memory (views) are computed together.
//  4. Dropping a recipe takes no lock and runs no op. The object stays with the frame, which may be
//     looking at it just then, and serves as a placeholder of a later run.
//  5. A recipe is claimed before it gets its memory, so that its being dropped and its being
//     computed exclude each other: owner is frame|1, then either frame|3 (claimed) and null
//     (computed), or 1 (dropped).
//  6. From the owner of a tensor to a hold on its frame one goes under the lock of the list of
//     frames: who has computed a recipe passes through that lock before giving up the recipe's
//     hold.
#include "src/engine/recipe.h"

#include <sched.h>
#include <sys/single_threaded.h>

#include <algorithm>

#include "src/base/check.h"
#include "src/eager/dispatch.h"
#include "src/engine/environment.h"
#include "src/engine/plan.h"

namespace frit::engine {

using capture::Trace;
using capture::TraceOp;
using capture::ValueRef;

namespace {

constexpr size_t kFramesOfPlan = 16;  // that are kept for the next run

constexpr uintptr_t kClaimedBit = 2;
void* const kDropped = reinterpret_cast<void*>(kRecipeBit);

void* claimed(void* owner) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(owner) | kClaimedBit);
}
bool is_claimed(const void* owner) {
  return (reinterpret_cast<uintptr_t>(owner) & kClaimedBit) != 0;
}
Frame* frame_of(void* owner) {
  return reinterpret_cast<Frame*>(reinterpret_cast<uintptr_t>(owner) & ~(kRecipeBit | kClaimedBit));
}

// As with RefCount: plain arithmetic while there is one thread.
void add(std::atomic<int64_t>& sum, int64_t n) {
  if (__libc_single_threaded) {
    sum.store(sum.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  } else {
    sum.fetch_add(n, std::memory_order_relaxed);
  }
}

struct AllFrames {
  base::ForkMutex mutex{base::ForkLevel::kThreads};  // nothing is called under it
  std::vector<Frame*> frames;
};
AllFrames& all_frames() {
  static AllFrames* all = new AllFrames;
  return *all;
}

// A hold on a frame.
struct Release {
  void operator()(Frame* frame) const { frame->release(); }
};
using Hold = std::unique_ptr<Frame, Release>;

template <class Wanted>
std::vector<Hold> hold_frames(Wanted wanted) {
  std::vector<Hold> held, others;
  AllFrames& all = all_frames();
  std::lock_guard lock(all.mutex);
  held.reserve(all.frames.size());
  others.reserve(all.frames.size());  // let go of when the lock is free
  for (Frame* frame : all.frames)
    if (frame->try_hold()) (wanted(*frame) ? held : others).emplace_back(frame);
  return held;
}

bool gives_any(const TraceOp& op, const std::vector<bool>& slots) {
  for (uint32_t r = 0; r < op.num_results; ++r)
    if (slots[op.first_slot + r]) return true;
  return false;
}

// The slots that must be computed for `wanted`: these and what they are made from.
std::vector<bool> slots_behind(const Trace& trace, std::vector<bool> wanted) {
  for (auto op = trace.ops.rbegin(); op != trace.ops.rend(); ++op) {
    if (!gives_any(*op, wanted)) continue;
    for (ValueRef ref : trace.operands_of(*op))
      if (ref.kind() == ValueRef::Kind::kSlot) wanted[static_cast<size_t>(ref.index())] = true;
  }
  return wanted;
}

std::vector<bool> only(const Trace& trace, const std::vector<int>& slots) {
  std::vector<bool> wanted(trace.slots.size());
  for (int s : slots) wanted[static_cast<size_t>(s)] = true;
  return wanted;
}

}  // namespace

std::vector<bool> externals_behind(const Trace& trace, const std::vector<int>& slots) {
  const std::vector<bool> needed = slots_behind(trace, only(trace, slots));
  std::vector<bool> read(trace.num_externals());
  for (const TraceOp& op : trace.ops) {
    if (!gives_any(op, needed)) continue;
    for (ValueRef ref : trace.operands_of(op))
      if (ref.kind() == ValueRef::Kind::kExternal) read[static_cast<size_t>(ref.index())] = true;
  }
  return read;
}

Frame::Frame(std::shared_ptr<RecipeBudget> budget) : budget_(std::move(budget)) {
  AllFrames& all = all_frames();
  std::lock_guard lock(all.mutex);
  all.frames.push_back(this);
}

Frame::~Frame() {
  {
    AllFrames& all = all_frames();
    std::lock_guard lock(all.mutex);
    std::erase(all.frames, this);
  }
  const MuteScope mute;  // a plan that goes may call Frit
  for (TensorImpl* dropped : slots_) {
    if (dropped == nullptr) continue;
    dropped->owner.store(nullptr, std::memory_order_relaxed);
    detail::destroy(dropped);
  }
}

void Frame::keep(const Leaving& leaving, capture::Pending* pending) {
  if (plan_ != leaving.plan) plan_ = leaving.plan;
  slots_.resize(leaving.placeholders.size());
  bytes_ = pending->pinned_bytes();
  pending->give(&externals_, &scalars_, &attrs_);
  for (int e : leaving.unneeded) {
    TensorImpl*& external = externals_[static_cast<size_t>(e)];
    bytes_ -= external->storage->bytes;
    external->storage->pinned.add(-1);
    Tensor::adopt(std::exchange(external, nullptr));
  }
  for (TensorImpl* external : externals_) {
    if (external == nullptr) continue;
    external->storage->recipes.add(1);  // first: who writes looks at this count last
    external->storage->pinned.add(-1);
  }
  add(budget_->bytes, bytes_);
  budget_->frames.add(1);
  for (int s : leaving.recipes) {
    TensorImpl*& placeholder = leaving.placeholders[static_cast<size_t>(s)];
    std::swap(placeholder, slots_[static_cast<size_t>(s)]);
    if (placeholder == nullptr) continue;
    placeholder->refs.set(1);
    placeholder->owner.store(leaving.owner, std::memory_order_relaxed);
  }
  state_.store(State::kInUse, std::memory_order_relaxed);
  // From here on others may use it. The recipes' counts that this thread had go last.
  holds_.add(static_cast<int32_t>(leaving.recipes.size()) + 1);
  for (int s : leaving.recipes) {
    TensorImpl* recipe = slots_[static_cast<size_t>(s)];
    recipe->owner.store(tag(), std::memory_order_release);
    Tensor::adopt(recipe);
  }
  release();
}

bool Frame::try_hold() { return holds_.add_unless_zero(); }

void Frame::release() {
  if (holds_.drop()) vacate();
}

void Frame::vacate() {
  for (TensorImpl* external : externals_) {
    if (external == nullptr) continue;
    external->storage->recipes.add(-1);
    Tensor::adopt(external);
  }
  externals_.clear();
  scalars_.clear();
  add(budget_->bytes, -bytes_);
  budget_->frames.add(-1);
  if (__libc_single_threaded && in_use())
    return state_.store(State::kIdle, std::memory_order_relaxed);
  State state = State::kInUse;
  if (!state_.compare_exchange_strong(state, State::kIdle, std::memory_order_acq_rel)) delete this;
}

void Frame::abandon() {
  State state = State::kInUse;
  if (!state_.compare_exchange_strong(state, State::kAbandoned, std::memory_order_acq_rel))
    delete this;
}

bool Frame::take_back(TensorImpl* recipe) {
  for (;;) {
    void* owner = recipe->owner.load(std::memory_order_acquire);
    if (owner == nullptr) return false;
    if (is_claimed(owner)) {  // will have its memory in a moment
      sched_yield();
      continue;
    }
    if (__libc_single_threaded) {
      recipe->owner.store(kDropped, std::memory_order_relaxed);
    } else if (!recipe->owner.compare_exchange_strong(owner, kDropped, std::memory_order_acq_rel)) {
      continue;
    }
    frame_of(owner)->release();
    return true;
  }
}

bool Frame::reads(const Storage* storage) const {
  return std::any_of(externals_.begin(), externals_.end(), [&](const TensorImpl* external) {
    return external != nullptr && external->storage == storage;
  });
}

int64_t Frame::bytes_held_alone() const {
  int64_t bytes = 0;
  for (const TensorImpl* external : externals_) {
    if (external == nullptr) continue;
    const Storage* storage = external->storage;
    const int64_t pins = storage->pinned.get() + storage->recipes.get();
    if (static_cast<int64_t>(external->refs.count()) <= pins) bytes += storage->bytes;
  }
  return bytes;
}

std::vector<int> Frame::pending_slots() const {
  std::vector<int> slots;
  for (size_t s = 0; s < slots_.size(); ++s)
    if (slots_[s] != nullptr && slots_[s]->owner.load(std::memory_order_acquire) == tag())
      slots.push_back(static_cast<int>(s));
  return slots;
}

std::vector<int> Frame::recipes_sharing_memory_of(int slot) const {
  const auto& infos = plan_->table.trace.slots;
  std::vector<int> sharing = pending_slots();
  std::erase_if(sharing, [&](int s) {
    return !(infos[static_cast<size_t>(s)].root == infos[static_cast<size_t>(slot)].root);
  });
  return sharing;
}

bool Frame::depends_on(int slot, const Storage* storage) const {
  const std::vector<bool> behind = externals_behind(plan_->table.trace, {slot});
  for (size_t e = 0; e < behind.size(); ++e)
    if (behind[e] && externals_[e]->storage == storage) return true;
  return false;
}

void Frame::compute(const TensorImpl* recipe) {
  std::lock_guard lock(computing_);
  if (!recipe->pending()) return;  // another thread was first
  plan_->learnt->note_read(recipe->slot);
  compute_slots(recipes_sharing_memory_of(static_cast<int>(recipe->slot)));
}

void Frame::compute_readers(const Storage* storage) {
  std::lock_guard lock(computing_);
  std::vector<int> readers = pending_slots();
  if (storage != nullptr) {
    std::erase_if(readers, [&](int s) { return !depends_on(s, storage); });
    for (int s : readers) plan_->learnt->note_read(static_cast<size_t>(s));
  }
  // Whatever shares their memory depends on the storage as well, or is a view of one that does.
  if (!readers.empty()) compute_slots(readers);
}

void Frame::run_op(const TraceOp& op, std::vector<Tensor>* values) const {
  const Trace& trace = plan_->table.trace;
  const IntArrayRef attrs =
      attrs_.empty() ? trace.attrs_of(op) : IntArrayRef(&attrs_[op.first_attr], op.num_attrs);
  const std::vector<Operand> operands = capture::operands_in_run(
      trace, op, externals_, scalars_, [&](size_t slot) { return Operand((*values)[slot]); });
  const DefaultDeviceScope device(capture::device_of(trace, op));
  run_eager({op.op, operands, Attrs(attrs)}, &(*values)[op.first_slot]);
}

// Runs the ops behind the slots, and gives those that are still pending their memory.
void Frame::compute_slots(const std::vector<int>& slots) {
  const Trace& trace = plan_->table.trace;
  const MuteScope mute;
  const EnvironmentScope environment(plan_->table.environment);
  const std::vector<bool> wanted = only(trace, slots), needed = slots_behind(trace, wanted);
  const std::vector<int> last_uses = capture::last_uses(trace, static_cast<int>(trace.ops.size()));
  std::vector<Tensor> values(trace.slots.size());
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    const TraceOp& op = trace.ops[i];
    if (gives_any(op, needed)) run_op(op, &values);
    for (ValueRef ref : trace.operands_of(op)) {
      const size_t index = static_cast<size_t>(ref.index());
      const bool dead = ref.kind() == ValueRef::Kind::kSlot && !wanted[index] &&
                        last_uses[index] == static_cast<int>(i);
      if (dead) values[index] = Tensor();
    }
  }
  int attached = 0;
  for (int s : slots) attached += attach_value(s, values[static_cast<size_t>(s)].impl());
  { std::lock_guard lock(all_frames().mutex); }  // see 6. above
  for (int i = 0; i < attached; ++i) release();
}

// False when the recipe was dropped meanwhile.
bool Frame::attach_value(int slot, const TensorImpl* value) {
  TensorImpl* recipe = slots_[static_cast<size_t>(slot)];
  void* owner = tag();
  if (!recipe->owner.compare_exchange_strong(owner, claimed(owner), std::memory_order_acq_rel))
    return false;
  FRIT_CHECK(value->layout == recipe->layout)
      << "slot " << slot << " got another layout than when recorded";
  retain(value->storage);
  attach(recipe, value->storage, value->offset);
  slots_[static_cast<size_t>(slot)] = nullptr;
  recipe->owner.store(nullptr, std::memory_order_release);
  return true;
}

Frame* FrameList::take(const std::shared_ptr<RecipeBudget>& budget) {
  const auto idle = std::find_if(frames_.begin(), frames_.end(),
                                 [](const Frame* frame) { return !frame->in_use(); });
  if (idle != frames_.end()) {
    std::rotate(idle, idle + 1, frames_.end());
    return frames_.back();
  }
  frames_.reserve(frames_.size() + 1);
  Frame* made = new Frame(budget);
  frames_.push_back(made);
  if (frames_.size() > kFramesOfPlan) {
    frames_.front()->abandon();
    frames_.erase(frames_.begin());
  }
  return made;
}

void FrameList::clear() {
  for (Frame* frame : frames_) frame->abandon();
  frames_.clear();
}

void compute_recipe(TensorImpl* recipe) {
  Hold frame;
  {
    std::lock_guard lock(all_frames().mutex);
    void* owner = recipe->owner.load(std::memory_order_acquire);
    if (!is_recipe(owner)) return;
    FRIT_CHECK(frame_of(owner)->try_hold()) << "a pending recipe of a frame that is not in use";
    frame.reset(frame_of(owner));
  }
  frame->compute(recipe);
}

void compute_readers_of(const Storage* storage) {
  for (const Hold& frame : hold_frames([&](const Frame& f) { return f.reads(storage); }))
    frame->compute_readers(storage);
}

void compute_all_recipes() {
  for (const Hold& frame : hold_frames([](const Frame&) { return true; }))
    frame->compute_readers(nullptr);
}

bool holds_little_alone(const RecipeBudget& budget) {
  int64_t held = 0;
  for (const Hold& frame : hold_frames([&](const Frame& f) { return f.budget() == &budget; }))
    held += frame->bytes_held_alone();
  return held <= kMaxRecipeBytes;
}

}  // namespace frit::engine

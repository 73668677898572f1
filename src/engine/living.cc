// What becomes of values that the program holds when a plan has run: they are stored, left out as
// recipes, or stored and watched.
#include "src/engine/recipe.h"
#include "src/engine/thread_engine.h"

namespace frit::engine {

using capture::Reason;
using capture::Trace;
using capture::ValueRef;

namespace {

bool has_own_memory(const capture::SlotInfo& slot) {
  return slot.root.kind() == ValueRef::Kind::kSlot;
}

// The externals that none of the recipes is made from.
std::vector<int> externals_not_behind(const Trace& trace, const std::vector<int>& recipes) {
  const std::vector<bool> behind = externals_behind(trace, recipes);
  std::vector<int> others;
  for (size_t e = 0; e < behind.size(); ++e)
    if (!behind[e]) others.push_back(static_cast<int>(e));
  return others;
}

}  // namespace

void ThreadEngine::note_read(const TensorImpl* tensor) {
  if (state_ != State::kObserve && tensor->owner.load(std::memory_order_relaxed) == this)
    entry_->plan->learnt->note_read(tensor->slot);
}

void ThreadEngine::learn_from_watches() {
  Learnt& learnt = *entry_->plan->learnt;
  std::erase_if(entry_->watched, [&](int slot) {
    Watch& watch = entry_->watches[static_cast<size_t>(slot)];
    const Fate fate = watch.fate();
    if (fate == Fate::kLiving) return false;
    watch = Watch();
    if (fate == Fate::kRead) {
      learnt.note_read(static_cast<size_t>(slot));
    } else {
      learnt.note_died_unread(static_cast<size_t>(slot));
    }
    return true;
  });
}

bool ThreadEngine::same_knowledge(Entry* entry) const {
  const uint32_t version = entry->plan->learnt->version();
  const bool room = has_room_for_recipes(*recipe_budget_, pending_.pinned_bytes());
  const bool same = entry->learnt_version == version && entry->room == room;
  entry->learnt_version = version;
  entry->room = room;
  return same;
}

std::vector<bool> ThreadEngine::slots_to_store(const Plan& plan, const Entry& entry) {
  std::vector<bool> slots(plan.table.trace.slots.size());
  bool refused = false;
  for (size_t s = 0; s < slots.size(); ++s) {
    slots[s] = entry.is_alive(s);
    if (!slots[s] || plan.learnt->habit(s) != Habit::kDiesUnread) continue;
    if (entry.room) slots[s] = false;
    refused = refused || !entry.room;
  }
  if (refused) counters_.count(Reason::recipe_limit);
  return capture::roots_to_produce(plan.table.trace, slots);
}

void ThreadEngine::sort_living(Entry* entry, const Variant& variant) {
  const Plan& plan = *entry->plan;
  const Trace& trace = plan.table.trace;
  entry->recipes.clear();
  entry->undecided.clear();
  for (size_t s = 0; s < trace.slots.size(); ++s) {
    if (!entry->is_alive(s) || !has_own_memory(trace.slots[s])) continue;
    if (variant.places[s].output < 0 && variant.places[s].external < 0) {
      entry->recipes.push_back(static_cast<int>(s));
    } else if (trace.slots[s].consumed && plan.learnt->habit(s) == Habit::kUnknown) {
      entry->undecided.push_back(static_cast<int>(s));
    }
  }
  entry->unneeded.clear();
  if (!entry->recipes.empty()) entry->unneeded = externals_not_behind(trace, entry->recipes);
}

void ThreadEngine::watch_undecided() {
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
  entry_->watches.resize(slots.size());
  for (int s : entry_->undecided) {
    Watch& watch = entry_->watches[static_cast<size_t>(s)];
    if (watch) continue;
    watch = Watch::on(slots[static_cast<size_t>(s)]);
    if (watch) entry_->watched.push_back(s);
  }
}

void ThreadEngine::leave_recipes(Frame* frame) {
  frame->keep({entry_->plan, entry_->recipes, entry_->unneeded, pending_.placeholders(), this},
              &pending_);
  ThreadCounters::add(counters_.recipes, static_cast<int64_t>(entry_->recipes.size()));
}

}  // namespace frit::engine

// What one thread keeps about plans: the placeholders it hands out for each, and which plans it
// tries at a root.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "src/engine/plan.h"
#include "src/engine/recipe.h"
#include "src/engine/worth.h"
#include "src/tensor/watch.h"

namespace frit::engine {

// A plan as one thread uses it.
struct Entry {
  std::shared_ptr<Plan> plan;
  std::vector<TensorImpl*> placeholders;  // per slot; null where none is ready
  // What was alive when the plan last ran, a bit a slot, and what served it.
  std::vector<uint64_t> alive;
  Variant* variant = nullptr;
  // What that rested on besides: what was learnt, and whether recipes may be left.
  uint32_t learnt_version = 0;
  bool room = true;
  std::vector<int> recipes;    // slots alive that the variant leaves out
  std::vector<int> unneeded;   // externals that no recipe is made from
  std::vector<int> undecided;  // slots alive of which nothing is known yet
  std::vector<int> watched;    // slots of which a value of an earlier run is watched
  std::vector<Watch> watches;  // per slot
  FrameList frames;
  Worth worth;

  Entry() = default;
  explicit Entry(std::shared_ptr<Plan> p) : plan(std::move(p)) {}
  ~Entry() { drop_placeholders(); }
  Entry(const Entry&) = delete;
  void drop_placeholders();
  bool is_alive(size_t slot) const { return alive[slot / 64] >> (slot % 64) & 1; }
};

// The plans whose first call has one set of layouts.
struct EntryList {
  uint64_t key = 0;                             // in the registry
  uint64_t version = 0;                         // of the registry when `entries` was filled
  std::vector<std::unique_ptr<Entry>> entries;  // most recently used first
};

// The plans of one root.
//
// A plan for layouts not seen before is built from one that served others, at the first sight of
// them, as long as that pays: where eager takes much longer than a build, or where runs of known
// layouts have earned it. A storm of layouts that never return soon runs eagerly.
class RootPlans {
 public:
  // Brought up to date with the registry. Nothing may be pending.
  EntryList& list(uint64_t root_key, const OpCall& first);
  // The plan that ran last, or null.
  std::shared_ptr<Plan> pattern;

  // Whether building for new layouts from this plan is worth it.
  bool affords_build(const Plan& from) const;
  void note_plan(const std::shared_ptr<Plan>& plan);  // built from a recording
  void note_run(const std::shared_ptr<Plan>& plan);
  void note_build(const Plan& plan) { credit_ns_ -= plan.build_ns; }
  // A path of the root has run eagerly: the first runs, of which plans are made, say little of how
  // long it takes.
  void note_eager(uint64_t path, int64_t ns);

 private:
  EntryList* find_list(uint64_t key);

  std::unordered_map<uint64_t, EntryList> by_layouts_;
  EntryList* recent_ = nullptr;  // of these
  EntryList none_;               // stands for those without plans
  int64_t eager_ns(const Plan& plan) const;

  int64_t eager_ns_ = 0;  // of the pattern's path, smoothed; 0: not known
  int64_t credit_ns_ = 0;
};

}  // namespace frit::engine

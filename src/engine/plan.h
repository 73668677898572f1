// Plan: a compiled trace. Shared by all threads, immutable but for the variants it gains and its
// counters.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frit/compile.h"
#include "src/capture/match.h"
#include "src/capture/trace_graph.h"
#include "src/engine/exit_note.h"
#include "src/engine/family.h"
#include "src/engine/learnt.h"
#include "src/normalize/normalize.h"

namespace frit::engine {

// What computes a graph's outputs. Callable from any thread.
class Executable {
 public:
  virtual ~Executable() = default;
  // Externals are materialised and have the guarded layouts; `scalars` are the graph's scalar
  // inputs. Fills `outputs` with new memory in the graph's layouts, from its first byte on; what
  // was reserved is there already. Throws frit::Error and leaves nothing behind.
  virtual void run(std::span<TensorImpl* const> externals, std::span<const Scalar> scalars,
                   std::span<StorageRef> outputs) const = 0;
  // Gets memory for a run of this thread beforehand, as far as that can be; run() uses it. Throws
  // out_of_memory.
  virtual void reserve(std::span<StorageRef>) const {}
  // Whether outputs have eager's bits; else they are within a tolerance.
  virtual bool exact() const { return true; }
  // Fills in what it knows of kernels. Texts are made here, when somebody asks, and not at each
  // build.
  virtual void describe(PlanForm*) const {}
};

// The form of a plan for one set of slots to produce.
struct Variant {
  std::vector<bool> produced;               // per slot
  std::vector<capture::PlanMemory> places;  // per slot
  std::vector<capture::Commit> commits;
  std::vector<int> scalar_of_input;  // the trace's scalars that are arguments
  std::unique_ptr<Executable> executable;
  Graph captured;
  std::optional<Graph> normalized;      // none for backends at capture, and if resized
  std::vector<Assumption> assumptions;  // that `normalized` rests on; by inputs of `captured`
  bool resized = false;                 // the numbers are from the plan's family
  int64_t build_us = 0;
};

inline constexpr int kMaxVariants = 5;  // the last is the union of all that came before it

struct Plan {
  uint64_t id = 0;
  uint64_t region = 0;  // its id; 0 in automatic mode
  capture::MatchTable table;
  std::vector<bool> varying;  // scalars that are arguments
  std::string backend;
  std::shared_ptr<const Family> family;  // what it was made from, or may be used for; may be null
  int relatives = 0;                     // plans that were built in full on the way to this one
  std::array<std::atomic<Variant*>, kMaxVariants> variants{};
  std::optional<Learnt> learnt;
  // A form that stores less than another could not be built.
  std::atomic<bool> cannot_store_less{false};
  std::mutex building;
  // A form of this plan could not be built, and would not be the next time.
  std::atomic<bool> cannot_generalise{false};
  int64_t build_ns = 0;  // what building it took
  int64_t eager_ns = 0;  // what its path took before there was a plan; 0 when not measured
  std::atomic<int64_t> entries{0}, exits{0};
  mutable std::mutex noting;
  ExitNote last_exit;  // under `noting`

  // Room for a form that is not needed but stores less: the last place is that of the union, which
  // serves all there is.
  bool may_store_less() const {
    return variants[kMaxVariants - 2].load(std::memory_order_relaxed) == nullptr &&
           !cannot_store_less.load(std::memory_order_relaxed);
  }

  ~Plan() {
    for (auto& variant : variants) delete variant.load();
  }
};

}  // namespace frit::engine

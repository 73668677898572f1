// Compiling, explaining and measuring what Frit does with a program's ops.
//
// Nothing here is needed for speed: repeating ops are compiled unasked. compile() marks a function
// as one region, so that it is compiled after one recording and its locals are dead when it
// returns.
//
//   auto fast = frit::compile([&](const frit::Tensor& x) { return relu(linear(x, w, b)); });
//   frit::Tensor y = fast(x);
//   std::cout << frit::explain(fast)(x).str();
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/backend.h"
#include "frit/tensor.h"

namespace frit {

struct CompileOptions {
  std::string backend = "";  // empty: the default one
  bool fullgraph = false;    // a graph break is an error
  // How plans take numbers, places of views and sizes. By default those that were seen to change
  // are arguments. True: numbers and places are from the first plan on, and what sizes have in
  // common is looked for at the second ones. False: each value and size has a plan of its own.
  std::optional<bool> dynamic = std::nullopt;
  // Plans of recordings are built on a worker thread, while calls go on eagerly.
  bool async = false;
};

namespace detail {
struct Region;
std::shared_ptr<Region> new_region(CompileOptions options);
// Marks ops between construction and finish() as the region's. Without finish() (an exception
// passes through) what is pending is computed and nothing is learnt.
class RegionScope {
 public:
  // The region outlives the scope.
  explicit RegionScope(Region* region);
  ~RegionScope();
  void finish();
  RegionScope(const RegionScope&) = delete;

 private:
  Region* region_;
  bool open_;
};
}  // namespace detail

// A function and its region. Copies share what has been compiled. Callable from any thread.
template <class F>
class Compiled {
 public:
  Compiled(F fn, CompileOptions options)
      : fn_(std::move(fn)), region_(detail::new_region(std::move(options))) {}
  template <class... A>
  requires std::is_invocable_v<const F&, A...>
  auto operator()(A&&... args) const {
    detail::RegionScope scope(region_.get());
    if constexpr (std::is_void_v<decltype(fn_(std::forward<A>(args)...))>) {
      fn_(std::forward<A>(args)...);
      scope.finish();
    } else {
      auto result = fn_(std::forward<A>(args)...);
      scope.finish();
      return result;
    }
  }
  const std::shared_ptr<detail::Region>& region() const { return region_; }

 private:
  F fn_;
  std::shared_ptr<detail::Region> region_;
};

// The host still runs the function at each call, so control flow stays right; the ops are matched
// against what was compiled.
template <class F>
Compiled<F> compile(F fn, CompileOptions options = {}) {
  return Compiled<F>(std::move(fn), std::move(options));
}

// What was made of a trace so as to produce one set of its values, for people.
struct PlanForm {
  std::string captured;    // graph of user ops
  std::string normalized;  // graph of core ops; empty for backends at capture
  // The facts beyond layouts that `normalized` rests on, each with the pass and the op that used
  // it: "s1 == 2: expand_composites, pow". All are among the guards.
  std::vector<std::string> facts;
  std::vector<std::string> kernels;    // text forms
  std::vector<std::string> fallbacks;  // steps that run eager kernels, with the reason
  std::vector<std::string> listings;   // code, if the writer gives any
  // Which writer made each kernel: "native" (machine code), "blocks", or a plug-in's; in brackets
  // why those before it did not. "bits not guaranteed" stands after a plug-in's.
  std::vector<std::string> writers;
  bool exact = true;  // whether outputs have eager's bits; else a plug-in made them
  int64_t build_us = 0;

  std::string str() const;  // all but the listings
};

// Where and why a plan was left. Inputs are named as in the captured graph: x1 is a tensor, s0 a
// number. v0 is the first value that the trace's calls made, v1 the second.
struct PlanExit {
  int step = -1;        // position of the expected call in the trace; -1: never left
  std::string reason;   // a name of src/capture/aborts.def: "other_layout"
  std::string text;     // what it means
  std::string call;     // what was expected: "mul(v3, x1)"
  std::string subject;  // what differed: "x1", "s0", "attributes", "MXCSR", or "call"
  std::string expected, actual;

  // step 8: expected mul(v3, x1), got mul(v3, x2): an operand is not the expected value
  std::string str() const;
};

// One compiled trace, for people.
struct PlanReport {
  uint64_t id = 0;
  std::string backend;
  GuardSet guards;
  std::vector<PlanForm> forms;  // in the order in which they were needed
  int64_t entries = 0;          // complete runs
  int64_t exits = 0;
  PlanExit last_exit;
};

struct Explanation {
  std::vector<PlanReport> plans;
  std::map<std::string, int64_t> breaks;  // reason -> count of graph breaks
  std::string str() const;
  std::string json() const;  // the same as one JSON object
};

// What is known of a region's plans, or of all plans of the process.
Explanation explain_region(const detail::Region& region);
Explanation explain_all();

// explain(fn)(args...): runs fn four times as a region, enough to compile what can be compiled, and
// says what came of it.
template <class F>
auto explain(Compiled<F> fn) {
  return [fn](auto&&... args) {
    for (int run = 0; run < 4; ++run) fn(args...);
    return explain_region(*fn.region());
  };
}
template <class F>
auto explain(F fn) {
  return explain(compile(std::move(fn)));
}

// Whether hot traces are compiled. Set it while no other thread runs ops.
void set_jit_mode(const std::string& mode);  // "off", "record" or "on"
std::string jit_mode();

struct Stats {
  int64_t eager_ops = 0;     // observed calls that ran at once
  int64_t plan_ops = 0;      // calls that ran as part of a plan
  int64_t plan_entries = 0;  // complete runs of plans
  int64_t recipes = 0;       // named values that plans left out, to be computed if they are read
  int64_t recordings = 0;    // traces recorded in full
  int64_t plans = 0;         // forms of plans built (see PlanForm)
  int64_t resized = 0;       // plans for new sizes that others' kernels serve: nothing was compiled
  int64_t kernels = 0;       // kernels compiled
  int64_t kernel_hits = 0;   // kernels found in the cache
  int64_t builds = 0;        // times the compiler ran
  int64_t exits = 0;         // side exits
  int64_t pool_live_bytes = 0, pool_cached_bytes = 0;
  int64_t code_bytes = 0, code_limit = 0;
  int64_t layouts = 0, layout_bytes = 0;
  std::map<std::string, int64_t> reasons;    // boundaries, exits and aborts by name
  std::map<std::string, int64_t> fallbacks;  // ops in plans without a lowering, with the reason
  std::map<std::string, int64_t> writers;    // kernels compiled, by who made them
  // Ops on tensors of a device that ran on the CPU, since it has no kernel for them: "npu sort".
  std::map<std::string, int64_t> device_fallbacks;
  std::map<std::string, int64_t> refusals;  // kernels that a writer left to others: "mine: why"
  std::string str() const;
};
// Counts of all threads since the start of the process.
Stats stats();

// A profile of ops, plans, kernels, compiles and side exits, as FRIT_PROFILE writes it: events from
// start_profile() on, which forgets those before it, in a file that Perfetto and Chrome open.
// write_profile throws where the file cannot be written.
void start_profile();
void stop_profile();
void write_profile(const std::string& path);

// Empties caches: pooled memory, plans that are not in use, and what this thread knows of its
// paths.
void trim();

// Returns when no plan is being built on a worker thread, nor waits for that.
void wait_for_builds();

// Threads that one op or plan may use. 1 <= n.
void set_num_threads(int n);
int get_num_threads();

}  // namespace frit

// The public calls of compile.h.
#include "frit/compile.h"

#include "src/base/flags.h"
#include "src/base/memory.h"
#include "src/base/profiler.h"
#include "src/base/thread_pool.h"
#include "src/contraction/pack_cache.h"
#include "src/engine/backends.h"
#include "src/engine/build_worker.h"
#include "src/engine/plan_registry.h"
#include "src/engine/recipe.h"
#include "src/engine/takeover.h"
#include "src/runtime/executor.h"
#include "src/runtime/kernel_cache.h"
#include "src/runtime/scratch_pool.h"
#include "src/tensor/observer.h"

namespace frit {
namespace detail {

std::shared_ptr<Region> new_region(CompileOptions options) {
  static std::atomic<uint64_t> next_id{1};
  if (!options.backend.empty())
    engine::check_backends("compile(backend=" + options.backend + ")", options.backend);
  return base::with_memory_errors([&] {
    auto region = std::make_shared<Region>();
    region->id = next_id.fetch_add(1);
    region->options = std::move(options);
    return region;
  });
}

RegionScope::RegionScope(Region* region) : region_(region) {
  engine::ThreadEngine* engine = engine::this_engine();
  open_ = engine != nullptr && observing();
  if (!open_) return;
  engine::OwnerScope scope(engine);
  base::with_memory_errors([&] { engine->enter_region(region); });
}

void RegionScope::finish() {
  if (!open_) return;
  open_ = false;
  engine::ThreadEngine* engine = engine::this_engine();
  engine::OwnerScope scope(engine);
  const std::optional<capture::Reason> broken = engine->leave_region(false);
  if (!region_->options.fullgraph || !broken) return;
  const capture::ReasonInfo& info = capture::info(*broken);
  throw Error(ErrorKind::kRuntime, "compile(fullgraph): graph break: " + std::string(info.name) +
                                       ": " + std::string(info.text));
}

RegionScope::~RegionScope() {
  if (!open_) return;
  engine::ThreadEngine* engine = engine::this_engine();
  try {
    engine::OwnerScope scope(engine);
    engine->leave_region(true);
  } catch (...) {
    // An exception is on its way already; values that could not be computed report it when they are
    // read.
  }
}

}  // namespace detail

void set_jit_mode(const std::string& mode) {
  base::Flags& flags = base::mutable_flags();
  if (mode == "off") {
    flags.jit = JitMode::kOff;
  } else if (mode == "record") {
    flags.jit = JitMode::kRecord;
  } else if (mode == "on") {
    flags.jit = JitMode::kOn;
  } else {
    throw Error(ErrorKind::kValue, "set_jit_mode(" + mode + "): expected off, record or on");
  }
  if (engine::ThreadEngine* engine = engine::this_engine()) {
    engine::OwnerScope scope(engine);
    engine->boundary(capture::Reason::environment);
  }
  observed_thread.quiet = 0;
  engine::finish_all_others();
  // From here on writes in place are not observed.
  if (flags.jit == JitMode::kOff) engine::compute_all_recipes();
  observer_enabled = flags.jit != JitMode::kOff;
}

std::string jit_mode() {
  switch (base::flags().jit) {
    case JitMode::kOff:
      return "off";
    case JitMode::kRecord:
      return "record";
    case JitMode::kOn:
      return "on";
  }
  __builtin_unreachable();
}

void set_num_threads(int n) {
  if (n < 1)
    throw Error(ErrorKind::kValue,
                "set_num_threads(" + std::to_string(n) + "): expected at least 1");
  if (engine::ThreadEngine* engine = engine::this_engine()) {
    engine::OwnerScope scope(engine);
    engine->boundary(capture::Reason::environment);
  }
  engine::finish_all_others();
  base::set_num_threads(n);
}

int get_num_threads() { return base::num_threads(); }

void start_profile() { base::start_profile(); }
void stop_profile() { base::stop_profile(); }
void write_profile(const std::string& path) { base::write_profile(path); }

void wait_for_builds() { engine::BuildWorker::get().wait(); }

void trim() {
  if (engine::ThreadEngine* engine = engine::this_engine()) {
    engine::OwnerScope scope(engine);
    engine->forget();
  }
  engine::PlanRegistry::get().clear();
  runtime::KernelCache::get().clear();
  contraction::pack_cache().trim();
  runtime::release_arena();
  runtime::ScratchPool::get().clear();
  trim_pool();
}

}  // namespace frit

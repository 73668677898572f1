// Builds plans: trace -> graph -> core graph -> schedule -> kernels -> executable, and the guards
// for it.
#include "src/engine/build.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "src/base/blocking.h"
#include "src/base/check.h"
#include "src/base/code_memory.h"
#include "src/base/flags.h"
#include "src/base/float_mode.h"
#include "src/base/fork.h"
#include "src/base/log.h"
#include "src/base/profiler.h"
#include "src/engine/backends.h"
#include "src/engine/environment.h"
#include "src/engine/family.h"
#include "src/engine/foreign.h"
#include "src/engine/log_events.h"
#include "src/engine/native.h"
#include "src/engine/plan_guards.h"
#include "src/normalize/normalize.h"
#include "src/runtime/kernel_cache.h"
#include "src/schedule/numbers.h"

namespace frit::engine {

using capture::Reason;
using capture::Trace;

namespace {

std::atomic<uint64_t> next_plan_id{1};

struct BuildCounters {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  int64_t builds = 0, plans = 0, resized = 0;
};
BuildCounters& counters() {
  static BuildCounters* counters = new BuildCounters;
  return *counters;
}

class NativeExecutable : public Executable {
 public:
  explicit NativeExecutable(std::shared_ptr<const runtime::Executor> executor)
      : executor_(std::move(executor)) {}
  const std::shared_ptr<const runtime::Executor>& executor() const { return executor_; }
  void run(std::span<TensorImpl* const> externals, std::span<const Scalar> scalars,
           std::span<StorageRef> outputs) const override {
    executor_->run({.tensors = externals,
                    .constants = {},
                    .scalars = scalars,
                    .outputs = outputs,
                    .destinations = {},
                    .calls_are_tested = true});
  }
  void reserve(std::span<StorageRef> outputs) const override { executor_->reserve(outputs); }
  bool exact() const override { return is_exact(*executor_); }
  void describe(PlanForm* form) const override { describe_executor(*executor_, form); }

 private:
  std::shared_ptr<const runtime::Executor> executor_;
};

// What a build works on and fills.
struct Build {
  const Trace& trace;
  const std::vector<bool>& varying;
  std::string backend;
  Variant* variant;
  const Examples& examples;
  const Plan* like = nullptr;  // see BuildRequest
  int relatives_needed = 0;    // for a family to be looked for
  capture::TraceGraph captured{Graph(), {}, {}, {}};
  std::vector<bool> guarded{};  // per scalar of the trace
  Reason reason{};
  std::string detail{};  // of the reason, for people
  size_t num_kernels = 0;
  uint64_t plan_id = 0;
};

std::string backend_name(const detail::Region* region) {
  return region != nullptr && !region->options.backend.empty() ? region->options.backend
                                                               : default_backend();
}

// The scalars seen at recording, where normalize looks for them: by value id of the captured graph.
NormalizeContext context_of(const Build& build) {
  NormalizeContext context;
  const Graph& graph = build.captured.graph;
  context.scalar_values.resize(graph.num_inputs());
  const size_t first = build.trace.externals.size();
  for (size_t i = 0; i < build.captured.scalar_of_input.size(); ++i)
    context.scalar_values[first + i] = build.trace.scalars[build.captured.scalar_of_input[i]];
  return context;
}

void note_assumptions(const NormalizeContext& context, Build* build) {
  const size_t first = build->trace.externals.size();
  for (const Assumption& a : context.assumptions)
    if (a.fact == Fact::kScalar)
      build->guarded[build->captured.scalar_of_input[a.scalar_input - first]] = true;
  build->variant->assumptions = context.assumptions;
}

// That every fact which the form rests on is among the guards of the plan.
void check_guards(const Build& build, uint64_t environment) {
  if (!base::flags().verify) return;
  const Variant& variant = *build.variant;
  const GuardSet guards = guards_of(variant.captured, build.trace, build.guarded, environment);
  for (const Assumption& fact : variant.assumptions)
    FRIT_CHECK(is_guarded(fact, variant.captured, guards))
        << "plan " << build.plan_id << ": no guard for " << fact.str(variant.captured) << "\n"
        << to_string(guards);
}

// Eager's graph to core ops. Nothing, with the reason, where that is not what can be compiled.
std::optional<Graph> core_graph(Build* build, uint64_t environment) {
  const std::optional<Device> on = device_of(build->captured.graph);
  if (!on) {
    build->detail = "its values lie on several devices";
    return build->reason = Reason::unsupported_op, std::nullopt;
  }
  const DefaultDeviceScope device(*on);
  NormalizeContext context = context_of(*build);
  const bool keeps = base::keeps_denormals(static_cast<uint32_t>(environment));
  context.denormals = keeps ? Denormals::kKept : Denormals::kZero;
  Graph core = normalize(build->captured.graph, &context);
  note_assumptions(context, build);
  if (same_output_layouts(build->captured.graph, core)) return core;
  build->reason = Reason::layout_differs;
  return std::nullopt;
}

// The schedule of a relative of the plan that is built, which must rest on the same values.
std::optional<Schedule> schedule_of_relative(const Build& build, const Trace& trace,
                                             uint64_t environment) {
  Variant variant;
  Build relative{trace, build.varying, build.backend, &variant, build.examples};
  relative.guarded = build.varying;
  relative.guarded.flip();
  relative.captured = capture::to_graph(trace, build.variant->produced, relative.guarded, "trace");
  const std::optional<Graph> core = core_graph(&relative, environment);
  if (!core || relative.guarded != build.guarded) return std::nullopt;
  const DefaultDeviceScope device(device_of(*core).value_or(kCPU));
  return schedule(*core);
}

// Whether the first form of a plan makes the values that are wanted from the same arguments, and
// the numbers that it rests on are those of the trace: by pattern, other ones may have come.
bool makes_the_same(const Plan& like, const Build& build) {
  const Variant& known = *like.variants[0].load(std::memory_order_acquire);
  bool same = known.produced == build.variant->produced && like.varying == build.varying;
  for (size_t i = 0; same && i < like.table.guarded.size(); ++i)
    same = !like.table.guarded[i] || like.table.trace.scalars[i].identical(build.trace.scalars[i]);
  return same;
}

// From the family of a plan like this one. False where that has none, or this is no member.
bool compile_as_relative(Build* build, uint64_t environment) {
  if (build->like == nullptr || build->like->family == nullptr) return false;
  const Plan& like = *build->like;
  if (!makes_the_same(like, *build)) return false;
  std::shared_ptr<const runtime::Executor> executor = like.family->executor_for(build->trace);
  if (executor == nullptr) return false;
  build->guarded = like.table.guarded;
  build->variant->assumptions = like.variants[0].load(std::memory_order_acquire)->assumptions;
  if (base::flags().verify) {
    const auto exact = schedule_of_relative(*build, build->trace, environment);
    // A size that equals another one by chance may allow for another form: both are right.
    const bool comparable = exact && same_but_for_numbers(*exact, executor->schedule());
    FRIT_CHECK(exact && (!comparable || numbers_of(*exact) == numbers_of(executor->schedule())))
        << "plan " << build->plan_id << " is not what its family takes it for\n"
        << build->captured.graph.print();
  }
  build->variant->resized = true;
  build->num_kernels = executor->kernels().size();
  build->variant->executable = std::make_unique<NativeExecutable>(std::move(executor));
  return true;
}

// The written sequences, and the identities that kernels use, are for rounding to nearest.
bool compile_native(Build* build, uint64_t environment) {
  const uint32_t mxcsr = static_cast<uint32_t>(environment);
  if (!base::rounds_to_nearest(mxcsr)) return build->reason = Reason::rounding_mode, false;
  if (compile_as_relative(build, environment)) return true;
  std::optional<Graph> core = core_graph(build, environment);
  if (!core) return false;
  auto executor = make_executor(*core, &build->detail);
  if (executor == nullptr) return build->reason = Reason::unsupported_op, false;
  build->num_kernels = executor->kernels().size();
  build->variant->normalized = std::move(core);
  build->variant->executable = std::make_unique<NativeExecutable>(std::move(executor));
  return true;
}

// What the graph's inputs were. A view that moves is in no call's hands.
std::vector<GraphArg> example_args(const Build& build) {
  std::vector<GraphArg> args;
  if (build.examples.empty()) return args;
  for (size_t i = 0; i < build.trace.externals.size(); ++i)
    args.emplace_back(i < build.examples.size() ? build.examples[i] : Tensor());
  for (int scalar : build.captured.scalar_of_input) args.emplace_back(build.trace.scalars[scalar]);
  return args;
}

bool compile_foreign(const std::string& name, Build* build, uint64_t environment) {
  build->reason = Reason::backend_refused;
  const std::optional<FoundBackend> backend = find_backend(name);
  if (!backend) return false;
  const Graph& graph = build->captured.graph;
  const GuardSet guards = guards_of(graph, build->trace, build->guarded, environment);
  const std::vector<GraphArg> examples = example_args(*build);
  CompiledGraph compiled;
  try {
    compiled = backend->compile({graph, guards, examples});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotImplemented) throw;
    build->detail = error.what();
  }
  if (!compiled) return false;
  build->variant->executable = foreign_executable(name, graph, std::move(compiled), backend->exact);
  return true;
}

// By the first backend of the list that takes it.
bool compile_captured(Build* build, uint64_t environment) {
  for (const std::string& name : backends_in(build->backend)) {
    build->detail.clear();
    const bool built = name == "native" ? compile_native(build, environment)
                                        : compile_foreign(name, build, environment);
    if (built) return true;
    note_fallback(name +
                  " refused: " + (build->detail.empty() ? "no reason given" : build->detail));
  }
  return false;
}

void begin_event(const Build& build, std::optional<base::ProfileEvent>* event) {
  event->emplace("compile", "compile plan " + std::to_string(build.plan_id));
  (*event)->note("plan", static_cast<int64_t>(build.plan_id));
  (*event)->note("ops", static_cast<int64_t>(build.trace.ops.size()));
  (*event)->note("backend", build.backend);
  (*event)->start();
}

void end_event(const Build& build, bool built, std::optional<base::ProfileEvent>* event) {
  if (!event->has_value()) return;
  (*event)->note("kernels", static_cast<int64_t>(build.num_kernels));
  if (!built) (*event)->note("aborted", capture::info(build.reason).name);
  if (!built) (*event)->note("why", build.detail);
  event->reset();
}

void count(const Variant& variant, bool built) {
  std::lock_guard lock(counters().mutex);
  counters().resized += variant.resized;
  counters().builds += !variant.resized;
  counters().plans += built && !variant.resized;
}

void log_build(const Build& build, bool built) {
  const size_t ops = build.trace.ops.size();
  if (!built) return log_abort(static_cast<int>(ops), build.reason, build.detail);
  if (base::logs(base::LogCategory::compile))
    base::LogLine("compile")
        .add("plan", build.plan_id)
        .add("ops", ops)
        .add("kernels", build.num_kernels)
        .add("resized", build.variant->resized ? "yes" : "no")
        .add("us", build.variant->build_us);
}

// Fills the variant. False, with the reason, when it cannot be built. Never throws.
bool compile_variant(Build* build, uint64_t environment) {
  // Numbers are rounded to dtypes here, in the mode of the calls: the host may have set another one
  // since, when a form is built for what is read later.
  const EnvironmentScope scope(environment);
  const auto start = std::chrono::steady_clock::now();
  std::optional<base::ProfileEvent> event;
  if (base::profiling()) begin_event(*build, &event);
  build->guarded.resize(build->trace.scalars.size());
  std::vector<bool> constant = build->varying;
  constant.flip();
  build->guarded = constant;
  bool built = false;
  try {
    build->captured = capture::to_graph(build->trace, build->variant->produced, constant, "trace");
    build->variant->places = std::move(build->captured.places);
    build->variant->commits = std::move(build->captured.commits);
    build->variant->scalar_of_input = build->captured.scalar_of_input;
    built = compile_captured(build, environment);
    build->variant->captured = std::move(build->captured.graph);
  } catch (const std::exception& error) {
    build->reason = Reason::compile_error;
    build->detail = error.what();
  } catch (...) {  // a plug-in's
    build->reason = Reason::compile_error;
    build->detail = "an exception of unknown type";
  }
  build->variant->build_us = std::chrono::duration_cast<std::chrono::microseconds>(
                                 std::chrono::steady_clock::now() - start)
                                 .count();
  end_event(*build, built, &event);
  count(*build->variant, built);
  if (built) check_guards(*build, environment);
  if (!built) note_fallback("not compiled: " + build->detail);
  log_build(*build, built);
  return built;
}

bool has_effects(const Trace& trace) {
  return std::any_of(trace.ops.begin(), trace.ops.end(), [](const capture::TraceOp& op) {
    return info(op.op).traits == Traits::kEffect;
  });
}

bool has_custom_ops(const Trace& trace) {
  return std::any_of(trace.ops.begin(), trace.ops.end(),
                     [](const capture::TraceOp& op) { return is_custom(op.op); });
}

// A recipe is made from what its trace has read, which must not be written by the trace itself. Nor
// is a registered op called again for one, with locks of Frit's held that its function may wait
// for.
void forbid_recipes(Learnt* learnt, size_t slots) {
  for (size_t s = 0; s < slots; ++s) learnt->note_read(s);
}

// Plans that are built in full, for sizes that are new each time, before a family is looked for;
// and again after twice as many.
constexpr int kRelatives = 2;

// A family's members are tried at sizes that nobody has asked for: no function of others is called
// with these.
bool calls_others(const Trace& trace) {
  return std::any_of(trace.ops.begin(), trace.ops.end(),
                     [](const capture::TraceOp& op) { return is_custom(op.op); });
}

void join_family(const Build& build, Plan* plan) {
  if (build.like == nullptr || calls_others(build.trace)) return;
  const Plan& like = *build.like;
  // Also of what is no member, where it is of the same form but for sizes: the next one may be.
  const bool same_form = makes_the_same(like, build) && like.table.guarded == build.guarded;
  if (same_form) plan->family = like.family;
  plan->relatives = like.relatives + !build.variant->resized;
  if (build.variant->resized) return;
  const auto* native = dynamic_cast<const NativeExecutable*>(build.variant->executable.get());
  const auto count = static_cast<unsigned>(plan->relatives);
  if (native == nullptr || plan->relatives < build.relatives_needed || !std::has_single_bit(count))
    return;
  const uint64_t environment = plan->table.environment;
  const EnvironmentScope scope(environment);
  auto found = Family::find(
      capture::without_moving(like.table.trace), capture::without_moving(build.trace),
      capture::moving_ops(build.trace), native->executor(),
      [&](const Trace& trace) { return schedule_of_relative(build, trace, environment); });
  if (found != nullptr) plan->family = std::move(found);
}

// What building it took, in nanoseconds, or the one it was resized from as well: a thread that had
// to wait measures too much.
int64_t cost_of(const Build& build) {
  const int64_t own = build.variant->build_us * 1000;
  const Variant* like =
      build.like != nullptr ? build.like->variants[0].load(std::memory_order_acquire) : nullptr;
  const bool comparable = like != nullptr && like->resized && build.variant->resized;
  return comparable ? std::min(own, build.like->build_ns) : own;
}

std::vector<bool> alive_and_read(const Trace& trace, const Learnt& learnt) {
  std::vector<bool> slots = trace.alive;
  for (size_t s = 0; s < slots.size(); ++s)
    if (learnt.habit(s) == Habit::kDiesUnread) slots[s] = false;
  return slots;
}

}  // namespace

BuildRequest new_request(const detail::Region* region) {
  BuildRequest request;
  request.region = region != nullptr ? region->id : 0;
  request.backend = backend_name(region);
  request.environment = environment_word();
  request.dynamic = region != nullptr && region->options.dynamic.value_or(false);
  return request;
}

bool wants_examples(const std::string& backend) { return backend != "native"; }

Examples examples_of(std::span<TensorImpl* const> externals) {
  Examples examples;
  for (TensorImpl* t : externals) {
    const bool in_memory = t != nullptr && !t->pending() && t->storage != nullptr &&
                           t->storage->deferred_write.load(std::memory_order_acquire) == nullptr;
    examples.push_back(in_memory ? Tensor::share(t) : Tensor());
  }
  return examples;
}

std::shared_ptr<Plan> build_plan(BuildRequest request, Reason* reason) {
  MuteScope mute;
  auto plan = std::make_shared<Plan>();
  plan->id = next_plan_id.fetch_add(1);
  plan->region = request.region;
  plan->backend = std::move(request.backend);
  plan->varying = std::move(request.varying);
  plan->table.trace = std::move(*request.trace);
  capture::set_moving(&plan->table.trace, request.moving);
  plan->table.environment = request.environment;
  const Trace& trace = plan->table.trace;
  plan->learnt.emplace(trace.slots.size(), request.habits);
  if (has_effects(trace) || has_custom_ops(trace))
    forbid_recipes(&*plan->learnt, trace.slots.size());
  auto variant = std::make_unique<Variant>();
  variant->produced = capture::roots_to_produce(trace, alive_and_read(trace, *plan->learnt));
  Build build{trace, plan->varying, plan->backend, variant.get(), request.examples, request.like};
  build.relatives_needed = request.dynamic ? 1 : kRelatives;
  build.plan_id = plan->id;
  if (!compile_variant(&build, plan->table.environment)) return *reason = build.reason, nullptr;
  plan->table.guarded = build.guarded;
  plan->build_ns = cost_of(build);
  plan->eager_ns = request.eager_ns;
  join_family(build, plan.get());
  plan->variants[0].store(variant.release(), std::memory_order_release);
  return plan;
}

Variant* add_variant(Plan& plan, const std::vector<bool>& wanted, const Examples& examples) {
  MuteScope mute;
  base::lock_blocking(plan.building);  // whoever holds it may be in a backend written in Python
  std::lock_guard lock(plan.building, std::adopt_lock);
  auto variant = std::make_unique<Variant>();
  variant->produced = wanted;
  int free = -1;
  Variant* serving = nullptr;  // another thread may have built one by now
  for (int i = 0; i < kMaxVariants && free < 0; ++i) {
    Variant* other = plan.variants[i].load(std::memory_order_relaxed);
    if (other == nullptr) {
      free = i;
      continue;
    }
    if (other->produced == wanted) return other;
    bool serves = true;
    for (size_t s = 0; s < wanted.size(); ++s)
      serves = serves && (!wanted[s] || other->produced[s]);
    if (serves) serving = other;
  }
  if (free < 0 || (free == kMaxVariants - 1 && serving != nullptr)) return serving;
  if (free == kMaxVariants - 1) {
    // The last place: produce every root that has memory of its own, so that any liveness is
    // served.
    for (size_t s = 0; s < wanted.size(); ++s)
      variant->produced[s] = plan.table.trace.slots[s].root ==
                             capture::ValueRef(capture::ValueRef::Kind::kSlot, static_cast<int>(s));
  }
  Build build{plan.table.trace, plan.varying, plan.backend, variant.get(), examples};
  build.plan_id = plan.id;
  if (!compile_variant(&build, plan.table.environment)) return nullptr;
  // The plan's guards were made for its first variant: another one must not need others.
  if (build.guarded != plan.table.guarded) return nullptr;
  plan.variants[free].store(variant.get(), std::memory_order_release);
  return variant.release();
}

std::optional<Graph> core_graph_of(const Plan& plan, const Variant& variant) {
  if (!variant.resized) return variant.normalized;
  const EnvironmentScope scope(plan.table.environment);
  Variant again;
  again.produced = variant.produced;
  const Examples none;
  Build build{plan.table.trace, plan.varying, plan.backend, &again, none};
  build.guarded = plan.varying;
  build.guarded.flip();
  build.captured = capture::to_graph(build.trace, again.produced, build.guarded, "trace");
  return core_graph(&build, plan.table.environment);
}

void add_build_counters(Stats* stats) {
  const auto kernels = runtime::KernelCache::get().stats();
  stats->kernels = kernels.compiled;
  stats->kernel_hits = kernels.hits;
  stats->code_bytes = base::CodeMemory::shared().bytes();
  stats->code_limit = base::flags().code_bytes;
  stats->writers = kernels.writers;
  stats->refusals = kernels.refusals;
  add_fallbacks(stats);
  std::lock_guard lock(counters().mutex);
  stats->builds = counters().builds;
  stats->plans = counters().plans;
  stats->resized = counters().resized;
}

}  // namespace frit::engine

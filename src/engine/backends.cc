// Registers backends and writers.
#include "src/engine/backends.h"
#include "src/base/fork.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "frit/error.h"
#include "src/engine/plan_guards.h"
#include "src/graph/graph_builder.h"
#include "src/normalize/normalize.h"
#include "src/ops/op.h"

namespace frit {
namespace {

// Nothing of a plug-in's is called, copied or destroyed under the lock.
struct Backends {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  struct Registered {
    std::shared_ptr<const Backend> compile;
    bool exact;
  };
  std::map<std::string, Registered> by_name;
  std::string default_name = "native";
  std::vector<std::unique_ptr<Writer>>
      writers;  // the last is in use; earlier ones made code that lives on
};

// The op-by-op backends that come with Frit.
Backend interpreting_backend() {
  return [](const BackendInput& input) -> CompiledGraph {
    return [graph = input.graph](std::span<const GraphArg> args) { return interpret(graph, args); };
  };
}

// Counts changes; see backend_generation().
std::atomic<uint32_t> generation{0};

Backends& backends() {
  static Backends* table = [] {
    auto* made = new Backends;
    made->by_name["interpret"] = {std::make_shared<const Backend>(interpreting_backend()), true};
    return made;
  }();
  return *table;
}

std::string known_names() {
  std::string names;
  for (const std::string& name : list_backends()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

namespace engine {

std::optional<FoundBackend> find_backend(const std::string& name) {
  Backends& b = backends();
  Backends::Registered found;
  {
    std::lock_guard lock(b.mutex);
    const auto it = b.by_name.find(name);
    if (it == b.by_name.end()) return std::nullopt;
    found = it->second;
  }
  return FoundBackend{*found.compile, found.exact};
}

std::string default_backend() {
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  return b.default_name;
}

uint32_t backend_generation() { return generation.load(std::memory_order_relaxed); }

Writer* registered_writer() {
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  return b.writers.empty() ? nullptr : b.writers.back().get();
}

}  // namespace engine

void register_backend(const std::string& name, Backend backend) {
  if (name == "native")
    throw Error(ErrorKind::kValue, "register_backend(native): the name is taken");
  if (!backend)
    throw Error(ErrorKind::kValue, "register_backend(" + name + "): the function is empty");
  Backends::Registered registered{std::make_shared<const Backend>(std::move(backend)), false};
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  std::swap(b.by_name[name], registered);
  generation.fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::string> list_backends() {
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  std::vector<std::string> names = {"native"};
  for (const auto& [name, backend] : b.by_name) names.push_back(name);
  return names;
}

void set_default_backend(const std::string& name) {
  if (name != "native" && !engine::find_backend(name))
    throw Error(ErrorKind::kValue,
                "set_default_backend(" + name + "): unknown backend: known are " + known_names());
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  if (b.default_name == name) return;
  b.default_name = name;
  generation.fetch_add(1, std::memory_order_relaxed);
}

Backend normalized(Backend fn, std::vector<std::string> keep) {
  std::set<Op> kept;
  for (const std::string& name : keep) {
    const std::optional<Op> op = op_named(name);
    if (!op) throw Error(ErrorKind::kValue, "normalized(keep=" + name + "): no such op");
    kept.insert(*op);
  }
  return [fn = std::move(fn), kept](const BackendInput& input) -> CompiledGraph {
    NormalizeContext context;
    context.keep = kept;
    context.scalar_values.resize(input.graph.num_values());
    context.denormals = engine::denormals_in(input.guards);
    // A form that depends on a scalar's value cannot be handed on without its guard: such a scalar
    // is a literal of the graph by now, since guarded scalars are.
    const Graph core = normalize(input.graph, &context);
    const auto& facts = context.assumptions;
    if (std::any_of(facts.begin(), facts.end(),
                    [](const Assumption& a) { return a.fact == Fact::kScalar; }))
      return nullptr;
    return fn({core, input.guards});
  };
}

void register_writer(const std::string& device, std::function<std::unique_ptr<Writer>()> factory) {
  if (device != "cpu")
    throw Error(ErrorKind::kValue, "register_writer(" + device + "): no such device: known is cpu");
  std::unique_ptr<Writer> writer = factory ? factory() : nullptr;
  if (writer == nullptr)
    throw Error(ErrorKind::kValue, "register_writer(" + device + "): the factory made no writer");
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  b.writers.push_back(std::move(writer));
  generation.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace frit

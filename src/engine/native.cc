// Schedules graphs and has their kernels made.
#include "src/engine/native.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "src/base/code_memory.h"
#include "src/base/flags.h"
#include "src/base/fork.h"
#include "src/codegen/native_writer.h"
#include "src/engine/backends.h"
#include "src/engine/plan_registry.h"
#include "src/runtime/block_writer.h"
#include "src/runtime/kernel_cache.h"
#include "src/schedule/schedule.h"

namespace frit::engine {
namespace {

// Who may make a graph's kernels, first who is asked first: a plug-in's writer, machine code, and
// what does without.
std::array<Writer*, 3> writers(Device device) {
  static Writer* native = codegen::new_native_writer().release();
  static Writer* blocks = runtime::new_block_writer().release();
  return {registered_writer(device), native, blocks};
}

// A plug-in's kernels may differ from eager by a tolerance.
bool is_exact(const runtime::KernelCode& kernel) {
  const auto [plugin, native, blocks] = writers(kCPU);
  return kernel.made_by == native || kernel.made_by == blocks;
}

// Before executable memory is full, what is not in use makes room; what then finds none runs block
// by block.
void make_room() {
  const auto crowded = [] {
    return base::CodeMemory::shared().bytes() > base::flags().code_bytes / 8 * 7;
  };
  if (!crowded()) return;
  runtime::KernelCache::get().drop_unused();
  if (crowded() && PlanRegistry::get().drop_stale()) runtime::KernelCache::get().drop_unused();
}

struct Fallbacks {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  std::map<std::string, int64_t> counts;
};
Fallbacks& fallbacks() {
  static Fallbacks* fallbacks = new Fallbacks;
  return *fallbacks;
}

}  // namespace

bool same_output_layouts(const Graph& captured, const Graph& core) {
  for (size_t i = 0; i < captured.outputs().size(); ++i)
    if (captured.layout(captured.outputs()[i]) != core.layout(core.outputs()[i])) return false;
  return true;
}

std::optional<Device> device_of(const Graph& graph) {
  std::optional<Device> device;
  for (Graph::ValueId v = 0; v < graph.num_values(); ++v) {
    if (graph.is_scalar(v)) continue;
    if (device && graph.layout(v)->device != *device) return std::nullopt;
    device = graph.layout(v)->device;
  }
  return device.value_or(kCPU);
}

std::unique_ptr<runtime::Executor> make_executor(const Graph& core, std::string* reason) {
  const std::optional<Device> device = device_of(core);
  if (!device) return *reason = "its values lie on several devices", nullptr;
  const auto asked = writers(*device);
  if (!device->is_cpu() && asked[0] == nullptr)
    return *reason = device->str() + " has no writer", nullptr;
  const DefaultDeviceScope scope(*device);
  Schedule made = schedule(core);
  if (!made.refusal.empty()) return *reason = made.refusal, nullptr;
  for (const std::string& fallback : made.fallbacks) note_fallback(fallback);
  make_room();
  return runtime::Executor::make(std::move(made), *device, asked, reason);
}

bool is_exact(const runtime::Executor& executor) {
  const auto& kernels = executor.kernels();
  return std::all_of(kernels.begin(), kernels.end(),
                     [](const runtime::KernelCode& kernel) { return is_exact(kernel); });
}

void describe_executor(const runtime::Executor& executor, PlanForm* form) {
  form->exact = is_exact(executor);
  form->fallbacks = executor.schedule().fallbacks;
  for (const ScheduleStep& step : executor.schedule().steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step))
      form->kernels.push_back(kernel->kernel->print());
  for (const runtime::KernelCode& kernel : executor.kernels()) {
    form->listings.push_back(kernel.code->listing());
    form->writers.push_back(kernel.writer + (is_exact(kernel) ? "" : ": bits not guaranteed"));
  }
}

void note_fallback(const std::string& text) {
  constexpr size_t kMaxTexts = 256;  // texts name shapes, of which a program may have any number
  Fallbacks& f = fallbacks();
  std::lock_guard lock(f.mutex);
  const bool room = f.counts.size() < kMaxTexts || f.counts.contains(text);
  ++f.counts[room ? text : "others"];
}

void add_fallbacks(Stats* stats) {
  Fallbacks& f = fallbacks();
  std::lock_guard lock(f.mutex);
  stats->fallbacks = f.counts;
}

}  // namespace frit::engine

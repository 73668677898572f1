// Path accounting of one thread; recorder.h has the requirements.
#include "src/capture/recorder.h"

#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "src/base/flags.h"
#include "src/base/hash.h"
#include "src/tensor/observer.h"

namespace frit::capture {
namespace {

constexpr size_t kMaxRoots = 4096;
constexpr size_t kMaxPaths = 64;
constexpr uint32_t kMaxDoublings = 20;
constexpr uint32_t kLoopAfter = 64;  // ops that nobody looked into before a loop is looked for
constexpr int kMaxDistances = 8;
// Plans of a path, before time decides. In a region those for more sizes follow the first one's
// pattern.
constexpr uint32_t kFreePlans = 8, kFreeInRegion = 2;

// What building a plan is expected to cost, for ski rental: half a millisecond of fixed work at
// most, and a share per op (kernel, primitive). Measured with bench/build_bench.
int64_t build_cost_ns(int num_ops) { return 50'000 + 10'000 * static_cast<int64_t>(num_ops); }

// Nanoseconds per tick of the time stamp counter.
double tick_ns() {
  static const double value = [] {
    const auto wall = std::chrono::steady_clock::now();
    const uint64_t ticks = __rdtsc();
    while (std::chrono::steady_clock::now() - wall < std::chrono::microseconds(200)) {
    }
    const auto elapsed =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - wall);
    return elapsed.count() / static_cast<double>(__rdtsc() - ticks);
  }();
  return value;
}

bool wants_recording(const Path& path, bool in_region) {
  const uint32_t hot = static_cast<uint32_t>(base::flags().hot);
  const uint32_t free = hot > 0 ? kFreePlans : in_region ? kFreeInRegion : 0;
  if (path.plans < free && path.attempts < kFreePlans) return path.runs >= std::max(hot, 1u);
  const uint32_t doublings = std::min(path.plans + path.attempts, kMaxDoublings);
  return hot == 0 && path.spent_ns >= build_cost_ns(path.num_ops) << doublings;
}

void update(Root* root) {
  root->record_next = std::any_of(root->paths.begin(), root->paths.end(), [&](const auto& entry) {
    return wants_recording(entry.second, root->in_region);
  });
}

// The path starts counting afresh.
void settle(Root* root, Path* path) {
  path->runs = 0;
  path->spent_ns = 0;
  update(root);
}

constexpr int kKnown = 0;  // a value in Writes

Place place_of(const TensorImpl* t) {
  return {t->storage->id, t->layout, t->data - t->storage->data};
}

// Where a value of a trace lies that has been computed. Nothing for scalars, and for slots of whose
// memory the program has dropped everything.
std::optional<Place> place_in_memory(const Pending& pending, ValueRef ref) {
  if (ref.kind() == ValueRef::Kind::kScalar) return std::nullopt;
  if (ref.kind() == ValueRef::Kind::kExternal) return place_of(pending.externals()[ref.index()]);
  const Trace& trace = pending.table()->trace;
  const SlotInfo& slot = trace.slots[ref.index()];
  const int64_t size = byte_size(slot.layout->dtype);
  const MemoryRoot lies = pending.root_of_slot(ref.index());
  if (lies.root.kind() == ValueRef::Kind::kExternal) {
    const Place root = place_of(pending.externals()[lies.root.index()]);
    return Place{root.memory, slot.layout, root.offset + lies.offset * size};
  }
  for (int s = 0; s < pending.num_slots(); ++s) {
    const TensorImpl* t = pending.placeholders()[s];
    if (t == nullptr || t->storage == nullptr || !(trace.slots[s].root == slot.root)) continue;
    const Place other = place_of(t);
    const int64_t start = other.offset - trace.slots[s].offset * size;
    return Place{other.memory, slot.layout, start + slot.offset * size};
  }
  return std::nullopt;
}

// Without positions and sizes.
inline uint64_t hash_attrs(const OpCall& call) {
  const IntArrayRef attrs = call.attrs.flat();
  uint64_t hash = attrs.size();
  const auto add = [&](int64_t value) { hash = base::combine(hash, static_cast<uint64_t>(value)); };
  if (!info(call.op).varies) {
    for (int64_t value : attrs) add(value);
  } else {
    visit_fixed(call.op, attrs, add);
  }
  return hash;
}

}  // namespace

uint64_t ticks_of(int64_t ns) { return static_cast<uint64_t>(static_cast<double>(ns) / tick_ns()); }

void Recorder::op_begins() {
  if (timed_) op_start_ = __rdtsc();
}

void Recorder::set_id(uint64_t id) {
  id_ = id;
  next_birth_ = first_birth_ = id << 40 | 1;
}

uint64_t Recorder::begin_births() { return first_birth_ = next_birth_; }

Root* Recorder::anchor(const OpCall& call, Reason boundary, uint64_t region) {
  uint64_t key = static_cast<uint64_t>(boundary) | region << 8;
  key = base::combine(key, static_cast<uint64_t>(call.op));
  key = base::combine(key, hash_attrs(call));
  for (const Operand& operand : call.operands) {
    const uint64_t kind = operand.is_tensor()
                              ? static_cast<uint64_t>(operand.tensor->layout->dtype) |
                                    static_cast<uint64_t>(operand.tensor->layout->rank) << 8
                              : 1u << 16;
    key = base::combine(key, kind);
  }
  Root*& recent = recent_roots_[key % recent_roots_.size()];
  if (recent != nullptr && recent->key == key) return recent;
  auto it = roots_.find(key);
  if (it == roots_.end()) {
    if (roots_.size() >= kMaxRoots) clear();
    it = roots_.emplace(key, std::make_unique<Root>()).first;
    it->second->key = key;
  }
  return recent = it->second.get();
}

void Recorder::clear() {
  const MuteScope mute;  // what a plan holds may call Frit when it goes
  decltype(roots_) dropped;
  roots_.swap(dropped);
  recent_roots_.fill(nullptr);
}

void Recorder::begin(Root* root, bool in_region) {
  root_ = root;
  path_ = 0;
  num_ops_ = 0;
  whole_ = true;
  first_birth_ = next_birth_;
  spent_ = 0;
  random_ = random_ * 1664525 + 1013904223;
  timed_ = random_ >> 30 == 0 || root->paths.empty();
  writes_.clear();
  root->in_region = in_region;
  // What is recorded in vain is dropped at the path's end.
  const bool first_run_in_region = in_region && root->paths.empty();
  if (root->record_next || first_run_in_region || base::flags().hot == 1) writer_.begin();
}

void Recorder::resume(Root* root, const Pending& pending) {
  const Trace& trace = pending.table()->trace;
  root_ = root;
  path_ = trace.ops[pending.cursor() - 1].path;
  num_ops_ = pending.cursor();
  whole_ = false;
  skip_births(pending.cursor());
  spent_ = 0;
  timed_ = true;
  resume_writes(pending);
  writer_.abandon();
  if (root->record_next)
    writer_.begin_with(pending.trace_so_far(), pending.cursor(), pending.externals(),
                       pending.scalars(), pending.placeholders());
}

// As if the calls that have been matched, and were computed since, had been noted one by one.
void Recorder::resume_writes(const Pending& pending) {
  writes_.clear();
  const Trace& trace = pending.table()->trace;
  if (!trace.writes) return;
  for (int i = 0; i < pending.cursor(); ++i) {
    const TraceOp& op = trace.ops[i];
    if (op.num_operands == 0) continue;
    const std::optional<Place> first = place_in_memory(pending, trace.operand(op, 0));
    if (!first) continue;
    if (op.op == Op::store) {
      const ValueRef source = trace.operand(op, 1);
      const bool scalar = source.kind() == ValueRef::Kind::kScalar;
      const Layout* layout = scalar ? nullptr : place_of(trace, source).layout;
      const bool known = known_after_store(first->layout, layout);
      writes_.store(*first, known ? kKnown : Writes::kUnknown);
    } else if (!writes_.empty() && writes_.value_at(*first, kKnown) == kKnown) {
      for (int r = 0; r < op.num_results; ++r) {
        const int slot = static_cast<int>(op.first_slot) + r;
        if (const auto made = place_in_memory(pending, {ValueRef::Kind::kSlot, slot}))
          writes_.add_view(*made, kKnown);
      }
    }
  }
}

uint64_t Recorder::extend(uint64_t path, const OpCall& call, int number) const {
  return base::combine(path,
                       token(call, first_birth_ + static_cast<uint64_t>(number), first_birth_));
}

// `birth`: that of the call's results.
inline uint64_t Recorder::token(const OpCall& call, uint64_t birth, uint64_t first) const {
  uint64_t hash = base::combine(static_cast<uint64_t>(call.op), hash_attrs(call));
  for (const Operand& operand : call.operands) {
    uint64_t part = 0xff;  // a scalar: its kind only
    if (const TensorImpl* t = operand.tensor) {
      const uint64_t distance = made_since(t, first) ? birth - t->birth : 0;
      part = distance << 16 | static_cast<uint64_t>(t->layout->rank) << 8 |
             static_cast<uint64_t>(t->layout->dtype);
    } else {
      part |= static_cast<uint64_t>(operand.scalar.kind()) << 8;
    }
    hash = base::combine(hash, part);
  }
  return hash;
}

bool Recorder::reads_written(const OpCall& call) const {
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const TensorImpl* t = call.operands[i].tensor;
    if (t != nullptr && reads_elements(call.op, i) &&
        writes_.value_at(place_of(t), kKnown) == Writes::kUnknown)
      return true;
  }
  return false;
}

// What the call leaves in memory, or a view that it makes of what was left there.
void Recorder::note_writes(const OpCall& call, const Tensor* results) {
  const TensorImpl* first = call.operands.empty() ? nullptr : call.operands[0].tensor;
  if (call.op == Op::store) {
    const Operand& source = call.operands[1];
    const bool known = known_after_store(first->layout, source.layout());
    writes_.store(place_of(first), known ? kKnown : Writes::kUnknown);
  } else if (first != nullptr && writes_.value_at(place_of(first), kKnown) == kKnown) {
    for (int i = 0; i < info(call.op).results; ++i)
      writes_.add_view(place_of(results[i].impl()), kKnown);
  }
}

void Recorder::note_op_time(uint64_t ticks, int ops) {
  // One op that was interrupted says nothing of the others.
  static const uint64_t longest = ticks_of(2000);
  timed_ticks_ += std::min(ticks, longest * static_cast<uint64_t>(ops));
  timed_ops_ += static_cast<uint64_t>(ops);
}

void Recorder::note_time(uint64_t ticks) {
  spent_ += ticks;
  note_op_time(ticks, 1);
}

int64_t Recorder::take_op_ns() {
  if (timed_ops_ == 0) return op_ns_;
  const auto ops = static_cast<double>(std::exchange(timed_ops_, 0));
  const auto ticks = static_cast<double>(std::exchange(timed_ticks_, 0));
  return op_ns_ = static_cast<int64_t>(ticks * tick_ns() / ops);
}

bool Recorder::note(const OpCall& call, Tensor* results) {
  if (timed_) note_time(__rdtsc() - op_start_);
  path_ = base::combine(path_, token(call, next_birth_, first_birth_));
  const bool recorded = !writer_.active() || writer_.append(call, results, path_);
  const int count = info(call.op).results;
  for (int i = 0; i < count; ++i) results[i].impl()->birth = next_birth_;
  if (call.op == Op::store || !writes_.empty()) note_writes(call, results);
  if (++unobserved_ > kLoopAfter) find_period(call, results);
  ++next_birth_;
  ++num_ops_;
  if (!recorded) writer_.abandon();
  return num_ops_ < kMaxOps && recorded && !(writer_.active() && writer_.full());
}

// After so many ops without a boundary.
void Recorder::find_period(const OpCall& call, const Tensor* results) {
  if (finder_.size() == 0) finder_birth_ = next_birth_;
  uint32_t distances[kMaxDistances];
  int count = 0;
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && count < kMaxDistances && made_since(operand.tensor, finder_birth_))
      distances[count++] = static_cast<uint32_t>(next_birth_ - operand.tensor->birth);
  int64_t bytes = 0;
  for (int i = 0; i < info(call.op).results; ++i) bytes += results[i].impl()->layout->nbytes();
  const auto mixed = base::mix64(token(call, next_birth_, finder_birth_));
  finder_.push(static_cast<uint32_t>(mixed), bytes, distances, count);
}

bool Recorder::seen_before() {
  if (base::flags().hot > 0 || root_->in_region) return true;  // each run counts
  uint32_t& seen = seen_[base::mix64(path_) % seen_.size()];
  const auto hash = static_cast<uint32_t>(path_ >> 32);
  const bool before = seen == hash;
  seen = hash;
  return before;
}

PathEnd Recorder::end() {
  PathEnd result;
  result.root = root_;
  result.hash = path_;
  const auto run_ns = static_cast<int64_t>(static_cast<double>(spent_) * tick_ns());
  if (timed_ && whole_) result.run_ns = run_ns;
  if (!root_->paths.contains(path_) && !seen_before()) {
    abandon();
    return result;
  }
  if (root_->paths.size() >= kMaxPaths && !root_->paths.contains(path_)) {
    // Too many ways to go from here: start counting afresh, but keep what is known of compiled
    // ones.
    std::erase_if(root_->paths, [](const auto& entry) { return entry.second.plans == 0; });
    if (root_->paths.size() >= kMaxPaths) root_->paths.clear();
  }
  Path& path = root_->paths[path_];
  result.path = &path;
  ++path.runs;
  path.num_ops = num_ops_;
  if (timed_) path.run_ns = run_ns;
  path.spent_ns += std::max<int64_t>(path.run_ns, 0);
  if (writer_.active()) {
    // Another path of the root may have asked for the recording.
    if (wants_recording(path, root_->in_region)) {
      compare(&result);
    } else {
      writer_.abandon();
    }
  }
  update(root_);
  root_ = nullptr;
  writes_.clear();
  return result;
}

void Recorder::compare(PathEnd* result) {
  Path& path = *result->path;
  std::vector<SlotWatch> watches = writer_.watch_living();
  std::vector<Tensor> externals = writer_.living_externals();
  auto trace = std::make_unique<Trace>(writer_.end());
  const bool single = root_->in_region && path.recording == nullptr;
  if (single || (path.recording != nullptr && same_pattern(*path.recording, *trace))) {
    result->first = std::move(path.recording);
    result->watches = std::exchange(path.watches, {});
    result->second = std::move(trace);
    result->externals = std::move(externals);
    return;
  }
  result->differs = path.recording != nullptr;
  if (result->differs) ++path.attempts;
  path.recording = std::move(trace);
  path.watches = std::move(watches);
}

void Recorder::abandon() {
  writer_.abandon();
  root_ = nullptr;
  writes_.clear();
}

void Recorder::succeeded(Root* root, Path* path) {
  ++path->plans;
  path->attempts = 0;
  settle(root, path);
}

void Recorder::failed(Root* root, Path* path) {
  ++path->attempts;
  settle(root, path);
}

}  // namespace frit::capture

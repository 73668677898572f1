// Runs a schedule's steps over buffers.
#include "src/runtime/executor.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "src/base/check.h"
#include "src/base/memory.h"
#include "src/base/thread_pool.h"
#include "src/eager/dispatch.h"
#include "src/ops/custom.h"
#include "src/ops/index_range.h"
#include "src/runtime/staged.h"
#include "src/tensor/convert.h"
#include "src/tensor/devices.h"

namespace frit::runtime {
namespace {

// Elements below which a kernel stays on its thread: waking another one costs some microseconds.
constexpr int64_t kParallelWork = 1 << 15;

// The calling thread's memory for temporaries; grows and is kept until release_arena(). A run takes
// it away, since a registered op's function may run a plan of its own, or trim.
struct Arena {
  std::byte* data;
  int64_t size;
};
constinit thread_local Arena arena = {};

std::byte* reserve_arena(int64_t bytes) {
  if (bytes <= arena.size) return arena.data;
  release_arena();
  const size_t rounded = static_cast<size_t>((bytes + 63) & ~int64_t{63});
  if (bytes <= base::memory_limit() && base::allows_allocation())
    arena.data = static_cast<std::byte*>(std::aligned_alloc(64, rounded));
  if (arena.data == nullptr)
    throw Error(ErrorKind::kOutOfMemory,
                "plan: out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
  arena.size = bytes;
  return arena.data;
}

// A scalar's bits in the dtype that a kernel takes it in.
uint64_t scalar_word(const Scalar& scalar, Dtype dtype) {
  uint64_t word = 0;
  store_element(dtype, &word, scalar);
  return word;
}

}  // namespace

void release_arena() {
  std::free(arena.data);
  arena = {};
}

struct Executor::Frame {
  struct Located {
    std::byte* data;
    Storage* storage;  // null in the arena
  };
  Frame(const Executor& executor, const RunArgs& run_args)
      : args(run_args),
        arena_start(reserve_arena(executor.arena_bytes_)),
        own(std::exchange(arena, {})) {
    buffers = reinterpret_cast<Located*>(arena_start + executor.buffers_at_);
    kept = reinterpret_cast<Tensor*>(arena_start + executor.kept_at_);
    words = reinterpret_cast<uint64_t*>(arena_start + executor.words_at_);
  }
  ~Frame() {
    std::destroy_n(kept, num_kept);
    release_arena();  // of plans that ran within this one
    arena = own;
  }
  Frame(const Frame&) = delete;

  int num_tensors() const { return static_cast<int>(args.tensors.size() + args.constants.size()); }
  TensorImpl* tensor(int i) const {
    const size_t index = static_cast<size_t>(i), first = args.tensors.size();
    return index < first ? args.tensors[index] : args.constants[index - first];
  }
  // Where the caller wants output i, or null.
  TensorImpl* destination(int i) const {
    return args.destinations.empty() ? nullptr : args.destinations[static_cast<size_t>(i)];
  }
  void keep(Tensor t) { std::construct_at(kept + num_kept++, std::move(t)); }

  const RunArgs& args;
  std::byte* arena_start;
  const Arena own;
  Located* buffers;
  Tensor* kept;  // results of op steps that serve as buffers
  int num_kept = 0;
  uint64_t* words;  // of the kernel that runs
};

std::unique_ptr<Executor> Executor::make(Schedule schedule, Device device,
                                         std::span<Writer* const> writers, std::string* reason) {
  std::unique_ptr<Executor> executor(new Executor(std::move(schedule), device));
  if (!device.is_cpu()) executor->own_writer_ = writers[0];
  for (const ScheduleStep& step : executor->schedule_.steps) {
    const auto* kernel_step = std::get_if<KernelStep>(&step);
    if (kernel_step == nullptr) continue;
    KernelCode made = KernelCache::get().find_or_compile(*kernel_step->kernel, writers);
    if (made.code == nullptr) return *reason = made.writer, nullptr;
    executor->kernels_.push_back(std::move(made));
  }
  executor->prepare();
  return executor;
}

std::unique_ptr<Executor> Executor::resized(const Executor& like, Schedule schedule) {
  std::unique_ptr<Executor> executor(new Executor(std::move(schedule), like.device_));
  executor->own_writer_ = like.own_writer_;
  executor->kernels_ = like.kernels_;
  executor->prepare();
  return executor;
}

// What a run needs besides the kernels.
void Executor::prepare() {
  for (const ScheduleBuffer& buffer : schedule_.buffers) places_.push_back(place_of(buffer));
  for (const ScheduleStep& step : schedule_.steps)
    if (const auto* op_step = std::get_if<OpStep>(&step)) find_adopted(*op_step);
  for (const ScheduleStep& step : schedule_.steps) {
    if (const auto* op_step = std::get_if<OpStep>(&step)) find_own(*op_step);
    const auto* kernel_step = std::get_if<KernelStep>(&step);
    if (kernel_step == nullptr) continue;
    FRIT_CHECK(static_cast<int>(kernel_step->words.size()) == kernel_step->kernel->num_words())
        << kernel_step->kernel->print();
    words_.push_back(resolve(kernel_step->words));
    if (base::profiling()) labels_.push_back(label_of(*kernel_step->kernel));
  }
  for (int b = 0; !device_.is_cpu() && b < static_cast<int>(places_.size()); ++b) make_own(b);
  measure_frame();
}

void Executor::measure_frame() {
  size_t results = 0, words = 0;
  for (const ScheduleStep& step : schedule_.steps)
    if (const auto* op_step = std::get_if<OpStep>(&step)) results += op_step->results.size();
  for (const Place& place : places_) results += place.kind == Place::Kind::kOwn ? 1 : 0;
  for (const std::vector<Word>& list : words_) words = std::max(words, list.size());
  buffers_at_ = (schedule_.arena_bytes + 63) & ~int64_t{63};
  kept_at_ = buffers_at_ + static_cast<int64_t>(places_.size() * sizeof(Frame::Located));
  words_at_ = kept_at_ + static_cast<int64_t>(results * sizeof(Tensor));
  arena_bytes_ = words_at_ + static_cast<int64_t>(words * sizeof(uint64_t));
}

// Where each argument word comes from, without a look at views and layouts.
std::vector<Executor::Word> Executor::resolve(const std::vector<KernelWord>& words) const {
  std::vector<Word> resolved;
  for (const KernelWord& word : words) {
    Word& made = resolved.emplace_back(Word{word.kind, word.dtype, word.index, word.immediate});
    if (word.kind != KernelWord::Kind::kAddress) continue;
    const ScheduleView& view = schedule_.views[word.index];
    made.index = view.buffer;
    made.value = view.offset * byte_size(view.layout->dtype);
  }
  return resolved;
}

Executor::Place Executor::place_of(const ScheduleBuffer& buffer) {
  const Layout& layout = *buffer.layout;
  const int64_t bytes = layout.span() * byte_size(layout.dtype);
  switch (buffer.kind) {
    case ScheduleBuffer::Kind::kInput:
      return {Place::Kind::kInput, buffer.index, 0, layout.device};
    case ScheduleBuffer::Kind::kOutput:
      return {Place::Kind::kOutput, buffer.index, bytes, layout.device};
    case ScheduleBuffer::Kind::kTemporary:
      return {Place::Kind::kTemporary, -1, buffer.arena_offset, layout.device};
  }
  __builtin_unreachable();
}

void Executor::find_adopted(const OpStep& step) {
  for (int v : step.results) {
    const ScheduleView& view = schedule_.views[v];
    Place& place = places_[view.buffer];
    if (adopts(view) && place.kind != Place::Kind::kInput) place.kind = Place::Kind::kAdopted;
  }
}

void Executor::find_own(const OpStep& step) {
  if (!is_custom(step.op)) return;
  for (const OpStep::Arg& arg : step.args) {
    if (arg.view >= 0) make_own(schedule_.views[arg.view].buffer);
  }
}

void Executor::make_own(int buffer) {
  Place& place = places_[buffer];
  if (place.kind != Place::Kind::kTemporary) return;
  const Layout& layout = *schedule_.buffers[buffer].layout;
  place.kind = Place::Kind::kOwn;
  place.bytes = layout.span() * byte_size(layout.dtype);
}

// The op that has an index out of range says so itself.
void Executor::check_indices(const KernelStep& step, Frame* frame) const {
  for (const IndexCheck& check : step.checks) {
    if (check.is_calls && frame->args.calls_are_tested) continue;
    for (const IndexCheck::Range& range : check.ranges) {
      const ScheduleView& view = schedule_.views[range.view];
      const Layout& layout = *view.layout;
      const std::byte* data =
          frame->buffers[view.buffer].data + view.offset * byte_size(layout.dtype);
      Tensor here;
      if (!device_.is_cpu()) {
        here = devices::copy_to(kCPU, *wrap(view, *frame).impl());
        data = here.impl()->data;
      }
      if (!indices_within(layout, data, range.lowest, range.size)) run_op(check.op, frame);
    }
  }
}

void Executor::run_kernel(size_t number, const KernelStep& step, const Frame& frame) const {
  const CompiledKernel& kernel = *kernels_[number].code;
  uint64_t* const words = frame.words;
  uint64_t* next = words;
  for (const Word& word : words_[number]) {
    switch (word.kind) {
      case KernelWord::Kind::kAddress:
        *next++ = reinterpret_cast<uint64_t>(frame.buffers[word.index].data + word.value);
        break;
      case KernelWord::Kind::kImmediate:
        *next++ = static_cast<uint64_t>(word.value);
        break;
      case KernelWord::Kind::kScalar:
        *next++ = scalar_word(frame.args.scalars[word.index - frame.num_tensors()], word.dtype);
        break;
    }
  }
  if (!device_.is_cpu() && kernels_[number].made_by != own_writer_)
    return run_on_copies(number, step, frame);
  const bool whole = step.in_order || step.work < kParallelWork || step.outer_size < 2;
  if (whole || !device_.is_cpu()) return kernel.run(words, 0, step.outer_size);
  // Where there are many rounds, ranges of whole cache lines: rounds may be single elements, and
  // two threads that write to one line slow each other.
  const int64_t per_thread = std::max(step.outer_size * kParallelWork / step.work, int64_t{1});
  const int64_t grain = step.outer_size > 1024 ? (per_thread + 63) & ~int64_t{63} : per_thread;
  base::parallel_for(step.outer_size, grain,
                     [&](int64_t begin, int64_t end) { kernel.run(words, begin, end); });
}

void Executor::run_on_copies(size_t number, const KernelStep& step, const Frame& frame) const {
  std::vector<StagedBuffer> buffers;
  const std::vector<Word>& words = words_[number];
  for (size_t w = 0; w < words.size(); ++w) {
    if (words[w].kind != KernelWord::Kind::kAddress) continue;
    const Layout& layout = *schedule_.buffers[words[w].index].layout;
    buffers.push_back({w, frame.buffers[words[w].index].data,
                       layout.span() * byte_size(layout.dtype), words[w].value,
                       places_[words[w].index].kind != Place::Kind::kInput});
  }
  run_staged(*kernels_[number].code, step.outer_size, device_, buffers, frame.words);
}

// A result that is a whole buffer needs no copy.
bool Executor::adopts(const ScheduleView& view) const {
  return view.offset == 0 && view.layout == schedule_.buffers[view.buffer].layout;
}

// Wraps a view of a buffer for the time of a call.
Tensor Executor::wrap(const ScheduleView& view, const Frame& frame) const {
  const auto [data, storage] = frame.buffers[view.buffer];
  if (storage != nullptr) {
    const int64_t start = (data - storage->data) / byte_size(view.layout->dtype);
    return new_view(view.layout, storage, start + view.offset);
  }
  const StorageRef in_arena = StorageRef::adopt(
      wrap_storage(data, schedule_.buffers[view.buffer].layout->nbytes(), nullptr));
  return new_view(view.layout, in_arena.get(), view.offset);
}

void Executor::place_result(int view_index, Tensor result, Frame* frame) const {
  const ScheduleView& view = schedule_.views[view_index];
  const TensorImpl* impl = result.impl();
  const Place& place = places_[view.buffer];
  const bool given = place.kind == Place::Kind::kAdopted && place.index >= 0 &&
                     frame->destination(place.index) != nullptr;
  if (place.kind != Place::Kind::kAdopted || given) {
    const Tensor destination = wrap(view, *frame);
    const Operand store[] = {destination, result};
    return run_eager({Op::store, store, Attrs()}, nullptr);
  }
  FRIT_CHECK(impl->layout == view.layout && impl->offset == 0)
      << "an op step's result is " << frit::describe(result);
  frame->buffers[view.buffer] = {impl->data, impl->storage};
  if (place.index >= 0) {
    frame->args.outputs[place.index] = StorageRef::share(impl->storage);
  } else {
    frame->keep(std::move(result));
  }
}

// An op without a kernel runs by eager's.
void Executor::run_op(const OpStep& step, Frame* frame) const {
  absl::InlinedVector<Tensor, 8> tensors;
  absl::InlinedVector<Operand, 8> operands;
  for (const OpStep::Arg& arg : step.args) {
    if (arg.view >= 0 || arg.layout != nullptr) {
      tensors.push_back(arg.view >= 0 ? wrap(schedule_.views[arg.view], *frame)
                                      : new_tensor(arg.layout));
      operands.emplace_back(tensors.back());
    } else {
      operands.emplace_back(arg.scalar >= 0 ? frame->args.scalars[arg.scalar - frame->num_tensors()]
                                            : arg.literal);
    }
  }
  Tensor results[kMaxResults];
  run_eager({step.op, {operands.data(), operands.size()}, Attrs(step.attrs)}, results);
  for (size_t i = 0; is_custom(step.op) && i < step.results.size(); ++i)
    custom::check_made(step.op, *schedule_.views[step.results[i]].layout,
                       *results[i].impl()->layout);
  for (size_t i = 0; i < step.results.size(); ++i)
    place_result(step.results[i], std::move(results[i]), frame);
}

void Executor::reserve(std::span<StorageRef> outputs) const {
  for (const Place& place : places_)
    if (place.kind == Place::Kind::kOutput)
      outputs[place.index] = StorageRef::adopt(new_storage(place.bytes, place.device));
  reserve_arena(arena_bytes_);
}

// What was reserved; or, where the cache may still hold it, what came free since then.
Storage* Executor::output_memory(const Place& place, StorageRef* output) {
  constexpr int64_t kWorthReusing = 1 << 14;
  if (output->get() != nullptr && place.bytes < kWorthReusing) return output->get();
  Storage* made = output->get() == nullptr ? new_storage(place.bytes, place.device)
                                           : pooled_storage(place.bytes, place.device);
  if (made != nullptr) *output = StorageRef::adopt(made);
  return output->get();
}

// Finds the memory of every buffer that has it before the first step.
void Executor::place_buffers(Frame* frame) const {
  Frame::Located* next = frame->buffers;
  for (const Place& place : places_) {
    Frame::Located located{nullptr, nullptr};
    switch (place.kind) {
      case Place::Kind::kInput: {
        FRIT_CHECK(place.index < frame->num_tensors()) << "a tensor input after a scalar input";
        const TensorImpl* tensor = frame->tensor(place.index);
        located = {tensor->data, tensor->storage};
        break;
      }
      case Place::Kind::kOutput:
      case Place::Kind::kAdopted:
        if (place.index < 0) break;
        if (const TensorImpl* given = frame->destination(place.index)) {
          located = {given->data, given->storage};
        } else if (place.kind == Place::Kind::kOutput) {
          Storage* made = output_memory(place, &frame->args.outputs[place.index]);
          located = {made->data, made};
        }
        break;
      case Place::Kind::kTemporary:
        located.data = frame->arena_start + place.bytes;
        break;
      case Place::Kind::kOwn: {
        const size_t number = static_cast<size_t>(next - frame->buffers);
        Tensor own = new_tensor(schedule_.buffers[number].layout);
        located = {own.impl()->data, own.impl()->storage};
        frame->keep(std::move(own));
        break;
      }
    }
    std::construct_at(next++, located);
  }
}

// Bytes that a kernel's operands hold: what it moves where each is in no cache.
int64_t Executor::bytes_of(const KernelStep& step) const {
  int64_t bytes = 0;
  for (const KernelWord& word : step.words) {
    if (word.kind != KernelWord::Kind::kAddress) continue;
    const Layout& layout = *schedule_.views[word.index].layout;
    bytes += std::min(layout.numel, layout.span()) * byte_size(layout.dtype);
  }
  return bytes;
}

// The kernel's one line, or its name where it has none, and a hash of its text.
Executor::Label Executor::label_of(const Kernel& kernel) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016zx", std::hash<std::string>()(kernel.print()));
  const std::string line = kernel.one_line();
  return {line.empty() ? "kernel " + kernel.name : line, hash};
}

std::unique_ptr<base::ProfileEvent> Executor::begin_event(size_t number,
                                                          const KernelStep& step) const {
  const Label label = number < labels_.size() ? labels_[number] : label_of(*step.kernel);
  auto event = std::make_unique<base::ProfileEvent>("kernel", label.name);
  event->note("kernel", label.hash).note("writer", kernels_[number].writer);
  event->note("elements", step.work).note("bytes", bytes_of(step)).start();
  return event;
}

void Executor::run(const RunArgs& args) const {
  if (devices::device_of_new != device_) {
    const DefaultDeviceScope scope(device_);
    return run(args);
  }
  Frame frame(*this, args);
  place_buffers(&frame);
  size_t next_kernel = 0;
  for (const ScheduleStep& step : schedule_.steps) {
    if (const auto* kernel_step = std::get_if<KernelStep>(&step)) {
      std::unique_ptr<base::ProfileEvent> event;
      if (base::profiling()) event = begin_event(next_kernel, *kernel_step);
      if (!kernel_step->checks.empty()) check_indices(*kernel_step, &frame);
      run_kernel(next_kernel++, *kernel_step, frame);
    } else {
      run_op(std::get<OpStep>(step), &frame);
    }
  }
}

}  // namespace frit::runtime

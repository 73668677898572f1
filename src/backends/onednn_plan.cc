// Places scratch memory and runs plans.
#include "src/backends/onednn_plan.h"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <unordered_map>

#include "frit/error.h"

namespace frit::onednn {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool lives_with(const Buffer& a, const Buffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

void place_scratch(Plan* plan) {
  std::vector<Buffer*> placed;  // by offset
  for (Buffer& buffer : plan->buffers) {
    if (buffer.place != Buffer::Place::kScratch || buffer.first_step < 0) continue;
    size_t offset = 0;
    for (const Buffer* other : placed) {
      if (!lives_with(buffer, *other)) continue;
      if (offset + buffer.bytes <= other->offset) break;
      offset = std::max(offset, other->offset + aligned(other->bytes));
    }
    buffer.offset = offset;
    placed.insert(std::find_if(placed.begin(), placed.end(),
                               [&](const Buffer* other) { return other->offset > offset; }),
                  &buffer);
    plan->scratch_bytes = std::max(plan->scratch_bytes, offset + aligned(buffer.bytes));
  }
}

ThreadScope::ThreadScope(int threads) : outer_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
}
ThreadScope::~ThreadScope() { omp_set_num_threads(outer_); }

// Memory objects over one run's memory, made once.
struct Runner::Workspace {
  explicit Workspace(const Plan& plan)
      : stream(plan.engine),
        scratch(static_cast<std::byte*>(
            std::aligned_alloc(kAlignment, std::max(plan.scratch_bytes, kAlignment)))),
        numbers(plan.numbers.size()),
        pointers(plan.buffers.size()) {
    if (scratch == nullptr) throw std::bad_alloc();
    for (const Slot& slot : plan.slots)
      memories.emplace_back(slot.desc, plan.engine, static_cast<void*>(DNNL_MEMORY_NONE));
    for (const Step& step : plan.steps) {
      args.emplace_back();
      for (const auto& [arg, slot] : step.args)
        args.back().emplace(arg, memories[static_cast<size_t>(slot)]);
    }
  }

  // Where buffers are, once arguments and outputs are known.
  void bind(const Plan& plan) {
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      const Buffer& buffer = plan.buffers[i];
      if (buffer.place == Buffer::Place::kScratch) pointers[i] = scratch.get() + buffer.offset;
      if (buffer.place == Buffer::Place::kNumber)
        pointers[i] = reinterpret_cast<std::byte*>(&numbers[static_cast<size_t>(buffer.index)]);
    }
    for (size_t i = 0; i < plan.slots.size(); ++i) {
      const Slot& slot = plan.slots[i];
      memories[i].set_data_handle(pointers[static_cast<size_t>(slot.buffer)] + slot.offset);
    }
  }

  dnnl::stream stream;
  std::unique_ptr<std::byte, Free> scratch;
  std::vector<float> numbers;
  std::vector<std::byte*> pointers;  // per buffer
  std::vector<dnnl::memory> memories;
  std::vector<std::unordered_map<int, dnnl::memory>> args;
};

namespace {

// Calls fn with the address of the tensor's first element, while its memory is held.
template <class Fn>
void with_address(const Tensor& tensor, bool writes, Fn fn) {
  if (tensor.dtype() == kBFloat16) {
    if (writes) return tensor.with_data<BFloat16>([&](BFloat16* p) { fn(p); });
    return tensor.with_data<const BFloat16>(
        [&](const BFloat16* p) { fn(const_cast<BFloat16*>(p)); });
  }
  if (writes) return tensor.with_data<float>([&](float* p) { fn(p); });
  tensor.with_data<const float>([&](const float* p) { fn(const_cast<float*>(p)); });
}

// The addresses of the buffers from `i` on that are tensors; then `done`.
template <class Done>
void bind_tensors(const Plan& plan, std::span<const GraphArg> args,
                  const std::vector<Tensor>& outputs, std::vector<std::byte*>* pointers, size_t i,
                  const Done& done) {
  for (; i < plan.buffers.size(); ++i) {
    const Buffer& buffer = plan.buffers[i];
    const bool is_output = buffer.place == Buffer::Place::kOutput;
    if (!is_output && buffer.place != Buffer::Place::kArgument) continue;
    const auto index = static_cast<size_t>(buffer.index);
    return with_address(is_output ? outputs[index] : args[index].tensor, is_output, [&](void* p) {
      (*pointers)[i] = static_cast<std::byte*>(p);
      bind_tensors(plan, args, outputs, pointers, i + 1, done);
    });
  }
  done();
}

}  // namespace

Runner::Runner(Plan plan) : plan_(std::move(plan)) {}
Runner::~Runner() = default;

std::unique_ptr<Runner::Workspace> Runner::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<Workspace>(plan_);
}

void Runner::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

std::vector<Tensor> Runner::run(std::span<const GraphArg> args) {
  std::vector<Tensor> outputs;
  for (const Output& output : plan_.outputs)
    outputs.push_back(
        empty_strided(output.sizes, output.strides, TensorOptions(output.dtype).device(kCPU)));
  std::unique_ptr<Workspace> workspace = take();
  for (size_t i = 0; i < plan_.numbers.size(); ++i) {
    const Number& number = plan_.numbers[i];
    workspace->numbers[i] =
        number.argument < 0
            ? number.literal
            : static_cast<float>(args[static_cast<size_t>(number.argument)].scalar.to_double());
  }
  const ThreadScope threads(plan_.threads);
  try {
    bind_tensors(plan_, args, outputs, &workspace->pointers, 0, [&] {
      workspace->bind(plan_);
      for (size_t i = 0; i < plan_.steps.size(); ++i)
        plan_.steps[i].primitive.execute(workspace->stream, workspace->args[i]);
      workspace->stream.wait();
    });
  } catch (const dnnl::error& error) {
    throw Error(ErrorKind::kRuntime, std::string("onednn: a primitive failed: ") + error.what());
  }
  give_back(std::move(workspace));
  return outputs;
}

}  // namespace frit::onednn

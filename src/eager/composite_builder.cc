// Notes the elementwise parts of a composite and runs them together.
#include "src/eager/composite_builder.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstring>

#include "src/base/profiler.h"
#include "src/base/thread_pool.h"
#include "src/eager/dispatch.h"
#include "src/eager/pointwise_kernel.h"

namespace frit {
namespace {

using eager::Block;
using eager::Kernel;

constexpr int64_t kBlock = 1024;  // elements of a piece
constexpr int64_t kLeast = 512;   // of a result that is worth noting

// Operands of a builder's call, without the heap for up to 8.
class OperandList {
 public:
  explicit OperandList(size_t size) : size_(size), more_(size > kInline ? size : 0) {}
  Operand& operator[](size_t i) { return data()[i]; }
  std::span<const Operand> span() { return {data(), size_}; }

 private:
  static constexpr size_t kInline = 8;
  Operand* data() { return size_ > kInline ? more_.data() : few_; }

  size_t size_;
  Operand few_[kInline];
  std::vector<Operand> more_;
};

// Whether the tensors are one element or as many as the longest has, which is enough for noting to
// pay.
bool may_be_noted(const OpCall& call) {
  if (!is_elementwise(call.op) && call.op != Op::cast) return false;
  int64_t longest = 0;
  for (const Operand& operand : call.operands)
    if (operand.is_tensor()) longest = std::max(longest, operand.layout()->numel);
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && operand.layout()->numel != 1 && operand.layout()->numel != longest)
      return false;
  return longest >= kLeast;
}

// The kernel that alone makes this result of the call; undefined where it takes more than that.
Kernel lone_kernel(const OpCall& call, const Layout& result) {
  if (call.op == Op::cast) {
    const Dtype from = call.operands[0].layout()->dtype;
    Kernel kernel{{}, from, result.dtype, eager::kGrain};
    kernel.block.unary = eager::cast_block(from, result.dtype);
    return kernel;
  }
  const OpInfo& row = info(call.op);
  const Dtype compute = eager::compute_dtype(call, row, result.dtype);
  if (call.op == Op::pow || eager::divides_ints(call.op, compute)) return {};
  const Kernel kernel = eager::kernel_for(call, row, compute);
  return kernel.result == result.dtype ? kernel : Kernel();
}

}  // namespace

// What one value needs of the noted ops, in their order, and where their results go meanwhile.
class EagerBuilder::Run {
 public:
  Run(std::vector<Node>& nodes, int32_t value) : nodes_(nodes), value_(value) {
    find_steps();
    for (Step& step : steps_) place(step);
  }

  void operator()() {
    Node& node = nodes_[value_];
    const Layout& layout = *node.tensor.impl()->layout;
    Storage* memory = new_storage(layout.numel * byte_size(layout.dtype), layout.device);
    attach(node.tensor.impl(), memory, 0);
    steps_.back().out = {memory->data, byte_size(layout.dtype), -1};
    const int64_t grain = std::max(kBlock, eager::kGrain / static_cast<int64_t>(steps_.size()));
    base::parallel_for(layout.numel, grain, [&](int64_t begin, int64_t end) { run(begin, end); });
    node.noted = false;
  }

 private:
  // Memory of the whole value, one element, or a slot of the scratch memory.
  struct Place {
    std::byte* data = nullptr;
    int64_t element = 0;  // bytes from one to the next
    int slot = -1;
    std::byte* at(int64_t position, std::byte* scratch, int64_t slot_size) const {
      return slot >= 0 ? scratch + slot * slot_size : data + position * element;
    }
  };
  struct Step {
    int32_t value;
    int readers = 0;  // that have not been placed yet
    int broadcast = 0;
    Place in[eager::kMaxInputs], out;
  };

  int arity(int32_t value) const { return nodes_[value].block.arity; }

  void find_steps() {
    absl::InlinedVector<int, 16> readers(static_cast<size_t>(value_) + 1);
    readers[value_] = 1;
    for (int32_t v = value_; v >= 0; --v) {
      if (readers[v] == 0 || !nodes_[v].noted) continue;
      steps_.push_back({v, readers[v], 0, {}, {}});
      for (int i = 0; i < arity(v); ++i)
        if (const int32_t source = nodes_[v].sources[i].value; source >= 0) ++readers[source];
    }
    std::reverse(steps_.begin(), steps_.end());
  }

  // A result's slot is free again when its last reader has been placed, whose own slot is another.
  void place(Step& step) {
    if (free_.empty()) free_.push_back(num_slots_++);
    step.out.slot = free_.back();
    free_.pop_back();
    for (int i = 0; i < arity(step.value); ++i) step.in[i] = place_of(step, i);
  }

  Place place_of(Step& reader, int i) {
    Source& source = nodes_[reader.value].sources[i];
    if (source.value < 0) {
      reader.broadcast |= 1 << i;
      return {source.element, 0, -1};
    }
    Node& node = nodes_[source.value];
    const TensorImpl* t = node.tensor.impl();
    if (!node.noted) return {t->data, byte_size(t->layout->dtype), -1};
    Step& made_by = *std::find_if(steps_.begin(), steps_.end(),
                                  [&](const Step& step) { return step.value == source.value; });
    if (--made_by.readers == 0) free_.push_back(made_by.out.slot);
    return made_by.out;
  }

  void run(int64_t begin, int64_t end) const {
    const int64_t piece = std::min(kBlock, end - begin);
    const int64_t slot_size = (piece * 8 + 63) / 64 * 64;
    const StorageRef scratch = StorageRef::adopt(new_storage(num_slots_ * slot_size, kCPU));
    for (int64_t at = begin; at < end; at += piece) {
      for (const Step& step : steps_) {
        const void* in[eager::kMaxInputs];
        const Block& block = nodes_[step.value].block;
        for (int i = 0; i < block.arity; ++i) in[i] = step.in[i].at(at, scratch->data, slot_size);
        block(in, step.out.at(at, scratch->data, slot_size), std::min(piece, end - at),
              step.broadcast);
      }
    }
  }

  std::vector<Node>& nodes_;
  const int32_t value_;
  absl::InlinedVector<Step, 6> steps_;
  absl::InlinedVector<int, 6> free_;
  int num_slots_ = 0;
};

EagerBuilder::EagerBuilder() { nodes_.reserve(16); }

Value EagerBuilder::input(Tensor t) {
  nodes_.emplace_back().tensor = std::move(t);
  return {static_cast<int32_t>(nodes_.size()) - 1};
}

const Tensor& EagerBuilder::tensor(Value v) {
  if (node(v).noted) Run(nodes_, v.id)();
  return node(v).tensor;
}

Value EagerBuilder::op(Op op, std::span<const Arg> args, const Attrs& attrs) {
  OperandList operands(args.size());
  for (size_t i = 0; i < args.size(); ++i)
    operands[i] =
        args[i].is_value() ? Operand(node(args[i].value).tensor) : Operand(args[i].scalar);
  const OpCall call{op, operands.span(), attrs};
  // The profiler shows each part as an event of its own.
  if (may_be_noted(call) && !base::profiling() && note(call, args))
    return {static_cast<int32_t>(nodes_.size()) - 1};
  return run_now(call, args);
}

Value EagerBuilder::run_now(const OpCall& call, std::span<const Arg> args) {
  for (const Arg& arg : args)
    if (arg.is_value()) tensor(arg.value);
  Tensor results[kMaxResults];
  run_eager(call, results);
  const Value first = input(std::move(results[0]));
  if (info(call.op).results > 1) input(std::move(results[1]));
  return first;
}

// False where the op does not run element by element over memory in one order.
bool EagerBuilder::note(const OpCall& call, std::span<const Arg> args) {
  Node noted;
  noted.tensor = Tensor::adopt(new_impl(infer(call).results[0].layout));
  const Layout& result = *noted.tensor.impl()->layout;
  if (result.numel < kLeast || !(result.device == kCPU)) return false;
  const Kernel kernel = lone_kernel(call, result);
  if (!kernel.block.defined()) return false;
  noted.block = kernel.block;
  bool has_row = false;
  for (int i = 0; i < kernel.block.arity; ++i) {
    if (!note_source(args[i], call.operands[i], kernel.dtype_of(i), result, noted.sources[i]))
      return false;
    has_row |= noted.sources[i].value >= 0;
  }
  if (!has_row) return false;  // kernels want one operand that is not a broadcast element
  noted.noted = true;
  nodes_.push_back(std::move(noted));
  return true;
}

bool EagerBuilder::note_source(const Arg& arg, const Operand& operand, Dtype dtype,
                               const Layout& result, Source& source) {
  if (const Layout* layout = operand.layout()) {
    if (!(layout->device == kCPU)) return false;
    if (layout->dtype == dtype && eager::lies_as(*layout, result)) {
      source.value = arg.value.id;
      return true;
    }
    if (layout->numel != 1) return false;
    tensor(arg.value);
  }
  const std::byte* element = eager::one_element(operand, dtype, source.element);
  if (element != source.element) std::memcpy(source.element, element, byte_size(dtype));
  return true;
}

}  // namespace frit

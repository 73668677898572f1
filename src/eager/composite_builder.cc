// Notes the elementwise parts and the folds of a composite and runs them together.
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
constexpr int64_t kLeast = 512;   // of a tensor that is worth noting without rows
constexpr int64_t kLeastRow = 4;  // of a row that is worth a call
constexpr int64_t kApart = 320;   // bytes that keep slots from lying on the same lines of the cache

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

bool is_fold(Op op) { return op == Op::sum || op == Op::prod || op == Op::amax || op == Op::amin; }

// Whether each tensor has as many elements as the longest has, or could have one for each of its
// rows, or be one.
bool may_be_rows(const OpCall& call, int64_t longest) {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() &&
        (operand.layout()->numel == 0 || longest % operand.layout()->numel != 0))
      return false;
  return true;
}

// How many elements are folded to one, where they are rows of contiguous memory that one block
// folds; 0 else.
int64_t folded_row(const OpCall& call) {
  const Layout& x = *call.operands[0].layout();
  if (!x.contiguous) return 0;
  const Dims dims = normalize_dims(call.op, x, list_attr(call.op, call.attrs, "dims"));
  int64_t n = 1;
  for (int i = 1; i <= dims.rank; ++i) {
    if (dims[dims.rank - i] != x.rank - i) return 0;
    n *= x.size(x.rank - i);
  }
  return n <= eager::kReduceBlock ? n : 0;
}

// How many elements, which lie together, each one of an operand is broadcast to; 0 where it is not
// so.
int64_t broadcast_length(const Layout& in, const Layout& out) {
  if (in.rank != out.rank) return 0;
  int d = 0;
  while (d < out.rank && in.size(d) == out.size(d)) ++d;
  int64_t n = 1;
  for (; d < out.rank; ++d) {
    if (in.size(d) != 1) return 0;
    n *= out.size(d);
  }
  return n;
}

// The length of the operand, where it is one row that is the same for all; 0 else.
int64_t repeated_length(const Layout& in, const Layout& out) {
  int d = 1;
  while (d <= in.rank && in.size(in.rank - d) == out.size(out.rank - d)) ++d;
  for (; d <= in.rank; ++d)
    if (in.size(in.rank - d) != 1) return 0;
  return in.numel;
}

template <class T>
void add_zero(std::byte* values, int64_t n) {
  T* sums = reinterpret_cast<T*>(values);
  for (int64_t i = 0; i < n; ++i) sums[i] += T{0};
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
// Where none has rows, each element is one.
class EagerBuilder::Run {
 public:
  Run(std::vector<Node>& nodes, int32_t value, int64_t row) : nodes_(nodes), value_(value) {
    find_steps();
    if (has_rows()) row_ = row;
    for (Step& step : steps_) place(step);
  }

  void operator()() {
    Node& node = nodes_[value_];
    const Layout& layout = *node.tensor.impl()->layout;
    Storage* memory = new_storage(layout.numel * byte_size(layout.dtype), layout.device);
    attach(node.tensor.impl(), memory, 0);
    steps_.back().out = {memory->data, bytes_per_row(node), -1};
    const int64_t rows = node.per_row ? layout.numel : layout.numel / row_;
    const int64_t grain = std::max(kBlock, eager::kGrain / static_cast<int64_t>(steps_.size()));
    base::parallel_for(rows, std::max<int64_t>(1, grain / row_),
                       [&](int64_t begin, int64_t end) { run(begin, end); });
    node.noted = node.per_row = false;
  }

 private:
  // Memory of the whole value, one row, one element, or a slot of the scratch memory.
  struct Place {
    std::byte* data = nullptr;
    int64_t per_row = 0;  // bytes from one row's to the next
    int slot = -1;
    std::byte* at(int64_t row, std::byte* scratch, int64_t slot_size) const {
      return slot >= 0 ? scratch + slot * slot_size : data + row * per_row;
    }
  };
  struct Step {
    int32_t value;
    int readers = 0;  // that have not been placed yet
    int broadcast = 0;
    bool by_rows = false;  // one call for each row
    Place in[eager::kMaxInputs], out;
  };

  void find_steps() {
    absl::InlinedVector<int, 32> readers(static_cast<size_t>(value_) + 1);
    readers[value_] = 1;
    for (int32_t v = value_; v >= 0; --v) {
      if (readers[v] == 0 || !nodes_[v].noted) continue;
      steps_.push_back({v, readers[v], 0, false, {}, {}});
      for (int i = 0; i < nodes_[v].arity(); ++i)
        if (const int32_t source = nodes_[v].sources[i].value; source >= 0) ++readers[source];
    }
    std::reverse(steps_.begin(), steps_.end());
  }

  bool has_rows() {
    for (Step& step : steps_)
      for (int i = 0; i < nodes_[step.value].arity(); ++i)
        step.by_rows |= nodes_[step.value].sources[i].meets != Meets::kSamePlace;
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      return step.by_rows || nodes_[step.value].per_row;
    });
  }

  int64_t bytes_per_row(const Node& node) const {
    return byte_size(node.tensor.impl()->layout->dtype) * (node.per_row ? 1 : row_);
  }

  // A result takes the slot of an operand that is not read again, where both have elements of one
  // size at the same places. The slots of such operands are free for later results.
  void place(Step& step) {
    const Node& node = nodes_[step.value];
    const int element = byte_size(node.tensor.impl()->layout->dtype);
    absl::InlinedVector<int, eager::kMaxInputs> read;
    int own = -1;
    for (int i = 0; i < node.arity(); ++i) {
      bool is_last = false;
      step.in[i] = place_of(step, i, &is_last);
      if (!is_last) continue;
      const Source& source = node.sources[i];
      const bool fits = own < 0 && node.fold == nullptr && source.meets == Meets::kSamePlace &&
                        byte_size(layout_of(source.value).dtype) == element;
      if (fits)
        own = step.in[i].slot;
      else
        read.push_back(step.in[i].slot);
    }
    step.out = {nullptr, bytes_per_row(node), own >= 0 ? own : free_slot()};
    free_.insert(free_.end(), read.begin(), read.end());
    widest_ = std::max<int64_t>(widest_, element);
  }

  int free_slot() {
    if (free_.empty()) return num_slots_++;
    const int slot = free_.back();
    free_.pop_back();
    return slot;
  }

  const Layout& layout_of(int32_t value) const { return *nodes_[value].tensor.impl()->layout; }

  // Sets `is_last` where no later step reads the slot.
  Place place_of(Step& reader, int i, bool* is_last) {
    Source& source = nodes_[reader.value].sources[i];
    if (source.value < 0) {
      reader.broadcast |= 1 << i;
      return {source.element, 0, -1};
    }
    if (source.meets == Meets::kItsRow) reader.broadcast |= 1 << i;
    Node& node = nodes_[source.value];
    if (!node.noted) return {node.tensor.impl()->data, memory_per_row(reader, source), -1};
    Step& made_by = *std::find_if(steps_.begin(), steps_.end(),
                                  [&](const Step& step) { return step.value == source.value; });
    *is_last = --made_by.readers == 0;
    return made_by.out;
  }

  // Of an operand that is not noted.
  int64_t memory_per_row(const Step& reader, const Source& source) const {
    if (source.meets == Meets::kEachRow) return 0;
    const Node& node = nodes_[reader.value];
    const bool one = source.meets == Meets::kItsRow || (node.per_row && node.fold == nullptr);
    return byte_size(layout_of(source.value).dtype) * (one ? 1 : row_);
  }

  void run(int64_t begin, int64_t end) const {
    const int64_t piece = std::min(std::max<int64_t>(1, kBlock / row_), end - begin);
    const int64_t slot_size = (piece * row_ * widest_ + 63) / 64 * 64 + kApart;
    const StorageRef scratch = StorageRef::adopt(new_storage(num_slots_ * slot_size, kCPU));
    for (int64_t at = begin; at < end; at += piece) {
      for (const Step& step : steps_) {
        std::byte* in[eager::kMaxInputs] = {};
        for (int i = 0; i < nodes_[step.value].arity(); ++i)
          in[i] = step.in[i].at(at, scratch->data, slot_size);
        run(step, in, step.out.at(at, scratch->data, slot_size), std::min(piece, end - at));
      }
    }
  }

  void run(const Step& step, std::byte** in, std::byte* out, int64_t rows) const {
    const Node& node = nodes_[step.value];
    if (node.fold != nullptr) return fold(node, in[0], out, rows);
    if (!step.by_rows)
      return node.block(as_inputs(in).data, out, node.per_row ? rows : rows * row_, step.broadcast);
    for (int64_t r = 0; r < rows; ++r) {
      node.block(as_inputs(in).data, out, row_, step.broadcast);
      for (int i = 0; i < node.block.arity; ++i) in[i] += step.in[i].per_row;
      out += step.out.per_row;
    }
  }

  struct Inputs {
    const void* data[eager::kMaxInputs];
  };
  static Inputs as_inputs(std::byte* const* in) { return {{in[0], in[1], in[2]}}; }

  void fold(const Node& node, const std::byte* x, std::byte* out, int64_t rows) const {
    node.fold->rows(x, row_, rows, row_, out);
    if (!node.is_sum) return;
    const Dtype dtype = node.tensor.impl()->layout->dtype;
    if (dtype == kFloat32) add_zero<float>(out, rows);
    if (dtype == kFloat64) add_zero<double>(out, rows);
  }

  std::vector<Node>& nodes_;
  const int32_t value_;
  int64_t row_ = 1;
  absl::InlinedVector<Step, 12> steps_;
  absl::InlinedVector<int, 6> free_;
  int num_slots_ = 0;
  int64_t widest_ = 1;  // bytes of an element
};

EagerBuilder::EagerBuilder() { nodes_.reserve(16); }

Value EagerBuilder::input(Tensor t) {
  nodes_.emplace_back().tensor = std::move(t);
  return {static_cast<int32_t>(nodes_.size()) - 1};
}

const Tensor& EagerBuilder::tensor(Value v) {
  if (node(v).noted) Run(nodes_, v.id, row_)();
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

// Noting a few elements pays where several ops go over rows.
bool EagerBuilder::may_be_noted(const OpCall& call) const {
  if (is_fold(call.op)) return true;
  if (!is_elementwise(call.op) && call.op != Op::cast) return false;
  int64_t longest = 0;
  for (const Operand& operand : call.operands)
    if (operand.is_tensor()) longest = std::max(longest, operand.layout()->numel);
  return (row_ != 0 || longest >= kLeast) && may_be_rows(call, longest);
}

// False where the op does not run element by element, or row by row, over memory in one order.
bool EagerBuilder::note(const OpCall& call, std::span<const Arg> args) {
  const bool folds = is_fold(call.op);
  if (folds && !has_rows_of(folded_row(call))) return false;
  Node noted;
  noted.tensor = Tensor::adopt(new_impl(infer(call).results[0].layout));
  if (!(noted.tensor.impl()->layout->device == kCPU)) return false;
  if (!(folds ? note_fold(call, args, noted) : note_elementwise(call, args, noted))) return false;
  noted.noted = true;
  nodes_.push_back(std::move(noted));
  return true;
}

bool EagerBuilder::note_fold(const OpCall& call, std::span<const Arg> args, Node& noted) {
  const Layout& x = *call.operands[0].layout();
  const int64_t n = folded_row(call);
  const eager::Fold fold = eager::fold_of(call.op);
  if (n <= 1 || is_half(x.dtype) || node(args[0].value).per_row) return false;
  if (noted.tensor.impl()->layout->dtype != x.dtype || eager::fold_dtype(fold, x.dtype) != x.dtype)
    return false;
  noted.fold = &eager::reduce_blocks(fold, x.dtype);
  noted.is_sum = call.op == Op::sum;
  noted.per_row = true;
  noted.sources[0].value = args[0].value.id;
  row_ = n;
  return true;
}

bool EagerBuilder::note_elementwise(const OpCall& call, std::span<const Arg> args, Node& noted) {
  const Layout& result = *noted.tensor.impl()->layout;
  const Kernel kernel = lone_kernel(call, result);
  if (!kernel.block.defined()) return false;
  noted.block = kernel.block;
  bool has_same_place = false, has_per_row = false, has_whole = false;
  for (int i = 0; i < kernel.block.arity; ++i) {
    Source& source = noted.sources[i];
    if (!note_source(args[i], call.operands[i], kernel.dtype_of(i), result, source)) return false;
    if (source.value < 0) continue;
    const bool same_place = source.meets == Meets::kSamePlace;
    const Node& from = nodes_[static_cast<size_t>(source.value)];
    has_same_place |= same_place;
    has_per_row |= same_place && from.per_row;
    has_whole |= !same_place || (from.noted && !from.per_row);
  }
  // Kernels want one operand that is not a broadcast element.
  if (!has_same_place || (has_per_row && has_whole)) return false;
  noted.per_row = has_per_row;
  return true;
}

bool EagerBuilder::note_source(const Arg& arg, const Operand& operand, Dtype dtype,
                               const Layout& result, Source& source) {
  if (const Layout* layout = operand.layout()) {
    if (!(layout->device == kCPU)) return false;
    if (layout->dtype == dtype && note_value(arg.value, result, source)) return true;
    if (layout->numel != 1) return false;
    tensor(arg.value);
  }
  const std::byte* element = eager::one_element(operand, dtype, source.element);
  if (element != source.element) std::memcpy(source.element, element, byte_size(dtype));
  return true;
}

bool EagerBuilder::note_value(Value v, const Layout& result, Source& source) {
  const Layout& in = layout(v);
  if (eager::lies_as(in, result)) {
    source = {v.id, Meets::kSamePlace, {}};
    return true;
  }
  if (!in.contiguous || !result.contiguous || (in.numel == 1 && !node(v).per_row)) return false;
  Meets meets = Meets::kItsRow;
  int64_t length = broadcast_length(in, result);
  if (length == 0) {
    meets = Meets::kEachRow;
    length = repeated_length(in, result);
  }
  if (length < kLeastRow || length > eager::kReduceBlock || !has_rows_of(length)) return false;
  // What is not known by rows is made first.
  if (meets == Meets::kEachRow || !node(v).per_row) tensor(v);
  row_ = length;
  source = {v.id, meets, {}};
  return true;
}

}  // namespace frit

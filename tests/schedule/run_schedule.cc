// Runs schedules step by step.
#include "tests/schedule/run_schedule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "src/ops/reference/reference.h"
#include "src/schedule/kernel_text.h"
#include "src/tensor/convert.h"

namespace frit {
namespace {

class ScheduleRun {
 public:
  ScheduleRun(const Schedule& schedule, std::span<const GraphArg> args, Writer* writer)
      : schedule_(schedule),
        args_(args),
        writer_(writer),
        arena_(static_cast<size_t>(schedule.arena_bytes), std::byte{0xab}) {
    for (const ScheduleBuffer& buffer : schedule.buffers) buffers_.push_back(make_buffer(buffer));
  }

  std::vector<Tensor> run() {
    for (const ScheduleStep& step : schedule_.steps) {
      if (const auto* kernel = std::get_if<KernelStep>(&step)) {
        run_kernel(*kernel);
      } else {
        run_op(std::get<OpStep>(step));
      }
    }
    std::vector<Tensor> outputs;
    for (int v : schedule_.output_views) outputs.push_back(tensor(v));
    return outputs;
  }

 private:
  Tensor make_buffer(const ScheduleBuffer& buffer) {
    if (buffer.kind == ScheduleBuffer::Kind::kInput) return args_[buffer.index].tensor;
    if (buffer.kind == ScheduleBuffer::Kind::kOutput) return new_tensor(buffer.layout);
    Storage* storage =
        wrap_storage(arena_.data() + buffer.arena_offset, buffer.layout->nbytes(), nullptr);
    Tensor t = new_view(buffer.layout, storage, 0);
    release(storage);
    return t;
  }

  Tensor tensor(int view_index) const {
    const ScheduleView& view = schedule_.views[view_index];
    const TensorImpl* buffer = buffers_[view.buffer].impl();
    return new_view(view.layout, buffer->storage, buffer->offset + view.offset);
  }

  void run_kernel(const KernelStep& step) {
    for (const IndexCheck& check : step.checks) run_op(check.op);  // throws what it is there for
    std::vector<uint64_t> words;
    for (const KernelWord& word : step.words) {
      uint64_t bits = 0;
      switch (word.kind) {
        case KernelWord::Kind::kAddress:
          bits = reinterpret_cast<uint64_t>(tensor(word.index).impl()->data);
          break;
        case KernelWord::Kind::kImmediate:
          bits = static_cast<uint64_t>(word.immediate);
          break;
        case KernelWord::Kind::kScalar:
          store_element(word.dtype, &bits, args_[word.index].scalar);
          break;
      }
      words.push_back(bits);
    }
    // In two parts, as two threads would, where there may be two.
    const int64_t middle = step.in_order ? 0 : step.outer_size / 2;
    if (writer_ == nullptr) {
      interpret(*step.kernel, words.data(), middle, step.outer_size);
      interpret(*step.kernel, words.data(), 0, middle);
      return;
    }
    std::string reason;
    const auto compiled = writer_->compile(*step.kernel, &reason);
    ASSERT_NE(compiled, nullptr) << reason << '\n' << step.kernel->print();
    compiled->run(words.data(), middle, step.outer_size);
    compiled->run(words.data(), 0, middle);
  }

  void run_op(const OpStep& step) {
    std::vector<Tensor> tensors;
    for (const OpStep::Arg& arg : step.args)
      tensors.push_back(arg.view >= 0           ? tensor(arg.view)
                        : arg.layout != nullptr ? new_tensor(arg.layout)
                                                : Tensor());
    std::vector<Operand> operands;
    for (size_t i = 0; i < step.args.size(); ++i) {
      if (tensors[i].defined()) {
        operands.emplace_back(tensors[i]);
      } else {
        operands.emplace_back(step.args[i].scalar >= 0 ? args_[step.args[i].scalar].scalar
                                                       : step.args[i].literal);
      }
    }
    Tensor results[kMaxResults];
    reference::run({step.op, operands, Attrs(step.attrs)}, results);
    for (size_t i = 0; i < step.results.size(); ++i) {
      const Tensor to = tensor(step.results[i]);
      const Operand store[] = {to, results[i]};
      const Attrs none;
      reference::run({Op::store, store, none}, nullptr);
    }
  }

  const Schedule& schedule_;
  std::span<const GraphArg> args_;
  Writer* writer_;
  std::vector<std::byte> arena_;
  std::vector<Tensor> buffers_;
};

uint64_t element_bits(const Tensor& t, std::span<const int64_t> index) {
  const Layout& layout = *t.impl()->layout;
  int64_t offset = 0;
  for (int d = 0; d < layout.rank; ++d) offset += index[d] * layout.stride(d);
  uint64_t bits = 0;
  const int size = byte_size(layout.dtype);
  std::memcpy(&bits, t.impl()->data + offset * size, static_cast<size_t>(size));
  return bits;
}

bool same_element(Dtype dtype, uint64_t a, uint64_t b) {
  if (is_half(dtype))
    return a == b || (load_element(dtype, &a).to_double() != load_element(dtype, &a).to_double() &&
                      load_element(dtype, &b).to_double() != load_element(dtype, &b).to_double());
  return a == b || (is_nan(dtype, a) && is_nan(dtype, b));
}

// Strides of dimensions without a second element say nothing.
bool same_layout(const Layout& a, const Layout& b) {
  if (a.dtype != b.dtype || a.sizes() != b.sizes()) return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.numel > 0 && a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  return true;
}

std::string difference(const Tensor& actual, const Tensor& expected) {
  const Layout& layout = *expected.impl()->layout;
  if (!same_layout(*actual.impl()->layout, layout))
    return to_string(*actual.impl()->layout) + " instead of " + to_string(layout);
  std::vector<int64_t> index(layout.rank);
  for (int64_t i = 0; i < layout.numel; ++i) {
    int64_t rest = i;
    for (int d = layout.rank; d-- > 0; rest /= layout.size(d)) index[d] = rest % layout.size(d);
    const uint64_t a = element_bits(actual, index), b = element_bits(expected, index);
    if (same_element(layout.dtype, a, b)) continue;
    std::ostringstream text;
    text << to_string(layout) << ": element " << i << " is " << std::hex << "0x" << a
         << " instead of 0x" << b;
    return text.str();
  }
  return {};
}

}  // namespace

std::vector<Tensor> run_schedule(const Schedule& schedule, std::span<const GraphArg> args,
                                 Writer* writer) {
  // The outputs own their memory; what lies in the arena ends with the run.
  return ScheduleRun(schedule, args, writer).run();
}

std::string first_difference(const std::vector<Tensor>& actual,
                             const std::vector<Tensor>& expected) {
  if (actual.size() != expected.size()) return "number of outputs";
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string found = difference(actual[i], expected[i]);
    if (!found.empty()) return "output " + std::to_string(i) + ": " + found;
  }
  return {};
}

std::string describe(const Schedule& schedule) {
  std::ostringstream text;
  if (!schedule.refusal.empty()) text << "refused: " << schedule.refusal << '\n';
  for (const ScheduleStep& step : schedule.steps) {
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      for (const IndexCheck& check : kernel->checks)
        for (const IndexCheck::Range& range : check.ranges)
          text << "check " << name(check.op.op) << ": from " << range.lowest << ", below "
               << range.size << '\n';
      text << kernel->kernel->print();
    } else {
      text << "call " << name(std::get<OpStep>(step).op) << '\n';
    }
  }
  for (const std::string& fallback : schedule.fallbacks) text << "fallback " << fallback << '\n';
  return text.str();
}

}  // namespace frit

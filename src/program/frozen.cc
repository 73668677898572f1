// Builds and runs programs.
//
// A run checks its guards, and is then the executor's. What it costs besides the kernels is one
// comparison per input, and, where outputs are given, of each with each.
#include "src/program/frozen.h"

#include <absl/container/inlined_vector.h>

#include <chrono>
#include <sstream>
#include <utility>

#include "src/engine/environment.h"
#include "src/engine/native.h"
#include "src/engine/takeover.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace program {
namespace {

TensorType type_of(const Layout& layout) {
  return {layout.dtype, layout.sizes().vec(), layout.strides().vec()};
}

// A layout that is not interned is compared by its facts.
bool has_layout(const TensorImpl* t, const Layout* expected) {
  if (t == nullptr) return false;
  const Layout& is = *t->layout;
  if (&is == expected) return true;
  return !is.interned() && is.dtype == expected->dtype && is.device == expected->device &&
         is.sizes() == expected->sizes() && is.strides() == expected->strides();
}

[[noreturn]] void fail(const std::string& what, const std::string& problem) {
  throw Error(ErrorKind::kValue, "run(" + what + "): " + problem);
}

[[noreturn]] void fail_count(const char* what, size_t is, size_t expected) {
  fail(std::to_string(is) + " " + what, "expected " + std::to_string(expected));
}

[[noreturn]] void fail_layout(const std::string& name, const Tensor& is, const Layout& expected) {
  fail(name + ": " + describe(is), "guard failed: expected " + to_string(expected));
}

[[noreturn]] void fail_mode(uint32_t is, uint32_t expected) {
  std::ostringstream what, problem;
  what << "MXCSR: 0x" << std::hex << is;
  problem << "guard failed: expected 0x" << std::hex << expected;
  fail(what.str(), problem.str());
}

bool overlap(const TensorImpl* a, int64_t a_bytes, const TensorImpl* b, int64_t b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && a->data < b->data + b_bytes && b->data < a->data + a_bytes;
}

std::string numbered(const char* name, size_t i) {
  return std::string(name).append(std::to_string(i));
}

}  // namespace

Frozen::Place Frozen::place_of(const Layout* layout) {
  return {layout, layout->span() * byte_size(layout->dtype)};
}

Program Frozen::make(Parts parts, std::string captured) {
  const MuteScope mute;  // a plug-in's writer may call Frit
  const auto start = std::chrono::steady_clock::now();
  std::shared_ptr<Frozen> frozen(new Frozen(std::move(parts)));
  const Graph& graph = frozen->parts_.graph;
  std::string reason;
  frozen->executor_ = engine::make_executor(graph, &reason);
  if (frozen->executor_ == nullptr)
    throw Error(ErrorKind::kNotImplemented, "program: not compiled: " + reason);
  const int num_inputs = graph.num_inputs() - static_cast<int>(frozen->parts_.constants.size());
  for (Graph::ValueId v = 0; v < num_inputs; ++v) {
    frozen->inputs_.push_back(place_of(graph.layout(v)));
    frozen->input_types_.push_back(type_of(*graph.layout(v)));
  }
  for (Graph::ValueId v : graph.outputs()) {
    frozen->outputs_.push_back(place_of(graph.layout(v)));
    frozen->output_types_.push_back(type_of(*graph.layout(v)));
  }
  frozen->form_.captured = std::move(captured);
  frozen->form_.build_us = std::chrono::duration_cast<std::chrono::microseconds>(
                               std::chrono::steady_clock::now() - start)
                               .count();
  return Program(std::move(frozen));
}

// Holds the call against the guards. Then the inputs are materialised.
void Frozen::enter(TensorList inputs) const {
  if (inputs.size() != inputs_.size()) fail_count("inputs", inputs.size(), inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!has_layout(inputs[i].impl(), inputs_[i].layout))
      fail_layout(numbered("x", i), inputs[i], *inputs_[i].layout);
  if (engine::mxcsr_mode() != parts_.mxcsr) fail_mode(engine::mxcsr_mode(), parts_.mxcsr);
  for (const Tensor& input : inputs) observe_value(input.impl(), "Program::run");
  engine::this_engine();  // it gives the arena back when the thread ends
}

void Frozen::check_outputs(TensorList inputs, TensorList outputs) const {
  if (outputs.size() != outputs_.size()) fail_count("outputs", outputs.size(), outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!has_layout(outputs[i].impl(), outputs_[i].layout))
      fail_layout(numbered("output ", i), outputs[i], *outputs_[i].layout);
    observe_value(outputs[i].impl(), "Program::run");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TensorImpl* output = outputs[i].impl();
    for (size_t j = 0; j < inputs_.size(); ++j)
      if (overlap(output, outputs_[i].bytes, inputs[j].impl(), inputs_[j].bytes))
        fail(numbered("output ", i), "shares memory with input " + std::to_string(j));
    for (size_t j = 0; j < i; ++j)
      if (overlap(output, outputs_[i].bytes, outputs[j].impl(), outputs_[j].bytes))
        fail(numbered("output ", i), "shares memory with output " + std::to_string(j));
  }
}

std::vector<Tensor> Frozen::run(TensorList inputs) const {
  enter(inputs);
  absl::InlinedVector<StorageRef, 8> memory(outputs_.size());
  {
    const MuteScope mute;
    executor_->run({inputs, TensorList(parts_.constants), {}, {memory.data(), memory.size()}, {}});
  }
  std::vector<Tensor> outputs;
  outputs.reserve(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i)
    outputs.push_back(new_view(outputs_[i].layout, memory[i].get(), 0));
  return outputs;
}

void Frozen::run(TensorList inputs, TensorList outputs) const {
  enter(inputs);
  check_outputs(inputs, outputs);
  for (const Tensor& output : outputs) engine::before_write(output.impl());
  const MuteScope mute;
  executor_->run({inputs, TensorList(parts_.constants), {}, {}, outputs});
}

std::string Frozen::str() const {
  PlanForm form = form_;
  form.normalized = parts_.graph.print();
  engine::describe_executor(*executor_, &form);
  std::ostringstream out;
  out << "program: inputs " << inputs_.size() << ", outputs " << outputs_.size() << ", constants "
      << parts_.constants.size() << "\nguards:\n";
  for (size_t i = 0; i < inputs_.size(); ++i)
    out << "x" << i << ": " << to_string(*inputs_[i].layout) << "\n";
  out << "MXCSR: 0x" << std::hex << parts_.mxcsr << std::dec << "\n" << form.str();
  return out.str();
}

}  // namespace program

std::string TensorType::str() const {
  return to_string(*intern_layout(dtype, kCPU, sizes, strides));
}

std::vector<Tensor> Program::run(TensorList inputs) const { return frozen_->run(inputs); }
void Program::run(TensorList inputs, TensorList outputs) const { frozen_->run(inputs, outputs); }
const std::vector<TensorType>& Program::inputs() const { return frozen_->inputs(); }
const std::vector<TensorType>& Program::outputs() const { return frozen_->outputs(); }
std::string Program::str() const { return frozen_->str(); }

}  // namespace frit

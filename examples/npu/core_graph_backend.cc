// A device that comes with a graph compiler of its own: it takes graphs of core ops, after Frit has
// normalized them, and runs them where its memory is. What it cannot do it refuses, with the
// reason; then Frit runs the ops one by one.
#include <iostream>
#include <map>
#include <vector>

#include "examples/npu/npu_device.h"

namespace {

using frit::Graph;

// The device's instructions: elementwise ones on f32 of one size.
using Instruction = float (*)(float, float);
const std::map<std::string_view, Instruction>& instructions() {
  static const std::map<std::string_view, Instruction> table = {
      {"add", [](float a, float b) { return a + b; }},
      {"sub", [](float a, float b) { return a - b; }},
      {"mul", [](float a, float b) { return a * b; }},
      {"maximum", [](float a, float b) { return a >= b || a != a ? a : b; }},
      {"relu", [](float a, float) { return a >= 0 || a != a ? a : 0; }},
      {"neg", [](float a, float) { return -a; }},
  };
  return table;
}

[[noreturn]] void refuse(const std::string& problem) {
  throw frit::Error(frit::ErrorKind::kNotImplemented, "npu: " + problem);
}

// A graph as a program for the device: a register for each value, one element after the other.
struct Step {
  Instruction run;
  int operands[2];  // values, or literals from -1 on downwards
};

class Program {
 public:
  explicit Program(const Graph& graph) : graph_(graph) {
    for (Graph::ValueId v = 0; v < graph.num_values(); ++v) check(v);
    for (const Graph::Node& node : graph.nodes()) {
      const auto found = instructions().find(frit::name(node.op));
      if (found == instructions().end())
        refuse("no instruction for " + std::string(frit::name(node.op)));
      Step& step = steps_.emplace_back(Step{found->second, {0, 0}});
      for (size_t i = 0; i < node.operands.size(); ++i)
        step.operands[i] = operand(node.operands[i]);
    }
  }

  std::vector<frit::Tensor> operator()(std::span<const frit::GraphArg> args) const {
    std::vector<const float*> in;
    for (const frit::GraphArg& arg : args)
      in.push_back(static_cast<const float*>(npu_view(arg.tensor.const_data_ptr())));
    std::vector<frit::Tensor> outputs;
    std::vector<float*> out;
    for (Graph::ValueId v : graph_.outputs()) {
      outputs.push_back(
          frit::empty(graph_.sizes(v), frit::TensorOptions(frit::kFloat32).device(device_)));
      out.push_back(static_cast<float*>(npu_view(outputs.back().data_ptr())));
    }
    std::vector<float> values(static_cast<size_t>(graph_.num_values()));
    const auto value = [&](int v) { return v >= 0 ? values[v] : literals_[-v - 1]; };
    for (int64_t i = 0; i < numel_; ++i) {
      for (size_t k = 0; k < in.size(); ++k) values[k] = in[k][i];
      for (size_t s = 0; s < steps_.size(); ++s)
        values[in.size() + s] =
            steps_[s].run(value(steps_[s].operands[0]), value(steps_[s].operands[1]));
      for (size_t k = 0; k < out.size(); ++k) out[k][i] = values[graph_.outputs()[k]];
    }
    return outputs;
  }

 private:
  void check(Graph::ValueId v) {
    if (graph_.is_scalar(v)) refuse("numbers that vary");
    if (graph_.dtype(v) != frit::kFloat32) refuse("only f32");
    if (graph_.numel(v) != graph_.numel(0)) refuse("only values of one size");
    if (!graph_.is_contiguous(v)) refuse("only values without gaps");
  }

  int operand(const Graph::Operand& o) {
    if (o.is_value()) return o.value;
    literals_.push_back(static_cast<float>(o.literal.to_double()));
    return -static_cast<int>(literals_.size());
  }

  Graph graph_;
  std::vector<Step> steps_;
  std::vector<float> literals_;
  int64_t numel_ = graph_.numel(0);
  frit::Device device_ = graph_.device(0);
};

}  // namespace

int main() {
  register_npu();
  frit::register_backend("npu", frit::normalized([](const frit::BackendInput& input) {
                           std::cout << input.graph.print();
                           return frit::CompiledGraph(Program(input.graph));
                         }));
  const auto fast =
      frit::compile([](const frit::Tensor& x) { return relu(x * 2 + 1); }, {.backend = "npu"});
  const frit::Tensor x = frit::tensor({1.0f, -2.0f}).to("npu");
  for (int i = 0; i < 3; ++i) std::cout << fast(x) << '\n';
}

// Builds programs. One BlockBuilder per graph; a branch's builder knows the ones around it, whose
// names it sees and in whose steps its uses count.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "src/base/check.h"
#include "src/onnx/fail.h"
#include "src/onnx/ops_table.h"
#include "src/onnx/program.h"

namespace frit::onnx {
namespace {

constexpr int64_t kOldestOpset = 6, kNewestOpset = 17;

// What the builders of one program share.
struct Shared {
  const ModelDef& model;
  Program& program;
  std::set<std::string> op_types;
  std::set<int> used_constants;
};

Operand new_constant(Program& program, Tensor value) {
  Constant constant;
  if (value.numel() == 1) constant.number = value.item();
  constant.tensor = std::move(value);
  program.constants.push_back(std::move(constant));
  return {Operand::Kind::kConstant, static_cast<int>(program.constants.size()) - 1};
}

class BlockBuilder {
 public:
  BlockBuilder(Shared& shared, BlockBuilder* outer) : shared_(shared), outer_(outer) {}

  Block build(const GraphDef& graph) {
    for (const ValueInfo& input : graph.inputs)
      names_[input.name] = {Operand::Kind::kValue, new_value()};
    for (const TensorDef& tensor : graph.initializers)
      names_[tensor.name] = new_constant(shared_.program, to_tensor(tensor));
    for (const NodeDef& node : graph.nodes) add_node(node);
    for (const ValueInfo& output : graph.outputs) block_.outputs.push_back(use(output.name));
    set_frees();
    note_constants();
    return std::move(block_);
  }

 private:
  int new_value() {
    const int value = shared_.program.num_values++;
    last_use_[value] = 0;
    return value;
  }

  // The operand of a name, here or around; notes the use.
  Operand use(const std::string& name) {
    if (name.empty()) return {};
    const auto it = names_.find(name);
    if (it == names_.end()) {
      FRIT_CHECK(outer_) << "undefined name " << name;
      return outer_->use(name);
    }
    if (it->second.kind == Operand::Kind::kValue)
      last_use_[it->second.index] = block_.steps.size();  // the step that is being made
    return it->second;
  }

  void add_node(const NodeDef& def) {
    const OpRow& row = row_of(def);
    Step step;
    step.description = describe(def);
    for (const std::string& input : def.inputs) step.inputs.push_back(use(input));
    step.run = bind(def, row, step.inputs);
    shared_.op_types.insert(def.op_type);
    if (run_now(def, step)) return;
    for (const std::string& output : def.outputs) step.outputs.push_back(define(output));
    block_.steps.push_back(std::move(step));
  }

  const OpRow& row_of(const NodeDef& def) const {
    const std::string& path = shared_.model.path;
    const OpRow* row = def.domain.empty() ? find_op(def.op_type) : nullptr;
    if (!row)
      fail_unsupported(path,
                       "op: " + describe(def) + ", opset " + std::to_string(shared_.model.opset));
    const int num_inputs = static_cast<int>(def.inputs.size());
    for (int i = 0; i < row->min_inputs; ++i)
      if (i >= num_inputs || def.inputs[i].empty())
        fail(path, describe(def) + ": no input " + std::to_string(i));
    if (row->max_inputs != kAnyNumber && num_inputs > row->max_inputs)
      fail(path, describe(def) + ": " + std::to_string(num_inputs) + " inputs, at most " +
                     std::to_string(row->max_inputs));
    for (size_t i = 0; i < def.outputs.size(); ++i)
      if (row->max_outputs != kAnyNumber && static_cast<int>(i) >= row->max_outputs &&
          !def.outputs[i].empty())
        fail_unsupported(path, "output " + std::to_string(i) + ": " + describe(def));
    if (row->max_inputs == kAnyNumber && std::ranges::count(def.inputs, "") > 0)
      fail(path, describe(def) + ": an input is left out");
    return *row;
  }

  Runner bind(const NodeDef& def, const OpRow& row, const std::vector<Operand>& inputs) {
    Node::Context context{shared_.model.path, shared_.model.opset, {}, {}};
    for (const Operand& input : inputs)
      context.constants.push_back(input.kind == Operand::Kind::kConstant
                                      ? shared_.program.constants[input.index].tensor
                                      : Tensor());
    context.build_block = [this](const GraphDef& graph) {
      if (!graph.inputs.empty()) fail(shared_.model.path, "a branch has inputs");
      return std::make_shared<const Block>(BlockBuilder(shared_, this).build(graph));
    };
    Node node(def, std::move(context));
    Runner run = row.bind(node);
    node.check_all_known();
    return run;
  }

  int define(const std::string& name) {
    if (name.empty()) return -1;
    const int value = new_value();
    last_use_[value] = block_.steps.size();
    names_[name] = {Operand::Kind::kValue, value};
    return value;
  }

  // Runs a node whose inputs are all constants and makes its results constants. One that fails is
  // left for the run, which may never come to it.
  bool run_now(const NodeDef& def, const Step& step) {
    if (def.op_type == "If") return false;
    for (const Operand& input : step.inputs)
      if (input.kind == Operand::Kind::kValue) return false;
    Step now = step;
    for (size_t i = 0; i < def.outputs.size(); ++i) now.outputs.push_back(static_cast<int>(i));
    Frame frame{shared_.program.constants, std::vector<Tensor>(def.outputs.size())};
    try {
      Call call(frame, now);
      now.run(call);
    } catch (const Error&) {
      return false;
    }
    for (const Tensor& result : frame.values)
      if (!result.defined()) return false;
    for (size_t i = 0; i < def.outputs.size(); ++i)
      if (!def.outputs[i].empty())
        names_[def.outputs[i]] = new_constant(shared_.program, std::move(frame.values[i]));
    return true;
  }

  // Each value of this block is freed by the step that uses it last, or, where it is an output,
  // after the outputs have been handed on.
  void set_frees() {
    for (const auto& [value, step] : last_use_) {
      if (step < block_.steps.size()) {
        block_.steps[step].frees.push_back(value);
      } else {
        block_.frees.push_back(value);
      }
    }
  }

  void note_constants() {
    const auto note = [this](const Operand& operand) {
      if (operand.kind == Operand::Kind::kConstant) shared_.used_constants.insert(operand.index);
    };
    for (const Step& step : block_.steps) std::ranges::for_each(step.inputs, note);
    std::ranges::for_each(block_.outputs, note);
  }

  Shared& shared_;
  BlockBuilder* outer_;
  Block block_;
  std::unordered_map<std::string_view, Operand> names_;
  std::map<int, size_t> last_use_;  // of the values that this block makes; the step's number
};

// Lets go of what only loading needed: shapes, and weights that were folded into others.
void drop_unused_constants(const Shared& shared) {
  for (size_t i = 0; i < shared.program.constants.size(); ++i)
    if (!shared.used_constants.contains(static_cast<int>(i))) shared.program.constants[i] = {};
}

}  // namespace

std::shared_ptr<const Program> build_program(const ModelDef& model) {
  if (model.opset < kOldestOpset || model.opset > kNewestOpset)
    fail_unsupported(model.path, "opset: " + std::to_string(model.opset) + ", 6 to 17 are run");
  auto program = std::make_shared<Program>();
  program->path = model.path;
  program->opset = model.opset;
  program->inputs = model.graph.inputs;
  program->outputs = model.graph.outputs;
  Shared shared{model, *program, {}, {}};
  program->body = BlockBuilder(shared, nullptr).build(model.graph);
  drop_unused_constants(shared);
  program->op_types.assign(shared.op_types.begin(), shared.op_types.end());
  return program;
}

}  // namespace frit::onnx

// Writes down the ops of one run that depend on the examples.
//
// A tensor is known while the program holds it: an example, or the result of an op that was noted.
// Any other one is a constant, copied where an op that depends on an example uses it. So an op on
// constants alone needs no note: it has run, and its result is a constant like any other. Noted all
// the same are views and fills, which cost less than copies of what they show.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/program/recording.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/program/boundary.h"
#include "src/tensor/tensor_impl.h"

namespace frit::program {
namespace {

struct Ref {
  enum class Kind : uint8_t { kExample, kConstant, kResult, kLiteral };
  Kind kind;
  int index = 0;   // of the example, the constant, or the noted call
  int result = 0;  // of that call
  Scalar literal;
};

std::string numbered(char kind, size_t number) {
  return std::string(1, kind).append(std::to_string(number));
}

// Bytes from the first element to the end of the last.
size_t reach(const Layout& layout) {
  return static_cast<size_t>(layout.span() * byte_size(layout.dtype));
}

class Recorder final : public Listener {
 public:
  Recorder(TensorList examples, TensorList params);
  void before_op(const OpCall& call) override;
  void after_op(const OpCall& call, const Tensor* results) override;
  void value_observed(const TensorImpl* tensor, const char* method) override;
  Recording finish(const std::vector<Tensor>& outputs);

 private:
  struct Known {
    Tensor held;
    Ref ref;
    bool varies;       // depends on an example
    uint64_t version;  // of its storage when it was noted
  };
  struct Constant {
    Tensor held, copy;
  };
  struct Call {
    Op op;
    std::vector<Ref> operands;
    std::vector<int64_t> attrs;
  };

  [[noreturn]] void refuse(Op op, std::string_view problem) const;
  bool varies(const TensorImpl* tensor) const;
  bool varies(const OpCall& call) const;
  void note(const TensorImpl* tensor, Ref ref, bool varies);
  void drop_dead();
  Ref reference(const TensorImpl* tensor);
  int constant(const TensorImpl* tensor);
  std::string name_of(const Constant& constant, size_t number) const;
  void add_inputs(Graph* graph) const;
  using Made = std::vector<std::vector<Graph::ValueId>>;  // of each call
  Made add_calls(Graph* graph) const;
  Graph::Operand operand(const Ref& ref, const Made& made) const;

  TensorList examples_, params_;
  std::unordered_map<const TensorImpl*, Known> known_;
  std::vector<Constant> constants_;
  std::vector<Call> calls_;
  int position_ = 0;  // of the op that runs or comes next
  std::optional<Op> last_op_;
};

void check_tensor(const Tensor& t, const std::string& what) {
  const char* problem = !t.defined()                    ? "the tensor is undefined"
                        : t.device() != kCPU            ? "it lies on another device"
                        : !t.impl()->layout->interned() ? "the table of layouts is full"
                                                        : nullptr;
  if (problem != nullptr) throw Error(ErrorKind::kRuntime, "freeze: " + what + ": " + problem);
}

Recorder::Recorder(TensorList examples, TensorList params) : examples_(examples), params_(params) {
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::string what = "example " + std::to_string(i);
    check_tensor(examples[i], what);
    if (known_.contains(examples[i].impl()))
      throw Error(ErrorKind::kValue, "freeze: " + what + ": the same tensor as an earlier example");
    note(examples[i].impl(), {Ref::Kind::kExample, static_cast<int>(i), 0, {}}, true);
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string what = "param " + std::to_string(i);
    check_tensor(params[i], what);
    if (known_.contains(params[i].impl()))
      throw Error(ErrorKind::kValue, "freeze: " + what + ": it is an example too");
  }
}

void Recorder::refuse(Op op, std::string_view problem) const {
  throw Error(ErrorKind::kRuntime, "freeze: op " + std::to_string(position_) + " (" +
                                       std::string(name(op)) + "): " + std::string(problem));
}

bool Recorder::varies(const TensorImpl* tensor) const {
  const auto it = known_.find(tensor);
  return it != known_.end() && it->second.varies;
}

bool Recorder::varies(const OpCall& call) const {
  return std::any_of(call.operands.begin(), call.operands.end(),
                     [&](const Operand& o) { return o.is_tensor() && varies(o.tensor); });
}

void Recorder::note(const TensorImpl* tensor, Ref ref, bool varies) {
  Tensor held = Tensor::share(const_cast<TensorImpl*>(tensor));
  materialize(tensor);
  const uint64_t version = tensor->storage->version.load(std::memory_order_relaxed);
  known_.insert_or_assign(tensor, Known{std::move(held), ref, varies, version});
}

// What the function has dropped no later call can name.
void Recorder::drop_dead() {
  std::erase_if(known_, [](const auto& entry) {
    const Known& known = entry.second;
    return known.ref.kind != Ref::Kind::kExample && known.held.use_count() == 1;
  });
}

void Recorder::before_op(const OpCall& call) {
  drop_dead();
  const bool writes = info(call.op).traits == Traits::kEffect;
  if (!writes && !varies(call)) return;
  std::vector<OperandType> operands;
  for (const Operand& o : call.operands) operands.push_back({o.layout(), o.scalar});
  const std::string_view problem = boundary(call.op, operands, call.attrs);
  if (!problem.empty()) refuse(call.op, problem);
}

void Recorder::after_op(const OpCall& call, const Tensor* results) {
  const bool varying = varies(call);
  const Storage* first = call.operands.empty() || !call.operands[0].is_tensor()
                             ? nullptr
                             : call.operands[0].tensor->storage;
  const bool cheap = info(call.op).family == Family::kCreate || results[0].impl()->storage == first;
  if (varying || cheap) {
    Call made{call.op, {}, call.attrs.flat().vec()};
    for (const Operand& o : call.operands)
      made.operands.push_back(o.is_tensor() ? reference(o.tensor)
                                            : Ref{Ref::Kind::kLiteral, 0, 0, o.scalar});
    for (int i = 0; i < info(call.op).results; ++i) {
      if (!results[i].impl()->layout->interned()) refuse(call.op, "the table of layouts is full");
      note(results[i].impl(), {Ref::Kind::kResult, static_cast<int>(calls_.size()), i, {}},
           varying);
    }
    calls_.push_back(std::move(made));
  }
  ++position_;
  last_op_ = call.op;
}

void Recorder::value_observed(const TensorImpl* tensor, const char* method) {
  if (!varies(tensor)) return;
  const std::string where = last_op_ ? "after op " + std::to_string(position_ - 1) + " (" +
                                           std::string(name(*last_op_)) + ")"
                                     : "before the first op";
  throw Error(ErrorKind::kRuntime,
              "freeze: " + std::string(method) + " " + where + ": its value depends on an example");
}

// The value as it is now. A tensor that the host may have written to since is looked at again.
Ref Recorder::reference(const TensorImpl* tensor) {
  const auto it = known_.find(tensor);
  if (it != known_.end()) {
    const Known& known = it->second;
    const Storage& storage = *tensor->storage;
    const bool unchanged = storage.write_exposed.load(std::memory_order_relaxed) == 0 &&
                           storage.version.load(std::memory_order_relaxed) == known.version;
    if (known.varies || unchanged) return known.ref;
  }
  return {Ref::Kind::kConstant, constant(tensor), 0, {}};
}

int Recorder::constant(const TensorImpl* tensor) {
  check_tensor(Tensor::share(const_cast<TensorImpl*>(tensor)), "a captured tensor");
  materialize(tensor);
  for (size_t i = 0; i < examples_.size(); ++i)
    if (examples_[i].impl()->storage == tensor->storage)
      throw Error(ErrorKind::kRuntime, "freeze: a captured tensor (" + to_string(*tensor->layout) +
                                           ") shares memory with example " + std::to_string(i));
  const size_t bytes = reach(*tensor->layout);
  for (size_t i = 0; i < constants_.size(); ++i) {
    const TensorImpl* other = constants_[i].held.impl();
    if (other->data == tensor->data && other->layout == tensor->layout &&
        (bytes == 0 || std::memcmp(constants_[i].copy.impl()->data, tensor->data, bytes) == 0))
      return static_cast<int>(i);
  }
  Tensor copy = new_tensor(tensor->layout);
  if (bytes > 0) std::memcpy(copy.impl()->data, tensor->data, bytes);
  constants_.push_back({Tensor::share(const_cast<TensorImpl*>(tensor)), std::move(copy)});
  return static_cast<int>(constants_.size()) - 1;
}

std::string Recorder::name_of(const Constant& constant, size_t number) const {
  for (size_t i = 0; i < params_.size(); ++i)
    if (params_[i].is_same(constant.held)) return numbered('p', i);
  return numbered('c', number);
}

void Recorder::add_inputs(Graph* graph) const {
  for (size_t i = 0; i < examples_.size(); ++i)
    graph->add_input(numbered('x', i), examples_[i].impl()->layout);
  for (size_t i = 0; i < constants_.size(); ++i)
    graph->add_input(name_of(constants_[i], i), constants_[i].copy.impl()->layout);
}

Graph::Operand Recorder::operand(const Ref& ref, const Made& made) const {
  switch (ref.kind) {
    case Ref::Kind::kExample:
      return {ref.index, {}};
    case Ref::Kind::kConstant:
      return {static_cast<int>(examples_.size()) + ref.index, {}};
    case Ref::Kind::kResult:
      return {made[ref.index][ref.result], {}};
    case Ref::Kind::kLiteral:
      return {-1, ref.literal};
  }
  __builtin_unreachable();
}

Recorder::Made Recorder::add_calls(Graph* graph) const {
  Made made;
  for (const Call& call : calls_) {
    std::vector<Graph::Operand> operands;
    for (const Ref& ref : call.operands) operands.push_back(operand(ref, made));
    made.push_back(graph->add_node(call.op, std::move(operands), call.attrs));
  }
  return made;
}

Recording Recorder::finish(const std::vector<Tensor>& outputs) {
  std::vector<Ref> returned;
  for (size_t i = 0; i < outputs.size(); ++i) {
    check_tensor(outputs[i], "output " + std::to_string(i));
    materialize(outputs[i].impl());
    returned.push_back(reference(outputs[i].impl()));
  }
  Graph graph("program");
  add_inputs(&graph);
  const Made made = add_calls(&graph);
  std::vector<Graph::ValueId> values;
  for (const Ref& ref : returned) {
    Graph::ValueId v = operand(ref, made).value;
    // New memory has no gaps.
    if (!graph.layout(v)->dense) v = graph.add_node(Op::clone, {{v, {}}}, {})[0];
    values.push_back(v);
  }
  graph.set_outputs(std::move(values));
  Recording recording{std::move(graph), {}};
  for (Constant& constant : constants_) recording.constants.push_back(std::move(constant.copy));
  return recording;
}

}  // namespace

Recording record(const detail::TensorFunction& fn, TensorList examples, TensorList params) {
  Recorder recorder(examples, params);
  std::vector<Tensor> outputs;
  {
    const ListenScope listen(&recorder);
    outputs = fn(examples);
  }
  return recorder.finish(outputs);
}

}  // namespace frit::program

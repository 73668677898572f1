// Calls of registered ops: arguments to operands and attributes, and what is written to stored.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "frit/custom_op.h"
#include "src/base/flags.h"
#include "src/eager/api.h"
#include "src/eager/autocast.h"
#include "src/eager/kernels.h"
#include "src/ops/custom.h"
#include "src/ops/memory.h"

namespace frit {
namespace {

using custom::ArgKind;
using custom::ArgSpec;
using custom::Schema;

Tensor copy_of(const Tensor& t) {
  const Operand operand(t);
  Tensor copy;
  run_eager({Op::clone, {&operand, 1}, Attrs()}, &copy);
  return copy;
}

[[noreturn]] void refuse(const Schema& schema, const std::string& problem) {
  throw Error(ErrorKind::kType, schema.name + ": " + problem);
}

[[noreturn]] void refuse_kind(const Schema& schema, const ArgSpec& arg, const OpArg& got) {
  constexpr const char* kGot[] = {"nothing",  "a tensor",       "a list of tensors",
                                  "a number", "a list of ints", "a text"};
  refuse(schema, "argument " + arg.name + ": expected " + std::string(custom::name_of(arg.kind)) +
                     ", got " + kGot[static_cast<int>(got.kind())]);
}

// The arguments of one call as operands and attributes.
class Binding {
 public:
  Binding(const custom::Definition& definition, std::span<const OpArg> args)
      : schema_(definition.schema), args_(args) {
    if (args.size() > schema_.args.size())
      refuse(schema_, api::text("too many arguments: ", args.size(), " for ", schema_.args.size()));
    for (size_t i = 0; i < schema_.args.size(); ++i)
      if (custom::is_operand(schema_.args[i].kind)) add_operands(i);
    for (int i : definition.attr_order) add_attr(static_cast<size_t>(i));
  }

  std::span<const Operand> operands() const { return {data(), count_}; }
  const Attrs& attrs() const { return attrs_; }

 private:
  void add(const Operand& operand) {
    if (count_ == custom::kMaxArgs)
      refuse(schema_, api::text("more than ", custom::kMaxArgs, " tensors and numbers"));
    std::construct_at(reinterpret_cast<Operand*>(operands_) + count_++, operand);
  }

  void add_operands(size_t i) {
    const ArgSpec& arg = schema_.args[i];
    if (i >= args_.size()) return add(missing(arg));
    if (arg.kind != ArgKind::kTensors) return add(operand(arg, args_[i]));
    if (args_[i].kind() != OpArg::Kind::kTensors) refuse_kind(schema_, arg, args_[i]);
    for (const Tensor& t : args_[i].tensors()) {
      if (!t.defined()) refuse(schema_, "argument " + arg.name + ": a tensor is undefined");
      add(Operand(t));
    }
  }

  Operand operand(const ArgSpec& arg, const OpArg& got) const {
    const bool tensor = custom::is_tensor(arg.kind);
    if (tensor && got.kind() == OpArg::Kind::kTensor && got.tensor() != nullptr)
      return Operand(got.tensor());
    const bool none = got.kind() == OpArg::Kind::kNone ||
                      (got.kind() == OpArg::Kind::kTensor && got.tensor() == nullptr);
    if (none && (arg.kind == ArgKind::kOptionalTensor || arg.kind == ArgKind::kOptionalFloat))
      return Operand(Scalar(false));
    if (tensor || got.kind() != OpArg::Kind::kScalar) refuse_kind(schema_, arg, got);
    return arg.kind == ArgKind::kScalar ? got.scalar() : Scalar(got.scalar().to_double());
  }

  Operand missing(const ArgSpec& arg) const {
    if (!arg.has_default) refuse(schema_, "argument " + arg.name + " is missing");
    return arg.kind == ArgKind::kOptionalTensor ? Scalar(false) : arg.number;
  }

  const Operand* data() const { return reinterpret_cast<const Operand*>(operands_); }

  void add_attr(size_t i) {
    const ArgSpec& arg = schema_.args[i];
    if (i < args_.size()) return add_attr(arg, args_[i]);
    if (!arg.has_default) refuse(schema_, "argument " + arg.name + " is missing");
    is_list(custom::attr_kind(arg.kind)) ? attrs_.add_list(arg.ints)
                                         : attrs_.add(arg.number.to_int());
  }

  void add_attr(const ArgSpec& arg, const OpArg& got) {
    const bool optional = arg.kind == ArgKind::kOptionalInt || arg.kind == ArgKind::kOptionalBool;
    if (optional && got.kind() == OpArg::Kind::kNone) {
      attrs_.add_list({});
    } else if (arg.kind == ArgKind::kInts || arg.kind == ArgKind::kText) {
      add_list(arg, got);
    } else {
      if (got.kind() != OpArg::Kind::kScalar || got.scalar().is_float())
        refuse_kind(schema_, arg, got);
      const bool flag = arg.kind == ArgKind::kBool || arg.kind == ArgKind::kOptionalBool;
      const int64_t value = flag ? int64_t{got.scalar().to_bool()} : got.scalar().to_int();
      optional ? attrs_.add_list({value}) : attrs_.add(value);
    }
  }

  void add_list(const ArgSpec& arg, const OpArg& got) {
    const bool text = arg.kind == ArgKind::kText;
    if (got.kind() != (text ? OpArg::Kind::kText : OpArg::Kind::kInts))
      refuse_kind(schema_, arg, got);
    if (!text) return void(attrs_.add_list(got.ints()));
    if (got.text().find('\0') != std::string_view::npos)
      refuse(schema_, "argument " + arg.name + ": there is a zero byte in the text");
    attrs_.add_list(packed_text(got.text()));
  }

  const Schema& schema_;
  std::span<const OpArg> args_;
  alignas(Operand) std::byte operands_[custom::kMaxArgs * sizeof(Operand)];  // of these count_
  size_t count_ = 0;
  Attrs attrs_;
};

// What is pending in a trace of this thread has its place; other values get theirs first.
void settle(const TensorImpl* t) {
  MemoryPlace place;
  if (t->pending() && !observer.locate(t, &place)) materialize(t);
}

TensorImpl* written(const Schema& schema, const OpCall& call, int argument) {
  const ArgSpec& arg = schema.args[static_cast<size_t>(argument)];
  return call.operands[schema.operands_of(arg, call.operands.size()).first].tensor;
}

// The op writes to memory that no other operand, and no other element, lies in.
void check_written(const Schema& schema, const OpCall& call) {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && operand.layout()->device != kCPU)
      fail(call, ErrorKind::kNotImplemented, "its operands must be on the CPU");
  for (int i : schema.mutated) {
    const TensorImpl* target = written(schema, call, i);
    const std::string& name = schema.args[static_cast<size_t>(i)].name;
    if (may_overlap_itself(*target->layout))
      fail(call, ErrorKind::kRuntime,
           name + " is written to, and some of its elements share memory");
    settle(target);
    for (const Operand& other : call.operands) {
      if (!other.is_tensor() || other.tensor == target) continue;
      settle(other.tensor);
      if (overlap(*target, *other.tensor) != Overlap::kNone)
        fail(call, ErrorKind::kRuntime,
             name + " is written to, and another operand shares its memory: clone that first");
    }
    const auto same = [&](const Operand& o) { return o.tensor == target; };
    if (std::count_if(call.operands.begin(), call.operands.end(), same) > 1)
      fail(call, ErrorKind::kRuntime, name + " is written to, and is another operand too");
  }
}

void materialize_operands(const OpCall& call) {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor()) materialize(operand.tensor);
}

void note_writes(const Schema& schema, const OpCall& call) {
  for (int i : schema.mutated)
    written(schema, call, i)->storage->version.fetch_add(1, std::memory_order_relaxed);
}

// A call that writes, as those who watch are told of it: a call that makes new values, and stores
// of these. Where it is not deferred, no copy is made: the function runs once all that it writes to
// may be written, where its operands lie.
class WritingCall {
 public:
  WritingCall(const Schema& schema, const OpCall& call) : schema_(schema), call_(call) {}

  // `results`: the new tensors.
  void run(Tensor* results) {
    if (observed_thread.quiet != 0 || listener() != nullptr || !custom::can_fill(call_.op)) {
      dispatch(call_, made_);
      store_all();
    } else if (observer.before_op(call_, made_)) {
      store_all();
    } else {
      run_cold();
    }
    std::move(made_ + schema_.mutated.size(), std::end(made_), results);
  }

 private:
  void store_all() const {
    for (size_t m = 0; m < schema_.mutated.size(); ++m)
      dispatch(store(written(schema_, call_, schema_.mutated[m]), made_[m]), nullptr);
  }

  OpCall store(const Operand& target, const Operand& source) const {
    operands_[0] = target;
    operands_[1] = source;
    return {Op::store, operands_, none_};
  }

  void run_cold() {
    materialize_operands(call_);
    const ResultTypes types = infer(call_);
    for (int i = 0; i < types.count; ++i) made_[i] = new_tensor(types.results[i].layout);
    observer.after_op(call_, made_);
    std::vector<Operand> operands(call_.operands.begin(), call_.operands.end());
    for (size_t m = 0; m < schema_.mutated.size(); ++m)
      if (tell_of_store(m)) divert(m, &operands);
    const OpCall told{call_.op, operands, call_.attrs};
    note_writes(schema_, told);
    custom::fill_in_place(told, made_ + schema_.mutated.size());
  }

  // True: it is deferred, and will read the new value.
  bool tell_of_store(size_t m) const {
    const OpCall call = store(written(schema_, call_, schema_.mutated[m]), made_[m]);
    if (observer.before_op(call, nullptr)) return true;
    observer.after_op(call, nullptr);
    return false;
  }

  // What would have been written is made in the new value instead.
  void divert(size_t m, std::vector<Operand>* operands) const {
    const Operand copy[] = {made_[m], written(schema_, call_, schema_.mutated[m])};
    run_eager({Op::store, copy, none_}, nullptr);
    const ArgSpec& arg = schema_.args[static_cast<size_t>(schema_.mutated[m])];
    (*operands)[schema_.operands_of(arg, operands->size()).first] = made_[m];
  }

  const Schema& schema_;
  const OpCall& call_;
  const Attrs none_;
  mutable Operand operands_[2];
  Tensor made_[kMaxResults];
};

// `results`: the new tensors.
void call_writing(const Schema& schema, const OpCall& call, Tensor* results) {
  check_written(schema, call);
  if (observing() || listener() != nullptr) return WritingCall(schema, call).run(results);
  materialize_operands(call);
  note_writes(schema, call);
  custom::run_in_place(call, results, copy_of);
}

// Fills one tensor per result of the schema.
void call_into(Op op, std::span<const OpArg> args, Tensor* results) {
  const custom::Definition& definition = custom::definition(op);
  const Schema& schema = definition.schema;
  const Binding binding(definition, args);
  const OpCall call{op, binding.operands(), binding.attrs()};
  if (schema.mutated.empty()) return dispatch(call, results);
  Tensor made[kMaxResults];
  call_writing(schema, call, made);
  Tensor* next = made;
  for (size_t i = 0; i < schema.returns.size(); ++i)
    results[i] = schema.returns[i] < 0 ? std::move(*next++)
                                       : Tensor::share(written(schema, call, schema.returns[i]));
}

}  // namespace

namespace eager {
namespace {

// A result that is an operand, or a view of one, would be no new tensor.
void run_decomposed(const OpCall& call, Tensor* result) {
  run_composite(call, result);
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && operand.tensor->storage == result->impl()->storage)
      *result = copy_of(*result);
}

void check_decomposition(const OpCall& call, const Tensor& made) {
  Tensor expected;
  run_decomposed(call, &expected);
  const TensorImpl &a = *expected.impl(), &b = *made.impl();
  custom::check_made(call.op, *a.layout, *b.layout);
  if (std::memcmp(a.data, b.data, static_cast<size_t>(a.layout->nbytes())) != 0)
    fail(call, ErrorKind::kRuntime, "its function and its decomposition give other bits");
}

}  // namespace

void run_custom(const OpCall& call, Tensor* results) {
  if (is_composite(call.op) && !custom::has_function(call.op)) return run_decomposed(call, results);
  custom::run(call, results, copy_of);
  if (is_composite(call.op) && base::flags().check_custom_ops)
    check_decomposition(call, results[0]);
}

}  // namespace eager

CustomOp register_op(std::string_view schema, CustomFunctions functions) {
  return CustomOp(custom::define(schema, with_autocast(std::move(functions))));
}

CustomOp custom_op(std::string_view name) {
  const std::optional<Op> op = custom::find(name);
  if (!op)
    throw Error(ErrorKind::kValue, "custom_op(" + std::string(name) +
                                       "): no such op: register it, or load the plug-in that does");
  return CustomOp(*op);
}

Tensor CustomOp::call_one(std::span<const OpArg> args) const {
  const Schema& schema = custom::definition(op_).schema;
  if (schema.returns.size() != 1)
    refuse(schema, api::text("it has ", schema.returns.size(), " results, not one: use call()"));
  Tensor result;
  call_into(op_, args, &result);
  return result;
}

std::vector<Tensor> CustomOp::call(std::span<const OpArg> args) const {
  std::vector<Tensor> results(custom::definition(op_).schema.returns.size());
  call_into(op_, args, results.data());
  return results;
}

std::string_view CustomOp::schema() const { return custom::definition(op_).schema.text; }

}  // namespace frit

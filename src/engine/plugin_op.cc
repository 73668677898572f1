// Hands calls of ops over the C interface of plug-ins.
#pragma GCC optimize("Os")  // what it calls is another's, and it is large otherwise
#include "src/engine/plugin_op.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/engine/plugin_call.h"
#include "src/engine/plugin_values.h"
#include "src/ops/custom.h"
#include "src/tensor/tensor_impl.h"

struct frit_types {
  frit::OpTypes* types;
  std::string problem;  // of the first that could not be added
};

namespace frit::engine {
namespace {

using custom::ArgKind;
using custom::ArgSpec;
using custom::kMaxArgs;

// What minor version 2 had, which none may lack.
constexpr size_t kFirstOpSize = sizeof(frit_op);

// A plug-in's op, copied.
struct Given {
  std::string plugin;
  custom::Schema schema;
  void* context;
  int (*run)(void*, const frit_call*);
  int (*fake)(void*, const frit_call*, frit_types*);
};

// The arguments of one call as the interface has them.
class HandedCall {
 public:
  explicit HandedCall(const Given& op) : op_(op) {
    call_ = {sizeof call_,
             op.schema.name.c_str(),
             operands_,
             kinds_,
             arguments_,
             attributes_,
             results_,
             0,
             0,
             0,
             0};
  }
  HandedCall(const HandedCall&) = delete;

  void add_values(const OpArgs& args) {
    for (int i = 0; i < num_args(); ++i) add_value(args, i);
    add_attributes(args);
  }
  void add_facts(const OpArgs& args) {
    for (int i = 0; i < num_args(); ++i) add_fact(args, i);
    add_attributes(args);
  }
  void add_results(std::span<const Tensor> results) {
    for (const Tensor& result : results) results_[call_.num_results++] = handed(result);
  }
  const frit_call* get() const { return &call_; }

 private:
  const ArgSpec& spec(int i) const { return op_.schema.args[static_cast<size_t>(i)]; }
  int num_args() const { return static_cast<int>(op_.schema.args.size()); }

  void add(int argument, int32_t kind, const frit_tensor& operand) {
    const int place = call_.num_operands++;
    operands_[place] = operand;
    kinds_[place] = kind;
    arguments_[place] = argument;
  }
  void add_absent(int argument) { add(argument, FRIT_ABSENT, {}); }

  void add_value(const OpArgs& args, int i) {
    const ArgKind kind = spec(i).kind;
    if (kind == ArgKind::kTensors) {
      for (int k = 0; k < args.count(i); ++k) add(i, FRIT_TENSOR, handed(args.tensor(i, k)));
    } else if (custom::is_operand(kind)) {
      if (!args.has(i)) return add_absent(i);
      if (custom::is_tensor(kind)) return add(i, FRIT_TENSOR, handed(args.tensor(i)));
      add(i, FRIT_NUMBER, handed(args.scalar(i), &numbers_[call_.num_operands]));
    }
  }

  // Types without elements.
  void add_fact(const OpArgs& args, int i) {
    const ArgKind kind = spec(i).kind;
    if (kind == ArgKind::kTensors) {
      for (int k = 0; k < args.count(i); ++k) add(i, FRIT_TENSOR, handed(args.facts(i, k)));
    } else if (custom::is_operand(kind)) {
      if (!args.has(i)) return add_absent(i);
      if (custom::is_tensor(kind)) return add(i, FRIT_TENSOR, handed(args.facts(i)));
      add(i, FRIT_NUMBER, {nullptr, nullptr, nullptr, dtype_of(args, i), 0, FRIT_DEVICE_CPU, 0});
    }
  }

  // Of a number whose value is not known.
  int32_t dtype_of(const OpArgs& args, int i) const {
    const custom::Values& values = custom::values_of(args);
    const auto place = op_.schema.operands_of(spec(i), values.num_operands()).first;
    return static_cast<int32_t>(dtype_of_number(values.scalar(place).kind()));
  }

  static frit_tensor handed(const Tensor& t) { return engine::handed(t); }
  static frit_tensor handed(const Scalar& s, NumberBits* place) { return engine::handed(s, place); }
  static frit_tensor handed(const TensorFacts& facts) {
    return {nullptr,
            facts.sizes().data(),
            facts.strides().data(),
            static_cast<int32_t>(facts.dtype()),
            static_cast<int32_t>(facts.dim()),
            FRIT_DEVICE_CPU,
            0};
  }

  void add_attributes(const OpArgs& args) {
    for (int i = 0; i < num_args(); ++i) {
      if (custom::is_operand(spec(i).kind)) continue;
      attributes_[call_.num_attributes] = attribute(args, i, &values_[call_.num_attributes]);
      ++call_.num_attributes;
    }
  }

  // `value` is where a single one lies.
  frit_attribute attribute(const OpArgs& args, int i, int64_t* value) {
    const char* name = spec(i).name.c_str();
    switch (spec(i).kind) {
      case ArgKind::kInts: {
        const IntArrayRef list = args.ints(i);
        return {name, list.data(), nullptr, static_cast<int32_t>(list.size()), FRIT_ATTR_INTS};
      }
      case ArgKind::kText:
        texts_.reserve(op_.schema.args.size());  // they stay where they are
        return {name, nullptr, texts_.emplace_back(args.text(i)).c_str(), 0, FRIT_ATTR_TEXT};
      case ArgKind::kInt:
      case ArgKind::kOptionalInt:
        if (args.has(i)) *value = args.integer(i);
        return {name, value, nullptr, args.has(i), FRIT_ATTR_INT};
      default:
        if (args.has(i)) *value = args.flag(i);
        return {name, value, nullptr, args.has(i), FRIT_ATTR_BOOL};
    }
  }

  const Given& op_;
  frit_call call_;
  // As many of each as there are, which the struct counts.
  frit_tensor operands_[kMaxArgs], results_[kMaxResults];
  int32_t kinds_[kMaxArgs], arguments_[kMaxArgs];
  NumberBits numbers_[kMaxArgs];
  frit_attribute attributes_[kMaxArgs];
  int64_t values_[kMaxArgs];
  std::vector<std::string> texts_;
};

// toy::scale(f32[2], 2.0): its function failed: WHY (plug-in /d/toy.so)
[[noreturn]] void fail_run(const Given& op, const OpArgs& args, const std::string& why) {
  const custom::Values& values = custom::values_of(args);
  fail({values.definition->op, values.operands, Attrs()}, ErrorKind::kRuntime,
       "its function failed: " + why + " (plug-in " + op.plugin + ")");
}

void run(const Given& op, const OpArgs& args, std::span<const Tensor> results) {
  HandedCall call(op);
  call.add_values(args);
  call.add_results(results);
  std::string why;
  if (!plugin_call([&] { return op.run(op.context, call.get()); }, &why)) fail_run(op, args, why);
}

void run_fake(const Given& op, const OpArgs& args, OpTypes* types) {
  HandedCall call(op);
  call.add_facts(args);
  frit_types list{types, {}};
  std::string why;
  const bool good = plugin_call([&] { return op.fake(op.context, call.get(), &list); }, &why);
  if (good && list.problem.empty()) return;
  throw Error(ErrorKind::kRuntime, op.schema.name + ": its fake function failed: " +
                                       (list.problem.empty() ? why : list.problem) + " (plug-in " +
                                       op.plugin + ")");
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kValue, "register_op: " + problem);
}

std::optional<Dtype> autocast_of(const frit_op& given) {
  if (given.autocast == FRIT_AUTOCAST_NONE) return std::nullopt;
  if (given.autocast == FRIT_AUTOCAST_F32) return kFloat32;
  if (given.autocast == FRIT_AUTOCAST_F64) return kFloat64;
  refuse(std::string(given.schema) + ": there is no autocast " + std::to_string(given.autocast));
}

void check_type(const frit_type* type) {
  const auto refuse = [](const std::string& problem) {
    throw Error(ErrorKind::kValue, "add_type: " + problem);
  };
  if (type == nullptr) return refuse("the type is null");
  if (type->kind != FRIT_TENSOR) refuse("it is no tensor's");
  if (!is_dtype(type->dtype)) refuse("there is no dtype " + std::to_string(type->dtype));
  if (type->rank < 0 || type->rank > kMaxRank) refuse("the rank is " + std::to_string(type->rank));
  if (type->rank > 0 && type->sizes == nullptr) refuse("the sizes are null");
  for (int d = 0; d < type->rank; ++d)
    if (type->sizes[d] < 0) refuse("a size is " + std::to_string(type->sizes[d]));
}

}  // namespace

PluginOp plugin_op(const frit_op* given, const std::string& plugin, size_t before) {
  if (given == nullptr) refuse("the op is null");
  if (given->size < kFirstOpSize)
    refuse("the op's size is " + std::to_string(given->size) + " bytes, that of 1.2 is " +
           std::to_string(kFirstOpSize));
  if (given->schema == nullptr) refuse("the op has no schema");
  const auto op = std::make_shared<const Given>(
      Given{plugin, custom::parse_schema(given->schema), given->context, given->run, given->fake});
  PluginOp made{op->schema.name, given->schema, {}};
  if (op->run == nullptr) refuse(made.name + ": run is null");
  made.functions.eager_out = [op](const OpArgs& args, std::span<const Tensor> results) {
    run(*op, args, results);
  };
  if (op->fake != nullptr)
    made.functions.fake = [op](const OpArgs& args, OpTypes& types) { run_fake(*op, args, &types); };
  made.functions.autocast = autocast_of(*given);
  custom::check(made.schema, made.functions, before);
  return made;
}

void add_plugin_type(frit_types* types, const frit_type* type) {
  if (types == nullptr) throw Error(ErrorKind::kValue, "add_type: the list is null");
  try {
    check_type(type);
    const auto rank = static_cast<size_t>(type->rank);
    const auto dtype = static_cast<Dtype>(type->dtype);
    if (type->strides == nullptr) return types->types->add(dtype, {type->sizes, rank});
    types->types->add(dtype, {type->sizes, rank}, {type->strides, rank});
  } catch (const std::exception& error) {
    if (types->problem.empty()) types->problem = error.what();
    throw;
  }
}

}  // namespace frit::engine

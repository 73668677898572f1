// Decompositions of registered ops, written to the builder of whoever expands them.
#include "src/base/check.h"
#include "src/ops/builder.h"
#include "src/ops/custom.h"

namespace frit {

struct OpExpansion::State {
  const custom::Definition& definition;
  OpBuilder& builder;
  std::span<const Arg> args;
  const custom::Values& values;
};

namespace {

[[noreturn]] void refuse(const custom::Definition& definition, const std::string& problem) {
  throw Error(ErrorKind::kValue, definition.schema.name + ": its decomposition: " + problem);
}

Arg arg_of(const OpExpansion::Value& v) {
  return v.is_tensor() ? Arg(Value{v.id()}) : Arg(v.number());
}

// The flat form of one attribute, as the op's row has it.
void add_attribute(const custom::Definition& definition, const AttrSpec& spec, const OpArg& given,
                   Attrs* attrs) {
  const bool list = spec.kind == AttrKind::kInts;
  if (list && given.kind() == OpArg::Kind::kInts) {
    attrs->add_list(given.ints());
  } else if (!list && given.kind() == OpArg::Kind::kScalar) {
    attrs->add(given.scalar().to_int());
  } else {
    refuse(definition, "attribute " + std::string(spec.name) + " is of another kind");
  }
}

}  // namespace

OpExpansion::Value OpExpansion::arg(int i) const {
  const auto& args = state_.definition.schema.args;
  if (i < 0 || i >= static_cast<int>(args.size()) ||
      !custom::is_operand(args[static_cast<size_t>(i)].kind))
    refuse(state_.definition, "argument " + std::to_string(i) + " is no tensor or float");
  const Arg& arg = state_.args[static_cast<size_t>(args[static_cast<size_t>(i)].place)];
  return arg.is_value() ? Value(Value::Id{arg.value.id}) : Value(arg.scalar);
}

OpArgs OpExpansion::args() const { return OpArgs(&state_.values); }

TensorFacts OpExpansion::facts(const Value& v) const {
  const Arg arg = arg_of(v);
  if (!state_.builder.is_tensor(arg)) refuse(state_.definition, "a number has no facts");
  return TensorFacts(&state_.builder.layout(arg.value));
}

OpExpansion::Value OpExpansion::op(std::string_view name, std::initializer_list<Value> operands,
                                   std::initializer_list<Attribute> attributes) {
  const std::optional<Op> op = op_named(name);
  if (!op || info(*op).traits == Traits::kEffect)
    refuse(state_.definition, "no op " + std::string(name));
  Attrs attrs;
  for (const AttrSpec& spec : attr_specs(*op)) {
    const Attribute* given = nullptr;
    for (const Attribute& attribute : attributes)
      if (attribute.name == spec.name) given = &attribute;
    if (given == nullptr)
      refuse(state_.definition,
             std::string(name) + " needs the attribute " + std::string(spec.name));
    add_attribute(state_.definition, spec, given->value, &attrs);
  }
  std::vector<Arg> args;
  for (const Value& v : operands) args.push_back(arg_of(v));
  return Value(Value::Id{state_.builder.op(*op, args, attrs).id});
}

OpExpansion::Value OpExpansion::cast(const Value& v, Dtype dtype) {
  return op("cast", {v}, {{"dtype", static_cast<int64_t>(dtype)}});
}

namespace custom {

// The result has no gaps, as that of any other registered op.
Value expand(OpBuilder& builder, Op op, std::span<const Arg> args, const Attrs& attrs) {
  const Definition& d = definition(op);
  const auto functions = d.functions();
  std::vector<OperandType> types;
  for (const Arg& arg : args)
    types.push_back({builder.is_tensor(arg) ? &builder.layout(arg.value) : nullptr, arg.scalar});
  Values values(&d);
  values.types = types.data();
  values.set_attrs(attrs.flat());
  const OpExpansion::State state{d, builder, args, values};
  OpExpansion expansion(state);
  const OpExpansion::Value made = functions->decomposition(expansion);
  const Arg result = arg_of(made);
  if (!builder.is_tensor(result)) refuse(d, "its result is a number");
  if (builder.layout(result.value).dense) return result.value;
  return builder.op(Op::clone, {result});
}

}  // namespace custom
}  // namespace frit

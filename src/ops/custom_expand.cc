// Decompositions of registered ops, written to the builder of whoever expands them.
#include "src/ops/builder.h"
#include "src/ops/custom.h"

namespace frit {

struct OpExpansion::State {
  Op op;
  const custom::Definition* definition;  // null of Frit's own ops
  OpBuilder& builder;
  std::span<const Arg> args;
  const Attrs& attrs;
  const custom::Values& values;
};

namespace {

[[noreturn]] void refuse(Op op, const std::string& problem) {
  throw Error(ErrorKind::kValue, std::string(name(op)) + ": its decomposition: " + problem);
}

Arg arg_of(const OpExpansion::Value& v) {
  return v.is_tensor() ? Arg(Value{v.id()}) : Arg(v.number());
}

// The flat form of one attribute, as the op's row has it.
void add_attribute(Op expanded, const AttrSpec& spec, const OpArg& given, Attrs* attrs) {
  if (spec.kind == AttrKind::kInts && given.kind() == OpArg::Kind::kInts) {
    attrs->add_list(given.ints());
  } else if (spec.kind == AttrKind::kText && given.kind() == OpArg::Kind::kText) {
    attrs->add_list(packed_text(given.text()));
  } else if (!is_list(spec.kind) && given.kind() == OpArg::Kind::kScalar) {
    attrs->add(given.scalar().to_int());
  } else {
    refuse(expanded, "attribute " + std::string(spec.name) + " is of another kind");
  }
}

}  // namespace

int OpExpansion::num_args() const {
  const bool of_schema = state_.definition != nullptr;
  return static_cast<int>(of_schema ? state_.definition->schema.args.size() : state_.args.size());
}

OpExpansion::Value OpExpansion::arg(int i, int k) const {
  const auto refuse_it = [&] {
    refuse(state_.op, "argument " + std::to_string(i) + " is no tensor or float");
  };
  if (i < 0 || i >= num_args()) refuse_it();
  size_t place = static_cast<size_t>(i), count = 1;
  std::string name = std::to_string(i);
  if (state_.definition != nullptr) {
    const custom::Schema& schema = state_.definition->schema;
    const custom::ArgSpec& spec = schema.args[place];
    if (!custom::is_operand(spec.kind)) refuse_it();
    const auto range = schema.operands_of(spec, state_.args.size());
    place = range.first, count = range.size;
    name = spec.name;
  }
  if (k < 0 || k >= static_cast<int>(count))
    refuse(state_.op, "there is no tensor " + std::to_string(k) + " of " + name);
  const Arg& arg = state_.args[place + static_cast<size_t>(k)];
  return arg.is_value() ? Value(Value::Id{arg.value.id}) : Value(arg.scalar);
}

OpArgs OpExpansion::args() const {
  if (state_.definition == nullptr)
    refuse(state_.op, "it has no schema: ask for attributes by name");
  return OpArgs(&state_.values);
}

namespace {

void check_attribute(Op op, std::string_view name, bool list) {
  for (const AttrSpec& spec : attr_specs(op))
    if (spec.name == name && (list ? spec.kind == AttrKind::kInts : !is_list(spec.kind))) return;
  refuse(op, std::string("no ") + (list ? "list " : "") + "attribute " + std::string(name));
}

}  // namespace

int64_t OpExpansion::integer(std::string_view attribute) const {
  check_attribute(state_.op, attribute, false);
  return int_attr(state_.op, state_.attrs, attribute);
}

IntArrayRef OpExpansion::ints(std::string_view attribute) const {
  check_attribute(state_.op, attribute, true);
  return list_attr(state_.op, state_.attrs, attribute);
}

TensorFacts OpExpansion::facts(const Value& v) const {
  const Arg arg = arg_of(v);
  if (!state_.builder.is_tensor(arg)) refuse(state_.op, "a number has no facts");
  return TensorFacts(&state_.builder.layout(arg.value));
}

OpExpansion::Value OpExpansion::op(std::string_view name, std::initializer_list<Value> operands,
                                   std::initializer_list<Attribute> attributes) {
  const std::optional<Op> op = op_named(name);
  if (!op || info(*op).traits == Traits::kEffect) refuse(state_.op, "no op " + std::string(name));
  Attrs attrs;
  for (const AttrSpec& spec : attr_specs(*op)) {
    const Attribute* given = nullptr;
    for (const Attribute& attribute : attributes)
      if (attribute.name == spec.name) given = &attribute;
    if (given == nullptr)
      refuse(state_.op, std::string(name) + " needs the attribute " + std::string(spec.name));
    add_attribute(state_.op, spec, given->value, &attrs);
  }
  std::vector<Arg> args;
  for (const Value& v : operands) args.push_back(arg_of(v));
  return Value(Value::Id{state_.builder.op(*op, args, attrs).id});
}

OpExpansion::Value OpExpansion::cast(const Value& v, Dtype dtype) {
  return op("cast", {v}, {{"dtype", static_cast<int64_t>(dtype)}});
}

namespace custom {

bool needs_autocast(Dtype dtype, Dtype autocast) {
  return is_floating_point(dtype) && byte_size(dtype) < byte_size(autocast);
}

std::optional<Dtype> dtype_of_operands(const Values& values) {
  std::optional<Dtype> all;
  for (size_t k = 0; k < values.num_operands(); ++k) {
    const Layout* layout = values.layout(k);
    if (layout == nullptr || !is_floating_point(layout->dtype)) continue;
    all = all ? promote_dtypes(*all, layout->dtype) : layout->dtype;
  }
  return all;
}

namespace {

std::vector<OperandType> types_of(OpBuilder& builder, std::span<const Arg> args) {
  std::vector<OperandType> types;
  for (const Arg& arg : args)
    types.push_back({builder.is_tensor(arg) ? &builder.layout(arg.value) : nullptr, arg.scalar});
  return types;
}

std::vector<Arg> widened(OpBuilder& builder, std::span<const Arg> args,
                         std::optional<Dtype> autocast) {
  std::vector<Arg> wide(args.begin(), args.end());
  for (Arg& arg : wide)
    if (autocast && builder.is_tensor(arg) && needs_autocast(builder.dtype(arg.value), *autocast))
      arg = builder.cast(arg, *autocast);
  return wide;
}

}  // namespace

// A registered op's operands are as wide as its autocast says, whoever's decomposition it is.
Value expand_by(const std::function<OpExpansion::Value(OpExpansion&)>& decomposition,
                OpBuilder& builder, Op op, std::span<const Arg> args, const Attrs& attrs) {
  const Definition* const d = is_custom(op) ? &definition(op) : nullptr;
  const std::vector<Arg> wide =
      widened(builder, args, d != nullptr ? d->functions()->autocast : std::nullopt);
  const std::vector<OperandType> types = types_of(builder, wide);
  Values values(d);
  values.types = types;
  if (d != nullptr) values.set_attrs(attrs.flat());
  const OpExpansion::State state{op, d, builder, wide, attrs, values};
  OpExpansion expansion(state);
  const Arg result = arg_of(decomposition(expansion));
  if (!builder.is_tensor(result)) refuse(op, "its result is a number");
  return result.value;
}

// The result has no gaps, as that of any other registered op.
Value expand(OpBuilder& builder, Op op, std::span<const Arg> args, const Attrs& attrs) {
  const Definition& d = definition(op);
  const auto functions = d.functions();
  Value result = expand_by(functions->decomposition, builder, op, args, attrs);
  if (functions->autocast && builder.dtype(result) == *functions->autocast) {
    const std::vector<OperandType> types = types_of(builder, args);
    Values values(&d);
    values.types = types;
    const std::optional<Dtype> rounded = dtype_of_operands(values);
    if (rounded && needs_autocast(*rounded, *functions->autocast))
      result = builder.cast(result, *rounded);
  }
  return builder.layout(result).dense ? result : builder.op(Op::clone, {Arg(result)});
}

}  // namespace custom
}  // namespace frit

// The rule of a registered op is its fake function; and what that and the op's function see.
#include "src/base/check.h"
#include "src/ops/custom.h"
#include "src/ops/rules.h"

namespace frit {
namespace rules {
namespace {

void check_operands(const Call& call, const custom::Schema& schema) {
  const size_t count = call.operands.size(), fixed = static_cast<size_t>(schema.num_operands);
  if (count > custom::kMaxArgs || count + (schema.list >= 0) < fixed)
    fail(call, ErrorKind::kType, text("number of operands: ", count));
  for (const custom::ArgSpec& arg : schema.args) {
    if (!custom::is_operand(arg.kind)) continue;
    const auto [first, size] = schema.operands_of(arg, count);
    for (size_t k = first; k < first + size; ++k) {
      const bool tensor = call.operands[k].layout != nullptr;
      if (custom::is_tensor(arg.kind) && arg.kind != custom::ArgKind::kOptionalTensor && !tensor)
        fail(call, ErrorKind::kType, "argument " + arg.name + " is not a tensor");
      if (custom::is_number(arg.kind) && tensor)
        fail(call, ErrorKind::kType, "argument " + arg.name + " is not a number");
    }
  }
}

}  // namespace

ResultTypes custom(const Call& call) {
  const custom::Definition& definition = custom::definition(call.op);
  const custom::Schema& schema = definition.schema;
  check_operands(call, schema);
  ResultTypes types;
  for (int i : schema.mutated) {
    const custom::ArgSpec& arg = schema.args[static_cast<size_t>(i)];
    const Layout& x = call.tensor(schema.operands_of(arg, call.operands.size()).first);
    types.results[types.count++].layout =
        x.dense ? same(x) : intern_layout(x.dtype, x.device, x.sizes(), dense_strides(x));
  }
  if (schema.num_new() == 0) return types;
  const auto functions = definition.functions();
  if (!functions->fake)
    fail(call, ErrorKind::kNotImplemented,
         "it has no fake function, so that its results are known only when it has run");
  // What it makes lies where its operands do.
  Device device = default_device();
  for (const OperandType& operand : call.operands)
    if (operand.layout != nullptr) device = operand.layout->device;
  const DefaultDeviceScope scope(device);
  custom::Values values(&definition);
  values.types = call.operands;
  values.set_attrs(call.attrs.flat());
  custom::add_results(values, *functions, &types);
  return types;
}

}  // namespace rules

namespace {

using custom::ArgKind;
using custom::ArgSpec;

[[noreturn]] void refuse(const custom::Definition& definition, const std::string& problem) {
  throw Error(ErrorKind::kType, definition.schema.name + ": " + problem);
}

const ArgSpec& argument(const custom::Values& values, int i) {
  const auto& args = values.definition->schema.args;
  if (i < 0 || i >= static_cast<int>(args.size()))
    refuse(*values.definition, "its functions ask for argument " + std::to_string(i) + " of " +
                                   std::to_string(args.size()));
  return args[static_cast<size_t>(i)];
}

[[noreturn]] void refuse_kind(const custom::Values& values, const ArgSpec& arg) {
  refuse(*values.definition,
         "its functions ask for argument " + arg.name + " as another kind than its schema says");
}

// The argument, which must be of one of these kinds.
const ArgSpec& argument(const custom::Values& values, int i, ArgKind kind, ArgKind or_kind) {
  const ArgSpec& arg = argument(values, i);
  if (arg.kind != kind && arg.kind != or_kind) refuse_kind(values, arg);
  return arg;
}

// The operand that is tensor k of argument i.
size_t tensor_place(const custom::Values& values, int i, int k) {
  const ArgSpec& arg = argument(values, i);
  if (!custom::is_tensor(arg.kind)) refuse_kind(values, arg);
  const auto [first, size] = values.definition->schema.operands_of(arg, values.num_operands());
  if (k < 0 || k >= static_cast<int>(size))
    refuse(*values.definition, "its functions ask for tensor " + std::to_string(k) + " of " +
                                   arg.name + ", which has " + std::to_string(size));
  return first + static_cast<size_t>(k);
}

size_t number_place(const custom::Values& values, const ArgSpec& arg) {
  return values.definition->schema.operands_of(arg, values.num_operands()).first;
}

// The list that an attribute is kept as.
IntArrayRef list_at(const custom::Values& values, const ArgSpec& arg) {
  const int64_t* list = values.attrs[arg.place];
  return {list + 1, static_cast<size_t>(*list)};
}

// The int of an int or int?, or of a bool or bool?.
int64_t int_at(const custom::Values& values, int i, ArgKind kind, ArgKind optional) {
  const ArgSpec& arg = argument(values, i, kind, optional);
  if (arg.kind == kind) return *values.attrs[arg.place];
  const IntArrayRef list = list_at(values, arg);
  if (list.empty())
    refuse(*values.definition, "its functions ask for " + arg.name + ", which was left out");
  return list[0];
}

// What it throws is an Error in any case: those who ask for types know nothing else.
void run_fake(const custom::Values& values, const CustomFunctions& functions, OpTypes* types) {
  const MuteScope mute;
  try {
    functions.fake(OpArgs(&values), *types);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kRuntime,
                values.definition->schema.name + ": its fake function: " + error.what());
  }
}

}  // namespace

void custom::add_results(const Values& values, const CustomFunctions& functions,
                         ResultTypes* types) {
  const int before = types->count, expected = values.definition->schema.num_new();
  TypeList list{values.definition, types};
  OpTypes out(&list);
  run_fake(values, functions, &out);
  if (types->count - before != expected)
    throw Error(ErrorKind::kRuntime, values.definition->schema.name + ": its fake function gave " +
                                         std::to_string(types->count - before) +
                                         " results, its schema says " + std::to_string(expected));
}

Dtype TensorFacts::dtype() const { return layout_->dtype; }
IntArrayRef TensorFacts::sizes() const { return layout_->sizes(); }
IntArrayRef TensorFacts::strides() const { return layout_->strides(); }
int64_t TensorFacts::numel() const { return layout_->numel; }
int64_t TensorFacts::size(int64_t dim) const {
  const int64_t rank = layout_->rank;
  if (dim < -rank || dim >= rank)
    throw Error(ErrorKind::kIndex, "size(" + to_string(*layout_) +
                                       "): dimension out of range: " + std::to_string(dim));
  return layout_->size(static_cast<int>(dim < 0 ? dim + rank : dim));
}

const custom::Values& custom::values_of(const OpArgs& args) { return *args.values_; }

const Tensor& OpArgs::tensor(int i, int k) const {
  const size_t place = tensor_place(*values_, i, k);
  if (values_->lent == nullptr)
    refuse(*values_->definition,
           "its fake function asks for the elements of " + argument(*values_, i).name);
  Tensor& lent = values_->lent[place];
  const Operand& operand = values_->operands[place];
  if (!lent.defined() && operand.is_tensor()) lent = custom::lent(operand.tensor);
  return lent;
}

TensorFacts OpArgs::facts(int i, int k) const {
  const Layout* layout = values_->layout(tensor_place(*values_, i, k));
  if (layout == nullptr)
    refuse(*values_->definition,
           "its functions ask for " + argument(*values_, i).name + ", which was left out");
  return TensorFacts(layout);
}

int OpArgs::count(int i) const {
  const ArgSpec& arg = argument(*values_, i, ArgKind::kTensors, ArgKind::kTensors);
  const custom::Schema& schema = values_->definition->schema;
  return static_cast<int>(schema.operands_of(arg, values_->num_operands()).size);
}

bool OpArgs::has(int i) const {
  const ArgSpec& arg = argument(*values_, i);
  switch (arg.kind) {
    case ArgKind::kTensor:
    case ArgKind::kOptionalTensor:
      return values_->layout(tensor_place(*values_, i, 0)) != nullptr;
    case ArgKind::kOptionalFloat:
      return values_->scalar(number_place(*values_, arg)).kind() == Scalar::Kind::kFloat;
    case ArgKind::kOptionalInt:
    case ArgKind::kOptionalBool:
      return !list_at(*values_, arg).empty();
    case ArgKind::kTensors:
    case ArgKind::kFloat:
    case ArgKind::kScalar:
    case ArgKind::kInt:
    case ArgKind::kInts:
    case ArgKind::kBool:
    case ArgKind::kText:
      return true;
  }
  __builtin_unreachable();
}

Scalar OpArgs::scalar(int i) const {
  const ArgSpec& arg = argument(*values_, i);
  if (!custom::is_number(arg.kind)) refuse_kind(*values_, arg);
  if (values_->lent == nullptr)
    refuse(*values_->definition, "its fake function asks for the value of " + arg.name +
                                     ", which varies from call to call: make it an int or a bool");
  if (!has(i))
    refuse(*values_->definition, "its functions ask for " + arg.name + ", which was left out");
  return values_->operands[number_place(*values_, arg)].scalar;
}

int64_t OpArgs::integer(int i) const {
  return int_at(*values_, i, ArgKind::kInt, ArgKind::kOptionalInt);
}
bool OpArgs::flag(int i) const {
  return int_at(*values_, i, ArgKind::kBool, ArgKind::kOptionalBool) != 0;
}
IntArrayRef OpArgs::ints(int i) const {
  return list_at(*values_, argument(*values_, i, ArgKind::kInts, ArgKind::kInts));
}
std::string OpArgs::text(int i) const {
  return unpacked_text(list_at(*values_, argument(*values_, i, ArgKind::kText, ArgKind::kText)));
}

namespace {

void add_type(custom::TypeList* list, const Layout* layout) {
  ResultTypes& types = *list->types;
  if (types.count == info(list->definition->op).results) {
    release_layout(layout);
    refuse(*list->definition, "its fake function gives more results than its schema says");
  }
  types.results[types.count++].layout = layout;
}

}  // namespace

// Results have no gaps: see own() in custom.cc.
void OpTypes::add_like(TensorFacts facts) {
  const Layout& x = *facts.layout_;
  add_type(list_, x.dense ? rules::same(x)
                          : intern_layout(x.dtype, x.device, x.sizes(), rules::dense_strides(x)));
}

void OpTypes::add(Dtype dtype, IntArrayRef sizes) {
  add_type(list_, intern_contiguous(dtype, default_device(), sizes));
}

void OpTypes::add(Dtype dtype, IntArrayRef sizes, IntArrayRef strides) {
  const Layout* asked = intern_layout(dtype, default_device(), sizes, strides);
  if (asked->dense) return add_type(list_, asked);
  add_type(list_, intern_layout(dtype, asked->device, sizes, rules::dense_strides(*asked)));
}

}  // namespace frit

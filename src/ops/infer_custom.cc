// The rule of a registered op is its fake function; and what that and the op's function see.
#include "src/base/check.h"
#include "src/ops/custom.h"
#include "src/ops/rules.h"

namespace frit {
namespace rules {
namespace {

void check_operands(const Call& call, const custom::Schema& schema) {
  for (const custom::ArgSpec& arg : schema.args) {
    if (!custom::is_operand(arg.kind)) continue;
    const OperandType& operand = call.operands[static_cast<size_t>(arg.place)];
    const bool tensor = operand.layout != nullptr;
    if (arg.kind == custom::ArgKind::kTensor && !tensor)
      fail(call, ErrorKind::kType, "argument " + arg.name + " is not a tensor");
    if (arg.kind > custom::ArgKind::kOptionalTensor && tensor)
      fail(call, ErrorKind::kType, "argument " + arg.name + " is not a number");
  }
}

}  // namespace

ResultTypes custom(const Call& call) {
  const custom::Definition& definition = custom::definition(call.op);
  const custom::Schema& schema = definition.schema;
  check_operands(call, schema);
  ResultTypes types;
  for (int i : schema.mutated) {
    const auto place = static_cast<size_t>(schema.args[static_cast<size_t>(i)].place);
    const Layout& x = call.tensor(place);
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
  values.types = call.operands.data();
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

// The argument, which must be of a kind between these.
const ArgSpec& argument(const custom::Values& values, int i, ArgKind first, ArgKind last) {
  const ArgSpec& arg = argument(values, i);
  if (arg.kind < first || arg.kind > last)
    refuse(*values.definition,
           "its functions ask for argument " + arg.name + " as another kind than its schema says");
  return arg;
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

const Tensor& OpArgs::tensor(int i) const {
  const ArgSpec& arg = argument(*values_, i, ArgKind::kTensor, ArgKind::kOptionalTensor);
  if (values_->lent == nullptr)
    refuse(*values_->definition, "its fake function asks for the elements of " + arg.name);
  Tensor& lent = values_->lent[arg.place];
  const Operand& operand = values_->operands[static_cast<size_t>(arg.place)];
  if (!lent.defined() && operand.is_tensor()) lent = custom::lent(operand.tensor);
  return lent;
}

TensorFacts OpArgs::facts(int i) const {
  const ArgSpec& arg = argument(*values_, i, ArgKind::kTensor, ArgKind::kOptionalTensor);
  const Layout* layout = values_->layout(arg.place);
  if (layout == nullptr)
    refuse(*values_->definition, "its functions ask for " + arg.name + ", which was left out");
  return TensorFacts(layout);
}

bool OpArgs::has(int i) const {
  const ArgSpec& arg = argument(*values_, i, ArgKind::kTensor, ArgKind::kOptionalTensor);
  return values_->layout(arg.place) != nullptr;
}

Scalar OpArgs::scalar(int i) const {
  const ArgSpec& arg = argument(*values_, i, ArgKind::kFloat, ArgKind::kScalar);
  if (values_->lent == nullptr)
    refuse(*values_->definition, "its fake function asks for the value of " + arg.name +
                                     ", which varies from call to call: make it an int or a bool");
  return values_->operands[static_cast<size_t>(arg.place)].scalar;
}
int64_t OpArgs::integer(int i) const {
  return *values_->attrs[argument(*values_, i, ArgKind::kInt, ArgKind::kInt).place];
}
bool OpArgs::flag(int i) const {
  return *values_->attrs[argument(*values_, i, ArgKind::kBool, ArgKind::kBool).place] != 0;
}
IntArrayRef OpArgs::ints(int i) const {
  const int64_t* list = values_->attrs[argument(*values_, i, ArgKind::kInts, ArgKind::kInts).place];
  return {list + 1, static_cast<size_t>(*list)};
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

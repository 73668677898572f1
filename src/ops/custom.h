// Registered ops: their schemas, their functions, and how one of them runs.
//
// A registered op has a row like the ops of ops.def: its tensors and floats are the operands of a
// call, in the schema's order, and its ints and bools are attributes. A `Tensor?` that was left out
// is the operand false.
//
// An op that writes to operands is functional in calls: for each of these it has a result, the new
// value, before those that the schema lists. Who calls it stores them (src/eager/api_custom.cc), so
// that what holds of stores holds of it.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/custom_op.h"
#include "src/base/fork.h"
#include "src/ops/builder.h"
#include "src/ops/call.h"
#include "src/ops/infer.h"

namespace frit::custom {

inline constexpr int kMaxArgs = 24;

// A `float?` that was left out is the operand false, like a `Tensor?`; an `int?` or `bool?` is a
// list of one int or none.
enum class ArgKind : uint8_t {
  kTensor,
  kOptionalTensor,
  kTensors,
  kFloat,
  kOptionalFloat,
  kScalar,
  kInt,
  kOptionalInt,
  kInts,
  kBool,
  kOptionalBool,
  kText
};
inline bool is_operand(ArgKind kind) { return kind <= ArgKind::kScalar; }
inline bool is_tensor(ArgKind kind) { return kind <= ArgKind::kTensors; }
inline bool is_number(ArgKind kind) { return is_operand(kind) && !is_tensor(kind); }
// As the schema has it: "Tensor?".
std::string_view name_of(ArgKind kind);
// How an attribute of that kind is kept.
AttrKind attr_kind(ArgKind kind);

struct ArgSpec {
  std::string name;
  ArgKind kind = ArgKind::kTensor;
  std::string alias;     // of Tensor(a!): "a"
  bool mutated = false;  // the op writes to it
  bool keyword_only = false;
  bool has_default = false;
  Scalar number;              // the default
  std::vector<int64_t> ints;  // the default of what is kept as a list
  // Its number among the operands, where a Tensor[] counts as one, or among the attributes in the
  // schema's order.
  int place = -1;
};

struct Schema {
  std::string text;  // as it was given, with single blanks
  std::string name;  // mylib::scale_add
  std::vector<ArgSpec> args;
  std::vector<int> returns;  // per result the argument that it is; -1: a new tensor
  std::vector<int> mutated;  // arguments that the op writes to
  int num_operands = 0, num_attrs = 0;
  int list = -1;        // the place of its Tensor[], of which there is at most one
  int num_new() const;  // results that are new tensors
  // The operands of a call that an argument is, where the call has `count` operands in all.
  struct Range {
    size_t first, size;
  };
  Range operands_of(const ArgSpec& arg, size_t count) const;
};

// Throws Error(kValue) naming the place.
Schema parse_schema(std::string_view text);

// What is known of one op. Lives for ever.
struct Definition {
  Op op;
  Schema schema;
  std::vector<int> attr_order;  // arguments that are attributes, in name order
  std::vector<AttrSpec> attrs;  // the same
  // Copied out by who calls them, since they may be replaced meanwhile.
  std::shared_ptr<const CustomFunctions> functions() const;
  void replace(CustomFunctions functions);
  bool has_fake() const { return has_fake_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> has_fake_{false};
  mutable base::ForkMutex mutex_{base::ForkLevel::kTables};
  std::shared_ptr<const CustomFunctions> functions_;
};

const Definition& definition(Op op);
std::optional<Op> find(std::string_view name);
Op define(std::string_view schema, CustomFunctions functions);
// Throws what define() would throw once `before` other new ops are there.
void check(std::string_view schema, const CustomFunctions& functions, size_t before = 0);
// Called before an op is registered, and before one is said not to be there: loads what may bring
// ops with it. Null, or set before main().
using Loader = void (*)();
extern Loader load_more;
// Whether the types of its results are known before it runs.
bool knows_types(Op op);

// The arguments of one call, as OpArgs reads them.
struct Values {
  explicit Values(const Definition* op) : definition(op) {}

  const Definition* definition;
  std::span<const Operand> operands = {};   // of a call that runs
  Tensor* lent = nullptr;                   // of that, per operand: made when it is asked for
  std::span<const OperandType> types = {};  // per operand: in a fake function instead
  const int64_t* attrs[kMaxArgs];           // per attribute in the schema's order: its flat form
  void set_attrs(IntArrayRef flat);
  size_t num_operands() const { return types.empty() ? operands.size() : types.size(); }
  const Layout* layout(size_t operand) const {
    return types.empty() ? operands[operand].layout() : types[operand].layout;
  }
  const Scalar& scalar(size_t operand) const {
    return types.empty() ? operands[operand].scalar : types[operand].scalar;
  }
};
// The values that they are the arguments of.
const Values& values_of(const OpArgs& args);
// A tensor on a storage of its own over the same memory, which it holds.
Tensor lent(TensorImpl* impl);
struct TypeList {
  const Definition* definition;
  ResultTypes* types;
};
// Adds what the fake function says of the new tensors.
void add_results(const Values& values, const CustomFunctions& functions, ResultTypes* types);

// Whether an op with that autocast gets a copy of an operand, or rounds a result.
bool needs_autocast(Dtype dtype, Dtype autocast);
// What the floating operands have in common; nothing where there are none.
std::optional<Dtype> dtype_of_operands(const Values& values);
// What a decomposition of any op makes with the builder. Where the op has autocast, the result may
// have that type.
Value expand_by(const std::function<OpExpansion::Value(OpExpansion&)>& decomposition,
                OpBuilder& builder, Op op, std::span<const Arg> args, const Attrs& attrs);
// What the registered op's own one makes.
Value expand(OpBuilder& builder, Op op, std::span<const Arg> args, const Attrs& attrs);
// Whether it has a function besides its decomposition.
bool has_function(Op op);

// A copy without gaps, in new memory.
using Copy = Tensor (*)(const Tensor& t);
// Runs a call: see above for its results. Operands are materialised CPU tensors.
void run(const OpCall& call, Tensor* results, Copy copy);
// The same, but writes to the operands themselves: `results` are the new tensors only.
void run_in_place(const OpCall& call, Tensor* results, Copy copy);
// The same, into new tensors that are there already: where it can do with these.
bool can_fill(Op op);
void fill_in_place(const OpCall& call, const Tensor* results);

// Throws where a call of a registered op has made another layout than expected; of other ops that
// is a broken invariant.
void check_made(Op op, const Layout& expected, const Layout& made);

// Within its scope, what a function throws on this thread is noted: so it can be told from other
// reasons for which running a plan failed.
class FailureScope {
 public:
  explicit FailureScope(std::exception_ptr* note);
  ~FailureScope();
  FailureScope(const FailureScope&) = delete;

 private:
  std::exception_ptr* outer_;
};

}  // namespace frit::custom

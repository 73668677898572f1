// The registry, and running a registered op's functions.
//
// What a function gets are not the operands themselves but tensors lent to it, on storages of their
// own over the same memory: pointers that it takes expose those, and not the program's. What it
// keeps holds the memory. Its results are made into tensors that nobody else holds: see own().
#include "src/ops/custom.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/base/hash.h"
#include "src/ops/rules.h"
#include "src/tensor/same_places.h"

namespace frit::custom {
namespace {

struct Registry {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  std::map<std::string, Op, std::less<>> by_name;
};
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}
// Written before the op's number is known to anybody.
constinit std::array<Definition*, kMaxCustomOps> definitions{};

thread_local std::exception_ptr* failure = nullptr;  // where to note what is thrown

void require_functions(const Schema& schema, const CustomFunctions& functions) {
  const auto refuse = [&](const char* problem) {
    throw Error(ErrorKind::kValue, "register_op(" + schema.text + "): " + problem);
  };
  if (!functions.eager_out && !functions.eager && !functions.decomposition)
    refuse("no function: give eager_out or eager");
  if (functions.autocast && *functions.autocast != kFloat32 && *functions.autocast != kFloat64)
    refuse("autocast is neither kFloat32 nor kFloat64");
  if (functions.decomposition && (!schema.mutated.empty() || schema.num_new() != 1))
    refuse("a decomposition is for ops with one result that write to nothing");
  if (functions.eager_out && functions.eager) refuse("two functions: give eager_out or eager");
  if (functions.eager_out && !functions.fake && !functions.decomposition && schema.num_new() > 0)
    refuse("eager_out needs fake, which says what the results are");
}

// In name order, as attributes are kept.
void set_attributes(Definition* made) {
  for (size_t i = 0; i < made->schema.args.size(); ++i)
    if (!is_operand(made->schema.args[i].kind)) made->attr_order.push_back(static_cast<int>(i));
  const auto& args = made->schema.args;
  std::sort(made->attr_order.begin(), made->attr_order.end(), [&](int a, int b) {
    return args[static_cast<size_t>(a)].name < args[static_cast<size_t>(b)].name;
  });
  for (int i : made->attr_order) {
    const ArgSpec& arg = args[static_cast<size_t>(i)];
    made->attrs.push_back({arg.name, attr_kind(arg.kind), false});
  }
}

OpInfo row_of(const Schema& schema, bool expands) {
  OpInfo row{};
  row.name = schema.name;
  row.family = expands ? Family::kComposite : Family::kCustom;
  row.operands = schema.list < 0 ? schema.num_operands : kVariadic;
  row.results = static_cast<int>(schema.mutated.size()) + schema.num_new();
  row.dtype = DtypeRule::Same;
  row.traits = Traits::kNone;
  row.meaning = schema.text;
  return row;
}

// The number of the next op but `before`. Under the lock.
size_t next_number(const Registry& all, const Schema& schema, size_t before = 0) {
  const size_t number = all.by_name.size() + before;
  if (number < definitions.size()) return number;
  throw Error(ErrorKind::kRuntime, "register_op(" + schema.text + "): there are " +
                                       std::to_string(number) + " ops already");
}

Op add(Registry& all, Schema schema, CustomFunctions functions) {
  const size_t number = next_number(all, schema);
  auto* made = new Definition;
  made->op = static_cast<Op>(kNumOps + static_cast<int>(number));
  made->schema = std::move(schema);
  set_attributes(made);
  const bool expands = functions.decomposition != nullptr;
  made->replace(std::move(functions));
  definitions[number] = made;
  detail::add_row(made->op, row_of(made->schema, expands), made->attrs);
  all.by_name.emplace(made->schema.name, made->op);
  return made->op;
}

}  // namespace

std::shared_ptr<const CustomFunctions> Definition::functions() const {
  std::lock_guard lock(mutex_);
  return functions_;
}

void Definition::replace(CustomFunctions functions) {
  has_fake_.store(functions.fake != nullptr, std::memory_order_relaxed);
  auto made = std::make_shared<const CustomFunctions>(std::move(functions));
  std::lock_guard lock(mutex_);
  functions_.swap(made);  // the old ones go after the lock
}

const Definition& definition(Op op) {
  return *definitions[static_cast<size_t>(static_cast<int>(op) - kNumOps)];
}

constinit Loader load_more = nullptr;

namespace {

std::optional<Op> find_registered(std::string_view name) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  const auto it = all.by_name.find(name);
  if (it == all.by_name.end()) return std::nullopt;
  return it->second;
}

// The op of the schema's name, null where there is none. Refuses what cannot take its place.
Definition* find_replaced(const Schema& schema, const CustomFunctions& functions) {
  const std::optional<Op> op = find_registered(schema.name);
  if (!op) return nullptr;
  Definition* known = definitions[static_cast<size_t>(static_cast<int>(*op) - kNumOps)];
  if (known->schema.text != schema.text)
    throw Error(ErrorKind::kValue, "register_op(" + schema.text + "): " + schema.name +
                                       " is registered already, as " + known->schema.text);
  if (is_composite(known->op) != (functions.decomposition != nullptr))
    throw Error(ErrorKind::kValue, "register_op(" + schema.text + "): it was registered " +
                                       (is_composite(known->op) ? "with" : "without") +
                                       " a decomposition, which cannot change");
  return known;
}

}  // namespace

std::optional<Op> find(std::string_view name) {
  const std::optional<Op> op = find_registered(name);
  if (op || load_more == nullptr) return op;
  load_more();
  return find_registered(name);
}

void check(std::string_view text, const CustomFunctions& functions, size_t before) {
  const Schema schema = parse_schema(text);
  require_functions(schema, functions);
  if (find_replaced(schema, functions) != nullptr) return;
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  next_number(all, schema, before);
}

Op define(std::string_view text, CustomFunctions functions) {
  if (load_more != nullptr) load_more();
  Schema schema = parse_schema(text);
  require_functions(schema, functions);
  Definition* known = find_replaced(schema, functions);
  if (known == nullptr) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    if (!all.by_name.contains(schema.name))
      return add(all, std::move(schema), std::move(functions));
  }
  // Another thread has registered it meanwhile.
  if (known == nullptr) known = find_replaced(schema, functions);
  known->replace(std::move(functions));
  return known->op;
}

bool knows_types(Op op) {
  const Definition& d = definition(op);
  return d.schema.num_new() == 0 || is_composite(op) || d.has_fake();
}

bool has_function(Op op) {
  const auto functions = definition(op).functions();
  return functions->eager_out != nullptr || functions->eager != nullptr;
}

void Values::set_attrs(IntArrayRef flat) {
  const int64_t* next = flat.data();
  for (int i : definition->attr_order) {
    const ArgSpec& arg = definition->schema.args[static_cast<size_t>(i)];
    attrs[arg.place] = next;
    next += 1 + (is_list(attr_kind(arg.kind)) ? *next : 0);
  }
}

void check_made(Op op, const Layout& expected, const Layout& made) {
  if (&expected == &made || (is_custom(op) && same_places(expected, made))) return;
  FRIT_CHECK(is_custom(op)) << name(op) << " gave " << to_string(made) << ", not "
                            << to_string(expected);
  throw Error(ErrorKind::kRuntime, std::string(name(op)) + ": its function gave " +
                                       to_string(made) + ", but its fake function said " +
                                       to_string(expected));
}

FailureScope::FailureScope(std::exception_ptr* note) : outer_(std::exchange(failure, note)) {}
FailureScope::~FailureScope() { failure = outer_; }

Tensor lent(TensorImpl* impl) {
  Storage* base = impl->storage;
  retain(base);
  const StorageRef memory = StorageRef::adopt(wrap_storage(
      base->data, base->bytes, [base](void*) { release(base); }, base->device));
  memory->write_exposed.store(0, std::memory_order_relaxed);
  return new_view(impl->layout, memory.get(), impl->offset);
}

namespace {

// One call as it runs.
class Run {
 public:
  Run(const OpCall& call, Copy copy)
      : call_(call), definition_(definition(call.op)), copy_(copy), values_(&definition_) {
    if (call.operands.size() > kMaxArgs)
      fail(call, ErrorKind::kValue,
           rules::text("there are ", call.operands.size(), " tensors and numbers, at most ",
                       kMaxArgs, " may be"));
    std::uninitialized_value_construct_n(lent(), call.operands.size());
    values_.operands = call.operands;
    values_.lent = lent();
    values_.set_attrs(call.attrs.flat());
  }
  ~Run() { std::destroy_n(lent(), call_.operands.size()); }
  Run(const Run&) = delete;

  // Copies of the operands that are written to: the first results.
  void copy_mutated(Tensor* results) {
    for (int i : definition_.schema.mutated) {
      const ArgSpec& arg = definition_.schema.args[static_cast<size_t>(i)];
      const size_t place = definition_.schema.operands_of(arg, call_.operands.size()).first;
      *results = copy_(Tensor::share(call_.operands[place].tensor));
      lent()[place] = custom::lent(results->impl());
      ++results;
    }
  }

  // Makes the new tensors.
  void make_results(Tensor* results) {
    call_function([&](const CustomFunctions& functions) {
      functions.eager_out ? fill(functions, results) : take(functions, results);
      return results;
    });
  }

  // Fills new tensors that others know already; or there are none.
  void fill_results(const Tensor* results) {
    call_function([&](const CustomFunctions& functions) {
      if (!functions.eager_out) return take(functions, nullptr), results;
      Tensor given[kMaxResults];
      for (size_t i = 0; i < num_new(); ++i) given[i] = custom::lent(results[i].impl());
      functions.eager_out(OpArgs(&values_), {given, num_new()});
      return results;
    });
  }

 private:
  size_t num_new() const { return static_cast<size_t>(definition_.schema.num_new()); }

  // `call` calls the op's function and gives the new tensors.
  template <class Call>
  void call_function(Call call) {
    const auto functions = definition_.functions();
    const MuteScope mute;
    const bool checks = base::flags().check_custom_ops;
    const std::vector<uint64_t> before = checks ? hashes() : std::vector<uint64_t>();
    std::exception_ptr* const note = failure;
    const FailureScope inner(nullptr);  // what it catches itself is no failure
    try {
      const Tensor* results = call(*functions);
      if (checks) check(before, results);
    } catch (...) {
      if (note != nullptr) *note = std::current_exception();
      throw;
    }
  }

  // The new tensors, without values.
  void allocate(const CustomFunctions& functions, Tensor* results) {
    if (num_new() == 0) return;
    ResultTypes types;
    const int first = types.count = static_cast<int>(definition_.schema.mutated.size());
    values_.lent = nullptr;
    add_results(values_, functions, &types);
    values_.lent = lent();
    for (int i = first; i < types.count; ++i)
      results[i - first] = new_tensor(types.results[i].layout);
  }

  void fill(const CustomFunctions& functions, Tensor* results) {
    if (num_new() == 0) return functions.eager_out(OpArgs(&values_), {});
    allocate(functions, results);
    functions.eager_out(OpArgs(&values_), {results, num_new()});
    for (size_t i = 0; i < num_new(); ++i) results[i] = own(std::move(results[i]));
  }

  void take(const CustomFunctions& functions, Tensor* results) {
    std::vector<Tensor> made = functions.eager(OpArgs(&values_));
    if (made.size() != num_new())
      fail(call_, ErrorKind::kRuntime,
           rules::text("its function gave ", made.size(), " results, its schema says ", num_new()));
    for (size_t i = 0; i < made.size(); ++i) {
      check_result(made[i], i);
      Tensor t = std::move(made[i]);
      results[i] = own(std::move(t));
    }
  }

  void check_result(const Tensor& t, size_t i) const {
    const auto refuse = [&](const std::string& problem) {
      fail(call_, ErrorKind::kRuntime, rules::text("result ", i + 1, " ", problem));
    };
    if (!t.defined()) refuse("is undefined");
    if (t.device() != kCPU) refuse("is not on the CPU");
    materialize(t.impl());
    for (size_t k = 0; k < call_.operands.size(); ++k)
      if (shares_memory(*t.impl(), call_.operands[k].tensor) ||
          shares_memory(*t.impl(), lent()[k].impl()))
        refuse("shares memory with operand " + std::to_string(k + 1) +
               ": give a copy, or declare that the op writes to it");
  }

  // Of the operands' elements; of those that the op may write to, and of numbers, 0.
  std::vector<uint64_t> hashes() const {
    std::vector<uint64_t> all(call_.operands.size());
    for (const ArgSpec& arg : definition_.schema.args) {
      if (!is_operand(arg.kind) || arg.mutated) continue;
      const auto [first, size] = definition_.schema.operands_of(arg, all.size());
      for (size_t k = first; k < first + size; ++k) {
        const TensorImpl* t = call_.operands[k].tensor;
        if (t == nullptr) continue;
        const int64_t bytes = t->layout->span() * byte_size(t->layout->dtype);
        all[k] = base::hash_bytes(t->data, static_cast<size_t>(bytes));
      }
    }
    return all;
  }

  // What FRIT_CHECK_CUSTOM_OPS=1 adds to a call.
  void check(const std::vector<uint64_t>& before, const Tensor* results) const {
    const std::vector<uint64_t> after = hashes();
    for (size_t k = 0; k < before.size(); ++k)
      if (before[k] != after[k])
        fail(call_, ErrorKind::kRuntime,
             rules::text("its function has written to operand ", k + 1,
                         ": declare it as Tensor(a!)"));
    if (!knows_types(call_.op)) return;
    const ResultTypes types = infer(call_);
    const auto first = definition_.schema.mutated.size();
    for (size_t i = 0; i < num_new(); ++i)
      check_made(call_.op, *types.results[first + i].layout, *results[i].impl()->layout);
    for (int i = 0; i < types.count; ++i) release_layout(types.results[i].layout);
  }

  static bool shares_memory(const TensorImpl& t, const TensorImpl* operand) {
    if (operand == nullptr || operand->storage->bytes == 0) return false;
    return t.storage->data == operand->storage->data;
  }

  // As a tensor that nobody else can see the memory of, without gaps, from its storage's start.
  Tensor own(Tensor t) const {
    TensorImpl* impl = t.impl();
    Storage* s = impl->storage;
    const bool alone = t.use_count() == 1 && s->refs.count() == 1 && !s->deleter;
    if (!alone || impl->offset != 0 || !impl->layout->dense) return copy_(t);
    s->write_exposed.store(0, std::memory_order_relaxed);
    s->read_exposed.store(0, std::memory_order_relaxed);
    impl->birth = 0;
    return t;
  }

  Tensor* lent() { return reinterpret_cast<Tensor*>(lent_); }
  const Tensor* lent() const { return reinterpret_cast<const Tensor*>(lent_); }

  const OpCall& call_;
  const Definition& definition_;
  Copy copy_;
  Values values_;
  alignas(Tensor) std::byte lent_[kMaxArgs * sizeof(Tensor)];  // as many as there are operands
};

}  // namespace

void run(const OpCall& call, Tensor* results, Copy copy) {
  Run run(call, copy);
  run.copy_mutated(results);
  run.make_results(results + definition(call.op).schema.mutated.size());
}

bool can_fill(Op op) {
  const Definition& d = definition(op);
  return d.schema.num_new() == 0 || d.functions()->eager_out != nullptr;
}

void run_in_place(const OpCall& call, Tensor* results, Copy copy) {
  Run(call, copy).make_results(results);
}

void fill_in_place(const OpCall& call, const Tensor* results) {
  Run(call, nullptr).fill_results(results);
}

}  // namespace frit::custom

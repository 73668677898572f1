// Writes the loops of a group.
//
// All loops but the last are nested in one another. In the innermost of these stand, for a group
// with reductions, one `reduce` for each fold, then a loop for what is computed last, with ops on
// what the folds gave in between; for others only the last loop. Statements refer to provisional
// numbers (of accesses, scalars and loops) until finish() makes them parameters: buffers read
// %a0.., scalars %s0.., buffers written %out0.., kept rows %t0.., sizes %n0...
#include "src/schedule/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/base/check.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/schedule/kernel_text.h"
#include "src/schedule/loops.h"
#include "src/schedule/phases.h"
#include "src/tensor/convert.h"

namespace frit::scheduling {
namespace {

using Body = std::vector<KernelStmt>;

KernelStmt statement(KernelStmt::Kind kind) {
  KernelStmt stmt{};
  stmt.kind = kind;
  return stmt;
}

// A way to read or write memory.
struct Way {
  Graph::ValueId value;  // whose memory, and where in it; for kept rows the node's result
  Dtype dtype;
  std::vector<int64_t> strides;  // along the domain's dimensions
  enum class Use : uint8_t { kRead, kWritten, kKept } use;
  int order = -1;  // of the first use in the text
};

// A scalar parameter: an input, or where that is -1 a number of the layouts, told apart by `use`.
struct ScalarUse {
  Graph::ValueId input;
  Dtype dtype;
  int64_t number = 0;
  int use = -1;

  bool operator==(const ScalarUse&) const = default;
};

// Where statements go, and what is known there.
struct Scope {
  Body body;
  bool per_row = false;
  std::map<int, int> nodes;  // values of nodes
  std::map<int, int> loads;  // by access
  std::map<std::pair<Dtype, uint64_t>, int> constants;
};

class Lowering {
 public:
  Lowering(const Graph& graph, const Roles& roles, const Fusion& fusion, int group, Memory* memory)
      : graph_(graph),
        roles_(roles),
        fusion_(fusion),
        group_(fusion.groups[group]),
        index_(group),
        memory_(*memory),
        phases_(plan_phases(graph, roles, fusion, group)) {}

  KernelStep run() {
    note_accesses();
    make_domain();
    emit();
    return finish();
  }

 private:
  const Graph::Node& node(int n) const { return graph_.nodes()[n]; }
  Graph::ValueId result(int n) const { return node(n).results[0]; }
  bool is_reduce(int n) const { return roles_.of(n).role == Role::kReduce; }
  bool is_per_row(int n) const { return fusion_.is_per_row(group_, graph_, n); }

  // The node of this group that makes the operand; -1: it is read from memory, or is a number.
  int maker(const Graph::Operand& o) const {
    if (is_number(o)) return -1;
    const int p = graph_.def(roles_.base(o.value));
    return p >= 0 && fusion_.group_of[p] == index_ ? p : -1;
  }
  bool is_number(const Graph::Operand& o) const {
    return !o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value);
  }

  // Accesses.

  void note_accesses() {
    for (int n : group_.nodes) {
      for (size_t k = 0; k < node(n).operands.size(); ++k) {
        const Graph::Operand& o = node(n).operands[k];
        if (!is_number(o) && maker(o) < 0) read_access(n, k);
      }
      if (fusion_.stored[n])
        writes_[n] = add_access({result(n), graph_.dtype(result(n)),
                                 fusion_.result_strides(graph_, group_, n), Way::Use::kWritten});
    }
    for (const auto& [n, place] : phases_.kept_in)
      writes_[n] = place >= 0
                       ? writes_.at(place)
                       : add_access({result(n), graph_.dtype(result(n)),
                                     fusion_.result_strides(graph_, group_, n), Way::Use::kKept});
  }

  int add_access(Way access) {
    accesses_.push_back(std::move(access));
    return static_cast<int>(accesses_.size()) - 1;
  }

  // One access for all views that read the same elements in the same way.
  int read_access(int n, size_t k) {
    const Graph::ValueId v = node(n).operands[k].value;
    const std::vector<int64_t> strides =
        strides_in_domain(read_strides(graph_, node(n), k), fusion_.maps[n], group_.sizes.size());
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const Way& a = accesses_[i];
      if (a.use == Way::Use::kRead && roles_.base(a.value) == roles_.base(v) &&
          roles_.offset(a.value) == roles_.offset(v) && a.strides == strides)
        return static_cast<int>(i);
    }
    return add_access({v, graph_.dtype(v), strides, Way::Use::kRead});
  }

  // The order of the loops is that of the first value written over the whole domain, else of the
  // first one written.
  void make_domain() {
    std::vector<std::vector<int64_t>> strides;
    for (const Way& a : accesses_) strides.push_back(a.strides);
    for (int n : group_.nodes)
      if (node(n).op == Op::arange) strides.push_back(fusion_.result_strides(graph_, group_, n));
    int leader = -1;
    for (int n : group_.nodes)
      if (fusion_.stored[n] && (leader < 0 || (is_per_row(leader) && !is_per_row(n)))) leader = n;
    FRIT_CHECK(leader >= 0) << "a group that writes nothing";
    loops_ = make_loops(group_, strides, accesses_[writes_.at(leader)].strides);
  }
  int num_loops() const { return static_cast<int>(loops_.size()); }

  // Emission.

  void emit() {
    row_.per_row = true;
    for (int phase = 0; phase < phases_.last(); ++phase) emit_reduction(phase);
    if (phases_.has_last) emit_last();
    for (int n : group_.nodes)
      if (fusion_.stored[n] && !is_in_loops(n)) store(n, &row_);
    body_ = std::move(row_.body);
    for (int d = num_loops() - 2; d >= 0; --d) body_ = {loop(d, std::move(body_))};
  }

  // Whether a node's value exists inside the last loops only.
  bool is_in_loops(int n) const { return !is_reduce(n) && !is_per_row(n); }

  KernelStmt loop(int d, Body body) const {
    KernelStmt stmt = statement(KernelStmt::Kind::kLoop);
    stmt.dim = stmt.param = d;
    stmt.body = std::move(body);
    return stmt;
  }

  void emit_reduction(int phase) {
    const int n = phases_.reductions[phase];
    prepare(n, phase);
    KernelStmt reduce = statement(KernelStmt::Kind::kReduce);
    reduce.id = next_id_++;
    reduce.dtype = fold_dtype(n);
    reduce.op = node(n).op;
    reduce.dim = reduce.param = num_loops() - 1;
    Scope scope;
    const Dtype from = graph_.dtype(node(n).operands[0].value);
    const int value = cast(operand(n, 0, from, phase, &scope), from, reduce.dtype, &scope);
    store_homes(phase, &scope);
    KernelStmt yield = statement(KernelStmt::Kind::kYield);
    yield.operands = {value};
    scope.body.push_back(yield);
    reduce.body = std::move(scope.body);
    const int folded = reduce.id;
    row_.body.push_back(std::move(reduce));
    row_.nodes[n] = cast(folded, fold_dtype(n), graph_.dtype(result(n)), &row_);
  }

  // The 16-bit floats fold in f32 and round once, the small ints in i32.
  Dtype fold_dtype(int n) const {
    const Dtype dtype = graph_.dtype(result(n));
    if (is_small_int(dtype)) return kInt32;
    return is_half(dtype) ? kFloat32 : dtype;
  }

  void emit_last() {
    const int phase = phases_.last();
    for (const auto& [n, home] : phases_.home)
      if (home == phase) prepare(n, phase);
    Scope scope;
    for (const auto& [n, home] : phases_.home)
      if (home == phase) value_of(n, phase, &scope);
    store_homes(phase, &scope);
    row_.body.push_back(loop(num_loops() - 1, std::move(scope.body)));
  }

  // Stores what this phase computes for memory: after all that it reads, since a kept row may lie
  // where a result goes.
  void store_homes(int phase, Scope* scope) {
    for (const auto& [n, home] : phases_.home)
      if (home == phase) store(n, scope, phase);
  }

  void store(int n, Scope* scope, int phase = 0) {
    KernelStmt stmt = statement(KernelStmt::Kind::kStore);
    stmt.operands = {value_of(n, phase, scope)};
    stmt.param = use(writes_.at(n));
    stmt.dims = open_dims(*scope);
    scope->body.push_back(std::move(stmt));
  }

  std::vector<int> open_dims(const Scope& scope) const {
    std::vector<int> dims;
    for (int d = 0; d < num_loops() - (scope.per_row ? 1 : 0); ++d) dims.push_back(d);
    return dims;
  }

  // Puts all that `n` needs of values made once a row in front of the loop that follows.
  void prepare(int n, int phase) {
    std::set<int> seen;
    prepare(n, phase, &seen);
  }
  void prepare(int n, int phase, std::set<int>* seen) {
    if (!seen->insert(n).second) return;
    for (const Graph::Operand& o : node(n).operands) {
      const int p = maker(o);
      if (p < 0 || phases_.is_read(p, phase)) continue;
      if (is_in_loops(p)) {
        prepare(p, phase, seen);
      } else {
        value_of(p, phase, &row_);
      }
    }
  }

  // The value of a node: known, read back, or computed here.
  int value_of(int n, int phase, Scope* scope) {
    if (!is_in_loops(n)) scope = &row_;
    const auto known = scope->nodes.find(n);
    if (known != scope->nodes.end()) return known->second;
    FRIT_CHECK(!is_reduce(n)) << "a fold is used before it is done";
    const bool read = is_in_loops(n) && phases_.is_read(n, phase);
    const int value = read ? load(writes_.at(n), scope) : compute(n, phase, scope);
    scope->nodes[n] = value;
    return value;
  }

  int compute(int n, int phase, Scope* scope) {
    const Graph::Node& made = node(n);
    const Dtype dtype = graph_.dtype(result(n));
    if (is_take(made)) return take(n, scope);
    if (made.op == Op::arange) return count(n, scope);
    if (roles_.of(n).role == Role::kScan) return scan(n, phase, scope);
    if (!is_elementwise(made.op)) return convert(n, phase, scope);
    const Dtype computes = compute_dtype(graph_, made);
    std::vector<int> operands;
    for (size_t k = 0; k < made.operands.size(); ++k) {
      const bool condition = made.op == Op::where && k == 0;
      operands.push_back(operand(n, k, condition ? kBool : computes, phase, scope));
    }
    return add_op(made.op, std::move(operands), dtype, scope);
  }

  // A cast, a copy, a constant that is an output, or a fold of one element: a sum of it adds 0.0 to
  // it, as every sum.
  int convert(int n, int phase, Scope* scope) {
    const Graph::Node& made = node(n);
    const Graph::Operand& x = made.operands[0];
    const Dtype dtype = graph_.dtype(result(n));
    const Dtype from = made.op == Op::full ? dtype : graph_.dtype(x.value);
    const int value = operand(n, 0, from, phase, scope);
    if (made.op != Op::sum || !is_floating_point(dtype)) return cast(value, from, dtype, scope);
    const Dtype folds = fold_dtype(n);
    const int number = cast(value, from, folds, scope);
    const int sum = add_op(Op::add, {number, constant(folds, 0.0, scope)}, folds, scope);
    return cast(sum, folds, dtype, scope);
  }

  int cast(int value, Dtype from, Dtype to, Scope* scope) {
    return from == to ? value : add_op(Op::cast, {value}, to, scope);
  }

  // Where each index leads, added up, and the element there. The indices are in range: see
  // add_checks().
  int take(int n, Scope* scope) {
    const Taking taking = taking_of(graph_, node(n));
    int place = -1;
    for (int i = 0; i < taking.num_indices; ++i) {
      const Taking::Index& index = taking.indices[i];
      const size_t operand = static_cast<size_t>(index.operand);
      int value = load(read_access(n, operand), scope);
      value = cast(value, graph_.dtype(node(n).operands[operand].value), kInt64, scope);
      const int use = 2 * (n * kMaxRank + i);
      if (taking.from_end) value = from_end(value, ~use_number(index.size, use), scope);
      if (index.stride != 1)
        value = add_op(Op::mul, {value, ~use_number(index.stride, use + 1)}, kInt64, scope);
      place = place < 0 ? value : add_op(Op::add, {place, value}, kInt64, scope);
    }
    return read(KernelStmt::Kind::kTake, read_access(n, 0), {place}, scope);
  }

  int from_end(int index, int size, Scope* scope) {
    const int zero = constant(kInt64, 0, scope);
    const int is_negative = add_op(Op::lt, {index, zero}, kBool, scope);
    const int wrapped = add_op(Op::add, {index, size}, kInt64, scope);
    return add_op(Op::where, {is_negative, wrapped, index}, kInt64, scope);
  }

  // start + i * step, in the widest type of its kind, as eager does.
  int count(int n, Scope* scope) {
    const Graph::Node& made = node(n);
    const Dtype dtype = graph_.dtype(result(n));
    const Dtype wide = is_floating_point(dtype) ? kFloat64 : kInt64;
    int value = cast(index_along(fusion_.maps[n][0], scope), kInt64, wide, scope);
    const auto is_literal = [&](size_t k, int64_t number) {
      const Graph::Operand& o = made.operands[k];
      return wide == kInt64 && !o.is_value() && o.literal.to_int() == number;
    };
    if (!is_literal(1, 1))
      value = add_op(Op::mul, {value, number(made.operands[1], wide, scope)}, wide, scope);
    if (!is_literal(0, 0))
      value = add_op(Op::add, {number(made.operands[0], wide, scope), value}, wide, scope);
    return cast(value, wide, dtype, scope);
  }

  // f32 is summed in f64, the 16-bit floats in f32; each result is rounded.
  int scan(int n, int phase, Scope* scope) {
    const Dtype dtype = graph_.dtype(result(n)), from = graph_.dtype(node(n).operands[0].value);
    const Dtype converted = is_half(dtype) ? kFloat32 : dtype;
    const Dtype wide = dtype == kFloat32 ? kFloat64 : converted;
    const int x = cast(operand(n, 0, from, phase, scope), from, converted, scope);
    KernelStmt stmt = statement(KernelStmt::Kind::kScan);
    stmt.operands = {cast(x, converted, wide, scope)};
    stmt.id = next_id_++;
    stmt.dtype = wide;
    stmt.op = node(n).op == Op::cumsum ? Op::sum : Op::prod;
    scope->body.push_back(stmt);
    return cast(stmt.id, wide, dtype, scope);
  }

  // Of a dimension of the domain, which has a loop of its own: what counts along it is an access
  // that goes on nowhere else.
  int index_along(int dim, Scope* scope) {
    if (dim < 0) return constant(kInt64, 0, scope);
    KernelStmt stmt = statement(KernelStmt::Kind::kIndex);
    stmt.id = next_id_++;
    stmt.dtype = kInt64;
    for (int l = 0; l < num_loops(); ++l)
      if (loops_[l].dims == std::vector<int>{dim}) stmt.dim = l;
    FRIT_CHECK(stmt.dim >= 0) << "a dimension that counts is part of a loop";
    scope->body.push_back(std::move(stmt));
    return next_id_ - 1;
  }

  // Operand k of node n, as a statement takes it. `dtype` is what a number becomes.
  int operand(int n, size_t k, Dtype dtype, int phase, Scope* scope) {
    const Graph::Operand& o = node(n).operands[k];
    if (is_number(o)) return number(o, dtype, scope);
    const int p = maker(o);
    return p >= 0 ? value_of(p, phase, scope) : load(read_access(n, k), scope);
  }
  int number(const Graph::Operand& o, Dtype dtype, Scope* scope) {
    if (!o.is_value()) return constant(dtype, o.literal, scope);
    if (graph_.is_scalar(o.value)) return ~use_scalar({o.value, dtype});
    return number(roles_.constant(o.value), dtype, scope);
  }

  int add_op(Op op, std::vector<int> operands, Dtype dtype, Scope* scope) {
    KernelStmt stmt = statement(KernelStmt::Kind::kOp);
    stmt.id = next_id_++;
    stmt.dtype = dtype;
    stmt.op = op;
    stmt.operands = std::move(operands);
    scope->body.push_back(std::move(stmt));
    return next_id_ - 1;
  }

  int load(int access, Scope* scope) {
    const auto known = scope->loads.find(access);
    if (known != scope->loads.end()) return known->second;
    return scope->loads[access] = read(KernelStmt::Kind::kLoad, access, {}, scope);
  }

  int read(KernelStmt::Kind kind, int access, std::vector<int> operands, Scope* scope) {
    KernelStmt stmt = statement(kind);
    stmt.id = next_id_++;
    stmt.dtype = accesses_[access].dtype;
    stmt.operands = std::move(operands);
    stmt.param = use(access);
    for (int d : open_dims(*scope))
      if (class_of(accesses_[access], d) != Access::kBroadcast) stmt.dims.push_back(d);
    scope->body.push_back(std::move(stmt));
    return next_id_ - 1;
  }

  int constant(Dtype dtype, const Scalar& scalar, Scope* scope) {
    uint64_t bits = 0;
    store_element(dtype, &bits, scalar);
    if (is_nan(dtype, bits)) bits = canonical_nan(dtype);
    const auto [it, is_new] = scope->constants.emplace(std::pair(dtype, bits), next_id_);
    if (!is_new) return it->second;
    KernelStmt stmt = statement(KernelStmt::Kind::kConstant);
    stmt.id = next_id_++;
    stmt.dtype = dtype;
    stmt.bits = bits;
    scope->body.push_back(stmt);
    return stmt.id;
  }

  int use(int access) {
    if (accesses_[access].order < 0) accesses_[access].order = next_order_++;
    return access;
  }

  int use_scalar(const ScalarUse& scalar) {
    const auto it = std::find(scalars_.begin(), scalars_.end(), scalar);
    if (it != scalars_.end()) return static_cast<int>(it - scalars_.begin());
    scalars_.push_back(scalar);
    return static_cast<int>(scalars_.size()) - 1;
  }

  int use_number(int64_t number, int use) { return use_scalar({-1, kInt64, number, use}); }

  // Parameters.

  // A loop of one iteration has no strides. What is alone there is like a contiguous row; in a
  // single row everything is as if there were more.
  Access class_of(const Way& way, int d) const {
    const int64_t stride = stride_of(way, d);
    if (stride == 1) return Access::kUnit;
    if (stride != 0) return Access::kStrided;
    const bool is_row = !group_.row.empty() && d == num_loops() - 1;
    if (way.use != Way::Use::kRead)
      return is_row && is_alone(way) ? Access::kBroadcast : Access::kStrided;
    return loops_[d].dims.empty() && moves_in_row(way) ? Access::kStrided : Access::kBroadcast;
  }

  int64_t stride_of(const Way& way, int d) const {
    if (!loops_[d].dims.empty()) return loops_[d].stride(way.strides);
    return group_.row.empty() || (way.use != Way::Use::kRead && is_alone(way)) ? 1 : 0;
  }

  // Whether there is one element a row.
  bool is_alone(const Way& way) const { return is_per_row(graph_.def(way.value)); }
  bool moves_in_row(const Way& way) const {
    return std::any_of(group_.row.begin(), group_.row.end(),
                       [&](int d) { return way.strides[d] != 0; });
  }

  // Makes parameters of accesses, scalars and sizes, in this order but for the buffers written.
  KernelStep finish() {
    KernelStep step;
    Kernel kernel;
    kernel.rank = num_loops();
    std::vector<int> by_order;
    for (int i = 0; i < static_cast<int>(accesses_.size()); ++i)
      if (accesses_[i].order >= 0) by_order.push_back(i);
    std::sort(by_order.begin(), by_order.end(),
              [&](int a, int b) { return accesses_[a].order < accesses_[b].order; });
    std::vector<int> param_of_access(accesses_.size()), param_of_scalar, param_of_loop;
    const auto add_buffers = [&](Way::Use use, const std::string& stem) {
      int count = 0;
      for (int i : by_order) {
        if (accesses_[i].use != use) continue;
        param_of_access[i] = static_cast<int>(kernel.params.size());
        add_buffer(accesses_[i], stem + std::to_string(count++), &kernel, &step);
      }
    };
    add_buffers(Way::Use::kRead, "a");
    for (const ScalarUse& scalar : scalars_) {
      param_of_scalar.push_back(static_cast<int>(kernel.params.size()));
      kernel.params.push_back({KernelParam::Kind::kScalar,
                               "s" + std::to_string(param_of_scalar.size() - 1),
                               scalar.dtype,
                               {}});
      const bool given = scalar.input >= 0;
      step.words.push_back({given ? KernelWord::Kind::kScalar : KernelWord::Kind::kImmediate,
                            scalar.input, scalar.number, scalar.dtype});
    }
    add_buffers(Way::Use::kWritten, "out");
    add_buffers(Way::Use::kKept, "t");
    for (const Loop& loop : loops_) {
      param_of_loop.push_back(static_cast<int>(kernel.params.size()));
      kernel.params.push_back(
          {KernelParam::Kind::kSize, "n" + std::to_string(param_of_loop.size() - 1), kInt64, {}});
      step.words.push_back({KernelWord::Kind::kImmediate, -1, loop.size, kInt64});
    }
    rename(&body_, param_of_access, param_of_scalar, param_of_loop);
    kernel.body = std::move(body_);
    step.kernel = std::make_shared<const Kernel>(std::move(kernel));
    step.outer_size = loops_[0].size;
    step.work = 1;
    for (const Loop& loop : loops_) step.work *= loop.size;
    add_checks(&step);
    return step;
  }

  void add_checks(KernelStep* step) {
    for (int n : group_.nodes) {
      if (!is_take(node(n))) continue;
      const Taking taking = taking_of(graph_, node(n));
      IndexCheck& check = step->checks.emplace_back();
      check.op = call_step(graph_, node(n), &memory_);
      for (int i = 0; i < taking.num_indices; ++i) {
        const Taking::Index& index = taking.indices[i];
        check.ranges.push_back({check.op.args[static_cast<size_t>(index.operand)].view,
                                taking.from_end ? -index.size : 0, index.size});
      }
    }
  }

  void add_buffer(const Way& access, const std::string& name, Kernel* kernel, KernelStep* step) {
    const bool kept = access.use == Way::Use::kKept;
    const int view =
        kept ? memory_.temporary(graph_.layout(access.value)) : memory_.view(access.value);
    step->words.push_back({KernelWord::Kind::kAddress, view, 0, access.dtype});
    KernelParam param{KernelParam::Kind::kBuffer, name, access.dtype, {}};
    for (int d = 0; d < num_loops(); ++d) {
      param.access.push_back(class_of(access, d));
      step->words.push_back({KernelWord::Kind::kImmediate, -1, stride_of(access, d), kInt64});
    }
    kernel->params.push_back(std::move(param));
  }

  static void rename(Body* body, const std::vector<int>& accesses, const std::vector<int>& scalars,
                     const std::vector<int>& loops) {
    for (KernelStmt& stmt : *body) {
      const bool element = stmt.kind == KernelStmt::Kind::kLoad ||
                           stmt.kind == KernelStmt::Kind::kTake ||
                           stmt.kind == KernelStmt::Kind::kStore;
      if (stmt.param >= 0) stmt.param = element ? accesses[stmt.param] : loops[stmt.param];
      for (int& operand : stmt.operands)
        if (operand < 0) operand = ~scalars[~operand];
      rename(&stmt.body, accesses, scalars, loops);
    }
  }

  const Graph& graph_;
  const Roles& roles_;
  const Fusion& fusion_;
  const Group& group_;
  const int index_;
  Memory& memory_;
  const Phases phases_;
  std::vector<Way> accesses_;
  std::map<int, int> writes_;  // the access of each node that is stored or kept
  std::vector<ScalarUse> scalars_;
  std::vector<Loop> loops_;
  Scope row_;
  Body body_;
  int next_id_ = 0, next_order_ = 0;
};

}  // namespace

KernelStep lower(const Graph& graph, const Roles& roles, const Fusion& fusion, int group,
                 Memory* memory) {
  return Lowering(graph, roles, fusion, group, memory).run();
}

OpStep call_step(const Graph& graph, const Graph::Node& node, Memory* memory) {
  OpStep step{node.op, {}, node.attrs, {}};
  for (const Graph::Operand& o : node.operands) {
    OpStep::Arg arg;
    arg.literal = o.literal;
    if (o.is_value())
      (graph.is_scalar(o.value) ? arg.scalar : arg.view) =
          graph.is_scalar(o.value) ? o.value : memory->view(o.value);
    step.args.push_back(arg);
  }
  return step;
}

bool is_empty(const Group& group) {
  for (int d = 0; d < group.rank(); ++d)
    if (group.sizes[d] == 0 && !group.is_row(d)) return true;
  return false;
}

}  // namespace frit::scheduling

// Accesses and loops of a group.
#include "src/schedule/lower.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/schedule/group_lowering.h"

namespace frit::scheduling {

KernelStep GroupLowering::run() {
  note_accesses();
  make_domain();
  emit();
  return finish();
}

// The node of this group that makes the operand; -1: it is read from memory, or is a number.
int GroupLowering::maker(const Graph::Operand& o) const {
  if (is_number(o)) return -1;
  const int p = graph_.def(roles_.base(o.value));
  return p >= 0 && fusion_.group_of[p] == index_ ? p : -1;
}

bool GroupLowering::is_number(const Graph::Operand& o) const {
  return !o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value);
}

void GroupLowering::note_accesses() {
  for (int n : group_.nodes) {
    for (size_t k = 0; k < node(n).operands.size(); ++k) {
      const Graph::Operand& o = node(n).operands[k];
      const bool begun = k == 0 && is_put(node(n));  // what a put goes on with
      if (!begun && !is_number(o) && maker(o) < 0) read_access(n, k);
    }
    if (fusion_.stored[n])
      writes_[n] =
          add_access({result(n), graph_.dtype(result(n)), fusion_.result_strides(graph_, group_, n),
                      0, is_put(node(n)) ? Way::Use::kPut : Way::Use::kWritten});
  }
  for (const auto& [n, place] : phases_.kept_in)
    writes_[n] = place >= 0
                     ? writes_.at(place)
                     : add_access({result(n), graph_.dtype(result(n)),
                                   fusion_.result_strides(graph_, group_, n), 0, Way::Use::kKept});
}

int GroupLowering::add_access(Way access) {
  accesses_.push_back(std::move(access));
  return static_cast<int>(accesses_.size()) - 1;
}

// One access for all views that read the same elements in the same way.
int GroupLowering::read_access(int n, size_t k) {
  const Graph::ValueId v = node(n).operands[k].value;
  const std::vector<int64_t> strides =
      strides_in_domain(read_strides(graph_, node(n), k), fusion_.maps[n], group_.sizes.size());
  const int64_t offset = read_offset(graph_, node(n));
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Way& a = accesses_[i];
    if (a.use == Way::Use::kRead && roles_.base(a.value) == roles_.base(v) &&
        roles_.offset(a.value) + a.offset == roles_.offset(v) + offset && a.strides == strides)
      return static_cast<int>(i);
  }
  return add_access({v, graph_.dtype(v), strides, offset, Way::Use::kRead});
}

// The order of the loops is that of the first value written over the whole domain, else of the
// first one written; with a put it is the domain's.
void GroupLowering::make_domain() {
  std::vector<std::vector<int64_t>> strides;
  for (const Way& a : accesses_) strides.push_back(a.strides);
  for (int n : group_.nodes)
    if (node(n).op == Op::arange) strides.push_back(fusion_.result_strides(graph_, group_, n));
  int leader = -1;
  for (int n : group_.nodes)
    if (fusion_.stored[n] && (leader < 0 || (is_per_row(leader) && !is_per_row(n)))) leader = n;
  FRIT_CHECK(leader >= 0) << "a group that writes nothing";
  std::vector<int64_t> order = accesses_[writes_.at(leader)].strides;
  if (std::any_of(group_.nodes.begin(), group_.nodes.end(), [&](int n) { return is_put(node(n)); }))
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(order.size() - d);
  loops_ = make_loops(group_, strides, order);
}

void GroupLowering::emit() {
  row_.per_row = true;
  for (int phase = 0; phase < phases_.last(); ++phase) emit_reduction(phase);
  if (phases_.has_last) emit_last();
  for (int n : group_.nodes)
    if (fusion_.stored[n] && !is_in_loops(n)) store(n, &row_);
  body_ = std::move(row_.body);
  for (int d = num_loops() - 2; d >= 0; --d) body_ = {loop(d, std::move(body_))};
}

KernelStmt GroupLowering::loop(int d, Body body) const {
  KernelStmt stmt = statement(KernelStmt::Kind::kLoop);
  stmt.dim = stmt.param = d;
  stmt.body = std::move(body);
  return stmt;
}

void GroupLowering::emit_reduction(int phase) {
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
Dtype GroupLowering::fold_dtype(int n) const {
  const Dtype dtype = graph_.dtype(result(n));
  if (is_small_int(dtype)) return kInt32;
  return is_half(dtype) ? kFloat32 : dtype;
}

void GroupLowering::emit_last() {
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
void GroupLowering::store_homes(int phase, Scope* scope) {
  for (const auto& [n, home] : phases_.home)
    if (home == phase) store(n, scope, phase);
}

void GroupLowering::store(int n, Scope* scope, int phase) {
  const int value = value_of(n, phase, scope);
  if (is_put(node(n))) return put(n, value, scope);
  const auto place = places_.find(n);
  if (place == places_.end() || is_read_outside(result(n)))
    store_value(value, writes_.at(n), scope);
  if (place != places_.end())
    store_value(place->second,
                add_access({node(n).results[1], kInt64, fusion_.result_strides(graph_, group_, n),
                            0, Way::Use::kWritten}),
                scope);
}

void GroupLowering::store_value(int value, int access, Scope* scope) {
  KernelStmt stmt = statement(KernelStmt::Kind::kStore);
  stmt.operands = {value};
  stmt.param = use(access);
  stmt.dims = open_dims(*scope);
  scope->body.push_back(std::move(stmt));
}

std::vector<int> GroupLowering::open_dims(const Scope& scope) const {
  std::vector<int> dims;
  for (int d = 0; d < num_loops() - (scope.per_row ? 1 : 0); ++d) dims.push_back(d);
  return dims;
}

// Puts all that `n` needs of values made once a row in front of the loop that follows.
void GroupLowering::prepare(int n, int phase) {
  std::set<int> seen;
  prepare(n, phase, &seen);
}

void GroupLowering::prepare(int n, int phase, std::set<int>* seen) {
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
int GroupLowering::value_of(int n, int phase, Scope* scope) {
  if (!is_in_loops(n)) scope = &row_;
  const auto known = scope->nodes.find(n);
  if (known != scope->nodes.end()) return known->second;
  FRIT_CHECK(!is_reduce(n)) << "a fold is used before it is done";
  const bool read = is_in_loops(n) && phases_.is_read(n, phase);
  const int value = read ? load(writes_.at(n), scope) : compute(n, phase, scope);
  scope->nodes[n] = value;
  return value;
}

int GroupLowering::compute(int n, int phase, Scope* scope) {
  const Graph::Node& made = node(n);
  const Dtype dtype = graph_.dtype(result(n));
  if (is_take(made)) return take(n, scope);
  if (is_put(made)) return written(n, phase, scope);
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

KernelStep lower(const Graph& graph, const Roles& roles, const Fusion& fusion, int group,
                 Memory* memory) {
  return GroupLowering(graph, roles, fusion, group, memory).run();
}

OpStep call_step(const Graph& graph, const Graph::Node& node,
                 const std::function<void(size_t operand, OpStep::Arg*)>& tensor) {
  OpStep step{node.op, {}, node.attrs, {}};
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const Graph::Operand& o = node.operands[k];
    OpStep::Arg arg;
    arg.literal = o.literal;
    if (o.is_value() && graph.is_scalar(o.value)) arg.scalar = o.value;
    if (o.is_value() && !graph.is_scalar(o.value)) tensor(k, &arg);
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

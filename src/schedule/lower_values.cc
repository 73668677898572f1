// What the nodes of a group compute, as statements.
#include <algorithm>

#include "src/base/check.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/ops/scatter.h"
#include "src/schedule/group_lowering.h"
#include "src/schedule/kernel_text.h"
#include "src/tensor/convert.h"

namespace frit::scheduling {
namespace {

Op put_op(Write write) {
  switch (write) {
    case Write::kSet:
      return Op::store;
    case Write::kAdd:
      return Op::add;
    case Write::kProd:
      return Op::mul;
    case Write::kAmax:
      return Op::maximum;
    case Write::kAmin:
      return Op::minimum;
    case Write::kMean:
      break;
  }
  FRIT_CHECK(false) << "a mean is put";
  __builtin_unreachable();
}

}  // namespace

// A cast, a copy, a constant that is an output, or a fold of one element: a sum of it adds 0.0 to
// it, as every sum.
int GroupLowering::convert(int n, int phase, Scope* scope) {
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

int GroupLowering::cast(int value, Dtype from, Dtype to, Scope* scope) {
  return from == to ? value : add_op(Op::cast, {value}, to, scope);
}

int GroupLowering::take(int n, Scope* scope) {
  const int place = place_of(n, taking_of(graph_, node(n)), scope);
  return read(KernelStmt::Kind::kTake, read_access(n, 0), {place}, scope);
}

// What a put writes: of scaled rows the product; of a number in 16 bits what it rounds to.
int GroupLowering::written(int n, int phase, Scope* scope) {
  const Graph::Node& made = node(n);
  const Dtype dtype = graph_.dtype(result(n));
  const size_t source = made.op == Op::index_put ? 1 : 2;
  const Dtype made_in = is_number(made.operands[source]) && is_half(dtype) ? kFloat32 : dtype;
  const int value = cast(operand(n, source, made_in, phase, scope), made_in, dtype, scope);
  if (made.op != Op::index_add) return value;
  const Graph::Operand& alpha = made.operands[3];
  if (!alpha.is_value() && alpha.literal.to_double() == 1) return value;
  return add_op(Op::mul, {value, number(alpha, dtype, scope)}, dtype, scope);
}

void GroupLowering::put(int n, int value, Scope* scope) {
  const Graph::Node& made = node(n);
  const Dtype dtype = graph_.dtype(result(n));
  const int access = writes_.at(n);
  KernelStmt stmt = statement(KernelStmt::Kind::kPut);
  stmt.op = put_op(write_in_dtype(write_of(made.op, Attrs(made.attrs)), dtype));
  stmt.operands = {place_of(n, putting_of(graph_, made).to, scope), value};
  stmt.param = use(access);
  for (int d : open_dims(*scope))
    if (class_of(accesses_[access], d) != Access::kBroadcast) stmt.dims.push_back(d);
  scope->body.push_back(std::move(stmt));
}

// Where each index leads, added up. The indices are in range: see add_checks().
int GroupLowering::place_of(int n, const Taking& taking, Scope* scope) {
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
  return place;
}

int GroupLowering::from_end(int index, int size, Scope* scope) {
  const int zero = constant(kInt64, 0, scope);
  const int is_negative = add_op(Op::lt, {index, zero}, kBool, scope);
  const int wrapped = add_op(Op::add, {index, size}, kInt64, scope);
  return add_op(Op::where, {is_negative, wrapped, index}, kInt64, scope);
}

// start + i * step, in the widest type of its kind, as eager does.
int GroupLowering::count(int n, Scope* scope) {
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

int GroupLowering::scan(int n, int phase, Scope* scope) {
  const Dtype dtype = graph_.dtype(result(n)), from = graph_.dtype(node(n).operands[0].value);
  const Dtype wide = scan_dtype(node(n).op, dtype);
  const int x = cast(operand(n, 0, from, phase, scope), from, wide, scope);
  const int value = add_scan(node(n).op, x, wide, scope);
  if (node(n).results.size() > 1 && is_read_outside(node(n).results[1]))
    places_[n] = place_of_extreme(n, x, value, wide, scope);
  return cast(value, wide, dtype, scope);
}

// Sums of f32 are f64, the 16-bit floats are scanned as f32, the small ints as i32; each result
// is rounded.
Dtype GroupLowering::scan_dtype(Op op, Dtype dtype) {
  if (is_half(dtype)) return kFloat32;
  if (op == Op::cummax || op == Op::cummin)
    return is_small_int(dtype) || dtype == kBool ? kInt32 : dtype;
  return dtype == kFloat32 ? kFloat64 : dtype;
}

int GroupLowering::add_scan(Op op, int x, Dtype dtype, Scope* scope) {
  KernelStmt stmt = statement(KernelStmt::Kind::kScan);
  stmt.operands = {x};
  stmt.id = next_id_++;
  stmt.dtype = dtype;
  stmt.op = op;
  scope->body.push_back(stmt);
  return stmt.id;
}

// The last element that was the extreme so far, and itself is it, or NaN.
int GroupLowering::place_of_extreme(int n, int x, int extreme, Dtype dtype, Scope* scope) {
  int taken = add_op(Op::eq, {x, extreme}, kBool, scope);
  if (is_floating_point(dtype))
    taken = add_op(Op::logical_or, {taken, add_op(Op::ne, {x, x}, kBool, scope)}, kBool, scope);
  const int index = index_along(fusion_.maps[n][scanned_dim(graph_, node(n))], scope);
  const int zero = constant(kInt64, 0, scope);
  const int place = add_op(Op::where, {taken, index, zero}, kInt64, scope);
  return add_scan(Op::cummax, place, kInt64, scope);
}

// Whether a value of this group is an output or read by others.
bool GroupLowering::is_read_outside(Graph::ValueId v) const {
  const auto is_v = [&](Graph::ValueId other) { return roles_.base(other) == v; };
  const auto& outputs = graph_.outputs();
  if (std::any_of(outputs.begin(), outputs.end(), is_v)) return true;
  for (size_t n = 0; n < graph_.nodes().size(); ++n) {
    if (fusion_.group_of[n] < 0 || fusion_.group_of[n] == index_) continue;
    for (const Graph::Operand& o : graph_.nodes()[n].operands)
      if (o.is_value() && !graph_.is_scalar(o.value) && is_v(o.value)) return true;
  }
  return false;
}

// Of a dimension of the domain, which has a loop of its own: what counts along it is an access
// that goes on nowhere else.
int GroupLowering::index_along(int dim, Scope* scope) {
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
int GroupLowering::operand(int n, size_t k, Dtype dtype, int phase, Scope* scope) {
  const Graph::Operand& o = node(n).operands[k];
  if (is_number(o)) return number(o, dtype, scope);
  const int p = maker(o);
  return p >= 0 ? value_of(p, phase, scope) : load(read_access(n, k), scope);
}

int GroupLowering::number(const Graph::Operand& o, Dtype dtype, Scope* scope) {
  if (!o.is_value()) return constant(dtype, o.literal, scope);
  if (graph_.is_scalar(o.value)) return ~use_scalar({o.value, dtype});
  return number(roles_.constant(o.value), dtype, scope);
}

int GroupLowering::add_op(Op op, std::vector<int> operands, Dtype dtype, Scope* scope) {
  KernelStmt stmt = statement(KernelStmt::Kind::kOp);
  stmt.id = next_id_++;
  stmt.dtype = dtype;
  stmt.op = op;
  stmt.operands = std::move(operands);
  scope->body.push_back(std::move(stmt));
  return next_id_ - 1;
}

int GroupLowering::load(int access, Scope* scope) {
  const auto known = scope->loads.find(access);
  if (known != scope->loads.end()) return known->second;
  return scope->loads[access] = read(KernelStmt::Kind::kLoad, access, {}, scope);
}

int GroupLowering::read(KernelStmt::Kind kind, int access, std::vector<int> operands,
                        Scope* scope) {
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

int GroupLowering::constant(Dtype dtype, const Scalar& scalar, Scope* scope) {
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

}  // namespace frit::scheduling

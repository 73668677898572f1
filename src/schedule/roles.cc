// Decides for each node by its op, its dtypes and its layouts.
#include "src/schedule/roles.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/ops/builder.h"
#include "src/ops/divisor.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/ops/scatter.h"
#include "src/schedule/kernel_text.h"
#include "src/schedule/lowering.h"

namespace frit::scheduling {
namespace {

// Up to this many elements, a row whose elements lie apart is folded by a kernel.
constexpr int64_t kMaxStridedRow = 64;
// From this many elements on a single row is folded by eager's kernel, which splits it over
// threads.
constexpr int64_t kLongRow = 1 << 16;

std::vector<OperandType> operand_types(const Graph& graph, const Graph::Node& node) {
  std::vector<OperandType> types;
  for (const Graph::Operand& o : node.operands) {
    OperandType type;
    type.scalar = o.literal;
    if (o.is_value()) {
      type.layout = graph.layout(o.value);
      if (graph.is_scalar(o.value)) {
        const Scalar::Kind kind = graph.scalar_kind(o.value);
        type.scalar = kind == Scalar::Kind::kFloat ? Scalar(1.0)
                      : kind == Scalar::Kind::kInt ? Scalar(1)
                                                   : Scalar(true);
      }
    }
    types.push_back(type);
  }
  return types;
}

NodeRole call(std::string reason = {}) { return {Role::kCall, std::move(reason)}; }

bool is_one(const Graph::Operand& o) { return !o.is_value() && o.literal.to_double() == 1; }

// How a flip reads its operand.
struct Flipped {
  Dims strides;
  int64_t first = 0;
};
Flipped flipped(const Graph& graph, const Graph::Node& node) {
  const Layout& x = *graph.layout(node.operands[0].value);
  Flipped read{Dims(x.strides())};
  if (x.rank == 0 || x.numel == 0) return read;
  const Attrs attrs(node.attrs);
  for (int64_t dim : list_attr(node.op, attrs, "dims")) {
    const int d = static_cast<int>(dim < 0 ? dim + x.rank : dim);
    read.first += (x.size(d) - 1) * x.stride(d);
    read.strides[d] = -x.stride(d);
  }
  return read;
}

const Dims& strides_of(const Taking& taking, size_t operand) {
  for (int i = 0; i < taking.num_indices; ++i)
    if (taking.indices[i].operand == static_cast<int>(operand)) return taking.indices[i].strides;
  return taking.strides;
}

std::string no_kernel(Op op, const std::string& problem) {
  return std::string(name(op)) + ": " + problem;
}
std::string no_kernel(Op op, Dtype dtype) {
  return no_kernel(op, "no kernel for " + std::string(name(dtype)));
}

}  // namespace

bool is_take(const Graph::Node& node) { return is_taking(node.op); }

bool reads_memory(const Graph::Node& node) { return is_take(node) || node.op == Op::flip; }

bool is_put(const Graph::Node& node) { return info(node.op).family == Family::kScatter; }

bool takes_memory(const Graph::Node& node, size_t operand) {
  return reads_memory(node) || (is_put(node) && operand != (node.op == Op::index_put ? 1 : 2));
}

Putting putting_of(const Graph& graph, const Graph::Node& node) {
  return frit::putting_of(node.op, operand_types(graph, node), Attrs(node.attrs),
                          *graph.layout(node.results[0]));
}

Taking taking_of(const Graph& graph, const Graph::Node& node) {
  return frit::taking_of(node.op, operand_types(graph, node), Attrs(node.attrs),
                         *graph.layout(node.results[0]));
}

static Dims put_strides(const Graph& graph, const Graph::Node& node, size_t operand) {
  const Putting putting = putting_of(graph, node);
  if (putting.source == static_cast<int>(operand)) return putting.source_strides;
  return strides_of(putting.to, operand);
}

Dims read_strides(const Graph& graph, const Graph::Node& node, size_t operand) {
  if (node.op == Op::flip) return flipped(graph, node).strides;
  if (is_put(node)) return put_strides(graph, node, operand);
  if (!is_take(node)) return Dims(graph.strides(node.operands[operand].value));
  return strides_of(taking_of(graph, node), operand);
}

int64_t read_offset(const Graph& graph, const Graph::Node& node) {
  return node.op == Op::flip ? flipped(graph, node).first : 0;
}

ResultTypes infer_node(const Graph& graph, const Graph::Node& node) {
  return infer(node.op, operand_types(graph, node), Attrs(node.attrs));
}

Dtype compute_dtype(const Graph& graph, const Graph::Node& node) {
  return promote(node.op, operand_types(graph, node)).compute;
}

std::vector<int> folded_dims(const Graph& graph, const Graph::Node& node) {
  const Layout& x = *graph.layout(node.operands[0].value);
  const Attrs attrs(node.attrs);
  std::vector<int> folded;
  for (int64_t d : normalize_dims(node.op, x, list_attr(node.op, attrs, "dims")))
    if (x.size(static_cast<int>(d)) != 1) folded.push_back(static_cast<int>(d));
  return folded;
}

int scanned_dim(const Graph& graph, const Graph::Node& node) {
  const int64_t dim = int_attr(node.op, Attrs(node.attrs), "dim");
  return static_cast<int>(dim < 0 ? dim + graph.layout(node.operands[0].value)->rank : dim);
}

bool scans_side_by_side(const Graph& graph, const Graph::Node& node) {
  return node.op == Op::logcumsumexp ||
         graph.layout(node.results[0])->stride(scanned_dim(graph, node)) > 1;
}

bool collapses(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  for (size_t i = 1; i < sizes.size(); ++i)
    if (strides[i - 1] != strides[i] * sizes[i]) return false;
  return true;
}

Roles::Roles(const Graph& graph, const Graph& user_graph, std::vector<int> came_from)
    : graph_(graph),
      user_graph_(user_graph),
      came_from_(std::move(came_from)),
      nodes_(graph.nodes().size()),
      needed_(graph.nodes().size()),
      materialized_(graph.nodes().size()) {
  for (Graph::ValueId v = 0; v < graph.num_values(); ++v) bases_.push_back(v);
  offsets_.resize(bases_.size());
  written_.resize(bases_.size(), -1);
  mark_needed();
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    if (!needed_[n]) continue;
    nodes_[n] = role_of(n);
    if (nodes_[n].role == Role::kView) note_view(n);
    if (nodes_[n].role == Role::kPut)
      written_[graph.nodes()[n].operands[0].value] = graph.nodes()[n].results[0];
  }
  mark_materialized();
}

void Roles::mark_needed() {
  std::vector<bool> used(static_cast<size_t>(graph_.num_values()));
  for (Graph::ValueId v : graph_.outputs()) used[v] = true;
  for (size_t n = nodes_.size(); n-- > 0;) {
    const Graph::Node& node = graph_.nodes()[n];
    if (info(node.op).traits == Traits::kEffect && refusal_.empty())
      refusal_ = no_kernel(node.op, "writes to memory");
    if (node.results.empty() && refusal_.empty())
      refusal_ = no_kernel(node.op, "its result depends on data");
    for (Graph::ValueId v : node.results) needed_[n] = needed_[n] || used[v];
    if (!needed_[n]) continue;
    for (const Graph::Operand& o : node.operands)
      if (o.is_value()) used[o.value] = true;
  }
}

void Roles::note_view(int n) {
  const Graph::Node& node = graph_.nodes()[n];
  const ResultType type = infer_node(graph_, node).results[0];
  const Graph::ValueId operand = node.operands[type.view_of].value, v = node.results[0];
  bases_[v] = bases_[operand];
  offsets_[v] = offsets_[operand] + type.offset;
}

NodeRole Roles::role_of(int n) const {
  const Graph::Node& node = graph_.nodes()[n];
  const OpInfo& row = info(node.op);
  const bool may_view = row.traits == Traits::kView || row.traits == Traits::kMayView;
  if (may_view && infer_node(graph_, node).results[0].view_of >= 0) return {Role::kView, {}};
  const OpLowering lowering = lowering_of(node.op);
  if (lowering.how == Lowering::kLibrary) return call();
  if (lowering.how == Lowering::kEager)
    return call(no_kernel(node.op, std::string(lowering.reason)));
  switch (row.family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return elementwise(node);
    case Family::kCopy:
      return reads_memory(node) ? from_memory(node) : NodeRole{Role::kPointwise, {}};
    case Family::kCast:
    case Family::kMove:
      return {Role::kPointwise, {}};
    case Family::kReduce:
      return reduce(node);
    case Family::kCreate:
      return create(node);
    case Family::kScan:
      return scan(node);
    case Family::kIndex:
      return from_memory(node);
    case Family::kScatter:
      return scatter(node);
    case Family::kArgReduce:
      return call(no_kernel(node.op, "rows are long, or lie apart"));
    case Family::kContract:
    case Family::kPool:
    case Family::kCat:
    case Family::kPad:
    case Family::kResample:
    case Family::kFft:
    case Family::kLinalg:
    case Family::kRecurrent:
    case Family::kSort:
    case Family::kStore:
    case Family::kComposite:
    case Family::kCustom:
      break;
  }
  FRIT_CHECK(false) << name(node.op) << " in a core graph";
  __builtin_unreachable();
}

NodeRole Roles::create(const Graph::Node& node) const {
  const Dtype dtype = graph_.dtype(node.results[0]);
  if (node.op == Op::arange && dtype != kBool) return {Role::kPointwise, {}};
  if (node.op == Op::full && is_kernel_dtype(dtype)) return {Role::kConstant, {}};
  return call(no_kernel(node.op, dtype));
}

// Integer ops that eager's kernel is to raise the error of, if there is one.
bool Roles::may_raise(const Graph::Node& node, Dtype compute) const {
  if (!minds_second_operand(node.op) || is_floating_point(compute)) return false;
  const Graph::Operand& second = node.operands[1];
  if (node.op == Op::pow)
    return second.is_value() ? graph_.is_scalar(second.value) : second.literal.to_int() < 0;
  return second.is_value() || is_zero_in(compute, second.literal);
}

NodeRole Roles::elementwise(const Graph::Node& node) const {
  // Such a power is products and roots, which normalize makes of it.
  if (node.op == Op::pow && !node.operands[1].is_value() && pow_expands(node.operands[1].literal))
    return call(no_kernel(node.op, "not expanded"));
  const Dtype compute = compute_dtype(graph_, node);
  if (may_raise(node, compute))
    return call(no_kernel(node.op, "an integer may be divided by 0, or have a negative power"));
  if (!is_kernel_dtype(compute) || reference::scalar_fn(node.op, compute) == nullptr)
    return call(no_kernel(node.op, compute));
  for (const Graph::Operand& o : node.operands) {
    if (!o.is_value() || graph_.is_scalar(o.value)) continue;
    const bool condition = node.op == Op::where && &o == node.operands.data();
    if (graph_.dtype(o.value) != (condition ? kBool : compute) ||
        graph_.sizes(o.value) != graph_.sizes(node.results[0]))
      return call(no_kernel(node.op, "operands are not of one type"));
  }
  return {Role::kPointwise, {}};
}

NodeRole Roles::reduce(const Graph::Node& node) const {
  const Layout& x = *graph_.layout(node.operands[0].value);
  const std::vector<int> folded = folded_dims(graph_, node);
  if (folded.empty()) return {Role::kPointwise, {}};
  std::vector<int64_t> sizes, strides;
  int64_t row = 1;
  for (int d : folded) {
    sizes.push_back(x.size(d));
    strides.push_back(x.stride(d));
    row *= x.size(d);
  }
  if (!collapses(sizes, strides) || (strides.back() > 1 && row > kMaxStridedRow))
    return call(no_kernel(node.op, "rows lie apart"));
  if (x.numel == row && row >= kLongRow) return call();
  return {Role::kReduce, {}};
}

NodeRole Roles::scan(const Graph::Node& node) const {
  const Layout &x = *graph_.layout(node.operands[0].value), &y = *graph_.layout(node.results[0]);
  const int dim = scanned_dim(graph_, node);
  if (x.numel == 0 || x.rank == 0 || x.size(dim) == 1) return call();
  int inner = y.rank - 1;
  while (y.size(inner) == 1) --inner;
  // As a transposing copy, eager's goes over it tile by tile.
  for (int d = 0; d < x.rank; ++d)
    if (x.size(d) != 1 && x.stride(d) > 0 && x.stride(d) < x.stride(inner))
      return call(no_kernel(node.op, "reads across its rows"));
  return {Role::kScan, {}};
}

NodeRole Roles::from_memory(const Graph::Node& node) const {
  if (graph_.layout(node.results[0])->numel == 0) return call();
  for (const Graph::Operand& o : node.operands)
    if (is_constant(o.value)) return call(no_kernel(node.op, "an operand is a constant"));
  return {Role::kPointwise, {}};
}

NodeRole Roles::scatter(const Graph::Node& node) const {
  const Attrs attrs(node.attrs);
  if (write_of(node.op, attrs) == Write::kMean)
    return call(no_kernel(node.op, "counts what it writes"));
  const Graph::Operand* alpha = node.op == Op::index_add ? &node.operands[3] : nullptr;
  if (alpha != nullptr && graph_.dtype(node.results[0]) == kBool && !is_one(*alpha))
    return call(no_kernel(node.op, "scales bools"));
  for (size_t k = 1; k < node.operands.size(); ++k) {
    const Graph::Operand& o = node.operands[k];
    if (!takes_memory(node, k) || !o.is_value() || graph_.is_scalar(o.value)) continue;
    if (graph_.layout(o.value)->numel == 0) return call();
    if (is_constant(o.value)) return call(no_kernel(node.op, "an operand is a constant"));
  }
  const Dims sizes = putting_of(graph_, node).sizes;
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  return empty || graph_.layout(node.results[0])->numel == 0 ? call() : NodeRole{Role::kPut, {}};
}

Roles::Called Roles::called(int node) const {
  const size_t n = static_cast<size_t>(node);
  if (n >= came_from_.size() || came_from_[n] < 0) return {graph_, graph_.nodes()[n]};
  return {user_graph_, user_graph_.nodes()[static_cast<size_t>(came_from_[n])]};
}

Graph::ValueId Roles::memory_of(Graph::ValueId v) const {
  while (written_[v] >= 0) v = written_[v];
  return v;
}

bool Roles::is_constant(Graph::ValueId v) const {
  const int node = graph_.def(base(v));
  return node >= 0 && nodes_[node].role == Role::kConstant;
}

Graph::Operand Roles::constant(Graph::ValueId v) const {
  FRIT_CHECK(is_constant(v));
  return graph_.nodes()[graph_.def(base(v))].operands[0];
}

void Roles::mark_materialized() {
  const auto mark = [&](Graph::ValueId v) {
    if (!graph_.is_scalar(v) && is_constant(v)) materialized_[graph_.def(base(v))] = true;
  };
  for (Graph::ValueId v : graph_.outputs()) mark(v);
  for (size_t n = 0; n < nodes_.size(); ++n)
    for (const Graph::Operand& o : graph_.nodes()[n].operands)
      if (nodes_[n].role == Role::kCall && o.is_value()) mark(o.value);
}

}  // namespace frit::scheduling

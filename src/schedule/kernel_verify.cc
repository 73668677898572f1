// Checks what every kernel must satisfy, so that writers and the interpreter need not.
//
//  1. Parameters have different names; every buffer has an access class for each dimension.
//  2. The body is one loop, over dimension 0. Inside a loop only loops over later dimensions stand.
//  3. Loops over one dimension run to one size.
//  4. Values are numbered densely in text order, and used where they are visible.
//  5. Loads and stores list open dimensions, ascending, and all along which the buffer moves. A
//     stored buffer moves along every open dimension, so that no element is written twice.
//  6. Ops have operands of one dtype, for which they have a meaning; 16-bit floats are only loaded,
//     stored and cast.
//  7. A reduction folds one dtype, none narrower than 32 bits but bool, has no loops inside, and
//     ends with its only yield.
//  8. A constant NaN is the canonical one.
//  9. A take's place is an i64, and nothing is stored to its buffer. An index is of an open
//     dimension, as i64 or i32.
// 10. A scan is of a dtype of at least 32 bits, and stands in a loop with no other inside, but not
//     in the outermost one.
// 11. A put's place is an i64. It stands in a loop with no other inside and without scans, and is
//     all that touches its buffer.
#pragma GCC optimize("Os")  // runs in tests and debug builds, and is large otherwise
#include <algorithm>
#include <set>
#include <sstream>

#include "frit/kernel.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/ops/reference/scan_step.h"
#include "src/schedule/kernel_text.h"
#include "src/schedule/kernel_walk.h"

namespace frit {
namespace {

template <class... T>
std::string text(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

bool is_value(KernelStmt::Kind kind) {
  return kind != KernelStmt::Kind::kStore && kind != KernelStmt::Kind::kPut &&
         kind != KernelStmt::Kind::kLoop && kind != KernelStmt::Kind::kYield;
}

// Every check returns the problem, or nothing.
class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& kernel)
      : kernel_(kernel), sizes_(std::max(kernel.rank, 1), -1) {}

  std::string run() {
    std::string problem = check_params();
    if (problem.empty() &&
        (kernel_.body.size() != 1 || kernel_.body[0].kind != KernelStmt::Kind::kLoop ||
         kernel_.body[0].dim != 0))
      problem = "the body is not one loop over %i0";
    if (problem.empty()) problem = check_body(kernel_.body);
    return problem.empty() ? problem : "kernel %" + kernel_.name + ": " + problem;
  }

 private:
  std::string check_params() {
    if (kernel_.rank < 1) return "no dimensions";
    std::set<std::string> names;
    for (const KernelParam& param : kernel_.params) {
      const std::string problem = check_param(param);
      if (!problem.empty()) return "%" + param.name + ": " + problem;
      if (!names.insert(param.name).second)
        return "%" + param.name + ": two parameters of this name";
    }
    return {};
  }

  std::string check_param(const KernelParam& param) const {
    const size_t rank =
        param.kind == KernelParam::Kind::kBuffer ? static_cast<size_t>(kernel_.rank) : 0;
    if (param.access.size() != rank)
      return text("number of access classes: ", param.access.size(), ", expected ", rank);
    if (param.kind == KernelParam::Kind::kSize && param.dtype != kInt64) return "a size is not i64";
    if (param.kind == KernelParam::Kind::kScalar && !is_kernel_dtype(param.dtype))
      return text("no scalars of ", name(param.dtype));
    return {};
  }

  std::string check_body(const std::vector<KernelStmt>& body) {
    const size_t visible = visible_.size();
    for (const KernelStmt& stmt : body) {
      const std::string problem = check_stmt(stmt);
      if (!problem.empty()) return problem;
    }
    visible_.resize(visible);
    return {};
  }

  // With the statement's place in front; problems inside loops have theirs.
  std::string check_stmt(const KernelStmt& stmt) {
    if (is_value(stmt.kind) ? stmt.id != next_id_ : stmt.id != -1)
      return text("value %", stmt.id, ": expected %", is_value(stmt.kind) ? next_id_ : -1);
    if (is_value(stmt.kind)) ++next_id_;
    for (int operand : stmt.operands) {
      const std::string problem = check_operand(operand);
      if (!problem.empty()) return place(stmt, problem);
    }
    const std::string problem = check_kind(stmt);
    if (problem.empty() && is_value(stmt.kind)) visible_.push_back({stmt.id, stmt.dtype});
    return problem;
  }

  std::string check_kind(const KernelStmt& stmt) {
    switch (stmt.kind) {
      case KernelStmt::Kind::kLoad:
        return place(stmt, check_load(stmt));
      case KernelStmt::Kind::kTake:
        return place(stmt, check_take(stmt));
      case KernelStmt::Kind::kIndex:
        return place(stmt, check_index(stmt));
      case KernelStmt::Kind::kScan:
        return place(stmt, check_scan(stmt));
      case KernelStmt::Kind::kConstant:
        return place(stmt, check_constant(stmt));
      case KernelStmt::Kind::kOp:
        return place(stmt, stmt.op == Op::cast ? check_cast(stmt) : check_op(stmt));
      case KernelStmt::Kind::kStore:
        return place(stmt, check_store(stmt));
      case KernelStmt::Kind::kPut:
        return place(stmt, check_put(stmt));
      case KernelStmt::Kind::kLoop:
        return check_loop(stmt);
      case KernelStmt::Kind::kReduce:
        return check_reduce(stmt);
      case KernelStmt::Kind::kYield:
        return "yield: stands elsewhere than at the end of a reduction";
    }
    __builtin_unreachable();
  }

  static std::string place(const KernelStmt& stmt, const std::string& problem) {
    if (problem.empty()) return {};
    if (is_value(stmt.kind)) return text("%", stmt.id, ": ", problem);
    return (stmt.kind == KernelStmt::Kind::kStore  ? "store: "
            : stmt.kind == KernelStmt::Kind::kPut  ? "put: "
            : stmt.kind == KernelStmt::Kind::kLoop ? "loop: "
                                                   : "yield: ") +
           problem;
  }

  struct Visible {
    int id;
    Dtype dtype;
  };

  const Visible* find(int id) const {
    for (const Visible& v : visible_)
      if (v.id == id) return &v;
    return nullptr;
  }

  std::string check_operand(int operand) const {
    if (operand >= 0)
      return find(operand) != nullptr ? std::string() : text("%", operand, " is not visible here");
    const size_t param = static_cast<size_t>(~operand);
    if (param >= kernel_.params.size() || kernel_.params[param].kind != KernelParam::Kind::kScalar)
      return text("parameter ", param, " is no scalar");
    return {};
  }

  Dtype dtype_of(int operand) const {
    return operand < 0 ? kernel_.params[~operand].dtype : find(operand)->dtype;
  }

  bool is_open(int dim) const {
    for (int d : open_)
      if (d == dim) return true;
    return false;
  }

  std::string check_element(const KernelStmt& stmt) const {
    if (stmt.param < 0 || stmt.param >= static_cast<int>(kernel_.params.size()) ||
        kernel_.params[stmt.param].kind != KernelParam::Kind::kBuffer)
      return text("parameter ", stmt.param, " is no buffer");
    const KernelParam& param = kernel_.params[stmt.param];
    int last = -1;
    std::vector<bool> listed(static_cast<size_t>(kernel_.rank));
    for (int dim : stmt.dims) {
      if (dim <= last) return "indices are not ascending";
      if (!is_open(dim)) return text("%i", dim, " is no index here");
      listed[last = dim] = true;
    }
    for (int d = 0; d < kernel_.rank; ++d)
      if (param.access[d] != Access::kBroadcast && !listed[d])
        return text("%", param.name, " moves along %i", d, ", which is not listed");
    return {};
  }

  std::string check_load(const KernelStmt& stmt) {
    std::string problem = check_element(stmt);
    if (problem.empty() && kernel_.params[stmt.param].dtype != stmt.dtype)
      problem = text("loads ", name(kernel_.params[stmt.param].dtype), " as ", name(stmt.dtype));
    return problem.empty() ? note_use(stmt.param, Use::kLoaded) : problem;
  }

  std::string check_take(const KernelStmt& stmt) {
    const std::string problem = check_load(stmt);
    if (!problem.empty()) return problem;
    if (stmt.operands.size() != 1) return "takes one value";
    if (dtype_of(stmt.operands[0]) != kInt64)
      return text("its place is ", name(dtype_of(stmt.operands[0])), ", expected i64");
    return note_use(stmt.param, Use::kTaken);
  }

  std::string check_index(const KernelStmt& stmt) const {
    if (!is_open(stmt.dim)) return text("%i", stmt.dim, " is no index here");
    return stmt.dtype == kInt64 || stmt.dtype == kInt32 ? "" : "an index is i64 or i32";
  }

  std::string check_scan(const KernelStmt& stmt) const {
    if (stmt.operands.size() != 1) return "takes one value";
    if (!reference::is_scan_step(stmt.op, kFloat32)) return text(name(stmt.op), " is no scan");
    if (dtype_of(stmt.operands[0]) != stmt.dtype)
      return text("scans ", name(dtype_of(stmt.operands[0])), " as ", name(stmt.dtype));
    if (!reference::is_scan_step(stmt.op, stmt.dtype))
      return text("no ", name(stmt.op), " of ", name(stmt.dtype));
    return scans_here_ ? "" : "stands elsewhere than in an inner loop";
  }

  // A buffer is not both stored to and taken from; what is put to has no other use.
  enum class Use : uint8_t { kNone, kLoaded, kTaken, kStored, kPut };
  std::string note_use(int param, Use use) {
    if (uses_.empty()) uses_.resize(kernel_.params.size());
    Use& so_far = uses_[param];
    if ((use == Use::kPut && so_far != Use::kNone) || so_far == Use::kPut)
      return text("%", kernel_.params[param].name, " is put to and used otherwise");
    if (use == Use::kLoaded && so_far != Use::kNone) return {};
    if (so_far > Use::kLoaded && so_far != use)
      return text("%", kernel_.params[param].name, " is both stored to and taken from");
    so_far = use;
    return {};
  }

  std::string check_put(const KernelStmt& stmt) {
    std::string problem = check_element(stmt);
    if (problem.empty()) problem = note_use(stmt.param, Use::kPut);
    if (!problem.empty()) return problem;
    if (!puts_here_) return "stands elsewhere than in an innermost loop without scans";
    if (stmt.operands.size() != 2) return "takes a place and a value";
    const Dtype dtype = kernel_.params[stmt.param].dtype, place = dtype_of(stmt.operands[0]),
                value = dtype_of(stmt.operands[1]);
    if (place != kInt64) return text("its place is ", name(place), ", expected i64");
    if (value != dtype) return text("puts ", name(value), " as ", name(dtype));
    return puts_with(stmt.op, dtype) ? "" : text("no ", name(stmt.op), " of ", name(dtype));
  }

  static bool puts_with(Op op, Dtype dtype) {
    if (op == Op::store) return true;
    const bool arithmetic = op == Op::add || op == Op::mul;
    if (!arithmetic && op != Op::maximum && op != Op::minimum) return false;
    return is_kernel_dtype(dtype) && !(arithmetic && dtype == kBool);
  }

  std::string check_store(const KernelStmt& stmt) {
    std::string problem = check_element(stmt);
    if (problem.empty()) problem = note_use(stmt.param, Use::kStored);
    if (!problem.empty()) return problem;
    const KernelParam& param = kernel_.params[stmt.param];
    if (stmt.operands.size() != 1) return "takes one value";
    if (dtype_of(stmt.operands[0]) != param.dtype)
      return text("stores ", name(dtype_of(stmt.operands[0])), " as ", name(param.dtype));
    for (int d : open_)
      if (param.access[d] == Access::kBroadcast)
        return text("%", param.name, " does not move along %i", d);
    return {};
  }

  std::string check_constant(const KernelStmt& stmt) const {
    if (!is_kernel_dtype(stmt.dtype)) return text("no constants of ", name(stmt.dtype));
    if (is_nan(stmt.dtype, stmt.bits) && stmt.bits != canonical_nan(stmt.dtype))
      return "a NaN that is not the canonical one";
    const int width = 8 * byte_size(stmt.dtype);
    if (width < 64 && stmt.bits >> width != 0) return "bits beyond the dtype's";
    if (stmt.dtype == kBool && stmt.bits > 1) return "bits beyond the dtype's";
    return {};
  }

  std::string check_op(const KernelStmt& stmt) const {
    if (!is_elementwise(stmt.op)) return text(name(stmt.op), " is not elementwise");
    const size_t count = static_cast<size_t>(info(stmt.op).operands);
    if (stmt.operands.size() != count)
      return text(name(stmt.op), " takes ", count, " operands, not ", stmt.operands.size());
    const size_t first = stmt.op == Op::where ? 1 : 0;
    if (first == 1 && dtype_of(stmt.operands[0]) != kBool) return "the condition is not bool";
    const Dtype compute = dtype_of(stmt.operands[first]);
    for (size_t i = first; i < count; ++i)
      if (dtype_of(stmt.operands[i]) != compute)
        return text("operand ", i + 1, " is ", name(dtype_of(stmt.operands[i])), ", expected ",
                    name(compute));
    if (!is_kernel_dtype(compute) || reference::scalar_fn(stmt.op, compute) == nullptr)
      return text(name(stmt.op), " has no meaning for ", name(compute));
    const Dtype result = reference::scalar_result(stmt.op, compute);
    if (stmt.dtype != result) return text("is ", name(stmt.dtype), ", expected ", name(result));
    return {};
  }

  static std::string check_cast(const KernelStmt& stmt) {
    return stmt.operands.size() != 1 ? "cast takes one operand" : "";
  }

  std::string check_range(const KernelStmt& stmt) {
    if (stmt.dim < 0 || stmt.dim >= kernel_.rank) return text("%i", stmt.dim, " is no dimension");
    if (!open_.empty() && stmt.dim <= open_.back())
      return text("%i", stmt.dim, " inside %i", open_.back());
    if (stmt.param < 0 || stmt.param >= static_cast<int>(kernel_.params.size()) ||
        kernel_.params[stmt.param].kind != KernelParam::Kind::kSize)
      return text("parameter ", stmt.param, " is no size");
    int& size = sizes_[stmt.dim];
    if (size >= 0 && size != stmt.param) return text("%i", stmt.dim, " has two sizes");
    size = stmt.param;
    return {};
  }

  std::string check_loop(const KernelStmt& stmt) {
    const std::string problem = check_range(stmt);
    if (!problem.empty()) return place(stmt, problem);
    open_.push_back(stmt.dim);
    scans_here_ = open_.size() > 1 && is_innermost(stmt);
    puts_here_ = is_innermost(stmt) && !has_scans(stmt);
    const std::string inside = check_body(stmt.body);
    scans_here_ = puts_here_ = false;
    open_.pop_back();
    return inside;
  }

  static bool has_scans(const KernelStmt& loop) {
    return std::any_of(loop.body.begin(), loop.body.end(),
                       [](const KernelStmt& stmt) { return stmt.kind == KernelStmt::Kind::kScan; });
  }

  std::string check_reduce(const KernelStmt& stmt) {
    std::string problem = check_range(stmt);
    if (problem.empty()) problem = check_reduction(stmt);
    if (!problem.empty()) return place(stmt, problem);
    open_.push_back(stmt.dim);
    const size_t visible = visible_.size();
    for (size_t i = 0; i + 1 < stmt.body.size() && problem.empty(); ++i)
      problem = check_stmt(stmt.body[i]);
    if (problem.empty()) problem = check_yield(stmt, stmt.body.back());
    visible_.resize(visible);
    open_.pop_back();
    return problem;
  }

  static bool folds(Op op, Dtype dtype) {
    const bool arithmetic = op == Op::sum || op == Op::prod;
    return is_kernel_dtype(dtype) && !is_small_int(dtype) && !(arithmetic && dtype == kBool);
  }

  static std::string check_reduction(const KernelStmt& stmt) {
    if (stmt.op != Op::sum && stmt.op != Op::prod && stmt.op != Op::amax && stmt.op != Op::amin)
      return text(name(stmt.op), " is no reduction");
    if (!folds(stmt.op, stmt.dtype)) return text("no ", name(stmt.op), " of ", name(stmt.dtype));
    if (stmt.body.empty() || stmt.body.back().kind != KernelStmt::Kind::kYield)
      return "does not end with a yield";
    for (const KernelStmt& inner : stmt.body)
      if (inner.kind == KernelStmt::Kind::kLoop || inner.kind == KernelStmt::Kind::kReduce)
        return "has a loop inside";
    return {};
  }

  std::string check_yield(const KernelStmt& reduce, const KernelStmt& yield) const {
    if (yield.operands.size() != 1) return "yield: takes one value";
    const std::string problem = check_operand(yield.operands[0]);
    if (!problem.empty()) return place(yield, problem);
    const Dtype yielded = dtype_of(yield.operands[0]);
    if (yielded != reduce.dtype)
      return text("yield: gives ", name(yielded), ", expected ", name(reduce.dtype));
    return {};
  }

  const Kernel& kernel_;
  std::vector<int> sizes_;  // the size parameter of each dimension
  std::vector<int> open_;
  std::vector<Use> uses_;  // of each buffer
  std::vector<Visible> visible_;
  bool scans_here_ = false;  // whether a scan may stand in this loop
  bool puts_here_ = false;   // likewise a put
  int next_id_ = 0;
};

}  // namespace

std::string Kernel::verify() const { return KernelVerifier(*this).run(); }

}  // namespace frit

// The one-line form of a pointwise kernel, for people: y[i] = x[i]*2 + 1.
//
// Buffers that are only read are called x (x0, x1, ... where there are several), those that are
// written y. A value that is used more than once gets a name of its own: t0 = exp(x[i]); y[i] = t0
// / (t0 + 1).
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <cmath>
#include <vector>

#include "frit/kernel.h"
#include "src/ops/op.h"
#include "src/schedule/kernel_text.h"
#include "src/schedule/kernel_walk.h"

namespace frit {
namespace {

// How tightly an expression binds.
enum class Binding : uint8_t { kSum, kProduct, kAtom };

struct Expression {
  std::string text;
  Binding binding = Binding::kAtom;
};

class OneLine {
 public:
  explicit OneLine(const Kernel& kernel) : kernel_(kernel), names_(kernel.params.size()) {}

  std::string run() {
    if (kernel_.rank != 1 || kernel_.body.size() != 1) return {};
    const KernelStmt& loop = kernel_.body[0];
    if (loop.kind != KernelStmt::Kind::kLoop) return {};
    for (const KernelStmt& stmt : loop.body)
      if (!stmt.body.empty() || stmt.kind == KernelStmt::Kind::kPut) return {};
    count_uses(loop.body, &uses_);
    uses_.resize(loop.body.size() + uses_.size());
    name_params(loop.body);
    for (const KernelStmt& stmt : loop.body) add(stmt);
    return line_;
  }

 private:
  void name_params(const std::vector<KernelStmt>& body) {
    std::vector<bool> written(names_.size());
    for (const KernelStmt& stmt : body)
      if (stmt.kind == KernelStmt::Kind::kStore) written[stmt.param] = true;
    std::vector<size_t> inputs, outputs;
    for (size_t p = 0; p < names_.size(); ++p) {
      names_[p] = kernel_.params[p].name;
      if (kernel_.params[p].kind == KernelParam::Kind::kBuffer)
        (written[p] ? outputs : inputs).push_back(p);
    }
    number(inputs, "x");
    number(outputs, "y");
  }

  void number(const std::vector<size_t>& params, const std::string& stem) {
    for (size_t i = 0; i < params.size(); ++i)
      names_[params[i]] = params.size() == 1 ? stem : stem + std::to_string(i);
  }

  void add(const KernelStmt& stmt) {
    if (stmt.kind == KernelStmt::Kind::kStore) {
      return statement(element(stmt) + " = " + operand(stmt.operands[0]).text);
    }
    Expression made = expression(stmt);
    if (stmt.kind == KernelStmt::Kind::kOp && uses_[stmt.id] > 1) {
      const std::string name = "t" + std::to_string(next_name_++);
      statement(name + " = " + made.text);
      made = {name};
    }
    values_.resize(std::max<size_t>(values_.size(), stmt.id + 1));
    values_[stmt.id] = std::move(made);
  }

  void statement(const std::string& text) { line_ += (line_.empty() ? "" : "; ") + text; }

  std::string element(const KernelStmt& stmt) const {
    const Access access = kernel_.params[stmt.param].access[0];
    return names_[stmt.param] + (access == Access::kBroadcast  ? "[0]"
                                 : access == Access::kReversed ? "[-i]"
                                                               : "[i]");
  }

  Expression operand(int value) const {
    if (value < 0) return {names_[~value]};
    return values_[value];
  }

  Expression expression(const KernelStmt& stmt) const {
    if (stmt.kind == KernelStmt::Kind::kLoad) return {element(stmt)};
    if (stmt.kind == KernelStmt::Kind::kTake)
      return {"take(" + element(stmt) + ", " + operand(stmt.operands[0]).text + ")"};
    if (stmt.kind == KernelStmt::Kind::kIndex) return {"i"};
    if (stmt.kind == KernelStmt::Kind::kConstant) return constant(stmt);
    if (stmt.op == Op::add) return infix(stmt, " + ", Binding::kSum);
    if (stmt.op == Op::sub) return infix(stmt, " - ", Binding::kSum);
    if (stmt.op == Op::mul) return infix(stmt, "*", Binding::kProduct);
    if (stmt.op == Op::div) return infix(stmt, "/", Binding::kProduct);
    std::string text(stmt.op == Op::cast ? name(stmt.dtype) : name(stmt.op));
    const char* separator = "(";
    for (int value : stmt.operands) {
      text += separator + operand(value).text;
      separator = ", ";
    }
    return {text + ")"};
  }

  // 2.0 is 2 here: what is meant is clear from the dtypes.
  static Expression constant(const KernelStmt& stmt) {
    std::string text = print_constant(stmt.dtype, stmt.bits);
    if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
    return {text, text[0] == '-' ? Binding::kSum : Binding::kAtom};
  }

  Expression infix(const KernelStmt& stmt, const std::string& sign, Binding binding) const {
    const auto wrapped = [&](int value, bool equal_binds) {
      const Expression e = operand(value);
      const bool binds = equal_binds ? e.binding >= binding : e.binding > binding;
      return binds ? e.text : "(" + e.text + ")";
    };
    return {wrapped(stmt.operands[0], true) + sign + wrapped(stmt.operands[1], false), binding};
  }

  const Kernel& kernel_;
  std::vector<std::string> names_;  // of parameters
  std::vector<int> uses_;
  std::vector<Expression> values_;
  std::string line_;
  int next_name_ = 0;
};

}  // namespace

std::string Kernel::one_line() const { return OneLine(*this).run(); }

}  // namespace frit

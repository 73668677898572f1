// Prints kernels.
#include <sstream>

#include "frit/kernel.h"
#include "src/ops/op.h"
#include "src/schedule/kernel_text.h"

namespace frit {
namespace {

class KernelPrinter {
 public:
  explicit KernelPrinter(const Kernel& kernel) : kernel_(kernel) {}

  std::string run() {
    out_ << "kernel %" << kernel_.name << '(';
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      if (i > 0) out_ << ", ";
      print_param(kernel_.params[i]);
    }
    out_ << ") {\n";
    print_body(kernel_.body, 1);
    out_ << "}\n";
    return out_.str();
  }

 private:
  void print_param(const KernelParam& param) {
    out_ << '%' << param.name << ": ";
    if (param.kind == KernelParam::Kind::kBuffer) {
      out_ << '*' << name(param.dtype);
      print_access(param.access);
    } else {
      out_ << name(param.dtype);
    }
  }

  static const char* class_text(Access access) {
    switch (access) {
      case Access::kBroadcast:
        return "0";
      case Access::kUnit:
        return "1";
      case Access::kReversed:
        return "-1";
      case Access::kStrided:
        break;
    }
    return "*";
  }

  // One unit dimension goes without saying.
  void print_access(const std::vector<Access>& access) {
    if (access.size() == 1 && access[0] == Access::kUnit) return;
    const char* separator = "[";
    for (Access a : access) {
      out_ << separator << class_text(a);
      separator = ",";
    }
    out_ << ']';
  }

  void print_body(const std::vector<KernelStmt>& body, int depth) {
    for (const KernelStmt& stmt : body) {
      out_ << std::string(static_cast<size_t>(depth) * 2, ' ');
      print_stmt(stmt, depth);
      out_ << '\n';
    }
  }

  void print_stmt(const KernelStmt& stmt, int depth) {
    if (stmt.id >= 0) out_ << '%' << stmt.id << ": " << name(stmt.dtype) << " = ";
    switch (stmt.kind) {
      case KernelStmt::Kind::kLoad:
        out_ << "load ";
        return print_element(stmt);
      case KernelStmt::Kind::kTake:
        out_ << "take ";
        print_element(stmt);
        out_ << " at";
        return print_operands(stmt);
      case KernelStmt::Kind::kIndex:
        out_ << "index %i" << stmt.dim;
        return;
      case KernelStmt::Kind::kScan:
        out_ << "scan " << name(stmt.op);
        return print_operands(stmt);
      case KernelStmt::Kind::kConstant:
        out_ << "constant " << print_constant(stmt.dtype, stmt.bits);
        return;
      case KernelStmt::Kind::kOp:
        out_ << name(stmt.op);
        return print_operands(stmt);
      case KernelStmt::Kind::kStore:
        out_ << "store ";
        print_element(stmt);
        out_ << ',';
        return print_operands(stmt);
      case KernelStmt::Kind::kPut:
        return print_put(stmt);
      case KernelStmt::Kind::kYield:
        out_ << "yield";
        return print_operands(stmt);
      case KernelStmt::Kind::kLoop:
        out_ << "loop ";
        return print_range(stmt, depth);
      case KernelStmt::Kind::kReduce:
        out_ << "reduce " << name(stmt.op) << ' ';
        return print_range(stmt, depth);
    }
  }

  void print_put(const KernelStmt& stmt) {
    out_ << "put ";
    if (stmt.op != Op::store) out_ << name(stmt.op) << ' ';
    print_element(stmt);
    out_ << " at";
    print_operands(stmt);
  }

  void print_element(const KernelStmt& stmt) {
    out_ << '%' << kernel_.params[stmt.param].name << '[';
    for (size_t i = 0; i < stmt.dims.size(); ++i) out_ << (i ? ", " : "") << "%i" << stmt.dims[i];
    out_ << ']';
  }

  void print_operands(const KernelStmt& stmt) {
    const char* separator = " ";
    for (int operand : stmt.operands) {
      out_ << separator << '%';
      if (operand < 0) {
        out_ << kernel_.params[~operand].name;
      } else {
        out_ << operand;
      }
      separator = ", ";
    }
  }

  void print_range(const KernelStmt& stmt, int depth) {
    out_ << "%i" << stmt.dim << " = 0 to %" << kernel_.params[stmt.param].name << " {\n";
    print_body(stmt.body, depth + 1);
    out_ << std::string(static_cast<size_t>(depth) * 2, ' ') << '}';
  }

  const Kernel& kernel_;
  std::ostringstream out_;
};

}  // namespace

std::string Kernel::print() const { return KernelPrinter(*this).run(); }

int Kernel::num_words() const {
  int words = 0;
  for (const KernelParam& param : params)
    words +=
        param.kind == KernelParam::Kind::kBuffer ? 1 + static_cast<int>(param.access.size()) : 1;
  return words;
}

}  // namespace frit

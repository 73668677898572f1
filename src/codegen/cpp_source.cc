// Kernels as C++ text.
#pragma GCC optimize("Os")  // text for people and compilers, and large otherwise
#include <sstream>

#include "src/base/check.h"
#include "src/codegen/cpp_writer.h"
#include "src/ops/op.h"

namespace frit::codegen {
namespace {

// The value type, and the type of an element in memory.
std::string value_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return "F32";
    case Dtype::kF64:
      return "F64";
    case Dtype::kI64:
      return "I64";
    case Dtype::kBool:
      return "Bool";
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kU8:
    case Dtype::kBF16:
    case Dtype::kF16:
      break;  // the 16-bit floats as their bits
  }
  return "I32";
}

std::string element_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return "float";
    case Dtype::kF64:
      return "double";
    case Dtype::kI64:
      return "int64_t";
    case Dtype::kBool:
      return "uint8_t";
    case Dtype::kI32:
      return "int32_t";
    case Dtype::kBF16:
    case Dtype::kF16:
      return "uint16_t";
    case Dtype::kI16:
      return "int16_t";
    case Dtype::kI8:
      return "int8_t";
    case Dtype::kU8:
      return "uint8_t";
  }
  return {};
}

// The small ints are i32 values, of which only the low bits count.
std::string wrapped(Dtype dtype, const std::string& text) {
  return is_small_int(dtype) ? "wrapped<" + element_type(dtype) + ">(" + text + ")" : text;
}

class CppPrinter {
 public:
  explicit CppPrinter(const Kernel& kernel) : kernel_(kernel) {}

  std::string run(std::string* reason) {
    out_ << "// Made from kernel %" << kernel_.name
         << ".\n#include \"src/codegen/cpp_prelude.h\"\n\n"
         << "namespace math = frit::math;\nusing namespace frit::generated;\n\n"
         << "extern \"C\" void kernel([[maybe_unused]] const uint64_t* args, int64_t begin, "
            "int64_t end) {\n";
    print_params();
    for (const KernelStmt& stmt : kernel_.body) print_loop(stmt, "begin", "end");
    out_ << "}\n";
    if (reason_.empty()) return out_.str();
    if (reason != nullptr) *reason = reason_;
    return {};
  }

 private:
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  // No name of C++ or of this file ends like that.
  std::string param(int index) const { return kernel_.params[index].name + "_"; }
  std::string operand(int value) const {
    return value < 0 ? param(~value) : "v" + std::to_string(value);
  }
  std::ostream& line() { return out_ << std::string(static_cast<size_t>(2 * depth_), ' '); }

  void print_params() {
    int word = 0;
    for (int p = 0; p < static_cast<int>(kernel_.params.size()); ++p) {
      const KernelParam& param = kernel_.params[p];
      const std::string argument = "args[" + std::to_string(word++) + "]";
      if (param.kind == KernelParam::Kind::kSize) {
        line() << "[[maybe_unused]] const int64_t " << this->param(p) << " = static_cast<int64_t>("
               << argument << ");\n";
      } else if (param.kind == KernelParam::Kind::kScalar) {
        const std::string type = value_type(param.dtype);
        line() << "const " << type << " " << this->param(p) << " = "
               << wrapped(param.dtype, "from_bits<" + type + ">(" + argument + ")") << ";\n";
      } else {
        line() << element_type(param.dtype) << "* const " << this->param(p)
               << " = reinterpret_cast<" << element_type(param.dtype) << "*>(" << argument
               << ");\n";
        print_strides(p, &word);
      }
    }
  }

  void print_strides(int p, int* word) {
    const KernelParam& param = kernel_.params[p];
    for (size_t d = 0; d < param.access.size(); ++d, ++*word) {
      if (param.access[d] != Access::kStrided) continue;
      line() << "const int64_t " << this->param(p) << d << " = static_cast<int64_t>(args[" << *word
             << "]);\n";
    }
  }

  // x_[i0 * x_0 + i1]
  std::string element(const KernelStmt& stmt) const {
    std::string index;
    for (int dim : stmt.dims) {
      const Access access = kernel_.params[stmt.param].access[dim];
      if (access == Access::kBroadcast) continue;
      if (access == Access::kReversed) {
        index += index.empty() ? "-" : " - ";
      } else if (!index.empty()) {
        index += " + ";
      }
      index += "i" + std::to_string(dim);
      if (access == Access::kStrided) index += " * " + param(stmt.param) + std::to_string(dim);
    }
    return param(stmt.param) + "[" + (index.empty() ? "0" : index) + "]";
  }

  void print_loop(const KernelStmt& stmt, const std::string& begin, const std::string& end) {
    for (const KernelStmt& scan : stmt.body)
      if (scan.kind == KernelStmt::Kind::kScan)
        line() << value_type(scan.dtype) << " s" << scan.id << "(" << scan_step(scan)
               << "::first());\n";
    const std::string index = "i" + std::to_string(stmt.dim);
    line() << "for (int64_t " << index << " = " << begin << "; " << index << " < " << end << "; ++"
           << index << ") {\n";
    print_body(stmt.body);
    line() << "}\n";
  }

  static std::string scan_step(const KernelStmt& stmt) {
    const char* step = stmt.op == Op::cumsum         ? "RunningSum"
                       : stmt.op == Op::cumprod      ? "RunningProduct"
                       : stmt.op == Op::cummax       ? "RunningMax"
                       : stmt.op == Op::cummin       ? "RunningMin"
                       : stmt.op == Op::logcumsumexp ? "RunningLogSum"
                                                     : nullptr;
    FRIT_CHECK(step != nullptr) << name(stmt.op) << " is no scan";
    return std::string("math::") + step + "<" + element_type(stmt.dtype) + ">";
  }

  void print_body(const std::vector<KernelStmt>& body) {
    ++depth_;
    for (const KernelStmt& stmt : body) print(stmt);
    --depth_;
  }

  void print(const KernelStmt& stmt) {
    switch (stmt.kind) {
      case KernelStmt::Kind::kLoad:
        return define(stmt, loaded(stmt.dtype, element(stmt)));
      case KernelStmt::Kind::kTake:
        return define(stmt, loaded(stmt.dtype, element_behind(stmt)));
      case KernelStmt::Kind::kIndex:
        return define(stmt, value_type(stmt.dtype) + "(static_cast<" + element_type(stmt.dtype) +
                                ">(i" + std::to_string(stmt.dim) + "))");
      case KernelStmt::Kind::kScan: {
        const std::string so_far = "s" + std::to_string(stmt.id);
        line() << so_far << " = " << value_type(stmt.dtype) << "(" << scan_step(stmt) << "::next("
               << so_far << ".value, " << operand(stmt.operands[0]) << ".value));\n";
        return define(stmt, so_far);
      }
      case KernelStmt::Kind::kConstant:
        return define(stmt, constant(stmt));
      case KernelStmt::Kind::kOp:
        return define(stmt, stmt.op == Op::cast ? cast(stmt) : call(stmt));
      case KernelStmt::Kind::kStore:
        line() << element(stmt) << " = static_cast<"
               << element_type(kernel_.params[stmt.param].dtype) << ">("
               << operand(stmt.operands[0]) << ".value);\n";
        return;
      case KernelStmt::Kind::kPut:
        return print_put(stmt);
      case KernelStmt::Kind::kLoop:
        return print_loop(stmt, "0", param(stmt.param));
      case KernelStmt::Kind::kReduce:
        return print_reduce(stmt);
      case KernelStmt::Kind::kYield:
        line() << "return " << operand(stmt.operands[0]) << ";\n";
        return;
    }
  }

  static std::string loaded(Dtype dtype, const std::string& element) {
    return dtype == Dtype::kBool ? "Bool(" + element + " != 0)" : element;
  }

  // (&x_[i0])[v1.value]
  std::string element_behind(const KernelStmt& stmt) const {
    return "(&" + element(stmt) + ")[" + operand(stmt.operands[0]) + ".value]";
  }

  void print_put(const KernelStmt& stmt) {
    const Dtype dtype = kernel_.params[stmt.param].dtype;
    const std::string to = element_behind(stmt);
    std::string value = operand(stmt.operands[1]);
    if (stmt.op != Op::store)
      value = "math::" + std::string(name(stmt.op)) + "(" + value_type(dtype) + "(" +
              loaded(dtype, to) + "), " + value + ")";
    line() << to << " = static_cast<" << element_type(dtype) << ">(" << value << ".value);\n";
  }

  Dtype dtype_of(int value) const {
    return value < 0 ? kernel_.params[~value].dtype : dtypes_[static_cast<size_t>(value)];
  }

  void note_dtype(const KernelStmt& stmt) {
    if (stmt.id >= static_cast<int>(dtypes_.size()))
      dtypes_.resize(static_cast<size_t>(stmt.id) + 1);
    dtypes_[static_cast<size_t>(stmt.id)] = stmt.dtype;
  }

  void define(const KernelStmt& stmt, const std::string& expression) {
    note_dtype(stmt);
    line() << "const " << value_type(stmt.dtype) << " v" << stmt.id << " = " << expression << ";\n";
  }

  // As a number where that is exact, else as bits.
  static std::string constant(const KernelStmt& stmt) {
    std::ostringstream text;
    switch (stmt.dtype) {
      case Dtype::kBool:
        return stmt.bits != 0 ? "Bool(true)" : "Bool(false)";
      case Dtype::kF32:
        text << std::hexfloat << __builtin_bit_cast(float, static_cast<uint32_t>(stmt.bits)) << "f";
        break;
      case Dtype::kF64:
        text << std::hexfloat << __builtin_bit_cast(double, stmt.bits);
        break;
      case Dtype::kI64:
      case Dtype::kI32:
      case Dtype::kBF16:
      case Dtype::kF16:
      case Dtype::kI16:
      case Dtype::kI8:
      case Dtype::kU8:
        break;
    }
    const std::string number = text.str();
    if (!number.empty() && number.find_first_of("in") == std::string::npos)
      return number;  // inf, nan
    text.str("");
    text << "from_bits<" << value_type(stmt.dtype) << ">(0x" << std::hex << stmt.bits << ")";
    return wrapped(stmt.dtype, text.str());
  }

  std::string call(const KernelStmt& stmt) const {
    std::string text = stmt.op == Op::where ? "pick(" : "math::" + std::string(name(stmt.op)) + "(";
    for (size_t i = 0; i < stmt.operands.size(); ++i)
      text += (i > 0 ? ", " : "") + operand(stmt.operands[i]);
    return stmt.dtype == Dtype::kBool && stmt.op != Op::where ? "as_bool(" + text + "))"
                                                              : wrapped(stmt.dtype, text + ")");
  }

  std::string cast(const KernelStmt& stmt) {
    const Dtype from = dtype_of(stmt.operands[0]), to = stmt.dtype;
    std::string value = operand(stmt.operands[0]);
    if (from == to) return value;
    if (from == Dtype::kBF16) value = "math::from_bfloat16(" + value + ")";
    if (from == Dtype::kF16) value = "math::from_half(" + value + ")";
    if (to == Dtype::kBF16) return "math::to_bfloat16(cast<F32>(" + value + "))";
    if (to == Dtype::kF16) return "math::to_half(cast<F32>(" + value + "))";
    return wrapped(to, "cast<" + value_type(to) + ">(" + value + ")");
  }

  void print_reduce(const KernelStmt& stmt) {
    const char* fold = stmt.op == Op::sum    ? "SumFold"
                       : stmt.op == Op::prod ? "ProdFold"
                       : stmt.op == Op::amax ? "MaxFold"
                                             : "MinFold";
    const std::string type = stmt.dtype == Dtype::kBool ? "bool" : element_type(stmt.dtype);
    std::ostringstream head;
    head << "reduce<" << fold << "<" << type << ">>(" << param(stmt.param)
         << ", [&]([[maybe_unused]] int64_t i" << stmt.dim << ") {";
    note_dtype(stmt);
    line() << "const " << value_type(stmt.dtype) << " v" << stmt.id << " = " << head.str() << "\n";
    print_body(stmt.body);
    line() << "});\n";
  }

  const Kernel& kernel_;
  std::ostringstream out_;
  std::string reason_;
  std::vector<Dtype> dtypes_;
  int depth_ = 1;
};

}  // namespace

std::string cpp_source(const Kernel& kernel, std::string* reason) {
  return CppPrinter(kernel).run(reason);
}

}  // namespace frit::codegen

// Parses the text form of kernels.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <map>

#include "frit/kernel.h"
#include "src/ops/op.h"
#include "src/schedule/kernel_text.h"

namespace frit {
namespace {

constexpr int kMaxNesting = 64;

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : lexer_(text, "kernel") {}

  Kernel parse() {
    lexer_.expect("kernel");
    kernel_.name = std::string(lexer_.expect_name());
    parse_params();
    kernel_.rank = rank_ < 0 ? 1 : rank_;
    kernel_.body = parse_body(0);
    if (!lexer_.at_end()) lexer_.fail("expected the end");
    return std::move(kernel_);
  }

 private:
  Dtype parse_dtype() {
    for (int d = 0; d < kNumDtypes; ++d)
      if (lexer_.accept(name(static_cast<Dtype>(d)))) return static_cast<Dtype>(d);
    lexer_.fail("expected a dtype");
  }

  void parse_params() {
    lexer_.expect("(");
    if (lexer_.accept(")")) return;
    do {
      KernelParam param;
      const base::Token at = lexer_.peek();
      param.name = std::string(lexer_.expect_name());
      lexer_.expect(":");
      if (lexer_.accept("*")) {
        param.dtype = parse_dtype();
        param.access = parse_access();
      } else {
        // A size is an i64 that a loop runs to; which of the two an i64 is shows in the body.
        param.kind = KernelParam::Kind::kScalar;
        param.dtype = parse_dtype();
      }
      if (!params_.emplace(param.name, static_cast<int>(kernel_.params.size())).second)
        lexer_.fail("%" + std::string(at.text) + " is defined twice");
      kernel_.params.push_back(std::move(param));
    } while (lexer_.accept(","));
    lexer_.expect(")");
  }

  std::vector<Access> parse_access() {
    std::vector<Access> access;
    if (!lexer_.accept("[")) {
      access.push_back(Access::kUnit);
    } else {
      do {
        if (lexer_.accept("*")) {
          access.push_back(Access::kStrided);
          continue;
        }
        const int64_t stride = lexer_.expect_int();
        if (stride < -1 || stride > 1) lexer_.fail("expected 0, 1, -1 or *");
        access.push_back(stride == 1   ? Access::kUnit
                         : stride == 0 ? Access::kBroadcast
                                       : Access::kReversed);
      } while (lexer_.accept(","));
      lexer_.expect("]");
    }
    const int rank = static_cast<int>(access.size());
    if (rank_ >= 0 && rank != rank_)
      lexer_.fail("expected as many dimensions as in the other buffers");
    rank_ = rank;
    return access;
  }

  std::vector<KernelStmt> parse_body(int nesting) {
    if (nesting > kMaxNesting) lexer_.fail("loops are nested too deep");
    std::vector<KernelStmt> body;
    lexer_.expect("{");
    while (!lexer_.accept("}")) body.push_back(parse_stmt(nesting));
    return body;
  }

  KernelStmt parse_stmt(int nesting) {
    KernelStmt stmt{};
    stmt.kind = KernelStmt::Kind::kOp;
    if (lexer_.accept("loop")) {
      stmt.kind = KernelStmt::Kind::kLoop;
      parse_range(&stmt, nesting);
    } else if (lexer_.accept("store")) {
      stmt.kind = KernelStmt::Kind::kStore;
      parse_element(&stmt);
      lexer_.expect(",");
      stmt.operands.push_back(parse_operand());
    } else if (lexer_.accept("put")) {
      parse_put(&stmt);
    } else if (lexer_.accept("yield")) {
      stmt.kind = KernelStmt::Kind::kYield;
      stmt.operands.push_back(parse_operand());
    } else {
      parse_value(&stmt, nesting);
    }
    return stmt;
  }

  void parse_put(KernelStmt* stmt) {
    stmt->kind = KernelStmt::Kind::kPut;
    stmt->op = lexer_.peek().kind == base::TokenKind::kWord ? parse_op() : Op::store;
    parse_element(stmt);
    lexer_.expect("at");
    stmt->operands.push_back(parse_operand());
    lexer_.expect(",");
    stmt->operands.push_back(parse_operand());
  }

  void parse_value(KernelStmt* stmt, int nesting) {
    const std::string id(lexer_.expect_name());
    if (id != std::to_string(next_id_))
      lexer_.fail("expected %" + std::to_string(next_id_) + " instead of %" + id);
    stmt->id = next_id_++;
    lexer_.expect(":");
    stmt->dtype = parse_dtype();
    lexer_.expect("=");
    if (lexer_.accept("load")) {
      stmt->kind = KernelStmt::Kind::kLoad;
      parse_element(stmt);
    } else if (lexer_.accept("take")) {
      stmt->kind = KernelStmt::Kind::kTake;
      parse_element(stmt);
      lexer_.expect("at");
      stmt->operands.push_back(parse_operand());
    } else if (lexer_.accept("index")) {
      stmt->kind = KernelStmt::Kind::kIndex;
      stmt->dim = parse_dim();
    } else if (lexer_.accept("scan")) {
      stmt->kind = KernelStmt::Kind::kScan;
      stmt->op = parse_op();
      stmt->operands.push_back(parse_operand());
    } else if (lexer_.accept("constant")) {
      if (!is_kernel_dtype(stmt->dtype)) lexer_.fail("no constants of this dtype");
      stmt->kind = KernelStmt::Kind::kConstant;
      stmt->bits = parse_constant(lexer_, stmt->dtype);
    } else if (lexer_.accept("reduce")) {
      stmt->kind = KernelStmt::Kind::kReduce;
      stmt->op = parse_op();
      parse_range(stmt, nesting);
    } else {
      stmt->op = parse_op();
      do {
        stmt->operands.push_back(parse_operand());
      } while (lexer_.accept(","));
    }
  }

  Op parse_op() {
    const std::optional<Op> op = op_named(lexer_.peek().text);
    if (!op || lexer_.peek().kind != base::TokenKind::kWord) lexer_.fail("expected an op");
    lexer_.next();
    return *op;
  }

  // %3, or a scalar parameter.
  int parse_operand() {
    int64_t id = 0;
    const base::Token token = lexer_.peek();
    if (token.kind != base::TokenKind::kName) lexer_.fail("expected a value");
    if (base::parse_int(token.text, &id)) {
      if (id < 0 || id >= next_id_) lexer_.fail("expected a value defined before");
      lexer_.next();
      return static_cast<int>(id);
    }
    return ~parse_param(KernelParam::Kind::kScalar, "expected a value or a scalar");
  }

  int parse_param(KernelParam::Kind kind, const char* expected) {
    const auto it = params_.find(std::string(lexer_.peek().text));
    if (lexer_.peek().kind != base::TokenKind::kName || it == params_.end() ||
        kernel_.params[it->second].kind != kind)
      lexer_.fail(expected);
    lexer_.next();
    return it->second;
  }

  // %i2, and %i for %i0.
  int parse_dim() {
    int64_t dim = 0;
    const std::string_view text = lexer_.peek().text;
    const bool is_index = lexer_.peek().kind == base::TokenKind::kName && text.starts_with("i") &&
                          (text == "i" || base::parse_int(text.substr(1), &dim));
    if (!is_index || dim < 0 || dim >= kernel_.rank) lexer_.fail("expected an index");
    lexer_.next();
    return static_cast<int>(dim);
  }

  void parse_element(KernelStmt* stmt) {
    stmt->param = parse_param(KernelParam::Kind::kBuffer, "expected a buffer");
    lexer_.expect("[");
    if (lexer_.accept("]")) return;
    do {
      stmt->dims.push_back(parse_dim());
    } while (lexer_.accept(","));
    lexer_.expect("]");
  }

  void parse_range(KernelStmt* stmt, int nesting) {
    stmt->dim = parse_dim();
    lexer_.expect("=");
    if (lexer_.expect_int() != 0) lexer_.fail("expected a loop from 0");
    lexer_.expect("to");
    const auto it = params_.find(std::string(lexer_.peek().text));
    if (it != params_.end() && kernel_.params[it->second].kind == KernelParam::Kind::kScalar &&
        kernel_.params[it->second].dtype == kInt64)
      kernel_.params[it->second].kind = KernelParam::Kind::kSize;
    stmt->param = parse_param(KernelParam::Kind::kSize, "expected a size");
    stmt->body = parse_body(nesting + 1);
  }

  base::Lexer lexer_;
  Kernel kernel_;
  std::map<std::string, int> params_;
  int rank_ = -1;
  int next_id_ = 0;
};

}  // namespace

Kernel Kernel::parse(std::string_view text) { return KernelParser(text).parse(); }

}  // namespace frit

// Routes the ops of linear algebra to src/linalg, and says what failed.
#include "src/ops/matrix.h"

#include <algorithm>
#include <limits>
#include <string>

#include "src/base/check.h"
#include "src/linalg/linalg.h"
#include "src/ops/infer.h"

namespace frit {
namespace {

bool flag(const OpCall& call, std::string_view name) {
  return int_attr(call.op, call.attrs, name) != 0;
}

// One matrix of a call, typed.
template <class T>
struct Matrix {
  const OpCall& call;
  const MatrixMemory& memory;
  int64_t rows, cols;

  Matrix(const OpCall& c, const MatrixMemory& m) : call(c), memory(m) {
    const Layout& a = *c.operands[0].layout();
    rows = a.size(a.rank - 2), cols = a.size(a.rank - 1);
  }
  const T* in(int i) const { return reinterpret_cast<const T*>(memory.operands[i]); }
  T* out(int i) const { return reinterpret_cast<T*>(memory.results[i]); }

  // Of the right side: the size that is not that of the matrix.
  int64_t sides(bool left) const {
    const Layout& b = *call.operands[1].layout();
    return b.size(b.rank - (left ? 1 : 2));
  }

  // Without elements nothing is computed; a basis of what is left is the identity.
  void run_empty() const {
    for (int i = 0; i < info(call.op).results; ++i)
      if (out(i) != nullptr && call.op == Op::svd) fill_identity(out(i), std::max(rows, cols));
    if (call.op == Op::qr && out(0) != nullptr) fill_identity(out(0), rows);
  }
  static void fill_identity(T* q, int64_t n) {
    std::fill_n(q, n * n, T(0));
    for (int64_t i = 0; i < n; ++i) q[i * n + i] = T(1);
  }

  int64_t qr() const {
    const bool complete = int_attr(call.op, call.attrs, "mode") == 1;
    dense::factor_qr(in(0), rows, cols, complete ? rows : std::min(rows, cols), out(0), out(1));
    return 0;
  }
  int64_t solve_triangular() const {
    const dense::Triangle triangle{flag(call, "upper"), flag(call, "unit"), flag(call, "left")};
    dense::solve_triangular(in(0), in(1), rows, sides(triangle.left), triangle, out(0));
    return 0;
  }
  int64_t inv() const {
    const int64_t status = dense::invert(in(0), rows, out(0));
    if (status == 0 || flag(call, "check")) return status;
    std::fill_n(out(0), rows * rows, std::numeric_limits<T>::infinity());
    return 0;
  }
  int64_t lu_factor() const {
    dense::factor_lu(in(0), rows, cols, out(0), reinterpret_cast<int32_t*>(memory.results[1]));
    return 0;
  }

  int64_t run() const {
    if (rows == 0 || cols == 0) {
      run_empty();
      return 0;
    }
    switch (call.op) {
      case Op::inv:
        return inv();
      case Op::solve:
        return dense::solve(in(0), in(1), rows, sides(true), out(0));
      case Op::solve_triangular:
        return solve_triangular();
      case Op::lu_factor:
        return lu_factor();
      case Op::cholesky:
        return dense::factor_cholesky(in(0), rows, flag(call, "upper"), out(0));
      case Op::qr:
        return qr();
      case Op::svd:
        return dense::factor_svd(in(0), rows, cols, flag(call, "full"), out(0), out(1), out(2)) ? 0
                                                                                                : 1;
      case Op::eigh:
        return dense::factor_symmetric(in(0), rows, flag(call, "upper"), out(0), out(1)) ? 0 : 1;
      default:
        FRIT_CHECK(false) << name(call.op);
        return 0;
    }
  }
};

}  // namespace

int64_t matrix_count(const Layout& a) {
  int64_t count = 1;
  for (int d = 0; d < a.rank - 2; ++d) count *= a.size(d);
  return count;
}

int64_t elements_of_one(const Layout& layout, int64_t count) { return layout.numel / count; }

int64_t run_matrix(const OpCall& call, const MatrixMemory& memory) {
  if (call.operands[0].layout()->dtype == kFloat64) return Matrix<double>(call, memory).run();
  return Matrix<float>(call, memory).run();
}

void fail_matrix(const OpCall& call, int64_t number, int64_t status) {
  const std::string which = call.operands[0].layout()->rank > 2
                                ? "matrix " + std::to_string(number) + " of the batch"
                                : "the matrix";
  const std::string place = std::to_string(status);
  if (call.op == Op::cholesky)
    fail(call, ErrorKind::kRuntime,
         which + " is not positive-definite: the leading minor of order " + place + " is not");
  if (call.op == Op::svd || call.op == Op::eigh)
    fail(call, ErrorKind::kRuntime, which + " has elements that are not finite");
  fail(call, ErrorKind::kRuntime,
       which + " is singular: diagonal element " + place + " of its LU factors is zero");
}

}  // namespace frit

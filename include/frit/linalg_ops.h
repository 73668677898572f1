// Linear algebra, as free functions with the names, arguments and meaning of torch.linalg.
//
//   Tensor x = frit::linalg::solve(a, b);
//   auto [q, r] = frit::linalg::qr(a);
//
// Matrices are the last two dimensions of f32 or f64 tensors, all before them a batch. What cannot
// be done (a singular matrix, one that is not square) is ErrorKind::kRuntime. Signs of singular
// vectors and eigenvectors are any.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "frit/tensor.h"

namespace frit::linalg {

Tensor inv(const Tensor& a);
Tensor det(const Tensor& a);
// The determinant's sign and the logarithm of its absolute value.
std::pair<Tensor, Tensor> slogdet(const Tensor& a);
// x of a @ x = b, or of x @ a = b unless `left`. b holds matrices, or vectors: one dimension less
// than a, and a's batch; or one alone. Batches broadcast.
Tensor solve(const Tensor& a, const Tensor& b, bool left = true);
// As solve of matrices b, from one triangle of a.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left = true,
                        bool unitriangular = false);
Tensor cholesky(const Tensor& a, bool upper = false);
// x of a @ x = b, and the inverse of a, from the factor that cholesky(a) gives.
Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper = false);
Tensor cholesky_inverse(const Tensor& factor, bool upper = false);
// mode "reduced", "complete", or "r": without q, which is empty then.
std::pair<Tensor, Tensor> qr(const Tensor& a, const std::string& mode = "reduced");
// L and U in one matrix, and the exchanges of rows as LAPACK numbers them.
std::pair<Tensor, Tensor> lu_factor(const Tensor& a);

struct Svd {
  Tensor u, s, vh;
};
Svd svd(const Tensor& a, bool full_matrices = true);
Tensor svdvals(const Tensor& a);
// Of symmetric matrices, reading the triangle "L" or "U": eigenvalues, rising, and eigenvectors.
std::pair<Tensor, Tensor> eigh(const Tensor& a, const std::string& uplo = "L");
Tensor eigvalsh(const Tensor& a, const std::string& uplo = "L");

Tensor matrix_power(const Tensor& a, int64_t n);

// Singular values up to max(atol, rtol * the largest) count as 0. Without both rtol is that of the
// dtype times the larger size.
struct Cutoff {
  std::optional<double> atol, rtol;
  bool hermitian = false;
};
Tensor pinv(const Tensor& a, const Cutoff& cutoff = {});
Tensor matrix_rank(const Tensor& a, const Cutoff& cutoff = {});
// The shortest of the x that bring a @ x nearest to b.
struct Lstsq {
  Tensor solution, residuals, rank, singular_values;
};
Lstsq lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = std::nullopt);

// Norms of matrices by a number (1, -1, 2, -2, inf, -inf) or a name ("fro", "nuc").
Tensor matrix_norm(const Tensor& a, double ord, IntArrayRef dim = {-2, -1}, bool keepdim = false);
Tensor matrix_norm(const Tensor& a, const std::string& ord = "fro", IntArrayRef dim = {-2, -1},
                   bool keepdim = false);
// The norm of a times that of its inverse; of 2 (as without p) and -2 a quotient of singular
// values.
Tensor cond(const Tensor& a, double p = 2);
Tensor cond(const Tensor& a, const std::string& p);

}  // namespace frit::linalg

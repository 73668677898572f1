// Losses, as free functions with PyTorch's names, arguments and meaning.
//
//   Tensor loss = frit::cross_entropy(logits, labels);
//   Tensor each = frit::mse_loss(x, y, Reduction::kNone);
//
// x and the target broadcast and promote; floating point only. Sizes or dtypes that do not fit are
// ErrorKind::kRuntime.
#pragma once

#include "frit/ops.h"

namespace frit {

// What becomes of the losses of the elements.
enum class Reduction : uint8_t { kNone, kMean, kSum };

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean);
Tensor l1_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean);
// Quadratic where |x - target| is below beta or delta, else linear.
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean,
                      double beta = 1);
Tensor huber_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean,
                  double delta = 1);
// x must lie in [0, 1], which waits for its value. The weight broadcasts.
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::kMean);
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        const Tensor& weight = {}, const Tensor& pos_weight = {},
                                        Reduction reduction = Reduction::kMean);
// x holds logarithms; so does the target where log_target.
Tensor kl_div(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean,
              bool log_target = false);
// -x[n, target[n, ...], ...] * weight[target[n, ...]] for x [n, c, ...] or [c]; of targets
// ignore_index it is 0. The mean is by weight. Targets out of range are kIndex.
Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                int64_t ignore_index = -100, Reduction reduction = Reduction::kMean);
// nll_loss of log_softmax. Targets of x's sizes and a float dtype are probabilities.
Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                     int64_t ignore_index = -100, Reduction reduction = Reduction::kMean,
                     double label_smoothing = 0);
// log(1 + exp(-target*x))
Tensor soft_margin_loss(const Tensor& x, const Tensor& target,
                        Reduction reduction = Reduction::kMean);
// max(0, margin - target*(a - b))
Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& target,
                           double margin = 0, Reduction reduction = Reduction::kMean);
// x where the target is 1, max(0, margin - x) where it is -1.
Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin = 1,
                            Reduction reduction = Reduction::kMean);
// exp(x) - target*x, or x - target*log(x + eps); where `full`, with Stirling's approximation of
// log(target!).
Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input = true,
                        bool full = false, double eps = 1e-8,
                        Reduction reduction = Reduction::kMean);
// (log(var) + (x - target)^2 / var) / 2 with var not below eps; negative variances are kValue.
Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& var,
                         bool full = false, double eps = 1e-6,
                         Reduction reduction = Reduction::kMean);

}  // namespace frit

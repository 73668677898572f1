// The losses of frit.nn.functional.
#include "frit/losses.h"

#include "src/python/function.h"

namespace frit::python {
namespace {

using Maybe = std::optional<Tensor>;

Reduction reduction_of(const std::string& text) {
  if (text == "none") return Reduction::kNone;
  if (text == "mean") return Reduction::kMean;
  if (text == "sum") return Reduction::kSum;
  throw Error(ErrorKind::kValue, "reduction=" + text + ": expected none, mean or sum");
}

Tensor or_undefined(const Maybe& tensor) { return tensor.value_or(Tensor()); }

template <Tensor (*fn)(const Tensor&, const Tensor&, Reduction)>
constexpr auto kPair = [](const Tensor& x, const Tensor& target, const std::string& reduction) {
  return fn(x, target, reduction_of(reduction));
};
template <Tensor (*fn)(const Tensor&, const Tensor&, Reduction, double)>
constexpr auto kPairWith =
    [](const Tensor& x, const Tensor& target, const std::string& reduction, double parameter) {
      return fn(x, target, reduction_of(reduction), parameter);
    };

constexpr auto kBce = [](const Tensor& x, const Tensor& target, const Maybe& weight,
                         const std::string& reduction) {
  return binary_cross_entropy(x, target, or_undefined(weight), reduction_of(reduction));
};
constexpr auto kBceWithLogits = [](const Tensor& x, const Tensor& target, const Maybe& weight,
                                   const std::string& reduction, const Maybe& pos_weight) {
  return binary_cross_entropy_with_logits(x, target, or_undefined(weight), or_undefined(pos_weight),
                                          reduction_of(reduction));
};
// Besides the others' reductions: batchmean, the sum over the first dimension's size.
constexpr auto kKlDiv = [](const Tensor& x, const Tensor& target, const std::string& reduction,
                           bool log_target) {
  if (reduction != "batchmean") return kl_div(x, target, reduction_of(reduction), log_target);
  const Tensor total = kl_div(x, target, Reduction::kSum, log_target);
  return x.dim() == 0 ? total : div(total, x.size(0));
};
constexpr auto kNll = [](const Tensor& x, const Tensor& target, const Maybe& weight,
                         int64_t ignore_index, const std::string& reduction) {
  return nll_loss(x, target, or_undefined(weight), ignore_index, reduction_of(reduction));
};
constexpr auto kCrossEntropy = [](const Tensor& x, const Tensor& target, const Maybe& weight,
                                  int64_t ignore_index, const std::string& reduction,
                                  double smoothing) {
  return cross_entropy(x, target, or_undefined(weight), ignore_index, reduction_of(reduction),
                       smoothing);
};
constexpr auto kMarginRanking = [](const Tensor& a, const Tensor& b, const Tensor& target,
                                   double margin, const std::string& reduction) {
  return margin_ranking_loss(a, b, target, margin, reduction_of(reduction));
};
constexpr auto kHingeEmbedding = [](const Tensor& x, const Tensor& target, double margin,
                                    const std::string& reduction) {
  return hinge_embedding_loss(x, target, margin, reduction_of(reduction));
};
constexpr auto kPoisson = [](const Tensor& x, const Tensor& target, bool log_input, bool full,
                             double eps, const std::string& reduction) {
  return poisson_nll_loss(x, target, log_input, full, eps, reduction_of(reduction));
};
constexpr auto kGaussian = [](const Tensor& x, const Tensor& target, const Tensor& var, bool full,
                              double eps, const std::string& reduction) {
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    throw Error(ErrorKind::kValue, reduction + " is not valid");
  return gaussian_nll_loss(x, target, var, full, eps, reduction_of(reduction));
};

Function table[] = {
    {"mse_loss",
     kNeural,
     {{"input, target, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kPair<mse_loss>>}}},
    {"l1_loss",
     kNeural,
     {{"input, target, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kPair<l1_loss>>}}},
    {"soft_margin_loss",
     kNeural,
     {{"input, target, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kPair<soft_margin_loss>>}}},
    {"smooth_l1_loss",
     kNeural,
     {{"input, target, ~size_average=None, ~reduce=None, reduction='mean', beta=1.0",
       overload<kPairWith<smooth_l1_loss>>}}},
    {"huber_loss",
     kNeural,
     {{"input, target, reduction='mean', delta=1.0", overload<kPairWith<huber_loss>>}}},
    {"binary_cross_entropy",
     kNeural,
     {{"input, target, weight=None, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kBce>}}},
    {"binary_cross_entropy_with_logits",
     kNeural,
     {{"input, target, weight=None, ~size_average=None, ~reduce=None, reduction='mean', "
       "pos_weight=None",
       overload<kBceWithLogits>}}},
    {"kl_div",
     kNeural,
     {{"input, target, ~size_average=None, ~reduce=None, reduction='mean', log_target=False",
       overload<kKlDiv>}}},
    {"nll_loss",
     kNeural,
     {{"input, target, weight=None, ~size_average=None, ignore_index=-100, ~reduce=None, "
       "reduction='mean'",
       overload<kNll>}}},
    {"cross_entropy",
     kNeural,
     {{"input, target, weight=None, ~size_average=None, ignore_index=-100, ~reduce=None, "
       "reduction='mean', label_smoothing=0.0",
       overload<kCrossEntropy>}}},
    {"margin_ranking_loss",
     kNeural,
     {{"input1, input2, target, margin=0.0, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kMarginRanking>}}},
    {"hinge_embedding_loss",
     kNeural,
     {{"input, target, margin=1.0, ~size_average=None, ~reduce=None, reduction='mean'",
       overload<kHingeEmbedding>}}},
    {"poisson_nll_loss",
     kNeural,
     {{"input, target, log_input=True, full=False, ~size_average=None, eps=1e-8, ~reduce=None, "
       "reduction='mean'",
       overload<kPoisson>}}},
    {"gaussian_nll_loss",
     kNeural,
     {{"input, target, var, full=False, eps=1e-6, reduction='mean'", overload<kGaussian>}}},
};

}  // namespace

std::vector<Entry> loss_entries() { return entries_of<table>(); }

}  // namespace frit::python

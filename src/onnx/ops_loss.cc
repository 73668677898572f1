// Losses, for models that were exported with them.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

enum class Reduce { kNone, kSum, kMean };

struct LossAttributes {
  Reduce reduce = Reduce::kMean;
  std::optional<int64_t> ignored;  // a target that counts for nothing
};

LossAttributes read_loss(Node& node) {
  LossAttributes loss;
  const std::string text = node.string_or("reduction", "mean");
  if (text == "none") {
    loss.reduce = Reduce::kNone;
  } else if (text == "sum") {
    loss.reduce = Reduce::kSum;
  } else if (text != "mean") {
    node.fail("reduction is " + text);
  }
  if (node.has_attribute("ignore_index")) loss.ignored = node.int_or("ignore_index", 0);
  return loss;
}

// What each target counts; undefined where all count 1.
Tensor counts_of(const Tensor& target, const Tensor& weight, const Tensor& ignored, Dtype dtype) {
  Tensor counts;
  if (weight.defined())
    counts = index_select(weight, 0, target.reshape({-1})).reshape(target.sizes());
  if (!ignored.defined()) return counts;
  if (!counts.defined()) return logical_not(ignored).to(dtype);
  return where(ignored, full({}, 0, dtype), counts);
}

// -x[n, target[n, ...], ...] * weight[target[n, ...]], reduced.
Tensor negative_log_likelihood(const Tensor& x, const Tensor& labels, const Tensor& weight,
                               const LossAttributes& loss) {
  if (x.dim() < 2)
    throw Error(ErrorKind::kValue,
                "expected at least 2 dimensions, got " + std::to_string(x.dim()));
  Tensor target = labels.to(kInt64), ignored;
  if (loss.ignored) {
    ignored = eq(target, *loss.ignored);
    target = where(ignored, zeros_like(target), target);
  }
  const Tensor picked = neg(gather(x, 1, target.unsqueeze(1)).squeeze(1));
  const Tensor counts = counts_of(target, weight, ignored, x.dtype());
  const Tensor each = counts.defined() ? picked * counts : picked;
  switch (loss.reduce) {
    case Reduce::kNone:
      return each;
    case Reduce::kSum:
      return sum(each);
    case Reduce::kMean:
      return counts.defined() ? sum(each) / sum(counts) : mean(each);
  }
  return each;
}

}  // namespace

Runner bind_negative_log_likelihood_loss(Node& node) {
  const LossAttributes loss = read_loss(node);
  return
      [loss](Call& call) { call.result(negative_log_likelihood(call[0], call[1], call[2], loss)); };
}

Runner bind_softmax_cross_entropy_loss(Node& node) {
  const LossAttributes loss = read_loss(node);
  return [loss](Call& call) {
    Tensor logs = log_softmax(call[0], 1);
    call.result(negative_log_likelihood(logs, call[1], call[2], loss));
    call.result(std::move(logs), 1);
  };
}

}  // namespace frit::onnx::ops

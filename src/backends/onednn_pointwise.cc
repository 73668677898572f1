// Elementwise ops.
#include <cmath>
#include <limits>
#include <string_view>

#include "src/backends/onednn_lowering.h"

namespace frit::onednn {
namespace {

using dnnl::algorithm;

struct Named {
  std::string_view name;
  Eltwise eltwise;
};
// Those of one operand and no parameter. silu is swish with alpha 1.
constexpr Named kUnary[] = {
    {"abs", {algorithm::eltwise_abs}},
    {"exp", {algorithm::eltwise_exp}},
    {"hardswish", {algorithm::eltwise_hardswish}},
    {"log", {algorithm::eltwise_log}},
    {"logsigmoid", {algorithm::eltwise_logsigmoid}},
    {"mish", {algorithm::eltwise_mish}},
    {"neg", {algorithm::eltwise_linear, -1, 0}},
    {"reciprocal", {algorithm::eltwise_pow, 1, -1}},
    {"relu", {algorithm::eltwise_relu}},
    {"relu6", {algorithm::eltwise_clip, 0, 6}},
    {"round", {algorithm::eltwise_round}},
    {"rsqrt", {algorithm::eltwise_pow, 1, -0.5f}},
    {"sigmoid", {algorithm::eltwise_logistic}},
    {"silu", {algorithm::eltwise_swish, 1, 0}},
    {"sqrt", {algorithm::eltwise_sqrt}},
    {"tanh", {algorithm::eltwise_tanh}},
};

struct NamedBinary {
  std::string_view name;
  algorithm binary;
};
constexpr NamedBinary kBinary[] = {
    {"add", algorithm::binary_add},     {"div", algorithm::binary_div},
    {"maximum", algorithm::binary_max}, {"minimum", algorithm::binary_min},
    {"mul", algorithm::binary_mul},     {"sub", algorithm::binary_sub},
};

constexpr float kInf = std::numeric_limits<float>::infinity();

// x op c, with a literal: where that is a line or a bound.
std::optional<Eltwise> with_literal(const Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  const std::optional<double> second = lowering.literal(node, 1), first = lowering.literal(node, 0);
  if (!second && !first) return std::nullopt;
  const auto c = static_cast<float>(second ? *second : *first);
  if (op == "mul") return Eltwise{algorithm::eltwise_linear, c, 0};
  if (op == "add") return Eltwise{algorithm::eltwise_linear, 1, c};
  if (op == "maximum") return Eltwise{algorithm::eltwise_clip, c, kInf};
  if (op == "minimum") return Eltwise{algorithm::eltwise_clip, -kInf, c};
  if (op == "sub" && second) return Eltwise{algorithm::eltwise_linear, 1, -c};
  if (op == "sub") return Eltwise{algorithm::eltwise_linear, -1, c};
  if (op == "pow" && second) return Eltwise{algorithm::eltwise_pow, 1, c};
  if (op == "leaky_relu" && second) return Eltwise{algorithm::eltwise_relu, c, 0};
  if (op == "clamp_min" && second) return Eltwise{algorithm::eltwise_clip, c, kInf};
  if (op == "clamp_max" && second) return Eltwise{algorithm::eltwise_clip, -kInf, c};
  return std::nullopt;
}

// Those with several parameters, all of them literals.
std::optional<Eltwise> with_literals(const Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  const auto is = [&](size_t i, double value) { return lowering.literal(node, i) == value; };
  const std::optional<double> first = lowering.literal(node, 1);
  if (!first) return std::nullopt;
  const auto c = static_cast<float>(*first);
  if (op == "clamp" && lowering.literal(node, 2))
    return Eltwise{algorithm::eltwise_clip, c, static_cast<float>(*lowering.literal(node, 2))};
  if (op == "elu" && is(2, 1) && is(3, 1)) return Eltwise{algorithm::eltwise_elu, c, 0};
  if (op == "softplus" && is(1, 1) && is(2, 20)) return Eltwise{algorithm::eltwise_soft_relu};
  return std::nullopt;
}

void lower_eltwise(Lowering& lowering, const Graph::Node& node, const Eltwise& e) {
  const size_t x = lowering.is_tensor(node, 0) ? 0 : 1;
  const SlotId to = lowering.result(node.results[0]);
  const SlotId from = lowering.in_layout(lowering.operand(node, x), lowering.desc(to));
  const dnnl::eltwise_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, e.algorithm, lowering.desc(to), e.alpha, e.beta},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::eltwise_forward(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
}

void lower_binary(Lowering& lowering, const Graph::Node& node, algorithm binary) {
  const SlotId to = lowering.result(node.results[0]);
  const int rank = static_cast<int>(dims_of(lowering.desc(to)).size());
  SlotId a = lowering.operand(node, 0, rank), b = lowering.operand(node, 1, rank);
  b = lowering.view(b, narrowed(lowering.desc(b)));
  // oneDNN broadcasts the second operand only.
  const Desc whole = lowering.desc(to);
  if (dims_of(lowering.desc(a)) != dims_of(whole)) {
    const Dims still(static_cast<size_t>(rank), 0);
    a = lowering.in_layout(lowering.view(a, with_dims(lowering.desc(a), dims_of(whole), still)),
                           whole);
  }
  const dnnl::binary::primitive_desc pd({binary, lowering.desc(a), lowering.desc(b), whole},
                                        Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::binary(pd),
               {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, to}});
}

void lower_prelu(Lowering& lowering, const Graph::Node& node) {
  if (!lowering.is_tensor(node, 1)) throw Refused("the weight is a number that varies");
  const SlotId to = lowering.result(node.results[0]);
  const SlotId from = lowering.in_layout(lowering.operand(node, 0), lowering.desc(to));
  const SlotId wide = lowering.operand(node, 1);
  const Desc thin = narrowed(lowering.desc(wide));
  const SlotId weight =
      lowering.in_layout(lowering.view(wide, thin), row_major(thin, dims_of(thin)));
  const dnnl::prelu_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, lowering.desc(to), lowering.desc(weight)},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::prelu_forward(pd),
               {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DST, to}});
}

}  // namespace

std::optional<Eltwise> eltwise_of(const Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "gelu")
    return Eltwise{attribute(node, "tanh").to_bool() ? algorithm::eltwise_gelu_tanh
                                                     : algorithm::eltwise_gelu_erf};
  for (const Named& unary : kUnary)
    if (unary.name == op) return unary.eltwise;
  return node.operands.size() == 2 ? with_literal(lowering, node) : with_literals(lowering, node);
}

std::optional<algorithm> binary_of(const Graph::Node& node) {
  for (const NamedBinary& b : kBinary)
    if (b.name == name(node.op)) return b.binary;
  return std::nullopt;
}

bool commutes(algorithm binary) {
  return binary != algorithm::binary_sub && binary != algorithm::binary_div;
}

bool lower_pointwise(Lowering& lowering, const Graph::Node& node) {
  if (const std::optional<Eltwise> e = eltwise_of(lowering, node))
    return lower_eltwise(lowering, node, *e), true;
  if (const std::optional<algorithm> binary = binary_of(node))
    return lower_binary(lowering, node, *binary), true;
  if (name(node.op) == "prelu") return lower_prelu(lowering, node), true;
  return false;
}

}  // namespace frit::onednn

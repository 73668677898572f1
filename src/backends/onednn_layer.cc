// softmax, norms and reductions.
#include <string_view>

#include "src/backends/onednn_lowering.h"

namespace frit::onednn {
namespace {

using dnnl::prop_kind;

void lower_softmax(Lowering& lowering, const Graph::Node& node, bool log) {
  const SlotId to = lowering.result(node.results[0]);
  const SlotId from = lowering.in_layout(lowering.operand(node, 0), lowering.desc(to));
  const int rank = lowering.desc(to).data.ndims;
  const auto dim = static_cast<int>(attribute(node, "dim").to_int());
  const int axis = dim < 0 ? dim + rank : dim;
  const dnnl::softmax_v2_forward::primitive_desc pd(
      {prop_kind::forward_inference,
       log ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate, lowering.desc(to),
       lowering.desc(to), axis},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::softmax_v2_forward(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
}

// Operands: x, eps and, if affine, weight and bias; over the last dimensions, taken as one.
void lower_layer_norm(Lowering& lowering, const Graph::Node& node) {
  const auto over = static_cast<size_t>(attribute(node, "dims").to_int());
  const auto eps = static_cast<float>(lowering.needed_literal(node, 1, "eps"));
  const bool affine = attribute(node, "affine").to_bool();
  const SlotId to = lowering.result(node.results[0]);
  const SlotId from = lowering.in_layout(lowering.operand(node, 0), lowering.desc(to));
  Desc rows = lowering.desc(to);
  const Dims dims = dims_of(rows);
  if (!is_row_major(rows)) throw Refused("a result that is not row-major");
  int64_t width = 1, height = 1;
  for (size_t d = 0; d < dims.size(); ++d) (d + over < dims.size() ? height : width) *= dims[d];
  rows = row_major(rows, {height, width});
  auto flags = dnnl::normalization_flags::none;
  std::vector<std::pair<int, SlotId>> args = {{DNNL_ARG_SRC, lowering.view(from, rows)},
                                              {DNNL_ARG_DST, lowering.view(to, rows)}};
  if (affine) {
    flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    for (const auto& [arg, i] : {std::pair{DNNL_ARG_SCALE, 2u}, {DNNL_ARG_SHIFT, 3u}}) {
      const SlotId row = lowering.operand(node, i);
      if (!is_row_major(lowering.desc(row))) throw Refused("a weight that is not row-major");
      args.emplace_back(arg, lowering.view(row, row_major(lowering.desc(row), {width})));
    }
  }
  const dnnl::layer_normalization_forward::primitive_desc pd(
      {prop_kind::forward_inference, rows, eps, flags}, Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::layer_normalization_forward(pd), std::move(args));
}

// Operands: x, weight, bias, mean, var, eps.
void lower_batch_norm(Lowering& lowering, const Graph::Node& node) {
  const auto eps = static_cast<float>(lowering.needed_literal(node, 5, "eps"));
  const SlotId to = lowering.result(node.results[0]);
  const SlotId from = lowering.in_layout(lowering.operand(node, 0), lowering.desc(to));
  std::vector<std::pair<int, SlotId>> args = {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}};
  const int kArgs[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
  for (size_t i = 0; i < 4; ++i) {
    if (!lowering.is_tensor(node, i + 1)) throw Refused("a number in place of a weight");
    const SlotId row = lowering.operand(node, i + 1);
    args.emplace_back(kArgs[i], lowering.in_layout(row, row_major(lowering.desc(row),
                                                                  dims_of(lowering.desc(row)))));
  }
  using Flags = dnnl::normalization_flags;
  const dnnl::batch_normalization_forward::primitive_desc pd(
      {prop_kind::forward_inference, lowering.desc(to), eps,
       Flags::use_global_stats | Flags::use_scale | Flags::use_shift},
      Lowering::attr(), lowering.engine());
  lowering.add(pd, dnnl::batch_normalization_forward(pd), std::move(args));
}

std::optional<dnnl::algorithm> reduction_of(const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "sum") return dnnl::algorithm::reduction_sum;
  if (op == "mean") return dnnl::algorithm::reduction_mean;
  if (op == "prod") return dnnl::algorithm::reduction_mul;
  if (op == "amax") return dnnl::algorithm::reduction_max;
  if (op == "amin") return dnnl::algorithm::reduction_min;
  return std::nullopt;
}

void lower_reduction(Lowering& lowering, const Graph::Node& node, dnnl::algorithm algorithm) {
  const SlotId from = lowering.operand(node, 0), to = lowering.result(node.results[0]);
  const IntArrayRef over = attribute(node, "dims").to_ints();
  Dims dims = dims_of(lowering.desc(from));
  for (const int64_t d : over)
    dims[static_cast<size_t>(d < 0 ? d + static_cast<int64_t>(dims.size()) : d)] = 1;
  if (over.empty()) dims.assign(dims.size(), 1);
  // Results are row-major: with the reduced dimensions put back they are the same memory.
  const SlotId kept = lowering.view(to, row_major(lowering.desc(to), dims));
  if (dims == dims_of(lowering.desc(from))) return lowering.copy(from, kept);
  const dnnl::reduction::primitive_desc pd(
      {algorithm, lowering.desc(from), lowering.desc(kept), 0, 0}, Lowering::attr(),
      lowering.engine());
  lowering.add(pd, dnnl::reduction(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, kept}});
}

}  // namespace

bool lower_layer(Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "softmax") return lower_softmax(lowering, node, false), true;
  if (op == "log_softmax") return lower_softmax(lowering, node, true), true;
  if (op == "layer_norm") return lower_layer_norm(lowering, node), true;
  if (op == "batch_norm") return lower_batch_norm(lowering, node), true;
  if (const auto algorithm = reduction_of(node))
    return lower_reduction(lowering, node, *algorithm), true;
  return false;
}

}  // namespace frit::onednn

// Matrix products and convolutions, with the elementwise ops that follow them.
#include <string_view>

#include "src/backends/onednn_lowering.h"

namespace frit::onednn {
namespace {

// Tries `lower` with what follows the node at its end, else alone.
template <class Lower>
void with_fused(Lowering& lowering, const Graph::Node& node, Lower lower) {
  const Fused fused = lowering.fusable_after(node);
  if (!fused.nodes.empty()) {
    try {
      lower(fused);
      return lowering.set_done(fused);
    } catch (const dnnl::error&) {  // not for these layouts
      lowering.set_view(fused.result, -1);
    }
  }
  lower(Fused{{}, {}, node.results[0], {}});
}

// A factor as a matrix with so many batch dimensions; vectors are rows, or columns.
Desc as_matrix(const Desc& desc, int rank, bool column) {
  Dims dims = dims_of(desc), strides = strides_of(desc);
  if (dims.size() == 1) {
    dims.insert(column ? dims.end() : dims.begin(), 1);
    strides.insert(column ? strides.end() : strides.begin(), column ? 1 : dims[1] * strides[0]);
  }
  return with_rank(with_dims(desc, dims, strides), rank);
}

// The result of a product of vectors with the dimensions that it does not have.
Desc as_product(const Desc& desc, const Desc& a, const Desc& b, bool row, bool column) {
  if (!row && !column) return desc;
  Dims dims = dims_of(desc);
  if (row && column) return row_major(desc, Dims(dims_of(a).size(), 1));
  dims.insert(dims.end() - (row ? 1 : 0), 1);
  (void)b;
  return row_major(desc, dims);
}

struct Factors {
  SlotId a, b;
  std::optional<SlotId> bias;
};

// out = a @ b, of matrices with equal batch ranks, and what is at its end.
void add_matmul(Lowering& lowering, const Factors& f, SlotId to, Fused fused) {
  const dnnl::matmul::desc desc =
      f.bias ? dnnl::matmul::desc(lowering.desc(f.a), lowering.desc(f.b), lowering.desc(*f.bias),
                                  lowering.desc(to))
             : dnnl::matmul::desc(lowering.desc(f.a), lowering.desc(f.b), lowering.desc(to));
  const dnnl::matmul::primitive_desc pd(desc, Lowering::attr(fused.ops), lowering.engine());
  fused.args.insert(fused.args.end(),
                    {{DNNL_ARG_SRC, f.a}, {DNNL_ARG_WEIGHTS, f.b}, {DNNL_ARG_DST, to}});
  if (f.bias) fused.args.emplace_back(DNNL_ARG_BIAS, *f.bias);
  lowering.add(pd, dnnl::matmul(pd), std::move(fused.args));
}

void lower_matmul(Lowering& lowering, const Graph::Node& node) {
  const SlotId a = lowering.operand(node, 0), b = lowering.operand(node, 1);
  const Desc da = lowering.desc(a), db = lowering.desc(b);
  const bool row = da.data.ndims == 1, column = db.data.ndims == 1;
  const int rank = std::max({da.data.ndims, db.data.ndims, 2});
  const Factors f = {lowering.view(a, as_matrix(da, rank, false)),
                     lowering.view(b, as_matrix(db, rank, true)), std::nullopt};
  if (!row && !column)
    return with_fused(lowering, node, [&](const Fused& fused) {
      add_matmul(lowering, f, lowering.result(fused.result), fused);
    });
  const SlotId to = lowering.result(node.results[0]);
  const Desc whole = as_product(lowering.desc(to), lowering.desc(f.a), db, row, column);
  add_matmul(lowering, f, lowering.view(to, whole), {{}, {}, node.results[0], {}});
}

// x @ w^T + bias, x of any rank.
void lower_linear(Lowering& lowering, const Graph::Node& node) {
  const SlotId x = lowering.operand(node, 0), w = lowering.operand(node, 1);
  const Desc dx = lowering.desc(x), dw = lowering.desc(w);
  if (dw.data.ndims != 2) throw Refused("the weight is no matrix");
  const bool row = dx.data.ndims == 1;
  const int rank = std::max(dx.data.ndims, 2);
  Factors f = {lowering.view(x, as_matrix(dx, rank, false)),
               lowering.view(w, with_rank(dw.permute_axes({1, 0}), rank)), std::nullopt};
  if (node.operands.size() > 2) {
    const SlotId bias = lowering.operand(node, 2);
    if (lowering.desc(bias).data.ndims != 1) throw Refused("the bias is no vector");
    f.bias = lowering.view(bias, with_rank(lowering.desc(bias), rank));
  }
  if (!row)
    return with_fused(lowering, node, [&](const Fused& fused) {
      add_matmul(lowering, f, lowering.result(fused.result), fused);
    });
  const SlotId to = lowering.result(node.results[0]);
  add_matmul(lowering, f, lowering.view(to, with_rank(lowering.desc(to), 2)),
             {{}, {}, node.results[0], {}});
}

// The bias is added at the end, before all else.
void lower_addmm(Lowering& lowering, const Graph::Node& node) {
  for (size_t i = 3; i < 5; ++i)
    if (lowering.needed_literal(node, i, i == 3 ? "alpha" : "beta") != 1)
      throw Refused("alpha and beta other than 1");
  const Factors f = {lowering.operand(node, 1), lowering.operand(node, 2), std::nullopt};
  const SlotId bias = lowering.operand(node, 0);
  const SlotId thin = lowering.view(bias, with_rank(narrowed(lowering.desc(bias)), 2));
  const SlotId to = lowering.result(node.results[0]);
  Fused sum{{}, {{DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, thin}}, node.results[0], {}};
  sum.ops.append_binary(dnnl::algorithm::binary_add, lowering.desc(thin));
  add_matmul(lowering, f, to, sum);
}

// Channels last: what oneDNN is fastest with, and what graphs state for results of two dimensions.
Desc channels_last(const Desc& desc) {
  const Dims dims = dims_of(desc);
  Dims strides(dims.size());
  strides[1] = 1;
  int64_t stride = dims[1];
  for (size_t d = dims.size() - 1; d >= 2; stride *= dims[d], --d) strides[d] = stride;
  strides[0] = stride;
  return with_dims(desc, dims, strides);
}

Desc any_layout(const Desc& like) {
  return Desc(dims_of(like), static_cast<dnnl::memory::data_type>(like.data.data_type),
              dnnl::memory::format_tag::any);
}

// The weight with its groups as a dimension of their own.
Desc grouped(const Desc& weight, int64_t groups) {
  if (groups == 1) return weight;
  Dims dims = dims_of(weight), strides = strides_of(weight);
  dims[0] /= groups;
  strides.insert(strides.begin(), dims[0] * strides[0]);
  dims.insert(dims.begin(), groups);
  return with_dims(weight, dims, strides);
}

struct ConvolutionDims {
  Dims stride, dilation, before, after;
};

ConvolutionDims dims_of_convolution(const Graph::Node& node) {
  ConvolutionDims dims;
  dims.stride = to_dims(attribute(node, "stride").to_ints());
  for (const int64_t d : attribute(node, "dilation").to_ints()) dims.dilation.push_back(d - 1);
  const IntArrayRef padding = attribute(node, "padding").to_ints();
  for (size_t i = 0; i < padding.size(); i += 2) {
    dims.before.push_back(padding[i]);
    dims.after.push_back(padding[i + 1]);
  }
  return dims;
}

void add_convolution(Lowering& lowering, const Graph::Node& node, Fused fused) {
  const ConvolutionDims dims = dims_of_convolution(node);
  const SlotId to = lowering.result(fused.result);
  SlotId x = lowering.operand(node, 0), w = lowering.operand(node, 1);
  if (lowering.desc(x).data.ndims != static_cast<int>(dims.stride.size()) + 2)
    throw Refused("an operand of another rank");
  x = lowering.in_layout(x, channels_last(lowering.desc(x)));
  w = lowering.view(w, grouped(lowering.desc(w), attribute(node, "groups").to_int()));
  const Desc dst = channels_last(lowering.desc(to));
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto direct = dnnl::algorithm::convolution_direct;
  const bool has_bias = node.operands.size() > 2;
  const SlotId bias = has_bias ? lowering.operand(node, 2) : -1;
  const Desc weights = any_layout(lowering.desc(w));
  const dnnl::convolution_forward::desc desc =
      has_bias
          ? dnnl::convolution_forward::desc(kind, direct, lowering.desc(x), weights,
                                            lowering.desc(bias), dst, dims.stride, dims.dilation,
                                            dims.before, dims.after)
          : dnnl::convolution_forward::desc(kind, direct, lowering.desc(x), weights, dst,
                                            dims.stride, dims.dilation, dims.before, dims.after);
  const dnnl::convolution_forward::primitive_desc pd(desc, Lowering::attr(fused.ops),
                                                     lowering.engine());
  const SlotId made = lowering.desc(to) == dst ? to : lowering.scratch(dst);
  fused.args.insert(fused.args.end(), {{DNNL_ARG_SRC, x},
                                       {DNNL_ARG_WEIGHTS, lowering.in_layout(w, pd.weights_desc())},
                                       {DNNL_ARG_DST, made}});
  if (has_bias) fused.args.emplace_back(DNNL_ARG_BIAS, bias);
  lowering.add(pd, dnnl::convolution_forward(pd), std::move(fused.args));
  if (made != to) lowering.copy(made, to);
}

}  // namespace

bool lower_product(Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "matmul") return lower_matmul(lowering, node), true;
  if (op == "linear") return lower_linear(lowering, node), true;
  if (op == "addmm") return lower_addmm(lowering, node), true;
  return false;
}

bool lower_convolution(Lowering& lowering, const Graph::Node& node) {
  if (name(node.op) != "convolution") return false;
  with_fused(lowering, node, [&](const Fused& fused) { add_convolution(lowering, node, fused); });
  return true;
}

}  // namespace frit::onednn

// Views, which cost nothing, and copies.
#include <string_view>

#include "src/backends/onednn_lowering.h"

namespace frit::onednn {
namespace {

int64_t element_size(const Desc& desc) {
  return static_cast<int64_t>(
      dnnl::memory::data_type_size(static_cast<dnnl::memory::data_type>(desc.data.data_type)));
}

size_t dim_of(const Graph::Node& node, size_t rank) {
  const int64_t dim = attribute(node, "dim").to_int();
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

// How many elements behind its operand's first one a view begins.
int64_t offset_of(const Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  const Graph& graph = lowering.graph();
  const ValueId x = node.operands[0].value;
  if (op == "as_strided") return attribute(node, "offset").to_int();
  const bool slice = op == "slice", select = op == "select";
  if (!slice && !select) return 0;
  const IntArrayRef sizes = graph.sizes(x), strides = graph.strides(x);
  const size_t dim = dim_of(node, sizes.size());
  int64_t at = attribute(node, slice ? "start" : "index").to_int();
  if (at < 0) at += sizes[dim];
  return std::max<int64_t>(at, 0) * strides[dim];
}

bool is_view(const Lowering& lowering, const Graph::Node& node, SlotId x) {
  const std::string_view op = name(node.op);
  for (const char* view :
       {"permute", "expand", "slice", "select", "squeeze", "unsqueeze", "as_strided", "view"})
    if (op == view) return true;
  // Of what is not row-major the elements may have to move.
  return op == "reshape" && is_row_major(lowering.desc(x));
}

void lower_cat(Lowering& lowering, const Graph::Node& node) {
  const SlotId to = lowering.result(node.results[0]);
  const size_t rank = lowering.graph().sizes(node.results[0]).size();
  std::vector<Desc> descs;
  std::vector<std::pair<int, SlotId>> args = {{DNNL_ARG_DST, to}};
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const SlotId from = lowering.operand(node, i);
    if (dims_of(lowering.desc(from)).size() != rank) throw Refused("an operand of another rank");
    descs.push_back(lowering.desc(from));
    args.emplace_back(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), from);
  }
  const dnnl::concat::primitive_desc pd(lowering.desc(to), static_cast<int>(dim_of(node, rank)),
                                        descs, lowering.engine(), Lowering::attr());
  lowering.add(pd, dnnl::concat(pd), std::move(args));
}

// The same elements in row-major order, whatever the strides of both.
void lower_reshape(Lowering& lowering, const Graph::Node& node) {
  const SlotId x = lowering.operand(node, 0);
  const SlotId dense =
      lowering.in_layout(x, row_major(lowering.desc(x), dims_of(lowering.desc(x))));
  lowering.set_view(node.results[0],
                    lowering.view(dense, desc_of(lowering.graph(), node.results[0])));
}

}  // namespace

bool lower_view(Lowering& lowering, const Graph::Node& node) {
  const std::string_view op = name(node.op);
  if (op == "cat") return lower_cat(lowering, node), true;
  const bool copies = op == "clone" || op == "contiguous" || op == "cast";
  if (!copies && op != "reshape" && !is_view(lowering, node, -1)) return false;
  const SlotId x = lowering.operand(node, 0);
  if (copies) return lowering.copy(x, lowering.result(node.results[0])), true;
  if (!is_view(lowering, node, x)) return lower_reshape(lowering, node), true;
  const Desc desc = desc_of(lowering.graph(), node.results[0]);
  lowering.set_view(node.results[0],
                    lowering.view(x, desc, offset_of(lowering, node) * element_size(desc)));
  return true;
}

}  // namespace frit::onednn

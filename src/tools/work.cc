// Sums over the nodes of a graph.
#include "src/tools/work.h"

#include <algorithm>

#include "src/ops/attrs.h"
#include "src/tensor/layout.h"

namespace frit::tools {
namespace {

int64_t bytes_of(const Layout& layout) {
  return std::min(layout.numel, layout.span()) * byte_size(layout.dtype);
}

// Products that are summed for one element of a contraction's result.
int64_t depth_of(const Graph& graph, const Graph::Node& node) {
  if (node.op == Op::convolution) {
    const Layout& weight = *graph.layout(node.operands[1].value);
    return weight.numel / std::max<int64_t>(weight.size(0), 1);
  }
  if (node.op == Op::conv_transpose) {
    // Every input is multiplied with the kernels of its group, whatever the output's size.
    const Layout& weight = *graph.layout(node.operands[1].value);
    const Layout& made = *graph.layout(node.results[0]);
    const int64_t products = graph.layout(node.operands[0].value)->numel *
                             (weight.numel / std::max<int64_t>(weight.size(0), 1));
    return products / std::max<int64_t>(made.numel, 1);
  }
  const Layout& a = *graph.layout(node.operands[node.op == Op::addmm ? 1 : 0].value);
  return a.size(a.rank - 1);
}

// Of pooling over two dimensions; one number stands for both. Adaptive windows are as large as
// makes them cover the image once.
double window_of(const Graph& graph, const Graph::Node& node) {
  const Attrs attrs(node.attrs);
  if (node.op == Op::adaptive_avg_pool || node.op == Op::adaptive_max_pool)
    return static_cast<double>(graph.layout(node.operands[0].value)->numel) /
           static_cast<double>(std::max<int64_t>(graph.layout(node.results[0])->numel, 1));
  if (node.op == Op::max_pool || node.op == Op::avg_pool) {
    double window = 1;
    for (int64_t size : list_attr(node.op, attrs, "kernel")) window *= static_cast<double>(size);
    return window;
  }
  const IntArrayRef kernel = list_attr(node.op, attrs, "kernel");
  return static_cast<double>(kernel.front() * kernel.back());
}

double flops_of(const Graph& graph, const Graph::Node& node) {
  const auto elements = [&](Graph::ValueId v) {
    return static_cast<double>(graph.layout(v)->numel);
  };
  const double made = elements(node.results[0]);
  switch (info(node.op).family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return made;
    case Family::kReduce:
    case Family::kArgReduce:
    case Family::kScan:
      return elements(node.operands[0].value);
    case Family::kContract:
      return 2 * made * static_cast<double>(depth_of(graph, node));
    case Family::kPool:
      return made * window_of(graph, node);
    case Family::kCast:
    case Family::kMove:
    case Family::kCopy:
    case Family::kCat:
    case Family::kPad:
    case Family::kIndex:
    case Family::kScatter:
    case Family::kSort:
    case Family::kResample:
    case Family::kFft:
    case Family::kLinalg:
    case Family::kRecurrent:
    case Family::kCreate:
    case Family::kStore:
    case Family::kComposite:
    case Family::kCustom:
      return 0;
  }
  __builtin_unreachable();
}

}  // namespace

int64_t bytes_moved(const Graph& graph) {
  int64_t bytes = 0;
  for (int v = 0; v < graph.num_inputs(); ++v) bytes += bytes_of(*graph.layout(v));
  for (Graph::ValueId v : graph.outputs()) bytes += graph.layout(v)->nbytes();
  return bytes;
}

double num_flops(const Graph& core) {
  double flops = 0;
  for (const Graph::Node& node : core.nodes()) flops += flops_of(core, node);
  return flops;
}

int64_t num_elements(const Graph& graph) {
  int64_t most = 0;
  for (int v = 0; v < graph.num_inputs(); ++v) most = std::max(most, graph.layout(v)->numel);
  for (Graph::ValueId v : graph.outputs()) most = std::max(most, graph.layout(v)->numel);
  return most;
}

}  // namespace frit::tools

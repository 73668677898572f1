// How many ops can be exported, of some dtypes and forms at least; docs/onnx.md names the others.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "frit/onnx.h"
#include "src/ops/op.h"
#include "tests/sweep/one_node_graph.h"

namespace frit::onnx {
namespace {

struct Coverage {
  int calls = 0, exported = 0;
};

// Of the calls that Frit takes.
Coverage coverage_of(Op op) {
  Coverage coverage;
  for (const sweep::SweepCase& c : sweep::sweep_cases(op)) {
    Graph graph;
    try {
      graph = one_node_graph(c, sweep::Scalars::kLiterals);
    } catch (const Error&) {
      continue;
    }
    // Results without elements are constants, whatever the op.
    bool empty = true;
    for (const Graph::Node& node : graph.nodes())
      for (const Graph::ValueId v : node.results) empty &= graph.layout(v)->numel == 0;
    if (empty) continue;
    ++coverage.calls;
    coverage.exported += can_export(graph, graph.nodes()[0]);
  }
  return coverage;
}

// The fenced block after <!-- marker -->, its line breaks as spaces.
std::string block(const std::string& path, const std::string& marker) {
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const size_t at = page.find("<!-- " + marker + " -->\n```");
  const size_t start = page.find('\n', page.find("```", at)) + 1;
  std::string text = page.substr(start, page.find("\n```", start) - start);
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

TEST(OnnxExportCoverage, OnlyGoesUpAndThePageNamesWhatIsNotExported) {
  int whole = 0, partly = 0;
  std::string none;
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    const Coverage coverage = coverage_of(op);
    std::cout << name(op) << ": " << coverage.exported << " of " << coverage.calls << " calls\n";
    if (coverage.exported == 0)
      none += (none.empty() ? "" : " ") + std::string(name(op));
    else
      ++(coverage.exported == coverage.calls ? whole : partly);
  }
  std::cout << "exported: " << whole << " ops, " << partly << " in part, of " << kNumOps << "\n";
  EXPECT_GE(whole + partly, 187);
  EXPECT_GE(whole, 167);
  EXPECT_EQ(block("docs/onnx.md", "not exported"), none);
}

}  // namespace
}  // namespace frit::onnx

// Every op over its sweep cases gives the same bits in six ways: eager, the graph interpreter, the
// interpreter after normalize, the kernel interpreter, machine code, and block programs. Errors are
// of one kind.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <algorithm>

#include "src/base/cpu.h"
#include "src/base/float_mode.h"
#include "src/codegen/native_writer.h"
#include "src/eager/dispatch.h"
#include "src/runtime/block_writer.h"
#include "src/runtime/executor.h"
#include "tests/schedule/run_schedule.h"
#include "tests/sweep/one_node_graph.h"

namespace frit::sweep {
namespace {

Writer* native_writer() {
  static Writer* writer = codegen::new_native_writer().release();
  return base::isa() == Isa::kBaseline ? nullptr : writer;
}

Writer* block_writer() {
  static Writer* writer = runtime::new_block_writer().release();
  return writer;
}

std::vector<Tensor> run_kernels_of(Writer* writer, const Graph& core,
                                   const std::vector<GraphArg>& args) {
  std::string reason;
  Writer* const writers[] = {writer};
  const auto executor = runtime::Executor::make(schedule(core), kCPU, writers, &reason);
  EXPECT_NE(executor, nullptr) << reason;
  if (executor == nullptr) return {};
  std::vector<TensorImpl*> tensors;
  std::vector<Scalar> scalars;
  for (const GraphArg& arg : args) {
    if (arg.tensor.defined()) {
      tensors.push_back(arg.tensor.impl());
    } else {
      scalars.push_back(arg.scalar);
    }
  }
  std::vector<StorageRef> memory(core.outputs().size());
  const std::span<TensorImpl* const> inputs(tensors);
  executor->run({inputs, {}, scalars, memory, {}});
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < memory.size(); ++i)
    outputs.push_back(new_view(core.layout(core.outputs()[i]), memory[i].get(), 0));
  return outputs;
}

std::vector<Tensor> run_machine_code(const Graph& core, const std::vector<GraphArg>& args) {
  return run_kernels_of(native_writer(), core, args);
}

std::vector<Tensor> run_block_programs(const Graph& core, const std::vector<GraphArg>& args) {
  return run_kernels_of(block_writer(), core, args);
}

// One case through the ways. Writing ops get a copy of the case for each way.
class CaseRun {
 public:
  CaseRun(const std::vector<std::vector<SweepCase>>& copies, size_t index)
      : copies_(copies), index_(index) {}

  // Empty, or the way that differs from eager and how.
  std::string first_difference(Scalars scalars) {
    scalars_ = scalars;
    const Outcome eager = run_case(next(), &run_eager);
    Graph graph;
    try {
      graph = one_node_graph(next(), scalars);
    } catch (const Error& error) {
      if (eager.error == error.kind()) return "";
      return "building the graph: '" + std::string(error.what()) + "' and '" + eager.error_text +
             "'";
    }
    return through_stages(graph, eager);
  }

 private:
  const SweepCase& next() {
    return copies_[copies_.size() == 1 ? 0 : static_cast<size_t>(++used_ - 1)][index_];
  }

  std::string through_stages(const Graph& graph, const Outcome& eager) {
    if (std::string problem = graph.verify(); !problem.empty()) return problem;
    if (std::string problem = text_problem(graph); !problem.empty()) return problem;
    // Without results of a known layout there is nothing to hold to eager's.
    if (graph.outputs().empty() && !writes(graph)) return "";
    const auto interpreted = [](const Graph& g, const std::vector<GraphArg>& args) {
      return interpret(g, args);
    };
    std::string found = difference("graph interpreter", graph, eager, interpreted);
    if (!found.empty()) return found;
    std::string problem;
    Graph core;
    try {
      core = normalized(graph, graph_args(copies_[0][index_], scalars_), &problem);
    } catch (const Error& error) {
      if (eager.error == error.kind()) return "";
      return "normalize: '" + std::string(error.what()) + "' and '" + eager.error_text + "'";
    }
    if (problem.empty()) problem = text_problem(core);
    if (!problem.empty()) return problem + '\n' + core.print();
    found = difference("normalized", core, eager, interpreted);
    return found.empty() ? through_schedule(core, eager) : found;
  }

  std::string through_schedule(const Graph& core, const Outcome& eager) {
    const Schedule made = schedule(core);
    if (!made.refusal.empty()) return "";
    std::string found = difference("kernel interpreter", core, eager, [&](auto&, const auto& args) {
      return run_schedule(made, args);
    });
    if (found.empty() && native_writer() != nullptr)
      found = difference("machine code", core, eager, run_machine_code);
    if (found.empty()) found = difference("block programs", core, eager, run_block_programs);
    return found.empty() ? found : found + describe(made);
  }

  static bool writes(const Graph& graph) {
    return info(graph.nodes()[0].op).traits == Traits::kEffect;
  }

  template <class Run>
  std::string difference(const char* way, const Graph& graph, const Outcome& eager, Run run) {
    const SweepCase& c = next();
    const std::vector<GraphArg> args = graph_args(c, scalars_);
    const std::string found = compare(eager, outcome_of(c, [&] { return run(graph, args); }));
    return found.empty() ? "" : std::string(way) + ": " + found + '\n' + graph.print();
  }

  const std::vector<std::vector<SweepCase>>& copies_;
  const size_t index_;
  Scalars scalars_ = Scalars::kLiterals;
  int used_ = 0;
};

class SixWays : public testing::TestWithParam<int> {};

void expect_six_ways_agree(Op op, Scalars scalars) {
  std::vector<std::vector<SweepCase>> copies;
  for (int i = 0; i < (info(op).traits == Traits::kEffect ? 7 : 1); ++i)
    copies.push_back(sweep_cases(op));
  int differences = 0;
  for (size_t i = 0; i < copies[0].size() && differences < 5; ++i) {
    const std::string found = CaseRun(copies, i).first_difference(scalars);
    EXPECT_EQ(found, "") << "case " << i << ": " << copies[0][i].str();
    differences += found.empty() ? 0 : 1;
  }
}

TEST_P(SixWays, AgreeOnEveryCase) {
  expect_six_ways_agree(static_cast<Op>(GetParam()), Scalars::kLiterals);
}

TEST_P(SixWays, AgreeWhereNumbersAreArguments) {
  const Op op = static_cast<Op>(GetParam());
  const std::vector<SweepCase> cases = sweep_cases(op);
  const bool any = std::any_of(cases.begin(), cases.end(), [](const SweepCase& c) {
    return std::any_of(c.tensors.begin(), c.tensors.end(),
                       [](const Tensor& t) { return !t.defined(); });
  });
  if (any) expect_six_ways_agree(op, Scalars::kArguments);
}

// Denormals are zero, as operands and as results, for a scope.
class ZeroDenormalsScope {
 public:
  ZeroDenormalsScope() : saved_(_mm_getcsr()) {
    _mm_setcsr(saved_ | base::kMxcsrFlushToZero | base::kMxcsrDenormalsAreZero);
  }
  ~ZeroDenormalsScope() { _mm_setcsr(saved_); }
  ZeroDenormalsScope(const ZeroDenormalsScope&) = delete;

 private:
  uint32_t saved_;
};

std::string kernels_difference(const SweepCase& c) {
  const Outcome eager = run_case(c, &run_eager);
  const Graph graph = eager.error ? Graph() : one_node_graph(c, Scalars::kLiterals);
  if (graph.outputs().empty()) return "";
  const std::vector<GraphArg> args = graph_args(c, Scalars::kLiterals);
  std::string problem;
  const Graph core = normalized(graph, args, &problem, Denormals::kZero);
  if (!problem.empty()) return problem;
  const Schedule made = schedule(core);
  if (!made.refusal.empty()) return "";
  for (Writer* writer : {native_writer(), block_writer()}) {
    if (writer == nullptr) continue;
    const std::string found =
        compare(eager, outcome_of(c, [&] { return run_kernels_of(writer, core, args); }));
    if (!found.empty())
      return std::string(writer->name()) + ": " + found + '\n' + core.print() + describe(made);
  }
  return "";
}

TEST_P(SixWays, KernelsEqualEagerWhereDenormalsAreZero) {
  const std::vector<SweepCase> cases = sweep_cases(static_cast<Op>(GetParam()));
  int differences = 0;
  for (size_t i = 0; i < cases.size() && differences < 5; ++i) {
    const ZeroDenormalsScope scope;
    const std::string found = kernels_difference(cases[i]);
    EXPECT_EQ(found, "") << "case " << i << ": " << cases[i].str();
    differences += found.empty() ? 0 : 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SixWays, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::sweep

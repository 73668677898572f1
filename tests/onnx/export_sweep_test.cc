// Every op over its sweep cases is exported as a model that ONNX's checker accepts, that reads back
// to the same results, and that onnxruntime agrees with; or it is refused as not implemented.
//
// Operands are tame: finite and not large, since ONNX leaves open what becomes of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/eager/dispatch.h"
#include "src/tensor/convert.h"
#include "tests/onnx/exported.h"
#include "tests/sweep/one_node_graph.h"

namespace frit::onnx {
namespace {

using sweep::Outcome;
using sweep::SweepCase;

constexpr int kMostCases = 60;  // of an op; what differs in layout alone is one case

// A number nearer to 0 than `bound`; small ones stay.
Scalar tamed(Dtype dtype, const Scalar& value, int bound) {
  if (!is_floating_point(dtype)) return value.to_int() % bound;
  const double x = value.to_double();
  return std::isfinite(x) ? std::fmod(x, bound) : 0.75;
}

Tensor tamed(const Tensor& t, int bound) {
  Tensor made = empty(t.sizes(), t.dtype());
  const Tensor from = t.contiguous();
  materialize(from.impl());  // it may wait in a trace
  for (int64_t i = 0; i < t.numel(); ++i) {
    const std::byte* element = from.impl()->data + i * t.element_size();
    store_element(t.dtype(), made.impl()->data + i * t.element_size(),
                  tamed(t.dtype(), load_element(t.dtype(), element), bound));
  }
  return made;
}

// The cases that differ in more than layout and values, tame.
std::vector<SweepCase> tame_cases(Op op) {
  std::vector<SweepCase> cases;
  std::map<std::string, int> seen;
  const int bound = op == Op::prod ? 2 : 50;  // no product is infinite
  for (SweepCase c : sweep::sweep_cases(op)) {
    for (Tensor& t : c.tensors)
      if (t.defined()) t = tamed(t, bound);
    if (seen[c.str()]++ < 1) cases.push_back(std::move(c));
  }
  if (cases.size() <= kMostCases) return cases;
  std::vector<SweepCase> some;  // spread over all of them
  for (size_t i = 0; i < kMostCases; ++i) some.push_back(cases[i * cases.size() / kMostCases]);
  return some;
}

double eps_of(Dtype dtype) {
  switch (dtype) {
    case kFloat64:
      return 0x1p-52;
    case kFloat32:
      return 0x1p-23;
    case kFloat16:
      return 0x1p-10;
    case kBFloat16:
      return 0x1p-7;
    default:
      return 0;
  }
}

// What `right` may be missed by. Formulas go through a few operations more than the op itself.
Tolerance tolerance_of(const SweepCase& c, const Tensor& right) {
  double coarsest = eps_of(right.dtype());
  if (coarsest == 0) return {0, 0};
  const bool half = is_half(right.dtype());
  int64_t terms = 1;
  for (const Tensor& t : c.tensors)
    if (t.defined()) terms = std::max(terms, t.numel());
  const bool sums = info(c.op).tolerance.kind == frit::Tolerance::Kind::kSum;
  // onnxruntime's transforms of lengths that are no powers of two are good to some four digits.
  if (c.op == Op::fft || c.op == Op::rfft) coarsest = 0x1p-10;
  // It finds distances by products, which cancel, and keeps factors of products that it fuses in
  // f32.
  if (c.op == Op::cdist) coarsest = 0x1p-10;
  if (c.op == Op::baddbmm || c.op == Op::scaled_dot_product_attention)
    coarsest = std::max(coarsest, 0x1p-23);
  const double relative = half ? 2 * coarsest : 32 * coarsest;
  const double step = half ? 0x1p-23 : coarsest;  // the 16-bit floats compute in f32
  return {(sums ? 16.0 * static_cast<double>(terms) : 64.0) * step + (half ? 1e-6 : 0), relative};
}

// A case that Frit runs, and its model.
struct Exported {
  Graph graph;
  Bytes model;
  std::vector<Tensor> inputs, right;
};

class ExportSweep : public testing::TestWithParam<int> {
 protected:
  // Calls `check` with each case that is exported; a text is a failure.
  template <class Check>
  void for_each_exported(Check check) {
    const Op op = static_cast<Op>(GetParam());
    int failures = 0;
    for (const SweepCase& c : tame_cases(op)) {
      const Outcome eager = run_case(c, &run_eager);
      if (eager.error) continue;
      for (const sweep::Scalars scalars : {sweep::Scalars::kLiterals, sweep::Scalars::kArguments}) {
        const std::string problem = check_case(c, scalars, eager, check);
        EXPECT_EQ(problem, "") << c.str();
        if (!problem.empty() && ++failures == 3) return;
      }
    }
  }

 private:
  template <class Check>
  std::string check_case(const SweepCase& c, sweep::Scalars scalars, const Outcome& eager,
                         Check check) {
    Exported exported{
        one_node_graph(c, scalars), {}, model_inputs(graph_args(c, scalars)), eager.results};
    if (exported.graph.outputs().empty()) return "";
    try {
      exported.model = to_bytes(exported.graph);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kNotImplemented ? "" : error.what();
    }
    return check(c, exported);
  }
};

std::string first_difference(const SweepCase& c, const std::vector<Tensor>& got,
                             const std::vector<Tensor>& right) {
  if (got.size() != right.size()) return "other number of results";
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string found = difference(got[i], right[i], tolerance_of(c, right[i]));
    if (!found.empty()) return "result " + std::to_string(i) + ": " + found;
  }
  return "";
}

// What Frit writes and does not read yet.
bool is_unread(const std::string& problem) {
  for (const char* part :
       {"DFT", "unsupported output 1", "3-dimensional window", "Conv: expected 3 or 4 dimensions"})
    if (problem.find(part) != std::string::npos) return true;
  return false;
}

// onnxruntime lacks kernels for f64 alone: the rows of the table name what it has of the others.
bool is_without_kernel(const Exported& exported, const std::string& problem) {
  const bool lacks = problem.find("Could not find an implementation") != std::string::npos ||
                     problem.find("Failed to find kernel") != std::string::npos;
  return lacks && std::ranges::any_of(exported.inputs,
                                      [](const Tensor& t) { return t.dtype() == kFloat64; });
}

TEST_P(ExportSweep, IsAcceptedByOnnxsChecker) {
  for_each_exported(
      [](const SweepCase&, const Exported& exported) { return model_problem(exported.model); });
}

TEST_P(ExportSweep, ReadsBackToTheSameResults) {
  for_each_exported([](const SweepCase& c, const Exported& exported) -> std::string {
    try {
      const Model model = Model::parse(exported.model, "m.onnx");
      return first_difference(c, model.run(exported.inputs), exported.right);
    } catch (const Error& error) {
      return is_unread(error.what()) ? "" : error.what();
    }
  });
}

TEST_P(ExportSweep, AgreesWithOnnxruntime) {
  const auto runtime = onnxruntime_of_models();
  if (runtime == nullptr) {
    const char* ci = std::getenv("CI");
    if (ci != nullptr && std::string(ci) == "true") FAIL() << "onnxruntime is not in models/";
    GTEST_SKIP() << "onnxruntime is not in models/: run tools/setup";
  }
  for_each_exported([&](const SweepCase& c, const Exported& exported) -> std::string {
    try {
      const std::vector<Tensor> got =
          run_in_onnxruntime(*runtime, exported.model, exported.graph, exported.inputs);
      return first_difference(c, got, exported.right);
    } catch (const std::runtime_error& error) {
      return is_without_kernel(exported, error.what()) ? "" : error.what();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ops, ExportSweep, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::onnx

// Normalizes again without facts that were not noted.
#include "src/normalize/verify_assumptions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/graph/types.h"

namespace frit {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, std::span<const NormalizePass> passes,
           const NormalizeContext& context, const Graph& core)
      : graph_(graph), passes_(passes), context_(context), text_(core.print()) {
    assumed_.resize(graph.num_inputs());
    for (const Assumption& a : context.assumptions)
      if (a.fact == Fact::kScalar) assumed_[a.scalar_input] = true;
  }

  std::string problem() const {
    std::string found = with_the_unnamed_withheld();
    if (found.empty()) found = with_each_named_withheld();
    if (found.empty()) found = with_other_values();
    if (found.empty()) found = with_other_denormals();
    return found;
  }

 private:
  bool is_unnamed(Graph::ValueId v) const { return graph_.is_scalar(v) && !assumed_[v]; }

  bool any_unnamed() const {
    for (Graph::ValueId v = 0; v < graph_.num_inputs(); ++v)
      if (is_unnamed(v)) return true;
    return false;
  }

  // The inputs of a run like the verified one.
  NormalizeContext inputs() const {
    NormalizeContext inputs;
    inputs.scalar_values = context_.scalar_values;
    inputs.keep = context_.keep;
    inputs.decompositions = context_.decompositions;
    inputs.denormals = context_.denormals;
    return inputs;
  }

  // Empty, or how the run differs from the verified one. `what`: of the facts.
  std::string difference(NormalizeContext inputs, const std::string& what) const {
    std::string text;
    try {
      text = run_normalize(graph_, passes_, &inputs).print();
    } catch (const WithheldFact& fact) {
      return what + ", " + std::string(inputs.pass) + " asks for " +
             graph_.input_name(fact.scalar_input) + ", which is not noted";
    } catch (const Error& error) {
      return what + ", " + std::string(inputs.pass) + " throws: " + error.what();
    }
    for (const Assumption& a : inputs.assumptions)
      if (a.fact == Fact::kScalar && is_unnamed(a.scalar_input))
        return what + ", " + std::string(a.pass) + " notes " + graph_.input_name(a.scalar_input) +
               ", which it had looked at before";
    if (text == text_) return {};
    return what + ", the result is another one, and nobody noted why:\n" + text + "not\n" + text_;
  }

  std::string with_the_unnamed_withheld() const {
    if (!any_unnamed()) return {};
    NormalizeContext run = inputs();
    run.withheld.resize(run.scalar_values.size());
    for (Graph::ValueId v = 0; v < graph_.num_inputs(); ++v) {
      if (!is_unnamed(v)) continue;
      run.withheld[v] = true;
      run.scalar_values[v] = Scalar();
    }
    return difference(std::move(run), "without the scalars that are not noted");
  }

  std::string with_each_named_withheld() const {
    for (Graph::ValueId v = 0; v < graph_.num_inputs(); ++v) {
      if (!assumed_[v]) continue;
      NormalizeContext run = inputs();
      run.withheld.resize(run.scalar_values.size());
      run.withheld[v] = true;
      try {
        run_normalize(graph_, passes_, &run);
      } catch (const WithheldFact&) {
        continue;
      }
      return "a rewrite fires without " + graph_.input_name(v) +
             ", which is noted: it was not asked for";
    }
    return {};
  }

  // First all of a turn's values are one, then each input has its own: that two scalars are equal
  // is a fact, too.
  std::string with_other_values() const {
    if (!any_unnamed()) return {};
    for (const int step : {0, 1}) {
      for (int turn = 0; turn < kNumValueTurns; ++turn) {
        NormalizeContext run = inputs();
        std::string what = "where";
        for (Graph::ValueId v = 0; v < graph_.num_inputs(); ++v) {
          if (!is_unnamed(v)) continue;
          run.scalar_values[v] = other_value(graph_.scalar_kind(v), turn + step * v);
          what += " " + graph_.input_name(v) + " == " + graph::print_scalar(run.scalar_values[v]);
        }
        const std::string found = difference(std::move(run), what);
        if (!found.empty()) return found;
      }
    }
    return {};
  }

  std::string with_other_denormals() const {
    const bool noted = std::any_of(context_.assumptions.begin(), context_.assumptions.end(),
                                   [](const Assumption& a) { return a.fact == Fact::kDenormals; });
    if (noted) return {};
    NormalizeContext run = inputs();
    const bool kept = run.denormals == Denormals::kKept;
    run.denormals = kept ? Denormals::kZero : Denormals::kKept;
    return difference(std::move(run),
                      kept ? "where denormals may be zero" : "where denormals are kept");
  }

  const Graph& graph_;
  std::span<const NormalizePass> passes_;
  const NormalizeContext& context_;
  const std::string text_;
  std::vector<bool> assumed_;  // per input
};

}  // namespace

Scalar other_value(Scalar::Kind kind, int turn) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, kNumValueTurns> kFloats = {
      0.0, -0.0,  1.0,  -1.0,      2.0,
      3.0, 0.5,   -0.5, kInfinity, std::numeric_limits<double>::quiet_NaN(),
      0.3, 1e-310};
  constexpr std::array<int64_t, kNumValueTurns> kInts = {0, 1, -1, 2,   3,    -2,
                                                         4, 7, -5, 255, 1000, int64_t{1} << 40};
  const auto place = static_cast<size_t>(turn % kNumValueTurns);
  switch (kind) {
    case Scalar::Kind::kBool:
      return Scalar(turn % 2 == 1);
    case Scalar::Kind::kInt:
      return Scalar(kInts[place]);
    case Scalar::Kind::kFloat:
      return Scalar(kFloats[place]);
  }
  __builtin_unreachable();
}

std::string verify_assumptions(const Graph& graph, std::span<const NormalizePass> passes,
                               const NormalizeContext& context, const Graph& core) {
  return Verifier(graph, passes, context, core).problem();
}

}  // namespace frit

// How much of the sweep is made of fused kernels: the shares must not sink. Prints why the rest is
// not.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/sweep/one_node_graph.h"

namespace frit::sweep {
namespace {

// Of the cases that are no errors.
struct Count {
  int cases = 0, kernels = 0, calls = 0;
  std::map<std::string, int> reasons;
};

// A reason is "op: problem" or "output 0 is a view with gaps: layout": where the layout begins.
size_t end_of_reason(const std::string& reason) {
  const size_t bracket = reason.find('[');
  return bracket == std::string::npos ? reason.size() : reason.rfind(": ", bracket);
}

void count_case(const SweepCase& c, Count* count) {
  Lowered lowered{Lowered::Kind::kRefused, "its result depends on data"};
  try {
    std::string problem;
    const Graph graph = one_node_graph(c, Scalars::kLiterals);
    const Graph core = normalized(graph, graph_args(c, Scalars::kLiterals), &problem);
    if (!graph.outputs().empty() || c.op == Op::store) lowered = how_lowered(schedule(core));
  } catch (const Error&) {
    return;
  }
  ++count->cases;
  if (lowered.kind == Lowered::Kind::kKernels) ++count->kernels;
  if (lowered.kind == Lowered::Kind::kCall) ++count->calls;
  if (!lowered.reason.empty())
    ++count->reasons[lowered.reason.substr(0, end_of_reason(lowered.reason))];
}

Count count_family(Family family) {
  Count count;
  for (int op = 0; op < kNumOps; ++op) {
    if (info(static_cast<Op>(op)).family != family) continue;
    for (const SweepCase& c : sweep_cases(static_cast<Op>(op))) count_case(c, &count);
  }
  return count;
}

// The share in percent, rounded down, that was reached when this was last changed.
struct Share {
  const char* name;
  int kernels, kernels_and_calls;
};
Share share_of(Family family) {
  switch (family) {
    case Family::kUnary:
      return {"unary", 100, 100};
    case Family::kBinary:
      return {"binary", 92, 92};
    case Family::kTernary:
      return {"ternary", 100, 100};
    case Family::kCast:
      return {"cast", 100, 100};
    case Family::kReduce:
      return {"reduce", 78, 78};
    case Family::kArgReduce:
      return {"arg_reduce", 0, 0};
    case Family::kScan:
      return {"scan", 64, 89};
    case Family::kMove:
      return {"move", 44, 46};
    case Family::kCopy:
      return {"copy", 84, 100};
    case Family::kCat:
      return {"cat", 0, 100};
    case Family::kPad:
      return {"pad", 0, 100};
    case Family::kIndex:
      return {"index", 80, 85};
    case Family::kScatter:
      return {"scatter", 45, 89};
    case Family::kSort:
      return {"sort", 0, 0};
    case Family::kContract:
      return {"contract", 0, 100};
    case Family::kPool:
      return {"pool", 0, 100};
    case Family::kResample:
      return {"resample", 0, 100};
    case Family::kFft:
      return {"fft", 0, 100};
    case Family::kLinalg:
      return {"linalg", 0, 100};
    case Family::kRecurrent:
      return {"recurrent", 0, 100};
    case Family::kCreate:
      return {"create", 34, 34};
    case Family::kStore:
      return {"store", 0, 0};
    case Family::kComposite:
      return {"composite", 61, 69};
    case Family::kCustom:
      break;  // is not in the table
  }
  __builtin_unreachable();
}

class LoweredShare : public testing::TestWithParam<Family> {};

TEST_P(LoweredShare, DoesNotSink) {
  const Share least = share_of(GetParam());
  const Count count = count_family(GetParam());
  ASSERT_GT(count.cases, 0);
  const int kernels = 100 * count.kernels / count.cases;
  const int either = 100 * (count.kernels + count.calls) / count.cases;
  std::printf("%s: %d cases, %d %% kernels, %d %% kernels or library calls\n", least.name,
              count.cases, kernels, either);
  for (const auto& [reason, times] : count.reasons)
    std::printf("  %6d %s\n", times, reason.c_str());
  EXPECT_GE(kernels, least.kernels);
  EXPECT_GE(either, least.kernels_and_calls);
}

std::vector<Family> all_families() {
  std::vector<Family> families;
  for (int f = 0; f <= static_cast<int>(Family::kComposite); ++f)
    families.push_back(static_cast<Family>(f));
  return families;
}

INSTANTIATE_TEST_SUITE_P(Families, LoweredShare, testing::ValuesIn(all_families()),
                         [](const auto& param) { return std::string(share_of(param.param).name); });

}  // namespace
}  // namespace frit::sweep

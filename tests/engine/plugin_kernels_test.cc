// Writers of plug-ins: which kernels they get, who makes the rest, and how each fault is reported.
#include <gtest/gtest.h>

#include <string>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

const std::string kFolder = "tests/engine/plugins/";
const std::string kExample = "examples/plugin_writer/postfix_writer.so";

int64_t made_by(const std::string& writer) {
  const Stats now = stats();
  const auto it = now.writers.find(writer);
  return it == now.writers.end() ? 0 : it->second;
}
int64_t refused(const std::string& text) {
  const Stats now = stats();
  const auto it = now.refusals.find(text);
  return it == now.refusals.end() ? 0 : it->second;
}

// A program that registers a writer after the plug-ins' are there: the last one is asked.
class NoWriter final : public Writer {
 public:
  std::string_view name() const override { return "none"; }
  std::unique_ptr<CompiledKernel> compile(const Kernel&, std::string* reason) override {
    *reason = "it makes none";
    return nullptr;
  }
};

// Has the writer of the plug-in in use for a scope: a plug-in registers its writer once.
class WithExample {
 public:
  WithExample() {
    load_plugin(kExample);
    trim();
  }
  ~WithExample() { trim(); }
};

// "native (mine: why)", or, without AVX2, "blocks (mine: why; native: ...)": as "Frit (mine: why)".
std::vector<std::string> without_frits(std::vector<std::string> writers) {
  for (std::string& writer : writers) {
    const size_t bracket = writer.find(" (");
    if (bracket == std::string::npos) continue;
    writer = "Frit" + writer.substr(bracket);
    if (const size_t more = writer.find("; native: "); more != std::string::npos)
      writer = writer.substr(0, more) + ")";
  }
  return writers;
}

// Runs a region until a plan serves it, and again with the JIT off. The writers of its kernels.
template <class F>
std::vector<std::string> writers_of(F fn, const Tensor& x) {
  const auto fast = compile(fn);
  std::vector<float> last;
  for (int i = 0; i < 3; ++i) last = values(fast(x));
  set_jit_mode("off");
  EXPECT_EQ(last, values(fn(x)));
  set_jit_mode("on");
  const Explanation explanation = explain_region(*fast.region());
  if (explanation.plans.empty()) return {};
  return without_frits(explanation.plans[0].forms[0].writers);
}

TEST(PluginKernels, GoToTheWriterThatSupportsThem) {
  HotScope hot;
  const WithExample scope;
  const int64_t before = made_by("postfix");
  const Tensor x = tensor({1.0f, -2.0f, 0.1f, 1e30f, -0.0f});
  EXPECT_EQ(writers_of([](const Tensor& t) { return t * 2 + 1; }, x),
            std::vector<std::string>{"postfix: bits not guaranteed"});
  EXPECT_EQ(writers_of([](const Tensor& t) { return (t - 3) * (t / 7) - (t - t * t); }, x),
            std::vector<std::string>{"postfix: bits not guaranteed"});
  EXPECT_EQ(made_by("postfix") - before, 2);
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(PluginKernels, ThatItRefusesGoToFritsWriter) {
  HotScope hot;
  const WithExample scope;
  const int64_t before = refused("postfix: no unit for exp");
  const Tensor x = tensor({1.0f, -2.0f, 0.1f});
  EXPECT_EQ(writers_of([](const Tensor& t) { return exp(t) + 1; }, x),
            std::vector<std::string>{"Frit (postfix: no unit for exp)"});
  EXPECT_EQ(writers_of([](const Tensor& t) { return t.sum() * 2; }, x),
            std::vector<std::string>{"Frit (postfix: not one row)"});
  EXPECT_EQ(refused("postfix: no unit for exp") - before, 1);
  EXPECT_NE(stats().str().find("kernels refused by postfix: no unit for exp="), std::string::npos);
}

TEST(PluginKernels, OfOnePlanMayHaveSeveralWriters) {
  HotScope hot;
  const WithExample scope;
  const Tensor x = tensor({1.0f, -2.0f, 0.1f, 4.0f}).view({2, 2});
  const auto writers =
      writers_of([](const Tensor& t) { return softmax(matmul(t * 2 + 1, t), 1); }, x);
  EXPECT_EQ(writers, (std::vector<std::string>{"postfix: bits not guaranteed",
                                               "Frit (postfix: not one row)"}));
}

TEST(PluginKernels, TakeNumbersThatChange) {
  HotScope hot;
  const WithExample scope;
  const auto fast = compile([](const Tensor& t, double by) { return t * by + 1; });
  const Tensor x = tensor({1.0f, 0.1f});
  for (const double by : {2.0, 3.0, 0.3, 5.0, 7.0}) {
    const std::vector<float> made = values(fast(x, by));
    const float b = static_cast<float>(by);
    EXPECT_EQ(made, (std::vector<float>{1.0f * b + 1, 0.1f * b + 1}));
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(PluginKernels, AreListedAsTheWriterLists) {
  HotScope hot;
  const WithExample scope;
  const auto fast = compile([](const Tensor& t) { return t * 2 + 1; });
  for (int i = 0; i < 3; ++i) fast(tensor({1.0f, 2.0f}));
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_EQ(explanation.plans[0].forms[0].listings, std::vector<std::string>{"a0 2 * 1 +"});
  EXPECT_EQ(load_plugin(kExample).writers, std::vector<std::string>{"postfix"});
}

TEST(PluginKernels, OfAWriterWithAFaultAreNone) {
  const auto refusal = [](const std::string& name) {
    const std::string text = error_of([&] { load_plugin(kFolder + name + ".so"); });
    const std::string before = name + ".so): init failed: register_writer: ";
    const size_t at = text.find(before);
    return at == std::string::npos ? "not refused: " + text : text.substr(at + before.size());
  };
  EXPECT_EQ(refusal("writer_is_null"), "the writer is null");
  EXPECT_EQ(refusal("writer_is_too_small"), "the writer's size is 8 bytes, that of 1.2 is 40");
  EXPECT_EQ(refusal("writer_has_no_name"), "the writer has no name");
  EXPECT_EQ(refusal("writer_has_a_taken_name"), "the name native is taken");
  EXPECT_EQ(refusal("writer_has_no_device"), "faulty: no such device: 'toaster'");
  EXPECT_EQ(refusal("writer_has_no_compile"), "faulty: compile is null");
}

// The last of the tests: the writer stays in use.
TEST(PluginKernelsThatFail, AreLeftToOthers) {
  load_plugin(kFolder + "failing.so");
  const Tensor x = tensor({0.5f, 2.0f});
  const auto native = [&](const std::string& why) {
    return std::vector<std::string>{"Frit (failing: " + why + ")"};
  };
  HotScope hot;
  EXPECT_EQ(writers_of([](const Tensor& t) { return sin(t) + 1; }, x),
            native("it threw: cannot read"));
  EXPECT_EQ(writers_of([](const Tensor& t) { return cos(t) + 1; }, x),
            native("compile gave no function to run"));
  EXPECT_EQ(writers_of([](const Tensor& t) { return tan(t) + 1; }, x), native("it gave 5"));
  EXPECT_EQ(writers_of([](const Tensor& t) { return t * 5; }, x), native("not today"));
  EXPECT_EQ(hot.reason("plan_failed"), 0);
}

TEST(PluginKernelsThatFail, AsTheyRunLeaveTheOpsToEager) {
  load_plugin(kFolder + "failing.so");
  const Tensor x = tensor({0.5f, 2.0f});
  HotScope hot;
  writers_of([](const Tensor& t) { return exp(t) + 1; }, x);
  EXPECT_GE(hot.reason("plan_failed"), 1);
  const int64_t before = hot.reason("plan_failed");
  writers_of([](const Tensor& t) { return log(t) + 1; }, x);
  EXPECT_GE(hot.reason("plan_failed"), before + 1);
}

TEST(PluginKernelsThatFail, GiveWayToAWriterRegisteredLater) {
  load_plugin(kFolder + "failing.so");
  register_writer("cpu", [] { return std::make_unique<NoWriter>(); });
  HotScope hot;
  EXPECT_EQ(writers_of([](const Tensor& t) { return t * 11; }, tensor({0.5f, 2.0f})),
            std::vector<std::string>{"Frit (none: it makes none)"});
}

}  // namespace
}  // namespace frit

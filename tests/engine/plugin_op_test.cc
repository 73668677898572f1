// Ops of plug-ins: what they are handed, and how each fault is reported.
#include <gtest/gtest.h>

#include <string>

#include "frit/frit.h"
#include "src/base/flags.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

const std::string kFolder = "tests/engine/plugins/";

CustomOp op(const std::string& name) {
  load_plugin(kFolder + "ops.so");
  return custom_op("ops::" + name);
}
CustomOp failing_op(const std::string& name) {
  load_plugin(kFolder + "failing.so");
  return custom_op("failing::" + name);
}

// The text of an error with "PATH" for the plug-in's.
std::string error_without_path(const std::string& text) {
  const size_t from = text.find("(plug-in /"), to = text.find(".so)", from);
  if (from == std::string::npos || to == std::string::npos) return text;
  return text.substr(0, from) + "(plug-in PATH" + text.substr(to + 3);
}
template <class F>
std::string failure_of(F fn) {
  return error_without_path(error_of(fn));
}

std::string text_of(const Tensor& bytes) {
  std::string text;
  bytes.with_data<const uint8_t>(
      [&](const uint8_t* p) { text = reinterpret_cast<const char*>(p); });
  return text;
}

TEST(PluginOp, IsListedAndFoundByItsName) {
  const PluginInfo info = load_plugin(kFolder + "ops.so");
  EXPECT_EQ(info.ops, (std::vector<std::string>{"ops::describe", "ops::scale", "ops::accumulate_",
                                                "ops::third", "ops::filled"}));
  EXPECT_TRUE(info.backends.empty());
  EXPECT_TRUE(info.writers.empty());
  EXPECT_EQ(op("scale").schema(), "ops::scale(Tensor x, float by) -> Tensor");
}

TEST(PluginOp, IsHandedItsArguments) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2}).transpose(0, 1);
  const Tensor i = arange(3);
  const std::vector<Tensor> more = {i, x};
  EXPECT_EQ(text_of(op("describe")({x, 2, i, 1.5, more, 9, -4, 5, {6, 7, 8}, true, "sum up"})),
            "hello ops::describe 0:t1[2/1,2/2] 1:2 2:t4[3/1] 3:1.5 4:t4[3/1] 4:t1[2/1,2/2] 5:9 "
            "n=0:-4 k=0:5 dims=1:6,7,8 flip=2:1 mode=4:sum up");
}

TEST(PluginOp, IsHandedDefaultsAndWhatIsLeftOut) {
  const Tensor x = tensor(2.0f);
  EXPECT_EQ(text_of(op("describe")({x, 0.5, std::nullopt, std::nullopt, std::vector<Tensor>()})),
            "hello ops::describe 0:t1 1:0.5 2:- 3:- 5:7 n=0:3 k=0 dims=1:1,2 flip=2:0 "
            "mode=4:plain");
}

TEST(PluginOp, IsOneNodeOfAGraphAndNoBreak) {
  HotScope hot;
  const CustomOp scale = op("scale");
  const auto fast = compile(
      [&](const Tensor& x) {
        return relu(scale({x + 1, 3.0})) * 2;
      },
      {.fullgraph = true});
  const Tensor x = tensor({1.0f, -2.0f, 0.0f, 5.0f}).view({2, 2});
  std::vector<float> last;
  for (int i = 0; i < 4; ++i) last = values(fast(x));
  EXPECT_EQ(last, (std::vector<float>{12, 0, 6, 36}));
  EXPECT_GE(hot.plan_entries(), 1);
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_NE(explanation.plans[0].forms[0].captured.find("= ops::scale %0, 3.0"), std::string::npos)
      << explanation.str();
}

TEST(PluginOp, ReadsStridedOperands) {
  const Tensor x = arange(6).to(kFloat32).view({2, 3});
  EXPECT_EQ(values(op("scale")({x.transpose(0, 1), 2})), (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

TEST(PluginOp, WritesToOperandsThatItDeclares) {
  const CustomOp accumulate = op("accumulate_");
  expect_as_eager([&] {
    const Tensor sum = zeros({6});
    return [=](int i) {
      const Tensor part = sum.slice(0, 0, 6, 2);
      EXPECT_TRUE(accumulate({part, ones({3}) * i}).is_same(part));
      return values(sum + 0);
    };
  });
}

TEST(PluginOp, ThatAsksForAutocastGetsItInF32AndRoundsOnce) {
  const CustomOp third = op("third");
  const Tensor x = tensor({1.0f, 2.0f, 5.0f});
  for (const Dtype dtype : {kBFloat16, kFloat16, kFloat32}) {
    const Tensor y = third({x.to(dtype)});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(values(y.to(kFloat32)), values((x / 3).to(dtype).to(kFloat32)));
  }
}

TEST(PluginOp, SaysItsTypeByWhatKindANumberIs) {
  const CustomOp filled = op("filled");
  EXPECT_EQ(filled({ones({2}), 3}).str(), "tensor([3, 3])");
  EXPECT_EQ(filled({ones({2}), 1.5}).str(), "tensor([1.5000, 1.5000], dtype=float64)");
  EXPECT_EQ(filled({ones({2}), true}).str(), "tensor([True, True])");
  HotScope hot;
  const auto fast = compile([&](const Tensor& x) { return filled({x + 1, 3}) * 2; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(fast(ones({2})).str(), "tensor([6, 6])");
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(PluginOp, WhoseRunFailsIsNamedWithItsPlugin) {
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_EQ(failure_of([&] { failing_op("run_fails")({x}); }),
            "failing::run_fails(f32[2]): its function failed: out of steam (plug-in PATH)");
  EXPECT_EQ(failure_of([&] {
              failing_op("run_throws")({x, 2});
            }),
            "failing::run_throws(f32[2], 2): its function failed: it threw: out of coal (plug-in "
            "PATH)");
}

TEST(PluginOp, WhoseRunFailsInsideOfWhatIsCompiledIsNamedToo) {
  HotScope hot;
  const CustomOp fails = failing_op("run_fails");
  const Tensor x = tensor({1.0f, 2.0f});
  const auto fast = compile([&](const Tensor& t) { return fails({t * 2}) + 1; });
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(failure_of([&] { values(fast(x)); }),
              "failing::run_fails(f32[2]): its function failed: out of steam (plug-in PATH)");
}

TEST(PluginOp, WhoseFakeFunctionFailsIsNamedWithItsPlugin) {
  const Tensor x = tensor({1.0f, 2.0f});
  const auto failure = [&](const char* name) { return failure_of([&] { failing_op(name)({x}); }); };
  const auto said = [](const std::string& name, const std::string& why) {
    return "failing::" + name + ": its fake function failed: " + why + " (plug-in PATH)";
  };
  EXPECT_EQ(failure("fake_fails"), said("fake_fails", "who knows"));
  EXPECT_EQ(failure("fake_throws"), said("fake_throws", "it threw an exception of unknown type"));
  EXPECT_EQ(failure("fake_gives_nothing"),
            "failing::fake_gives_nothing: its fake function gave 0 results, its schema says 1");
  EXPECT_EQ(failure("fake_gives_two"),
            said("fake_gives_two",
                 "failing::fake_gives_two: its fake function gives more results than its schema "
                 "says"));
  EXPECT_EQ(failure("no_dtype"), said("no_dtype", "add_type: there is no dtype 77"));
  EXPECT_EQ(failure("no_rank"), said("no_rank", "add_type: the rank is 99"));
  EXPECT_EQ(failure("no_size"), said("no_size", "add_type: a size is -1"));
  EXPECT_EQ(failure("no_sizes"), said("no_sizes", "add_type: the sizes are null"));
  EXPECT_EQ(failure("no_tensor"), said("no_tensor", "add_type: it is no tensor's"));
  EXPECT_EQ(failure("no_type"), said("no_type", "add_type: the type is null"));
}

TEST(PluginOp, WithAFaultIsRefusedAsItIsRegistered) {
  register_op("taken::op(Tensor x) -> Tensor",
              {.eager = [](const OpArgs& args) { return std::vector{args.tensor(0).clone()}; }});
  const auto refusal = [](const std::string& name) {
    const std::string text = error_of([&] { load_plugin(kFolder + name + ".so"); });
    const std::string before = name + ".so): init failed: ";
    const size_t at = text.find(before);
    return at == std::string::npos ? "not refused: " + text : text.substr(at + before.size());
  };
  EXPECT_EQ(refusal("op_is_null"), "register_op: the op is null");
  EXPECT_EQ(refusal("op_is_too_small"), "register_op: the op's size is 8 bytes, that of 1.2 is 48");
  EXPECT_EQ(refusal("op_has_no_schema"), "register_op: the op has no schema");
  EXPECT_EQ(refusal("op_has_a_bad_schema"),
            "register_op(faulty::op(Tensor x, complex y) -> Tensor): line 1, column 22: expected "
            "Tensor, float, Scalar, int, int[], bool or str, found 'complex'");
  EXPECT_EQ(refusal("op_has_no_run"), "register_op: faulty::op: run is null");
  EXPECT_EQ(refusal("op_has_no_fake"),
            "register_op(faulty::op(Tensor x) -> Tensor): eager_out needs fake, which says what "
            "the results are");
  EXPECT_EQ(refusal("op_has_no_such_autocast"),
            "register_op: faulty::op(Tensor x) -> Tensor: there is no autocast 9");
  EXPECT_EQ(refusal("op_is_there_twice"), "register_op: faulty::op: registered twice");
  EXPECT_EQ(refusal("op_is_there_otherwise"),
            "register_op(taken::op(Tensor y) -> Tensor): taken::op is registered already, as "
            "taken::op(Tensor x) -> Tensor");
  EXPECT_EQ(refusal("op_and_then_init_fails"), "it gave 1");
  for (int time = 0; time < 2; ++time) {
    const std::string text = refusal("ops_are_too_many"), mark = "): there are 512 ops already";
    EXPECT_EQ(text.substr(0, 22), "register_op(faulty::op");
    EXPECT_EQ(text.substr(text.size() - mark.size()), mark);
  }
  EXPECT_FALSE(op_named("faulty::op"));
  EXPECT_FALSE(op_named("faulty::op0"));
}

}  // namespace
}  // namespace frit

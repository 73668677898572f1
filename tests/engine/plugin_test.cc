// Plug-ins from shared libraries: what they may do, and how each fault is reported.
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <string>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

const std::string kFolder = "tests/engine/plugins/";

Tensor affine(const Tensor& x) { return x * 2 + 1; }

// The text after "load_plugin(/.../name.so): " of the error.
std::string error_of_loading(const std::string& name) {
  const std::string text = error_of([&] { load_plugin(kFolder + name + ".so"); });
  const std::string before = "load_plugin(/", after = kFolder + name + ".so): ";
  const size_t at = text.find(after);
  EXPECT_EQ(text.substr(0, before.size()), before) << text;
  return at == std::string::npos ? "does not name the plug-in: " + text
                                 : text.substr(at + after.size());
}

bool is_backend(const std::string& name) {
  for (const std::string& known : list_backends())
    if (known == name) return true;
  return false;
}

// Four runs of a region that the backend compiles; the values of the last.
template <class F>
std::vector<float> run_with(const std::string& backend, F fn, const Tensor& x) {
  const auto fast = compile(fn, {.backend = backend});
  std::vector<float> last;
  for (int i = 0; i < 4; ++i) last = values(fast(x));
  return last;
}

TEST(Plugin, SaysWhatItIs) {
  const PluginInfo info = load_plugin(kFolder + "plain.so");
  EXPECT_EQ(info.path.front(), '/');
  EXPECT_EQ(info.name, "plain");
  EXPECT_EQ(info.version, "2.3");
  EXPECT_EQ(info.major, 1);
  EXPECT_EQ(info.minor, 2);
  EXPECT_EQ(info.backends, std::vector<std::string>{"plain"});
  EXPECT_TRUE(is_backend("plain"));
}

TEST(Plugin, IsLoadedOnce) {
  load_plugin(kFolder + "plain.so");
  const size_t before = list_plugins().size();
  EXPECT_EQ(load_plugin("./" + kFolder + "../plugins/plain.so").name, "plain");
  EXPECT_EQ(list_plugins().size(), before);
}

TEST(Plugin, IsHandedTextTensorsAndNumbers) {
  HotScope hot;
  load_plugin(kFolder + "plain.so");
  set_default_backend("plain");
  const Tensor columns = tensor({1.0f, 9.0f, 2.0f, 9.0f, 3.0f, 9.0f}).view({3, 2});
  const Tensor x = columns.select(1, 0);
  for (const float s : {2.0f, 3.0f, 0.5f, 4.0f, 5.0f})
    EXPECT_EQ(values(x * s), (std::vector<float>{1 * s, 2 * s, 3 * s}));
  set_default_backend("native");
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_EQ(hot.reason("plan_failed"), 0);
}

TEST(Plugin, OfAnOlderMinorVersionServes) {
  HotScope hot;
  EXPECT_EQ(load_plugin(kFolder + "old.so").minor, 0);
  EXPECT_EQ(run_with("old", affine, tensor({1.0f, 2.0f})), (std::vector<float>{3, 5}));
  EXPECT_EQ(load_plugin(kFolder + "old_1_1.so").minor, 1);
  EXPECT_EQ(run_with("old_1_1", affine, tensor({1.0f, 2.0f})), (std::vector<float>{3, 5}));
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(Plugin, OfANewerMinorVersionServes) {
  HotScope hot;
  EXPECT_EQ(load_plugin(kFolder + "newer_minor.so").minor, 9);
  EXPECT_EQ(run_with("newer_minor", affine, tensor({1.0f})), std::vector<float>{3});
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Plugin, OfAnotherMajorVersionIsRefused) {
  EXPECT_EQ(error_of_loading("newer_major"),
            "other version: it was built for plug-in interface 2.0, this Frit has 1.2");
}

TEST(Plugin, ThatIsNoneIsRefused) {
  EXPECT_EQ(error_of([] { load_plugin("nowhere/none.so"); }),
            "load_plugin(nowhere/none.so): no such plug-in: No such file or directory");
  EXPECT_NE(error_of([] { load_plugin(kFolder); }).find("cannot be loaded"), std::string::npos);
  EXPECT_EQ(error_of_loading("no_abi"),
            "no plug-in: it does not define frit_plugin_abi, as FRIT_PLUGIN_ABI does");
  EXPECT_EQ(error_of_loading("no_init"), "no plug-in: it does not define frit_plugin_init");
}

TEST(Plugin, WhoseInitFailsIsReportedInItsWords) {
  EXPECT_EQ(error_of_loading("init_fails"), "init failed: no licence");
  EXPECT_EQ(error_of_loading("init_fails_silently"), "init failed: it gave 3");
  EXPECT_EQ(error_of_loading("init_throws"), "init failed: it threw: no coffee");
  EXPECT_EQ(error_of_loading("init_throws_an_int"),
            "init failed: it threw an exception of unknown type");
}

TEST(Plugin, ThatFailsHalfWayLeavesNothingBehind) {
  const size_t before = list_plugins().size();
  EXPECT_EQ(error_of_loading("init_registers_and_fails"), "init failed: changed its mind");
  EXPECT_FALSE(is_backend("init_registers_and_fails"));
  EXPECT_EQ(list_plugins().size(), before);
}

TEST(Plugin, ThatRegistersNonsenseIsToldSo) {
  const std::string start = "init failed: register_backend: ";
  EXPECT_EQ(error_of_loading("registers_null"), start + "the backend is null");
  EXPECT_EQ(error_of_loading("compile_is_null"), start + "compile_is_null: compile is null");
  EXPECT_EQ(error_of_loading("is_too_small"),
            start + "the backend's size is 8 bytes, that of 1.0 is 40");
  EXPECT_EQ(error_of_loading("has_no_name"), start + "the backend has no name");
  EXPECT_EQ(error_of_loading("has_a_taken_name"), start + "the name native is taken");
  EXPECT_EQ(error_of_loading("has_no_stage"), start + "has_no_stage: there is no stage 7");
  EXPECT_EQ(error_of_loading("keeps_unknown_ops"),
            "init failed: normalized(keep=frobnicate): no such op");
  EXPECT_EQ(error_of_loading("other_self"),
            start + "only init registers, with the `self` that it was given");
}

// The signal still ends the process, after a line that names the plug-in.
TEST(PluginDeathTest, WhoseInitCrashesIsNamed) {
  EXPECT_DEATH(load_plugin(kFolder + "init_crashes.so"),
               "frit: plug-in /.*/init_crashes.so crashed as it was loaded \\(SIGSEGV\\)");
  EXPECT_DEATH(load_plugin(kFolder + "init_aborts.so"),
               "frit: plug-in /.*/init_aborts.so crashed as it was loaded \\(SIGABRT\\)");
}

TEST(Plugin, LeavesTheProgramsOwnHandlers) {
  const auto mine = [](int) {};
  signal(SIGFPE, mine);
  load_plugin(kFolder + "compile_refuses.so");
  EXPECT_EQ(signal(SIGFPE, SIG_DFL), static_cast<void (*)(int)>(mine));
}

TEST(Plugin, ThatRefusesOrFailsToCompileLeavesTheTraceEager) {
  for (const std::string name : {"compile_refuses", "compile_throws", "compile_gives_nothing"}) {
    HotScope hot;
    load_plugin(kFolder + name + ".so");
    testing::internal::CaptureStderr();
    base::mutable_flags().log.add(base::LogCategory::abort);
    EXPECT_EQ(run_with(name, affine, tensor({1.0f})), std::vector<float>{3});
    base::mutable_flags().log = {};
    const std::string log = testing::internal::GetCapturedStderr();
    const std::string why = name == "compile_refuses"  ? "refused: not today"
                            : name == "compile_throws" ? "refused: it threw: cannot read"
                                                       : "compile gave no function to run";
    EXPECT_NE(log.find("backend(" + name + "): " + why), std::string::npos) << log;
    EXPECT_EQ(hot.plan_entries(), 0);
    EXPECT_GE(hot.reason(name == "compile_gives_nothing" ? "compile_error" : "backend_refused"), 1);
  }
}

TEST(Plugin, WhoseRunFailsLeavesTheOpsToEager) {
  for (const std::string name : {"run_fails", "run_throws"}) {
    HotScope hot;
    load_plugin(kFolder + name + ".so");
    EXPECT_EQ(run_with(name, affine, tensor({1.0f})), std::vector<float>{3});
    EXPECT_GE(hot.reason("plan_failed"), 1);
  }
}

// The example: its file knows frit/plugin.h only.
TEST(PluginExample, ComputesWhatItHasUnitsFor) {
  HotScope hot;
  EXPECT_EQ(load_plugin("examples/plugin_backend/toy_backend.so").name, "toy accelerator");
  const auto fn = [](const Tensor& x) { return relu(x * x - x * 3 + 1) - neg(x); };
  const Tensor x = tensor({1.0f, -2.0f, 0.5f, 4.0f}).view({2, 2});
  EXPECT_EQ(run_with("toy", fn, x), (std::vector<float>{1, 9, 0.5f, 9}));
  EXPECT_GE(hot.plan_entries(), 1);
  EXPECT_EQ(hot.reason("backend_refused"), 0);
}

TEST(PluginExample, RefusesTheRest) {
  load_plugin("examples/plugin_backend/toy_backend.so");
  const std::function<Tensor(const Tensor&)> functions[] = {
      [](const Tensor& x) { return x + x.sum(); }, [](const Tensor& x) { return exp(x * 0); },
      [](const Tensor& x) { return x.to(kFloat64).to(kFloat32) * 2; }};
  for (const auto& fn : functions) {
    HotScope hot;
    const Tensor x = tensor({1.0f, 2.0f});
    EXPECT_EQ(run_with("toy", fn, x), values(fn(x)));
    EXPECT_GE(hot.reason("backend_refused"), 1);
  }
}

}  // namespace
}  // namespace frit

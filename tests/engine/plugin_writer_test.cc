// A plug-in's writer: what it may do while it compiles, and how its kernels are treated.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

// Does what a test asks for, then refuses or takes the kernel.
struct Orders {
  std::function<void()> while_compiling;
  std::function<std::unique_ptr<CompiledKernel>(const Kernel&)> take;
};
Orders orders;

class OrderedWriter final : public Writer {
 public:
  // Whoever is asked anything may ask back.
  std::string_view name() const override { return stats().builds >= 0 ? "ordered" : ""; }
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    if (orders.while_compiling) orders.while_compiling();
    if (orders.take) return orders.take(kernel);
    *reason = "not asked to";
    return nullptr;
  }
};

// The writer of this program, with a test's orders for a scope.
class WithOrders {
 public:
  explicit WithOrders(Orders given) {
    static const bool registered = [] {
      register_writer("cpu", [] { return std::make_unique<OrderedWriter>(); });
      return true;
    }();
    EXPECT_TRUE(registered);
    trim();
    orders = std::move(given);
  }
  ~WithOrders() {
    orders = {};
    trim();
  }
};

// Three runs of a region whose kernel depends on `factor`.
std::vector<float> run_region(double factor) {
  const auto fast = compile([&](const Tensor& x) { return relu(x * factor); });
  std::vector<float> last;
  for (int i = 0; i < 3; ++i) last = values(fast(tensor({1.0f, -1.0f})));
  return last;
}

TEST(PluginWriter, MayAskForStatsWhileItCompiles) {
  HotScope hot;
  int64_t seen = -1;
  const WithOrders scope({[&] { seen = stats().builds; }, {}});
  EXPECT_EQ(run_region(2), (std::vector<float>{2, 0}));
  EXPECT_GE(seen, 0);
  EXPECT_GE(hot.plan_entries(), 1);
}

#if !defined(__SANITIZE_THREAD__)
TEST(PluginWriter, MayForkACompiler) {
  HotScope hot;
  int status = -1;
  const WithOrders scope({[&] {
                            const pid_t child = fork();
                            if (child == 0) _exit(7);
                            waitpid(child, &status, 0);
                          },
                          {}});
  EXPECT_EQ(run_region(3), (std::vector<float>{3, 0}));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}
#endif

TEST(PluginWriter, ThatIsSlowHoldsUpNobodyElse) {
  HotScope hot;
  const WithOrders scope({});
  EXPECT_EQ(run_region(5), (std::vector<float>{5, 0}));
  std::atomic<bool> entered{false}, go_on{false};
  orders.while_compiling = [&] {
    entered = true;
    entered.notify_all();
    go_on.wait(false);
  };
  std::thread slow([] {
    const auto fast = compile([](const Tensor& x) { return exp(x) + x; });
    for (int i = 0; i < 3; ++i) values(fast(tensor({1.0f})));
  });
  entered.wait(false);
  const int64_t hits = stats().kernel_hits;
  EXPECT_EQ(run_region(5), (std::vector<float>{5, 0}));
  EXPECT_GT(stats().kernel_hits, hits);
  go_on = true;
  go_on.notify_all();
  slow.join();
}

TEST(PluginWriter, IsAskedOnceForAKernelThatThreadsWantAtOnce) {
  HotScope hot;
  std::atomic<int> calls{0};
  const WithOrders scope({[&] {
                            ++calls;
                            std::this_thread::sleep_for(std::chrono::milliseconds(50));
                          },
                          {}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] { EXPECT_EQ(run_region(6), (std::vector<float>{6, 0})); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
}

TEST(PluginWriter, ThatThrowsLeavesTheTraceEager) {
  HotScope hot;
  const WithOrders scope({[] { throw std::string("no"); }, {}});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run_region(7), (std::vector<float>{7, 0}));
  EXPECT_EQ(hot.plan_entries(), 0);
}

// Multiplies by a factor that is a rounding error off. Its words are x, its stride, y, and so on.
class RoughKernel final : public CompiledKernel {
 public:
  Code code() const override { return multiply; }

 private:
  static void multiply(const uint64_t* args, int64_t begin, int64_t end) {
    const auto* x = reinterpret_cast<const float*>(args[0]);
    auto* y = reinterpret_cast<float*>(args[2]);
    for (int64_t i = begin; i < end; ++i) y[i] = x[i] * 3.0000002f;
  }
};

TEST(PluginWriter, IsHeldToAToleranceAndExplainedAsNotGuaranteed) {
  HotScope hot;
  const WithOrders scope({{}, [](const Kernel&) { return std::make_unique<RoughKernel>(); }});
  const auto fast = compile([](const Tensor& x) { return x * 3; });
  EXPECT_EQ(values(fast(tensor({1.0f})))[0], 3.0f);  // eager's
  for (int i = 0; i < 2; ++i) EXPECT_EQ(values(fast(tensor({1.0f})))[0], 3.0000002f);
  EXPECT_GE(hot.plan_entries(), 1);
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_FALSE(explanation.plans[0].forms[0].exact);
  EXPECT_EQ(explanation.plans[0].forms[0].writers,
            std::vector<std::string>{"ordered: bits not guaranteed"});
}

}  // namespace
}  // namespace frit

// Plans where there is no machine code: their kernels run block by block, with eager's bits.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frit/frit.h"
#include "src/base/cpu.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

// Pointwise ops, reductions of rows and columns, a broadcast, and a transposed operand.
Tensor several_kernels(const Tensor& x) {
  const Tensor rows = softmax(x * 0.5 + 1, -1);
  const Tensor columns = layer_norm(x.transpose(0, 1), {x.size(0)});
  return relu(rows - x) + columns.transpose(0, 1) * sum(x, {0}) - amax(x, {1}, true);
}

Tensor input(int64_t rows, int64_t columns) {
  return (arange(rows * columns, kFloat32) * 0.37 - 20).reshape({rows, columns}) / 7;
}

int64_t kernels_by(const std::string& writer) {
  const Stats now = stats();
  const auto it = now.writers.find(writer);
  return it == now.writers.end() ? 0 : it->second;
}

// Runs as a plan, checked against eager by the shadow; returns how many kernels became blocks.
int64_t block_kernels_of_a_run(const HotScope& hot) {
  const int64_t before = kernels_by("blocks");
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 5}, {300, 700}, {5, 9000}}) {
    const auto fast = compile(several_kernels);
    const Tensor x = input(rows, columns);
    const std::vector<float> eager = values(several_kernels(x));
    const int64_t entries = hot.plan_entries();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x)), eager) << rows << " x " << columns;
    EXPECT_EQ(hot.plan_entries(), entries + 2);
  }
  return kernels_by("blocks") - before;
}

TEST(NoCode, PlansRunWhereExecutableMemoryIsRefused) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  EXPECT_GT(block_kernels_of_a_run(hot), 0);
}

TEST(NoCode, PlansRunOnTheBaselineInstructionSet) {
  HotScope hot;
  base::set_isa_cap(Isa::kBaseline);
  EXPECT_GT(block_kernels_of_a_run(hot), 0);
}

// The kernel refuses whatever would make memory executable, from now on.
bool refuse_executable_memory() {
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr),
                     kProtection = offsetof(seccomp_data, args[2]);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The exit code of a child: 0 is right.
int run_without_executable_memory() {
  if (!refuse_executable_memory()) return 2;
  base::mutable_flags().threads = 1;  // the parent's workers are not here
  HotScope hot;
  const int64_t before = kernels_by("blocks");
  const auto fast = compile(several_kernels);
  const Tensor x = input(30, 70);
  const std::vector<float> eager = values(several_kernels(x));
  for (int i = 0; i < 3; ++i)
    if (values(fast(x)) != eager) return 3;
  return hot.plan_entries() == 2 && kernels_by("blocks") > before ? 0 : 4;
}

TEST(NoCode, PlansRunWhereTheKernelRefusesExecutableMemory) {
  const pid_t child = fork();
  if (child == 0) _exit(run_without_executable_memory());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no seccomp";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(NoCode, IsExplained) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  const auto fast = compile([](const Tensor& x) { return relu(x * 3); });
  for (int i = 0; i < 3; ++i) fast(input(2, 2));
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  const std::string expected =
      base::isa() == Isa::kBaseline
          ? "blocks (native: the processor has no AVX2 (or FRIT_ISA caps it))"
          : "blocks (native: executable memory is refused)";
  EXPECT_EQ(explanation.plans[0].forms[0].writers, std::vector<std::string>{expected});
  EXPECT_NE(explanation.str().find("by " + expected + ":\nkernel %k0("), std::string::npos)
      << explanation.str();
}

TEST(NoCode, IsTheExceptionWhereMachineCodeRuns) {
  HotScope hot;
  if (base::isa() == Isa::kBaseline || base::flags().no_exec) GTEST_SKIP() << "no machine code";
  EXPECT_EQ(block_kernels_of_a_run(hot), 0);
}

// 200 different kernels, of which 16 KiB hold a few.
TEST(NoCode, BeginsWhereTheLimitOnCodeIsReached) {
  HotScope hot;
  if (base::isa() == Isa::kBaseline || base::flags().no_exec) GTEST_SKIP() << "no machine code";
  const int64_t before = stats().code_bytes, blocks = kernels_by("blocks");
  base::mutable_flags().code_bytes = static_cast<int>(before) + (16 << 10);
  const Tensor x = input(3, 5);
  for (int i = 0; i < 200; ++i) {
    const auto fast = compile([&](const Tensor& t) { return relu(exp(t * i) - i); });
    const std::vector<float> eager = values(relu(exp(x * i) - i));
    for (int run = 0; run < 3; ++run) ASSERT_EQ(values(fast(x)), eager) << i;
    ASSERT_LE(stats().code_bytes, base::flags().code_bytes);
  }
  EXPECT_GT(kernels_by("blocks"), blocks);
  EXPECT_LT(explain_all().plans.size(), 200u);  // the oldest made room
}

TEST(NoCode, ThreadsShareAPlan) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  const auto fast = compile(several_kernels);
  const Tensor x = input(300, 700);
  const std::vector<float> eager = values(several_kernels(x));
  for (int i = 0; i < 2; ++i) fast(x);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fast(x)), eager);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hot.plan_entries(), 1 + 3 * 5);
}

}  // namespace
}  // namespace frit

// The kernel cache while a writer is at work.
#include "src/runtime/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "src/runtime/block_writer.h"

namespace frit::runtime {
namespace {

constexpr const char* kText = R"(kernel %k0(%a: *f32, %out: *f32, %n: i64) {
  loop %i = 0 to %n {
    %0: f32 = load %a[%i]
    store %out[%i], %0
  }
}
)";

// Stops in compile() until it is let go.
class StoppedWriter final : public Writer {
 public:
  std::string_view name() const override { return "stopped"; }
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    entered = true;
    entered.notify_all();
    let_go.wait(false);
    return blocks_->compile(kernel, reason);
  }
  void let_go_now() {
    let_go = true;
    let_go.notify_all();
  }
  std::atomic<bool> entered{false}, let_go{false};

 private:
  std::unique_ptr<Writer> blocks_ = new_block_writer();
};

#if !defined(__SANITIZE_THREAD__)
TEST(KernelCache, OfAChildWaitsForNobodyOfTheParent) {
  const Kernel kernel = Kernel::parse(kText);
  StoppedWriter stopped;
  Writer* writers[] = {&stopped};
  std::thread other([&] { KernelCache::get().find_or_compile(kernel, writers); });
  stopped.entered.wait(false);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    stopped.let_go = true;
    _exit(KernelCache::get().find_or_compile(kernel, writers).code != nullptr ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  stopped.let_go_now();
  other.join();
  EXPECT_EQ(status, 0);
  KernelCache::get().clear();
}
#endif

// A writer whose kernels ask the cache for themselves.
class CuriousWriter final : public Writer {
 public:
  std::string_view name() const override { return "curious"; }
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    Writer* self[] = {this};
    if (++depth == 1) inner = KernelCache::get().find_or_compile(kernel, self);
    return blocks_->compile(kernel, reason);
  }
  int depth = 0;
  KernelCode inner;

 private:
  std::unique_ptr<Writer> blocks_ = new_block_writer();
};

TEST(KernelCache, GivesAWriterTheKernelThatItIsAt) {
  const Kernel kernel = Kernel::parse(kText);
  CuriousWriter curious;
  Writer* writers[] = {&curious};
  EXPECT_NE(KernelCache::get().find_or_compile(kernel, writers).code, nullptr);
  EXPECT_NE(curious.inner.code, nullptr);
  EXPECT_EQ(curious.depth, 2);
  KernelCache::get().clear();
}

}  // namespace
}  // namespace frit::runtime

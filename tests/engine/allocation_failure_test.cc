// Lets each allocation of small programs fail in turn. What is observed is what eager gives; a call
// that throws does so with out_of_memory, and works when it is made again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "frit/frit.h"
#include "src/base/memory.h"
#include "tests/engine/hot_scope.h"
#include "tests/sample.h"

namespace {

// Of this thread. Counts down to the allocation that fails; 0: none does.
constinit thread_local int64_t until_failure = 0;
constinit thread_local bool and_later_ones = false;  // of values
constinit thread_local int64_t failures = 0;

bool allows_next() {
  if (until_failure == 0 || --until_failure != 0) return true;
  ++failures;
  return false;
}

bool allows_values() {
  if (and_later_ones && until_failure == 0 && failures > 0) return ++failures, false;
  return allows_next();
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// Some forms of new stay the sanitizer's own.
extern "C" const char* __asan_default_options() { return "alloc_dealloc_mismatch=0"; }
#endif

[[gnu::noinline]] void* operator new(size_t bytes) {
  void* memory = and_later_ones || allows_next() ? std::malloc(bytes != 0 ? bytes : 1) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Not inlined, or the compiler takes them for mismatched.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace frit {
namespace {

enum class Failing {
  kOne,         // one allocation, of whatever kind
  kValuesFrom,  // all memory for values, from one allocation on until a call has thrown
};

void stop_failing() {
  until_failure = 0;
  and_later_ones = false;
}

// Arms the failure of the n-th allocation from here on.
class FailureScope {
 public:
  FailureScope(int64_t n, Failing failing) {
    base::allocation_hook.store(allows_values);
    failures = 0;
    and_later_ones = failing == Failing::kValuesFrom;
    until_failure = n;
  }
  ~FailureScope() {
    stop_failing();
    base::allocation_hook.store(nullptr);
  }
};

// For the test's own allocations.
class PauseScope {
 public:
  PauseScope()
      : saved_(std::exchange(until_failure, 0)), later_(std::exchange(and_later_ones, false)) {}
  ~PauseScope() { until_failure = saved_, and_later_ones = later_; }

 private:
  int64_t saved_;
  bool later_;
};

// Makes a call; when it throws out_of_memory, again with all the memory there is.
class Caller {
 public:
  template <class Fn>
  auto operator()(Fn fn) {
    try {
      return fn();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kOutOfMemory) << error.what();
      EXPECT_GT(failures, 0) << error.what();
    }
    stop_failing();
    ++errors;
    return fn();
  }
  int errors = 0;
  int read_errors = 0;  // from calls that need no memory in eager
};

// What the host sees of it is added to `all`.
void read(Caller& call, const Tensor& t, std::vector<float>* all) {
  const size_t count = static_cast<size_t>(t.numel()), start = all->size();
  {
    const PauseScope pause;
    all->resize(start + count);
  }
  const int errors = call.errors;
  const Tensor c = call([&] { return t.contiguous(); });
  call([&] {
    c.with_data<const float>(
        [&](const float* p) { std::memcpy(all->data() + start, p, count * sizeof(float)); });
  });
  call.read_errors += call.errors - errors;
}

using Program = std::function<std::vector<float>(Caller&)>;

std::vector<float> input_values(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.37f * static_cast<float>(i % 91) - 7.0f;
  return values;
}

Tensor input(int64_t n) {
  const PauseScope pause;
  const std::vector<float> numbers = input_values(n);
  Tensor made = empty({n});
  made.with_data<float>([&](float* p) { std::copy(numbers.begin(), numbers.end(), p); });
  return made;
}

// One run of each loop body: `rounds` of them make it hot.
std::vector<float> chain(Caller& call, int rounds, int64_t n) {
  std::vector<float> all;
  const Tensor x = input(n);
  for (int i = 0; i < rounds; ++i) {
    Tensor a = call([&] { return x * 1.5; });
    Tensor b = call([&] { return exp(a); });
    a = call([&] { return b + x; });
    b = Tensor();
    const Tensor c = call([&] { return sum(a); });
    read(call, a, &all);
    read(call, c, &all);
  }
  return all;
}

std::vector<float> writes(Caller& call, int rounds) {
  std::vector<float> all;
  Tensor w = input(40);
  for (int i = 0; i < rounds; ++i) {
    const Tensor g = call([&] { return w * 0.25; });
    const Tensor h = call([&] { return g + 1.0; });
    call([&] { return w.sub_(h); });
    const Tensor view = call([&] { return w.slice(0, 3, 9); });
    call([&] { return view.mul_(2.0); });
    read(call, w, &all);
  }
  return all;
}

// Named locals that die unread but now and then.
std::vector<float> recipes(Caller& call, int rounds) {
  std::vector<float> all;
  Tensor x = input(64);
  Tensor a, b, c;
  for (int i = 0; i < rounds; ++i) {
    a = call([&] { return x * 3.0; });
    b = call([&] { return a - 0.5; });
    c = call([&] { return b * a; });
    read(call, c, &all);
    if (i % 5 == 4) read(call, b, &all);
    if (i % 5 == 3) call([&] { return x.add_(0.125); });
  }
  return all;
}

// Another call than expected, at the second and at the last place.
std::vector<float> side_exits(Caller& call, int rounds) {
  std::vector<float> all;
  const Tensor x = input(50);
  for (int i = 0; i < rounds; ++i) {
    const Tensor a = call([&] { return x + 2.0; });
    const Tensor b = call([&] { return i % 4 == 3 ? neg(a) : a * a; });
    const Tensor c = call([&] { return b * (i % 3 == 2 ? 4.0 : 5.0); });
    const Tensor d = call([&] { return i % 7 == 6 ? exp(c) : c - x; });
    read(call, d, &all);
  }
  return all;
}

std::vector<float> many_sizes(Caller& call, int rounds) {
  std::vector<float> all;
  for (int i = 0; i < rounds; ++i) {
    const Tensor x = input(32 + 5 * (i / 3));
    const Tensor a = call([&] { return x * 0.5; });
    const Tensor b = call([&] { return a + x; });
    read(call, b, &all);
  }
  return all;
}

// The first call is as ever, so that a plan is entered; the one after it has other sizes.
std::vector<float> other_sizes_later(Caller& call, int rounds) {
  std::vector<float> all;
  const Tensor x = input(32);
  for (int i = 0; i < rounds; ++i) {
    const Tensor y = input(32 + 5 * (i / 3));
    const Tensor a = call([&] { return x * 0.5; });
    const Tensor b = call([&] { return y + 3.0; });
    read(call, a, &all);
    read(call, b, &all);
  }
  return all;
}

// Two plans of one root that part at their second call.
std::vector<float> two_plans(Caller& call, int rounds) {
  std::vector<float> all;
  const Tensor x = input(50);
  for (int i = 0; i < rounds; ++i) {
    const Tensor a = call([&] { return x + 2.0; });
    const Tensor b = call([&] { return i % 2 == 0 ? a * a : neg(a); });
    const Tensor c = call([&] { return i % 2 == 0 ? b - 1.0 : exp(b); });
    read(call, c, &all);
  }
  return all;
}

// The plan that is entered is for other sizes, as a later call shows.
std::vector<float> later_sizes(Caller& call, int rounds) {
  std::vector<float> all;
  const Tensor x = input(8);
  for (int i = 0; i < rounds; ++i) {
    const Tensor y = input(8 * (1 + i / 3));
    const Tensor a = call([&] { return x + 2.0; });
    const Tensor b = call([&] { return y * 3.0; });
    const Tensor c = call([&] { return b - sum(a); });
    read(call, c, &all);
  }
  return all;
}

// An exception of the host's own passes through the region in every third call.
std::vector<float> regions(Caller& call, int rounds) {
  std::vector<float> all;
  const Tensor x = input(48);
  bool throws = false;
  const auto step = [&] {
    const PauseScope pause;
    return compile([&throws](const Tensor& t) {
      const Tensor a = t * 1.25;
      if (throws) throw 1;
      return exp(a) - t;
    });
  }();
  for (int i = 0; i < rounds; ++i) {
    throws = i % 3 == 2;
    Tensor y = x;
    try {
      y = call([&] { return step(x); });
    } catch (int) {
    }
    read(call, y, &all);
  }
  return all;
}

std::vector<float> eager(const Program& program) {
  const std::string mode = jit_mode();
  set_jit_mode("off");
  Caller call;
  const std::vector<float> all = program(call);
  set_jit_mode(mode);
  return all;
}

void expect_same_bits(const std::vector<float>& got, const std::vector<float>& want, int64_t n) {
  ASSERT_EQ(got.size(), want.size()) << "allocation " << n;
  for (size_t i = 0; i < got.size(); ++i) {
    uint32_t a, b;
    std::memcpy(&a, &got[i], sizeof a);
    std::memcpy(&b, &want[i], sizeof b);
    ASSERT_EQ(a, b) << "value " << i << " when allocation " << n << " fails";
  }
}

// Runs the program, each time from nothing, until no allocation is left that could fail.
// Gives how many errors came from reading.
int64_t fail_each(const Program& program, Failing failing) {
  const std::vector<float> want = eager(program);
  const int64_t live = stats().pool_live_bytes;
  int64_t n = 1, errors = 0, read_errors = 0;
  for (;; n += sample_step()) {
    HotScope hot;
    base::mutable_flags().shadow = false;  // it allocates and would hide what the engine needs
    base::mutable_flags().verify = false;
    std::vector<float> got;
    Caller call;
    int64_t failed;
    {
      const FailureScope scope(n, failing);
      got = program(call);
      failed = failures;
    }
    expect_same_bits(got, want, n);
    if (testing::Test::HasFatalFailure()) return read_errors;
    errors += call.errors;
    read_errors += call.read_errors;
    if (failed == 0) {
      EXPECT_GT(hot.plan_entries(), 0);
      break;
    }
  }
  trim();
  EXPECT_EQ(stats().pool_live_bytes, live);
  EXPECT_GT(n, 10);
  EXPECT_GT(errors, 0);
  return read_errors;
}

class AllocationFailure : public testing::TestWithParam<Failing> {};

// A plan of machine code that is entered has its memory, so that no read is left to throw; block
// programs ask for scratch memory when they run.
void expect_no_read_throws(int64_t read_errors) {
  if (base::isa() >= Isa::kAvx2) {
    EXPECT_EQ(read_errors, 0);
  }
}

TEST_P(AllocationFailure, OfAChainOfOpsGivesEagersValuesOrAnErrorFromACallThatNeedsMemory) {
  expect_no_read_throws(fail_each([](Caller& call) { return chain(call, 6, 40); }, GetParam()));
}

TEST_P(AllocationFailure, OfAChainOverLargeBlocksToo) {
  expect_no_read_throws(fail_each([](Caller& call) { return chain(call, 4, 40'000); }, GetParam()));
}

TEST_P(AllocationFailure, OfWritesInPlaceWritesOnce) {
  fail_each([](Caller& call) { return writes(call, 7); }, GetParam());
}

TEST_P(AllocationFailure, OfRecipesLeavesThemToBeReadLater) {
  fail_each([](Caller& call) { return recipes(call, 15); }, GetParam());
}

TEST_P(AllocationFailure, AtSideExitsComputesTheCallsBefore) {
  fail_each([](Caller& call) { return side_exits(call, 12); }, GetParam());
}

TEST_P(AllocationFailure, WhereSizesVaryGivesEagersValuesOrAnError) {
  fail_each([](Caller& call) { return many_sizes(call, 12); }, GetParam());
}

TEST_P(AllocationFailure, WhereSizesVaryAfterTheFirstCallToo) {
  fail_each([](Caller& call) { return other_sizes_later(call, 12); }, GetParam());
}

TEST_P(AllocationFailure, WhereTwoPlansPartRunsNoneInPlaceOfTheOther) {
  fail_each([](Caller& call) { return two_plans(call, 8); }, GetParam());
}

TEST_P(AllocationFailure, WhereALaterCallShowsOtherSizesRunsNoPlanOfTheOldOnes) {
  fail_each([](Caller& call) { return later_sizes(call, 7); }, GetParam());
}

TEST_P(AllocationFailure, InRegionsThatExceptionsLeaveIsTheCallsError) {
  fail_each([](Caller& call) { return regions(call, 8); }, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, AllocationFailure,
                         testing::Values(Failing::kOne, Failing::kValuesFrom));

}  // namespace
}  // namespace frit

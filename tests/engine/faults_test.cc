// The faults that tracing systems have had, each as a program that would have shown it. Those of
// liveness are in recipe_test, of allocations in allocation_failure_test.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "frit/frit.h"
#include "src/base/flags.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

using Floats = std::vector<float>;

template <class F>
auto eagerly(F fn) {
  set_jit_mode("off");
  auto result = fn();
  set_jit_mode("on");
  return result;
}

// Exact bits; NaN as NaN.
std::vector<uint32_t> bits(const Tensor& t) {
  std::vector<uint32_t> all;
  for (float v : values(t))
    all.push_back(std::isnan(v) ? 0x7fc00000 : __builtin_bit_cast(uint32_t, v));
  return all;
}

TEST(Fault, ZeroTimesAValueIsNotZeroWhereTheValueIsNotFinite) {
  HotScope hot;
  const float inf = std::numeric_limits<float>::infinity();
  for (int i = 0; i < 20; ++i) {
    const int64_t n = 3 + i % 4;
    Floats numbers(static_cast<size_t>(n), i % 3 == 0 ? inf : -1.5f);
    if (i % 5 == 4) numbers[0] = NAN;
    const auto step = [&] {
      const Tensor y = tensor(numbers);
      return bits(cat({y * 0, y - y, ones({n}) * y, y * (i % 7), y * 1}, 0));
    };
    const auto expected = eagerly(step);
    EXPECT_EQ(step(), expected) << i;
  }
  EXPECT_GE(hot.plan_entries(), 5);
}

TEST(Fault, TwoNumbersThatAreEqualOnceAreStillTwo) {
  HotScope hot;
  const Tensor w = ones({4}), g = full({4}, 0.5);
  int64_t plans = 0;
  for (int i = 0; i < 40; ++i) {
    const double rate = 0.1 + 0.01 * i, momentum = i == 20 ? rate : 0.9;
    const auto seen = bits(w * momentum - g * rate);
    EXPECT_EQ(seen, eagerly([&] { return bits(w * momentum - g * rate); }));
    if (i == 10) plans = hot.plans();
  }
  EXPECT_LE(hot.plans() - plans, 1) << "momentum varied once";
  EXPECT_GE(hot.plan_entries(), 34);
}

TEST(Fault, TenThousandNumbersMakeOnePlanAndOneKernel) {
  HotScope hot;
  const Tensor x = arange(8, kFloat32);
  for (int i = 0; i < 50; ++i) values(x * (i * 0.5) + i);
  const Stats before = stats();
  for (int i = 50; i < 10'000; ++i) {
    const Tensor y = x * (i * 0.5) + i;
    if (i % 500 == 0) {
      EXPECT_EQ(values(y)[2], 2 * (i * 0.5f) + i);
    } else {
      values(y);
    }
  }
  const Stats after = stats();
  EXPECT_EQ(after.plans, before.plans);
  EXPECT_EQ(after.kernels, before.kernels);
  EXPECT_LE(after.pool_live_bytes, before.pool_live_bytes + 4096);
}

TEST(Fault, AThousandLengthsTakeBoundedMemoryAndNoNewKernels) {
  HotScope hot;
  const auto step = [](int64_t n) { return values(tanh(full({n}, 0.5) * 2 + 1) * 0.25); };
  for (int64_t n = 1; n < 40; ++n) step(n);
  const Stats before = stats();
  for (int64_t n = 40; n < 1040; ++n) step(n);
  const Stats after = stats();
  EXPECT_LE(after.kernels - before.kernels, 3);
  EXPECT_LE(after.code_bytes - before.code_bytes, 1 << 14);
  EXPECT_LE(after.layout_bytes - before.layout_bytes, 1 << 20);
}

TEST(Fault, AssigningInAHotLoopIsAsEagerAtEachIteration) {
  HotScope hot;
  const Tensor w = ones({6}), e = ones({6}), x = arange(6, kFloat32) * 0.1;
  for (int i = 0; i < 100; ++i) {
    w.copy_(w * 0.9 + x);
    const auto seen = bits(w);
    EXPECT_EQ(seen, eagerly([&] {
                e.copy_(e * 0.9 + x);
                return bits(e);
              }))
        << i;
  }
  EXPECT_GE(hot.plan_entries(), 95);
}

// What a step gives, or its error.
template <class F>
std::string outcome(F step) {
  try {
    std::string text;
    for (uint32_t b : bits(step())) text += std::to_string(b) + " ";
    return text;
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.kind())) + error.what();
  }
}

TEST(Fault, AnIndexOutOfRangeIsEagersErrorInAPlanToo) {
  HotScope hot;
  const Tensor table = reshape(arange(40, kFloat32), {8, 5});
  for (int i = 0; i < 60; ++i) {
    // In range, but now and then just not.
    const int64_t last = i % 10 == 9 ? 8 : i % 8, first = i % 10 == 4 ? -1 : 0;
    const Tensor rows = tensor(std::vector<int64_t>{first, last, 3});
    const auto step = [&](const auto& taken) { return outcome([&] { return taken() * 2 + 1; }); };
    const auto compare = [&](const auto& taken) {
      const std::string seen = step(taken);
      EXPECT_EQ(seen, eagerly([&] { return step(taken); })) << i;
    };
    compare([&] { return embedding(table, rows); });
    compare([&] { return index_select(table, 0, rows); });
    compare([&] { return gather(table, 0, unsqueeze(rows, 1)); });
    compare([&] { return index(table, {rows + 0}); });
  }
  EXPECT_GE(hot.plan_entries(), 100);
}

TEST(Fault, TensorsAtEqualAddressesAreNotTheSame) {
  HotScope hot;
  for (int i = 0; i < 60; ++i) {
    // Freed and made anew, most likely in the same place.
    const Tensor x = full({4}, i * 1.0);
    const Tensor y = full({4}, i + 1.0);
    Tensor z = x * 2;
    z = Tensor();
    const Tensor again = y * 2;
    EXPECT_EQ(values(i % 7 == 3 ? again + x : again + y)[0],
              static_cast<float>(i % 7 == 3 ? 3 * i + 2 : 3 * i + 3))
        << i;
  }
  EXPECT_GE(hot.plan_entries(), 20);
}

TEST(Fault, ABranchTakenAtRandomIsRightBothWays) {
  HotScope hot;
  const Tensor x = arange(8, kFloat32) - 3;
  uint32_t state = 7;
  for (int i = 0; i < 300; ++i) {
    state = state * 1664525 + 1013904223;
    const bool first = state >> 31;
    const auto step = [&] {
      const Tensor h = x * 0.5 + i % 3;
      return bits(first ? tanh(h) * 2 : relu(h) - 1);
    };
    const auto seen = step();
    EXPECT_EQ(seen, eagerly(step)) << i;
  }
  EXPECT_GE(hot.plan_entries(), 250) << "both ways have a plan";
  EXPECT_LE(hot.exits(), 12);
}

// `programs` of six ops each, never the same twice.
void start_badly(const Tensor& x, int programs) {
  uint32_t state = 3;
  for (int i = 0; i < programs; ++i) {
    Tensor y = x;
    for (int k = 0; k < 6; ++k) {
      state = state * 1664525 + 1013904223;
      switch (state >> 29) {
        case 0:
          y = y + 1;
          break;
        case 1:
          y = tanh(y);
          break;
        case 2:
          y = y * 0.5;
          break;
        case 3:
          y = relu(y);
          break;
        case 4:
          y = neg(y);
          break;
        case 5:
          y = abs(y);
          break;
        case 6:
          y = y - x;
          break;
        default:
          y = sigmoid(y);
          break;
      }
    }
    values(y);
  }
}

TEST(Fault, ABadStartIsNotForEver) {
  base::mutable_flags().shadow = true;
  const Tensor x = ones({16384});
  start_badly(x, 3000);
  const int64_t before = stats().plan_ops;
  for (int i = 0; i < 600; ++i) values(tanh(x * 2 + 1) * 0.5 + x);
  EXPECT_GE(stats().plan_ops - before, 600) << "of 3000 ops";
  base::mutable_flags().shadow = false;
}

TEST(Fault, ABadStartOfSmallOpsIsForgottenAfterAWhile) {
  trim();
  base::mutable_flags().shadow = true;
  const Tensor x = ones({256});
  start_badly(x, 20'000);
  const int64_t before = stats().plan_ops;
  for (int i = 0; i < 20'000; ++i) values(tanh(x * 2 + 1) * 0.5 + x);
  EXPECT_GE(stats().plan_ops - before, 10'000) << "of 100,000 ops";
  base::mutable_flags().shadow = false;
}

TEST(Fault, ManyThreadsOnFewCoresGoOn) {
  HotScope hot;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &wrong] {
      const Tensor x = full({512}, t), w = zeros({512});
      for (int i = 0; i < 200; ++i) {
        w.add_(x);
        if (values(relu(x * 2 + w))[5] != static_cast<float>(2 * t + t * (i + 1))) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

// A chain whose host code throws after `position` ops.
Tensor chain(const Tensor& x, int position) {
  Tensor y = x;
  for (int op = 0; op < 6; ++op) {
    if (op == position) throw std::runtime_error("host");
    switch (op) {
      case 0:
        y = y * 2;
        break;
      case 1:
        y = y + x;
        break;
      case 2:
        y = tanh(y);
        break;
      case 3:
        y = y - 1;
        break;
      case 4:
        y = relu(y);
        break;
      default:
        y = y * x;
        break;
    }
  }
  return y;
}

TEST(Fault, AnExceptionOfTheHostAtEachOpLeavesEverythingRight) {
  for (const bool in_region : {false, true}) {
    HotScope hot;
    const Tensor x = tensor({1.0f, -2.0f, 0.5f});
    const auto compiled = compile([&](int position) { return chain(x, position); });
    const auto run = [&](int position) {
      return in_region ? compiled(position) : chain(x, position);
    };
    const auto expected = eagerly([&] { return bits(chain(x, -1)); });
    for (int i = 0; i < 4; ++i) EXPECT_EQ(bits(run(-1)), expected);
    for (int position = 0; position < 6; ++position) {
      EXPECT_THROW(run(position), std::runtime_error);
      EXPECT_EQ(bits(run(-1)), expected) << "after a throw at op " << position;
    }
    EXPECT_GE(hot.plan_entries(), 2);
  }
}

TEST(Fault, APendingValueIsReadByAnotherThreadAtEachOp) {
  for (int position = 1; position <= 6; ++position) {
    HotScope hot;
    const Tensor x = tensor({1.0f, -2.0f, 0.5f});
    for (int i = 0; i < 8; ++i) {
      std::vector<Tensor> made;
      Tensor y = x;
      for (int op = 0; op < 6; ++op) {
        y = op % 2 == 0 ? y * 1.5 : y + x;
        made.push_back(y);
        if (op + 1 == position) {
          const auto expected = eagerly([&] {
            Tensor e = x;
            for (int k = 0; k <= op; ++k) e = k % 2 == 0 ? e * 1.5 : e + x;
            return bits(e);
          });
          std::vector<uint32_t> seen;
          std::thread([&] { seen = bits(made.back()); }).join();
          EXPECT_EQ(seen, expected) << "op " << op << " run " << i;
        }
      }
      values(y);
    }
  }
}

TEST(Fault, APendingWriteIsReadAndDroppedByOtherThreads) {
  HotScope hot;
  const Tensor w = zeros({3}), x = ones({3});
  for (int i = 0; i < 40; ++i) {
    w.add_(x);
    Tensor y = w * 2;
    float seen = 0;
    std::thread([&, y = std::move(y)]() mutable {
      seen = w.select(0, 0).item<float>();
      y = Tensor();
    }).join();
    EXPECT_EQ(seen, static_cast<float>(i + 1));
  }
}

TEST(Fault, FlushingDenormalsIsSwitchedBetweenCalls) {
  HotScope hot;
  const Tensor x = full({4}, 1e-38f);
  const unsigned mode = _mm_getcsr();
  for (int i = 0; i < 30; ++i) {
    const bool flush = i / 3 % 2 == 1;
    _mm_setcsr(flush ? mode | 0x8040 : mode & ~0x8040u);
    const Tensor y = x * 0.01 + 0;
    const auto seen = bits(y);
    EXPECT_EQ(seen[0] == 0, flush) << i;
  }
  _mm_setcsr(mode);
  EXPECT_GE(hot.plan_entries(), 8);
}

}  // namespace
}  // namespace frit

// A run into given outputs asks the heap for nothing. Every use of operator new passes through
// here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "frit/frit.h"
#include "tests/program/same_bits.h"

namespace {
thread_local int64_t allocations = 0;
}

void* operator new(size_t bytes) {
  ++allocations;
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }

namespace frit {
namespace {

template <class F>
int64_t allocations_of(F fn, const Tensor& x) {
  set_num_threads(1);
  const Program program = freeze(fn, {x});
  const Tensor y = empty_strided(program.outputs()[0].sizes, program.outputs()[0].strides);
  const Tensor inputs[] = {x}, outputs[] = {y};
  for (int i = 0; i < 8; ++i) program.run(inputs, outputs);
  const int64_t before = allocations;
  for (int i = 0; i < 100; ++i) program.run(inputs, outputs);
  return allocations - before;
}

TEST(ProgramAllocation, KernelsNeedNone) {
  EXPECT_EQ(
      allocations_of([](const Tensor& x) { return softmax(relu(x * 2) + 1, -1); }, noise({8, 16})),
      0);
}

TEST(ProgramAllocation, ManyBuffersNeedNone) {
  const auto fn = [](const Tensor& x) {
    Tensor h = x;
    for (int i = 0; i < 60; ++i) h = softmax(h, i % 2) + x.sum({i % 2}, true);
    return h;
  };
  EXPECT_EQ(allocations_of(fn, noise({8, 16})), 0);
}

TEST(ProgramAllocation, AnMlpNeedsNone) {
  const Tensor w0 = noise({64, 32}), b0 = noise({64}), w1 = noise({16, 64});
  EXPECT_EQ(allocations_of([&](const Tensor& x) { return linear(relu(linear(x, w0, b0)), w1); },
                           noise({4, 32})),
            0);
}

}  // namespace
}  // namespace frit

// What the block writer makes and refuses. That its bits are right is tests/codegen/writer_test's.
#include "src/runtime/block_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "src/runtime/scratch_pool.h"
#include "tests/codegen/kernel_texts.h"

namespace frit::runtime {
namespace {

TEST(BlockWriter, ListsItsSteps) {
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%x: *f32[*,1], %y: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce amax %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      yield %1
    }
    loop %i1 = 0 to %n1 {
      %2: f32 = load %x[%i0, %i1]
      %3: f32 = sub %2, %0
      store %y[%i0, %i1], %3
    }
  }
}
)");
  const auto compiled = new_block_writer()->compile(kernel, nullptr);
  ASSERT_NE(compiled, nullptr);
  EXPECT_EQ(compiled->code(), nullptr);
  EXPECT_EQ(compiled->listing(), R"(rows over i0
  v0: f32 row = reduce v1 over i1
    v1: f32 tile = load access 0
  tiles over i1
    v2: f32 tile = load access 1
    v4: f32 tile = expand v0
    v3: f32 tile = binary v2 v4 access 2
)");
}

TEST(BlockWriter, RefusesWhatHasNoFold) {
  std::string reason;
  const Kernel kernel = Kernel::parse(codegen::kFoldSmallInts);
  EXPECT_EQ(new_block_writer()->compile(kernel, &reason), nullptr);
  EXPECT_EQ(reason, "amax: no fold for i8");
}

TEST(ScratchPool, LendsWhatWasGivenBack) {
  ScratchPool pool;
  std::byte* first;
  {
    const ScratchPool::Loan a(pool, 1000);
    const ScratchPool::Loan b(pool, 10);
    EXPECT_NE(a.data(), b.data());
    first = a.data();
  }
  {
    const ScratchPool::Loan again(pool, 1000);
    EXPECT_EQ(again.data(), first);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(again.data()) % 64, 0u);
  }
  pool.clear();
}

}  // namespace
}  // namespace frit::runtime

#include "src/eager/dispatch.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/base/thread_pool.h"

namespace frit {
namespace {

std::vector<float> values(const Tensor& t) {
  const Tensor dense = call(Op::contiguous, {t});
  const float* data = reinterpret_cast<const float*>(dense.impl()->data);
  return {data, data + dense.numel()};
}

Tensor view(const Tensor& t, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  return new_view(intern_layout(t.dtype(), kCPU, sizes, strides), t.impl()->storage, offset);
}

void store(const Tensor& target, const Operand& source) {
  const Operand operands[] = {target, source};
  run_eager({Op::store, operands, Attrs()}, nullptr);
}

TEST(Dispatch, RunsAnOpAtOnceWithoutAnEngine) {
  const Tensor y = call(Op::relu, {tensor({-1.0f, 2.0f})});
  EXPECT_EQ(values(y), (std::vector<float>{0, 2}));
}

TEST(Dispatch, RunsCompositesAsTheirParts) {
  const Tensor y = call(Op::clamp, {tensor({-1.0f, 0.5f, 2.0f}), Scalar(0), Scalar(1)});
  EXPECT_EQ(values(y), (std::vector<float>{0, 0.5f, 1}));
}

TEST(Dispatch, NamesTheCompositeInItsErrors) {
  try {
    call(Op::softmax, {tensor({1.0f})}, Attrs().add(3));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 8), "softmax(") << error.what();
  }
}

// An observer that counts, and takes over calls of one op.
int before_calls, after_calls;
Tensor taken_over_result;
bool count_before(const OpCall& call, Tensor* results) {
  ++before_calls;
  if (call.op != Op::neg) return false;
  results[0] = taken_over_result;
  return true;
}
void count_after(const OpCall&, Tensor*) { ++after_calls; }

class ObservedDispatch : public testing::Test {
 protected:
  ObservedDispatch() : saved_(observer), was_enabled_(observer_enabled) {
    observer.before_op = count_before;
    observer.after_op = count_after;
    observer_enabled = true;
    before_calls = after_calls = 0;
  }
  ~ObservedDispatch() override {
    observer = saved_;
    observer_enabled = was_enabled_;
    taken_over_result = Tensor();
  }

 private:
  Observer saved_;
  bool was_enabled_;
};

TEST_F(ObservedDispatch, TellsTheObserverBeforeAndAfter) {
  call(Op::relu, {tensor({1.0f})});
  EXPECT_EQ(before_calls, 1);
  EXPECT_EQ(after_calls, 1);
}

TEST_F(ObservedDispatch, LeavesCallsToTheObserverThatTakesThem) {
  taken_over_result = tensor({7.0f});
  const Tensor y = call(Op::neg, {tensor({1.0f})});
  EXPECT_TRUE(y.is_same(taken_over_result));
  EXPECT_EQ(after_calls, 0);
}

TEST_F(ObservedDispatch, ShowsACompositeAsOneCall) {
  call(Op::softmax, {tensor({1.0f, 2.0f})}, Attrs().add(int64_t{0}));
  EXPECT_EQ(before_calls, 1);
}

TEST_F(ObservedDispatch, SaysNothingAfterAnError) {
  EXPECT_THROW(call(Op::add, {tensor({1.0f, 2.0f}), tensor({1.0f, 2.0f, 3.0f})}), Error);
  EXPECT_EQ(after_calls, 0);
}

TEST(IntegerDivision, ByZeroThrowsBeforeAnythingIsMade) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({1, 0, 3});
  for (Op op : {Op::floor_divide, Op::trunc_divide, Op::fmod, Op::remainder}) {
    Tensor result;
    const Operand operands[] = {a, b};
    EXPECT_THROW(run_eager({op, operands, Attrs()}, &result), Error);
    EXPECT_FALSE(result.defined());
    EXPECT_THROW(call(op, {a, Scalar(0)}), Error);
  }
}

TEST(IntegerDivision, OfNothingByZeroIsNothing) {
  EXPECT_EQ(call(Op::floor_divide, {empty({0}, kInt64), Scalar(0)}).numel(), 0);
}

TEST(Store, WritesThroughAView) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  store(view(x, {2}, {2}, 1), tensor({8.0f, 9.0f}));
  EXPECT_EQ(values(x), (std::vector<float>{1, 8, 3, 9}));
}

TEST(Store, BumpsTheVersionOfTheStorage) {
  const Tensor x = tensor({1.0f, 2.0f});
  const uint64_t before = x.impl()->storage->version;
  store(x, Scalar(3));
  EXPECT_EQ(x.impl()->storage->version, before + 1);
}

TEST(Store, RefusesDenseTensorsThatOverlapInPart) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_THROW(store(view(x, {3}, {1}, 1), view(x, {3}, {1}, 0)), Error);
  EXPECT_EQ(values(x), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Store, RefusesATargetThatRepeatsElements) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_THROW(store(view(x, {4, 2}, {1, 0}, 0), Scalar(5)), Error);
}

TEST(Store, LeavesTheLastWhereElementsOfTheTargetAreOne) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  const Tensor source =
      call(Op::reshape, {tensor({5.0f, 6.0f, 7.0f, 8.0f})}, Attrs().add_list({2, 2}));
  store(view(x, {2, 2}, {1, 1}, 0), source);
  EXPECT_EQ(values(x), (std::vector<float>{5, 7, 8, 4}));
}

TEST(Store, ReadsTheWholeSourceBeforeItWrites) {
  // With gaps the overlap is no error: the target gets what the source held before.
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  store(view(x, {2}, {2}, 2), view(x, {2}, {2}, 0));
  EXPECT_EQ(values(x), (std::vector<float>{1, 2, 1, 4, 3, 6}));
}

TEST(Views, ShareTheStorageOfTheirOperand) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  const Tensor row = call(Op::reshape, {x}, Attrs().add_list({2, 2}));
  EXPECT_EQ(row.impl()->storage, x.impl()->storage);
  EXPECT_TRUE(call(Op::contiguous, {x}).is_same(x));
}

TEST(Views, OfAStorageEndWithIt) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_THROW(call(Op::as_strided, {x}, Attrs().add(int64_t{1}).add_list({4}).add_list({1})),
               Error);
}

TEST(Threads, DoNotChangeResults) {
  Tensor x = empty({300000});
  float* data = reinterpret_cast<float*>(x.impl()->data);
  for (int64_t i = 0; i < x.numel(); ++i) data[i] = static_cast<float>(i % 1013) * 0.37f - 100;
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2, 3}) {
    base::set_num_threads(threads);
    results.push_back(values(call(Op::tanh, {x})));
    results.back().push_back(values(call(Op::sum, {x}, Attrs().add_list({}).add(false)))[0]);
  }
  base::set_num_threads(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace frit

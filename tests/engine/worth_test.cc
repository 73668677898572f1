// Whether a plan is worth entering.
#include "src/engine/worth.h"

#include <gtest/gtest.h>

#include "src/base/flags.h"
#include "src/engine/stopwatch.h"

namespace frit::engine {
namespace {

using Way = Worth::Way;

// Entries of a plan whose runs, and those of eager, take the same number of ticks each.
class Entries {
 public:
  Entries(uint64_t plan_ticks, uint64_t eager_ticks) : plan_(plan_ticks), eager_(eager_ticks) {}

  void set_plan_ticks(uint64_t ticks) { plan_ = ticks; }

  void run(int count) {
    for (int i = 0; i < count; ++i) {
      const Way way = worth.next_way(100);
      if (way == Way::kCompare || way == Way::kRest) worth.note_eager_time(eager_);
      if (way != Way::kPlan && way != Way::kTimedPlan) {
        ++by_eager;
        spent += eager_;
        continue;
      }
      ++by_plan;
      spent += plan_;
      worth.note_complete();
      if (way == Way::kTimedPlan) losses += worth.note_plan_time(plan_);
    }
  }

  Worth worth;
  int by_plan = 0, by_eager = 0, losses = 0;
  uint64_t spent = 0;

 private:
  uint64_t plan_, eager_;
};

class WorthTest : public testing::Test {
 protected:
  WorthTest() : saved_(base::flags()) {
    base::mutable_flags().hot = 0;
    base::mutable_flags().shadow = false;
  }
  ~WorthTest() override { base::mutable_flags() = saved_; }

 private:
  base::Flags saved_;
};

TEST_F(WorthTest, AFastPlanServesAllButAFewEntries) {
  Entries entries(1000, 10'000);
  entries.run(100'000);
  EXPECT_EQ(entries.losses, 0);
  EXPECT_GT(entries.by_eager, 0) << "nothing was compared";
  EXPECT_LT(entries.by_eager * 10'000ll, 2 * 1000ll * 100'000 / 100);
}

TEST_F(WorthTest, ASlowPlanRestsForLongerAndLonger) {
  Entries entries(10'000, 8000);
  entries.run(1000);
  EXPECT_GE(entries.losses, 1);
  const int before = entries.by_plan;
  entries.run(100'000);
  EXPECT_LT(entries.by_plan - before, 1000);
  EXPECT_LT(entries.spent, 101'000ull * 8000 * 102 / 100);
}

TEST_F(WorthTest, AShortRunMustGainMoreThanALittle) {
  Entries little(10'000, 10'500), more(10'000, 12'000);
  little.run(2000);
  more.run(2000);
  EXPECT_GE(little.losses, 1);
  EXPECT_EQ(more.losses, 0);
}

TEST_F(WorthTest, APlanThatHasBecomeFastComesBack) {
  Entries entries(10'000, 8000);
  entries.run(10'000);
  EXPECT_GE(entries.losses, 1);
  entries.set_plan_ticks(2000);
  entries.run(100'000);
  const int before = entries.by_plan;
  entries.run(1000);
  EXPECT_GT(entries.by_plan - before, 900);
}

TEST_F(WorthTest, AnInterruptedRunIsNotHeldAgainstThePlan) {
  Entries entries(1000, 2000);
  entries.run(100);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(entries.worth.note_plan_time(1'000'000));
  EXPECT_EQ(entries.losses, 0);
}

TEST_F(WorthTest, APlanThatIsMostlyLeftRests) {
  Worth worth;
  for (int i = 0; i < 100 && !worth.rests(); ++i) worth.note_exit();
  EXPECT_TRUE(worth.rests());
}

TEST_F(WorthTest, NothingIsMeasuredWhereEachRunIsToBeTheSame) {
  base::mutable_flags().hot = 1;
  Entries entries(10'000, 10);
  entries.run(10'000);
  EXPECT_EQ(entries.by_eager, 0);
}

TEST(Stopwatch, APlanThatEndsAndGoesOnAsALongerOneIsTimedOnce) {
  const uint64_t before = __rdtsc();
  Stopwatch watch;
  watch.start(Stopwatch::Of::kPlan);
  watch.pause();
  watch.pause();
  watch.resume();
  watch.resume();
  const uint64_t ticks = watch.ticks();
  EXPECT_LE(ticks, __rdtsc() - before);
}

}  // namespace
}  // namespace frit::engine

// Watches tell what became of values.
#include "src/tensor/watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace frit {
namespace {

Tensor value() { return empty({4}); }

TEST(Watch, OfALivingTensorSaysSo) {
  const Tensor t = value();
  const Watch watch = Watch::on(t.impl());
  ASSERT_TRUE(watch);
  EXPECT_EQ(watch.fate(), Fate::kLiving);
}

TEST(Watch, SeesThatATensorDiedUnread) {
  Tensor t = value();
  const Watch watch = Watch::on(t.impl());
  Tensor second = t;
  t = Tensor();
  EXPECT_EQ(watch.fate(), Fate::kLiving);
  second = Tensor();
  EXPECT_EQ(watch.fate(), Fate::kDiedUnread);
}

TEST(Watch, SeesThatATensorWasReadBeforeItDied) {
  Tensor t = value();
  const Watch watch = Watch::on(t.impl());
  note_read(t.impl());
  EXPECT_EQ(watch.fate(), Fate::kRead);
  t = Tensor();
  EXPECT_EQ(watch.fate(), Fate::kRead);
}

TEST(Watch, IsOnlyOneForATensor) {
  const Tensor t = value();
  const Watch watch = Watch::on(t.impl());
  EXPECT_FALSE(Watch::on(t.impl()));
}

TEST(Watch, PlacesAreUsedAgainWhicheverGoesFirst) {
  for (int i = 0; i < 20000; ++i) {
    Tensor t = value();
    Watch watch = Watch::on(t.impl());
    ASSERT_TRUE(watch) << i;
    if (i % 2 == 0) {
      watch = Watch();
    } else {
      t = Tensor();
    }
  }
}

TEST(Watch, IsRefusedWhenTooManyAreOut) {
  std::vector<Tensor> tensors;
  std::vector<Watch> watches;
  bool refused = false;
  for (int i = 0; i < 10000 && !refused; ++i) {
    tensors.push_back(value());
    watches.push_back(Watch::on(tensors.back().impl()));
    refused = !watches.back();
  }
  EXPECT_TRUE(refused);
  watches.clear();
  tensors.clear();
  EXPECT_TRUE(Watch::on(value().impl()));
}

}  // namespace
}  // namespace frit

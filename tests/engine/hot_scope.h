// For tests of plans: paths get hot after two runs, deterministically, and every plan entry is
// checked against eager bit by bit.
#pragma once

#include <gtest/gtest.h>

#include "frit/compile.h"
#include "src/base/flags.h"

namespace frit {

class HotScope {
 public:
  explicit HotScope(int hot = 1) : saved_(base::flags()) {
    base::mutable_flags().hot = hot;
    base::mutable_flags().shadow = true;
    base::mutable_flags().verify = true;
    trim();
    before_ = stats();
  }
  ~HotScope() { base::mutable_flags() = saved_; }

  // Counts since the scope began.
  int64_t plan_entries() const { return stats().plan_entries - before_.plan_entries; }
  int64_t recipes() const { return stats().recipes - before_.recipes; }
  int64_t plan_ops() const { return stats().plan_ops - before_.plan_ops; }
  int64_t eager_ops() const { return stats().eager_ops - before_.eager_ops; }
  int64_t plans() const { return stats().plans - before_.plans; }
  int64_t resized() const { return stats().resized - before_.resized; }
  int64_t builds() const { return stats().builds - before_.builds; }
  int64_t exits() const { return stats().exits - before_.exits; }
  int64_t reason(const std::string& name) {
    const Stats now = stats();
    const auto count = [&](const Stats& s) {
      const auto it = s.reasons.find(name);
      return it == s.reasons.end() ? int64_t{0} : it->second;
    };
    return count(now) - count(before_);
  }

 private:
  base::Flags saved_;
  Stats before_;
};

// The elements as floats, row-major. Leaves no pointer behind, so that writes may still be
// deferred.
inline std::vector<float> values(const Tensor& t) {
  const Tensor c = t.contiguous();
  std::vector<float> all;
  c.with_data<const float>([&](const float* p) { all.assign(p, p + c.numel()); });
  return all;
}

// The values that the steps made by `make_step` give must be the same at each call with the JIT off
// and on.
template <class Make>
void expect_as_eager(Make make_step, int runs = 12) {
  std::vector<std::vector<float>> expected;
  {
    set_jit_mode("off");
    auto step = make_step();
    for (int i = 0; i < runs; ++i) expected.push_back(step(i));
    set_jit_mode("on");
  }
  auto step = make_step();
  for (int i = 0; i < runs; ++i) EXPECT_EQ(step(i), expected[i]) << "run " << i;
}

}  // namespace frit

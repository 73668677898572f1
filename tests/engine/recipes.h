// What tests of recipes share: a program of three named values, and which of them are left out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frit/frit.h"
#include "src/tensor/tensor_impl.h"

namespace frit {

inline bool left_out(const Tensor& t) { return is_recipe(t.impl()->owner.load()); }

// Three ops with a name each. The last is read, and never a recipe.
struct Named {
  Tensor a, b, c;
};
inline Named run(const Tensor& x) {
  Named n;
  n.a = x * 0.3;
  n.b = exp(n.a) + x;
  n.c = tanh(n.b);
  n.c.const_data_ptr();
  return n;
}

// Read, so that what follows is a path of its own.
inline Tensor computed(Tensor x) {
  x.const_data_ptr();
  return x;
}
inline Tensor input() { return computed(arange(7, kFloat32) * 0.37 - 1.1); }

// What eager makes of it.
struct Expected {
  Expected() {
    set_jit_mode("off");
    const Named n = run(input());
    a = values(n.a), b = values(n.b), c = values(n.c);
    set_jit_mode("on");
  }
  std::vector<float> a, b, c;
};

// A run whose a and b are recipes.
inline Named hot_run(const Tensor& x) {
  for (int i = 0; i < 4; ++i) run(x);
  Named n = run(x);
  EXPECT_TRUE(left_out(n.a));
  EXPECT_TRUE(left_out(n.b));
  return n;
}

// How many values the form gives.
inline int num_outputs(const PlanForm& form) {
  const size_t line = form.captured.find("return");
  return static_cast<int>(std::count(form.captured.begin() + static_cast<std::ptrdiff_t>(line),
                                     form.captured.end(), '%'));
}

}  // namespace frit

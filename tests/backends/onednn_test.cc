// The backend over oneDNN: what it takes gives eager's results within a tolerance, what it has not
// it refuses by name.
#include "frit/onednn.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

Tensor numbers(IntArrayRef sizes, double step = 0.37) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return (sin(arange(n, kFloat32) * step) * 1.5).reshape(sizes);
}

// Also what foreign results are not checked for elsewhere: oneDNN's own approximations.
void expect_close(const Tensor& got, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.sizes(), expected.sizes()) << what;
  const std::vector<float> a = values(got), b = values(expected);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 2e-5 + 2e-5 * std::abs(b[i])) << what << ", element " << i;
}

using Function = std::function<Tensor(const Tensor&)>;

// Compiled by oneDNN alone, it is what eager gives.
void expect_served(const std::string& what, const Tensor& x, const Function& fn) {
  HotScope hot;
  base::mutable_flags().shadow = false;  // its tolerance is PyTorch's default
  register_onednn();
  const Tensor expected = fn(x);
  const auto fast = compile(fn, {.backend = "onednn"});
  for (int i = 0; i < 4; ++i) expect_close(fast(x), expected, what);
  std::string refusals;
  for (const auto& [reason, count] : stats().fallbacks) refusals += reason + "\n";
  EXPECT_GE(hot.plan_entries(), 2) << what << "\n" << refusals;
}

// Why it does not take a graph.
std::string refusal(const Tensor& x, const Function& fn) {
  HotScope hot;
  register_onednn();
  const auto before = stats().fallbacks;
  const auto fast = compile(fn, {.backend = "onednn"});
  const Tensor expected = fn(x);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x)), values(expected));
  EXPECT_EQ(hot.plan_entries(), 0);
  for (const auto& [reason, count] : stats().fallbacks)
    if (const auto known = before.find(reason); known == before.end() || known->second < count)
      if (const size_t at = reason.find("onednn refused: "); at != reason.npos)
        return reason.substr(at + 16);
  return "none";
}

TEST(OneDnn, ServesElementwiseOps) {
  const Tensor x = numbers({3, 5}), y = numbers({5}, 0.7) + 2, slope = full({1}, 0.25);
  const std::pair<const char*, Function> cases[] = {
      {"relu", [](const Tensor& t) { return relu(t); }},
      {"gelu", [](const Tensor& t) { return gelu(t); }},
      {"gelu by tanh", [](const Tensor& t) { return gelu(t, "tanh"); }},
      {"silu", [](const Tensor& t) { return silu(t); }},
      {"tanh, sigmoid", [](const Tensor& t) { return tanh(t) + sigmoid(t); }},
      {"exp, log", [](const Tensor& t) { return log(exp(t) + 1); }},
      {"abs, sqrt, rsqrt", [](const Tensor& t) { return sqrt(abs(t)) * rsqrt(abs(t) + 1); }},
      {"numbers on either side", [](const Tensor& t) { return 1 - t * 2 + 3 / (t + 4) - 0.5; }},
      {"broadcast", [&](const Tensor& t) { return (t + y) / y - t * y; }},
      {"broadcast of the first", [&](const Tensor& t) { return y - t; }},
      {"maximum, minimum", [&](const Tensor& t) { return maximum(t, minimum(y, t * 2)); }},
      {"clamp", [](const Tensor& t) { return clamp(t, -0.5, 0.75); }},
      {"leaky_relu, elu", [](const Tensor& t) { return leaky_relu(t, 0.1) + elu(t); }},
      {"hardswish, relu6", [](const Tensor& t) { return hardswish(t * 3) + relu6(t * 8); }},
      {"softplus, mish", [](const Tensor& t) { return softplus(t) + mish(t); }},
      {"neg, reciprocal", [](const Tensor& t) { return -reciprocal(t + 3); }},
      {"prelu", [&](const Tensor& t) { return prelu(t, slope); }},
      {"pow", [](const Tensor& t) { return pow(t, 2) + pow(abs(t) + 1, 1.5); }},
  };
  for (const auto& [what, fn] : cases) expect_served(what, x, fn);
}

TEST(OneDnn, TakesNumbersThatVary) {
  HotScope hot;
  register_onednn();
  double scale = 1;
  const auto fast =
      compile([&](const Tensor& t) { return scale - t * scale; }, {.backend = "onednn"});
  const Tensor x = numbers({4});
  for (int i = 0; i < 6; ++i, scale += 0.5)
    expect_close(fast(x), scale - x * scale, std::to_string(scale));
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(OneDnn, ServesViewsAndCopies) {
  const Tensor x = numbers({2, 3, 4});
  const std::pair<const char*, Function> cases[] = {
      {"permute",
       [](const Tensor& t) {
         return relu(t.permute({2, 0, 1}));
       }},
      {"slice", [](const Tensor& t) { return relu(t.slice(1, 1, 3).slice(2, 0, 4, 2)); }},
      {"select",
       [](const Tensor& t) { return relu(t.select(1, -1)) + t.select(0, 1).select(0, 2); }},
      {"reshape of a view",
       [](const Tensor& t) {
         return relu(t.transpose(0, 2).reshape({6, 4}));
       }},
      {"a view as the output", [](const Tensor& t) { return relu(t).transpose(0, 1); }},
      {"cat",
       [](const Tensor& t) {
         return cat({relu(t), t * 2, t.slice(2, 0, 4)}, 1);
       }},
      {"contiguous", [](const Tensor& t) { return t.transpose(1, 2).contiguous() + 1; }},
      {"unsqueeze, squeeze", [](const Tensor& t) { return relu(t.unsqueeze(1)).squeeze(1); }},
      {"expand",
       [](const Tensor& t) {
         return relu(t.slice(0, 0, 1)).expand({3, 3, 4}) * 2;
       }},
  };
  for (const auto& [what, fn] : cases) {
    expect_served(what, x, fn);
    expect_served(std::string(what) + " of a strided input", numbers({4, 3, 2}).permute({2, 1, 0}),
                  fn);
  }
}

TEST(OneDnn, ServesReductionsAndNorms) {
  const Tensor x = numbers({2, 3, 8}), w = numbers({8}, 0.9), b = numbers({8}, 0.2);
  const std::pair<const char*, Function> cases[] = {
      {"sum", [](const Tensor& t) { return sum(t, {1}); }},
      {"sum of all", [](const Tensor& t) { return sum(t) + 1; }},
      {"mean, kept", [](const Tensor& t) { return t - mean(t, {-1}, true); }},
      {"amax",
       [](const Tensor& t) {
         return amax(t, {0, 2}) + amin(t, {0, 2});
       }},
      {"of one element", [](const Tensor& t) { return sum(t.slice(1, 0, 1) * 2, {1}); }},
      {"softmax", [](const Tensor& t) { return softmax(t, -1) + softmax(t, 1); }},
      {"log_softmax", [](const Tensor& t) { return log_softmax(t, 2); }},
      {"layer_norm", [&](const Tensor& t) { return layer_norm(t, {8}, w, b); }},
      {"layer_norm over two",
       [](const Tensor& t) {
         return layer_norm(t, {3, 8});
       }},
  };
  for (const auto& [what, fn] : cases) expect_served(what, x, fn);
}

TEST(OneDnn, ServesProducts) {
  const Tensor x = numbers({4, 8}), w = numbers({8, 6}, 0.21), u = numbers({6, 8}, 0.4),
               row = numbers({6}, 1.1), v = numbers({8}, 0.6);
  const std::pair<const char*, Function> cases[] = {
      {"matmul", [&](const Tensor& t) { return matmul(t, w); }},
      {"of a transposed factor", [&](const Tensor& t) { return matmul(t, u.t()); }},
      {"of vectors", [&](const Tensor& t) { return matmul(t, v) + matmul(v, w.slice(1, 0, 4)); }},
      {"dot", [&](const Tensor& t) { return t + matmul(v, v); }},
      {"batches",
       [&](const Tensor& t) {
         return matmul(t.reshape({2, 2, 8}), w);
       }},
      {"linear", [&](const Tensor& t) { return linear(t, u, row); }},
      {"linear of three dimensions",
       [&](const Tensor& t) {
         return linear(t.reshape({2, 2, 8}), u, row);
       }},
      {"addmm", [&](const Tensor& t) { return addmm(row, t, w); }},
      {"what follows",
       [&](const Tensor& t) { return relu(linear(t, u, row) * 0.5 + row) + gelu(matmul(t, w)); }},
      {"read twice",
       [&](const Tensor& t) {
         const Tensor h = linear(t, u, row);
         return relu(h) + h;
       }},
  };
  for (const auto& [what, fn] : cases) expect_served(what, x, fn);
}

TEST(OneDnn, ServesConvolutionsAndPools) {
  const Tensor x = numbers({2, 4, 9, 10}), w = numbers({6, 4, 3, 3}, 0.11), b = numbers({6}),
               depth = numbers({4, 1, 3, 3}, 0.3), m = numbers({6}, 0.4), var = abs(m) + 0.5;
  const std::pair<const char*, Function> cases[] = {
      {"conv2d", [&](const Tensor& t) { return conv2d(t, w, b, {2}, {1}); }},
      {"depthwise", [&](const Tensor& t) { return conv2d(t, depth, {}, {1}, {0}, {1}, 4); }},
      {"dilated, then relu and a sum",
       [&](const Tensor& t) {
         const Tensor y = conv2d(t, w, b, {1}, {0}, {2});
         return relu(y) + 1;
       }},
      {"block",
       [&](const Tensor& t) {
         const Tensor y = relu(batch_norm(conv2d(t, w, b, {1}, {1}), m, var, b, m));
         return max_pool2d(y, {2});
       }},
      {"avg_pool2d", [](const Tensor& t) { return avg_pool2d(t, {3}, {2}, {1}); }},
      {"max_pool2d, padded", [](const Tensor& t) { return max_pool2d(t, {3}, {2}, {1}); }},
      {"bilinear",
       [](const Tensor& t) {
         return interpolate(t, std::vector<int64_t>{18, 5}, {}, "bilinear");
       }},
      {"adaptive_avg_pool2d",
       [](const Tensor& t) {
         return adaptive_avg_pool2d(t, {3, 5}) * 2;
       }},
  };
  for (const auto& [what, fn] : cases) expect_served(what, x, fn);
  const Tensor line = numbers({2, 4, 12}), kernel = numbers({3, 4, 5}, 0.17);
  expect_served("conv1d", line, [&](const Tensor& t) { return relu(conv1d(t, kernel)); });
}

Tensor attention(const Tensor& x, const Tensor& w) {
  const Tensor q = linear(x, w), k = linear(x, w * 0.5), v = linear(x, w * 2);
  const Tensor scores = matmul(q, k.transpose(-1, -2)) * 0.35;
  return x + matmul(softmax(scores, -1), v);
}

TEST(OneDnn, ServesModels) {
  const Tensor w = numbers({8, 8}, 0.31) * 0.5, up = numbers({16, 8}, 0.13) * 0.5,
               down = numbers({8, 16}, 0.23) * 0.5;
  expect_served("mlp", numbers({3, 8}),
                [&](const Tensor& t) { return softmax(linear(relu(linear(t, up)), down), -1); });
  expect_served("block", numbers({2, 5, 8}), [&](const Tensor& t) {
    const Tensor h = attention(layer_norm(t, {8}), w);
    return h + linear(gelu(linear(layer_norm(h, {8}), up)), down);
  });
}

TEST(OneDnn, ServesOtherShapesByPlansOfTheirOwn) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  register_onednn();
  const Tensor w = numbers({8, 8});
  const auto fn = [&](const Tensor& t) { return relu(linear(t, w)) + 1; };
  const auto fast = compile(fn, {.backend = "onednn"});
  for (int64_t n = 1; n < 6; ++n)
    for (int i = 0; i < 3; ++i) {
      const Tensor x = numbers({n, 8});
      expect_close(fast(x), fn(x), std::to_string(n));
    }
  EXPECT_GE(hot.plan_entries(), 5);
}

TEST(OneDnn, RunsInSeveralThreadsAtOnce) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  register_onednn();
  const Tensor w = numbers({8, 8});
  const auto fn = [&](const Tensor& t) { return softmax(relu(linear(t, w)), -1); };
  const auto fast = compile(fn, {.backend = "onednn"});
  const Tensor x = numbers({16, 8}), expected = fn(x);
  fast(x);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) expect_close(fast(x), expected, "in a thread");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(hot.plan_entries(), 50);
}

TEST(OneDnn, RefusesWhatItHasNotByName) {
  const Tensor x = numbers({4, 4});
  const std::string no_primitive = ": there is no primitive for it";
  EXPECT_EQ(refusal(x, [](const Tensor& t) { return relu(sin(t)); }),
            "onednn(%trace): unsupported op: sin (%0)" + no_primitive);
  EXPECT_EQ(refusal(x, [](const Tensor& t) { return relu(cumsum(t, 0)); }),
            "onednn(%trace): unsupported op: cumsum (%0)" + no_primitive);
  EXPECT_EQ(refusal(x, [](const Tensor& t) { return relu(flip(t, {0})); }),
            "onednn(%trace): unsupported op: flip (%0)" + no_primitive);
  EXPECT_EQ(refusal(x, [](const Tensor& t) { return where(t > 0, t, t * 2); }),
            "onednn(%trace): unsupported op: gt (%1): dtype bool");
  EXPECT_EQ(refusal(to(x, kFloat64), [](const Tensor& t) { return to(relu(t), kFloat32); }),
            "onednn(%trace): unsupported op: relu (%0): dtype f64");
  EXPECT_EQ(refusal(x.slice(0, 0, 0), [](const Tensor& t) { return relu(t) + 1; }),
            "onednn(%trace): unsupported op: relu (%0): no elements");
  EXPECT_EQ(refusal(x, [](const Tensor& t) { return addmm(t, t, t, 2.0); }),
            "onednn(%trace): unsupported op: addmm (%0): alpha and beta other than 1");
  EXPECT_EQ(refusal(numbers({1, 1, 5, 5}),
                    [](const Tensor& t) {
                      return adaptive_avg_pool2d(t, {2, 2});
                    }),
            "onednn(%trace): unsupported op: adaptive_avg_pool (%0): windows of different sizes");
}

TEST(OneDnn, LeavesWhatItRefusesToTheNextOfAList) {
  HotScope hot;
  register_onednn();
  const auto fn = [](const Tensor& t) { return cumsum(relu(t), 0); };
  const auto fast = compile(fn, {.backend = "onednn, native"});
  const Tensor x = numbers({4, 4});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x)), values(fn(x)));
  EXPECT_GE(hot.plan_entries(), 1);
}

}  // namespace
}  // namespace frit

// The backend "onnxruntime": its results are near eager's, what it cannot do goes to machine code,
// and without the library the ops run eagerly.
#include "frit/onnxruntime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

constexpr const char* kLibrary = "models/onnxruntime/libonnxruntime.so.1";

class OnnxruntimeBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(kLibrary)) {
      const char* ci = std::getenv("CI");
      if (ci != nullptr && std::string(ci) == "true") FAIL() << kLibrary << " is not here";
      GTEST_SKIP() << kLibrary << " is not here: run tools/setup";
    }
    register_onnxruntime({.library = kLibrary});
  }
};

using Function = std::function<Tensor(const Tensor& x, const Tensor& w)>;

Tensor some(IntArrayRef sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return ((remainder(arange(n, kFloat32) * 7, 13) - 6) * 0.25).reshape(sizes);
}

// Some runs through the backend; gives how many plans ran.
int64_t expect_near_eager(const Function& fn, const Tensor& x, const Tensor& w,
                          double tolerance = 1e-5) {
  HotScope hot;
  set_jit_mode("off");
  const Tensor right = fn(x, w);
  set_jit_mode("on");
  const auto fast = compile(fn, {.backend = "onnxruntime"});
  for (int run = 0; run < 4; ++run) {
    const Tensor got = fast(x, w);
    EXPECT_EQ(got.dtype(), right.dtype());
    EXPECT_EQ(got.strides().vec(), right.strides().vec());
    EXPECT_TRUE(allclose(got.to(kFloat64), right.to(kFloat64), tolerance, tolerance, true))
        << got << right;
  }
  return hot.plan_entries();
}

int64_t fallbacks(const std::string& reason) {
  const auto all = stats().fallbacks;
  const auto found = all.find(reason);
  return found == all.end() ? 0 : found->second;
}

TEST_F(OnnxruntimeBackend, RunsNetworks) {
  const auto network = [](const Tensor& x, const Tensor& w) {
    const Tensor h = gelu(linear(layer_norm(x, {8}), w) + 1);
    return softmax(matmul(h, h.transpose(0, 1)), -1);
  };
  EXPECT_GE(expect_near_eager(network, some({5, 8}), some({8, 8})), 2);
}

TEST_F(OnnxruntimeBackend, RunsConvolutionsInTheLayoutsThatTheGraphStates) {
  const auto network = [](const Tensor& x, const Tensor& w) {
    return relu(conv2d(x, w, {}, {1, 1}, {1, 1}));
  };
  EXPECT_GE(expect_near_eager(network, some({2, 3, 6, 5}), some({4, 3, 3, 3})), 2);
}

TEST_F(OnnxruntimeBackend, TakesTensorsOfAnyStrides) {
  const auto product = [](const Tensor& x, const Tensor& w) { return matmul(x, w) * 2; };
  EXPECT_GE(
      expect_near_eager(product, some({6, 5}).transpose(0, 1), some({6, 8}).slice(1, 0, 8, 2)), 2);
}

TEST_F(OnnxruntimeBackend, Rounds16BitFloatsAfterEachOp) {
  const auto chain = [](const Tensor& x, const Tensor& w) { return (x * w + x) / 3; };
  const Tensor x = some({4, 6}).to(kBFloat16), w = some({6}).to(kBFloat16);
  EXPECT_GE(expect_near_eager(chain, x, w, 0), 2);
}

TEST_F(OnnxruntimeBackend, LeavesWhatHasNoOnnxFormToMachineCode) {
  const auto mixed = [](const Tensor& x, const Tensor& w) {
    return erfc(sigmoid(x * w)) + sqrt(abs(x));
  };
  EXPECT_GE(expect_near_eager(mixed, some({4, 6}), some({6})), 2);
}

TEST_F(OnnxruntimeBackend, DividesLargeNumbersAsEagerDoes) {
  const auto divided = [](const Tensor& x, const Tensor& w) { return floor_divide(x, w); };
  const Tensor x = tensor({8388609.0f, -8388609.0f, 16777213.0f, -7.0f, 5.5f, 0.7f, -0.7f, 2.0f});
  for (const float by : {1.0f, -1.0f, 3.0f, 0.1f, 0.0f})
    EXPECT_GE(expect_near_eager(divided, x, tensor(by), 0), 2) << by;
}

TEST_F(OnnxruntimeBackend, KnowsInfinitiesAndNanAsEagerDoes) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor({0.0f, -0.0f, 1.0f, -2.0f, inf, -inf, std::nanf("")});
  const Tensor y = x.reshape({7, 1});
  EXPECT_GE(expect_near_eager([](const Tensor& a, const Tensor& b) { return hypot(a, b); }, x, y),
            2);
  // Of two infinities ONNX's arctangent knows no quotient.
  const auto angle = [=](const Tensor& a, const Tensor& b) {
    return where(logical_and(isinf(a), isinf(b)), 0.0, atan2(a, b));
  };
  EXPECT_GE(expect_near_eager(angle, x, y), 2);
}

TEST_F(OnnxruntimeBackend, PicksTheNearestElementsThatEagerPicks) {
  for (const auto& [in, out] : {std::pair(25, 15), {28, 8}, {28, 64}, {28, 78}, {52, 22}, {52, 8}})
    for (const char* mode : {"nearest", "nearest-exact"}) {
      const auto resized = [&, to = out](const Tensor& x, const Tensor&) {
        return interpolate(x, std::vector<int64_t>{to, 3}, std::nullopt, mode) + 1;
      };
      const Tensor image = arange(in * 2, kFloat32).reshape({1, 1, in, 2});
      EXPECT_GE(expect_near_eager(resized, image, image, 0), 2) << in << " to " << out;
    }
}

TEST_F(OnnxruntimeBackend, PicksThemByAScaleThatIsGiven) {
  const auto resized = [](const Tensor& x, const Tensor&) {
    return interpolate(x, std::nullopt, std::vector<double>{1.7, 0.6}, "nearest") + 1;
  };
  const Tensor image = arange(13 * 11, kFloat32).reshape({1, 1, 13, 11});
  EXPECT_GE(expect_near_eager(resized, image, image, 0), 2);
  EXPECT_NE(values(resized(image, image)),
            values(interpolate(image, std::vector<int64_t>{22, 6}) + 1));
}

TEST_F(OnnxruntimeBackend, TakesNumbersThatChange) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x, double s) { return exp(x * s) + s; },
                            {.backend = "onnxruntime", .dynamic = true});
  const Tensor x = some({7});
  for (int run = 0; run < 6; ++run) {
    const Tensor got = fast(x, 0.5 + run), right = exp(x * (0.5 + run)) + (0.5 + run);
    EXPECT_TRUE(allclose(got, right, 1e-5, 1e-5)) << got << right;
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST_F(OnnxruntimeBackend, SaysWhyItRefusesAGraph) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) { return erfc(x); }, {.backend = "onnxruntime"});
  for (int run = 0; run < 4; ++run) fast(some({3}));
  EXPECT_GE(fallbacks("onnxruntime refused: onnx(%trace): unsupported op: erfc(f32[3]): ONNX has "
                      "no such op"),
            1);
}

TEST_F(OnnxruntimeBackend, LeavesWhatTheLibraryHasNoKernelForToMachineCode) {
  const auto f64 = [](const Tensor& x, const Tensor& w) { return tan(x) + w; };
  expect_near_eager(f64, some({3}).to(kFloat64), some({3}).to(kFloat64), 1e-12);
}

TEST_F(OnnxruntimeBackend, RunsOnSeveralThreadsAtOnce) {
  const auto fast =
      compile([](const Tensor& x) { return tanh(matmul(x, x)); }, {.backend = "onnxruntime"});
  const Tensor x = some({16, 16}), right = tanh(matmul(x, x));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) EXPECT_TRUE(allclose(fast(x), right, 1e-5, 1e-5));
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(OnnxruntimeBackend, TellsTheLibrarysVersion) {
  EXPECT_EQ(onnxruntime_version({.library = kLibrary}).substr(0, 2), "1.");
}

TEST(OnnxruntimeLibrary, WhereItIsMissingOpsRunEagerly) {
  HotScope hot;
  register_onnxruntime({.library = "/nowhere/libonnxruntime.so.1"});
  const auto fast =
      compile([](const Tensor& x) { return relu(x * 2); }, {.backend = "onnxruntime"});
  for (int run = 0; run < 4; ++run) EXPECT_EQ(values(fast(tensor({1.0f})))[0], 2.0f);
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_GE(hot.reason("backend_refused"), 1);
  EXPECT_GE(fallbacks("onnxruntime refused: onnxruntime: no library: "
                      "/nowhere/libonnxruntime.so.1: cannot open shared object file: No such file "
                      "or directory"),
            1);
}

TEST(OnnxruntimeLibrary, OfAnotherKindIsRefused) {
  EXPECT_EQ(error_of([] { onnxruntime_version({.library = "libm.so.6"}); }),
            "onnxruntime: no library: libm.so.6 is no onnxruntime: it has no OrtGetApiBase");
}

TEST(OnnxruntimeLibrary, ThatIsTooOldIsRefused) {
  const std::string library = "tests/backends/libold_onnxruntime.so";
  EXPECT_EQ(
      error_of([&] { onnxruntime_version({.library = library}); }),
      "onnxruntime: no library: " + library + " is onnxruntime 1.12.1, expected 1.17 or newer");
}

}  // namespace
}  // namespace frit

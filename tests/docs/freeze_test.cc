// docs/freeze.md is right: its example is this one, and prints what the page shows; its errors are
// those that the calls throw.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "frit/frit.h"
#include "tests/docs/page.h"
#include "tests/error_of.h"

namespace frit {
namespace {

// What the example prints, but for the time that its build took, and for kernels, which depend on
// the machine.
std::string run_example() {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/layer.frit";
  std::ostringstream printed;
  std::streambuf* const saved = std::cout.rdbuf(printed.rdbuf());
  // example
  const Tensor w = tensor({1.0f, -2.0f, 0.5f, 4.0f}).view({2, 2}), b = tensor({1.0f, -1.0f});
  const auto layer = [&](const Tensor& x) { return relu(linear(x, exp(w), b)); };

  const Tensor x = tensor({1.0f, 2.0f}).view({1, 2});
  const Program program = freeze(layer, {x}, {w, b});
  const Tensor y = program.run({x})[0];

  const Tensor given = empty({1, 2});
  program.run({x}, {given});  // writes to `given`

  program.save(path);
  const Program loaded = Program::load(path);
  std::cout << loaded.str();
  // end of example
  std::cout.rdbuf(saved);
  EXPECT_EQ(given[0][1].item<float>(), y[0][1].item<float>());
  EXPECT_EQ(error_of([&] {
              program.run({empty({2, 2})});
            }),
            "run(x0: f32[2,2]): guard failed: expected f32[1,2]");
  const std::string text = printed.str();
  const size_t built = text.find("built in"), graph = text.find('\n', built) + 1;
  return text.substr(0, built) + text.substr(graph, text.find("kernels:") - graph);
}

TEST(FreezePage, ShowsTheExampleAndWhatItPrints) {
  const std::string page = read("docs/freeze.md");
  EXPECT_EQ(block(page, "example"), shown_in("tests/docs/freeze_test.cc", "example"));
  EXPECT_EQ(block(page, "output"), run_example());
}

TEST(FreezePage, ShowsTheErrorsThatTheCallsThrow) {
  const std::string page = read("docs/freeze.md");
  const auto expect_shown = [&](const std::string& call, auto fn) {
    const std::string error = error_of([&] { freeze(fn, {ones({1})}); });
    EXPECT_NE(page.find("| `" + call + "` | `" + error + "` |"), std::string::npos) << error;
  };
  expect_shown("(x * 2).item<float>()", [](const Tensor& x) { return x + (x * 2).item<float>(); });
  expect_shown("nonzero(x)", [](const Tensor& x) { return nonzero(x); });
  expect_shown("x.add_(1)", [](const Tensor& x) { return x.add_(1); });
  EXPECT_NE(page.find("`run(x0: f32[2,2]): guard failed: expected f32[1,2]`"), std::string::npos);
}

}  // namespace
}  // namespace frit

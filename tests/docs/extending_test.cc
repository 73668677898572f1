// docs/extending.md is right: its example in C++ is this one, and prints what the page shows.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "frit/frit.h"

namespace frit {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fenced block after <!-- marker -->.
std::string block(const std::string& page, const std::string& marker) {
  const size_t at = page.find("<!-- " + marker + " -->\n```");
  const size_t start = page.find('\n', page.find("```", at)) + 1;
  return page.substr(start, page.find("```", start) - start);
}

// The lines of this file between those that hold the marks, without their indent.
std::string shown_here() {
  std::istringstream source(read("tests/docs/extending_test.cc"));
  std::string line, text;
  bool inside = false;
  while (std::getline(source, line)) {
    if (line == "  // end of example") break;
    if (inside) text += line.substr(std::min<size_t>(line.size(), 2)) + "\n";
    inside = inside || line == "  // example";
  }
  return text;
}

std::string run_example() {
  std::ostringstream printed;
  std::streambuf* const saved = std::cout.rdbuf(printed.rdbuf());
  // example
  const CustomOp scale_add = register_op(
      "mylib::scale_add(Tensor x, Tensor y, float alpha=1) -> Tensor",
      {.eager_out =
           [](const OpArgs& args, std::span<const Tensor> results) {
             const auto* x = args.tensor(0).const_data_ptr<float>();
             const auto* y = args.tensor(1).const_data_ptr<float>();
             auto* out = results[0].data_ptr<float>();
             const auto alpha = static_cast<float>(args.number(2));
             for (int64_t i = 0; i < results[0].numel(); ++i) out[i] = x[i] + alpha * y[i];
           },
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }});

  const auto fast = compile([&](const Tensor& x) { return relu(scale_add({x * 2, x, 3.0}) - 1); });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 3; ++i) fast(x);
  std::cout << fast(x) << '\n' << explain_region(*fast.region()).plans[0].forms[0].captured;
  // end of example
  std::cout.rdbuf(saved);
  return printed.str();
}

TEST(ExtendingPage, ShowsAnExampleThatDoesWhatItSays) {
  const std::string page = read("docs/extending.md");
  EXPECT_EQ(block(page, "custom op"), shown_here());
  EXPECT_EQ(block(page, "custom op prints"), run_example());
}

}  // namespace
}  // namespace frit

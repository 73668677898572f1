// docs/onnx.md is right: its examples are these, and print what the page shows.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "frit/frit.h"
#include "frit/onnx.h"
#include "frit/onnxruntime.h"

namespace frit {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fenced block after <!-- marker -->.
std::string block(const std::string& marker) {
  const std::string page = read("docs/onnx.md");
  const size_t at = page.find("<!-- " + marker + " -->\n```");
  const size_t start = page.find('\n', page.find("```", at)) + 1;
  return page.substr(start, page.find("```", start) - start);
}

// The lines of this file between those that hold the marks, without their indent.
std::string shown_here(const std::string& name) {
  std::istringstream source(read("tests/docs/onnx_test.cc"));
  std::string line, text;
  bool inside = false;
  while (std::getline(source, line)) {
    if (line == "  // end of " + name) break;
    if (inside) text += line.substr(std::min<size_t>(line.size(), 2)) + "\n";
    inside = inside || line == "  // " + name;
  }
  return text;
}

// What is printed while it lives.
class Printed {
 public:
  Printed() : saved_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Printed() { std::cout.rdbuf(saved_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* const saved_;
};

std::string run_export() {
  const Printed printed;
  // export
  register_backend("saving", [](const BackendInput& input) -> CompiledGraph {
    std::cout << input.graph.print();
    onnx::save(input.graph, "layer.onnx");
    return nullptr;  // machine code runs it
  });
  const auto layer =
      compile([](const Tensor& x, const Tensor& w) { return softmax(relu(matmul(x, w)), 1); },
              {.backend = "saving, native"});
  const Tensor x = ones({2, 3}), w = ones({3, 4});
  for (int i = 0; i < 3; ++i) layer(x, w);
  const onnx::Model model = onnx::Model::load("layer.onnx");
  for (const std::string& op : model.op_types()) std::cout << op << "\n";
  std::cout << model.run({x, w})[0] << "\n";
  // end of export
  return printed.text();
}

std::string run_onnxruntime() {
  const Printed printed;
  // onnxruntime
  register_onnxruntime({.library = "models/onnxruntime/libonnxruntime.so.1"});
  const auto layer =
      compile([](const Tensor& x, const Tensor& w) { return softmax(relu(matmul(x, w)), 1); },
              {.backend = "onnxruntime"});
  const Tensor x = ones({2, 3}), w = ones({3, 4});
  for (int i = 0; i < 3; ++i) layer(x, w);
  std::cout << layer(x, w) << "\n";
  // end of onnxruntime
  return printed.text();
}

TEST(OnnxPage, ShowsAnExportThatDoesWhatItSays) {
  EXPECT_EQ(block("export"), shown_here("export"));
  EXPECT_EQ(block("export prints"), run_export());
}

TEST(OnnxPage, ShowsABackendThatDoesWhatItSays) {
  EXPECT_EQ(block("onnxruntime"), shown_here("onnxruntime"));
  EXPECT_EQ(block("onnxruntime prints"), run_onnxruntime());
}

}  // namespace
}  // namespace frit

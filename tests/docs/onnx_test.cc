// docs/onnx.md is right: its examples are these, and print what the page shows.
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "frit/frit.h"
#include "frit/onnx.h"
#include "frit/onnxruntime.h"
#include "tests/docs/page.h"

namespace frit {
namespace {

std::string block(const std::string& marker) { return frit::block(read("docs/onnx.md"), marker); }

std::string shown_here(const std::string& name) {
  return shown_in("tests/docs/onnx_test.cc", name);
}

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

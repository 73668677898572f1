// A small file may ask for more memory than there is. That is an error, not the end of the process:
// never a crash, nor memory that is granted and cannot be had.
#include <gtest/gtest.h>

#include <functional>

#include "frit/compile.h"
#include "frit/onnx.h"
#include "frit/ops.h"
#include "tests/error_of.h"
#include "tests/onnx/make_model.h"
#include "tests/onnx/one_node.h"

namespace frit::onnx {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;
constexpr int64_t kMost = INT64_MAX;

struct Request {
  std::string name;
  std::function<Tensor()> run;
};

TensorProto list(const std::string& name, const Ints& values) {
  return int64_tensor(name, {static_cast<int64_t>(values.size())}, values);
}

// `op_type` on an input and one list that is known since loading.
Tensor run_with_list(const std::string& op_type, const Ints& values, const Tensor& x) {
  return OneNode(op_type).constant(list("list", values)).run({x});
}

// `op_type` on ones of this shape, which take no memory before they are read.
Tensor run_on_expanded(const std::string& op_type, const Ints& sizes, const Tensor& one) {
  ModelMaker m(13);
  m.graph.add_input()->set_name("x");
  m.initializer(list("sizes", sizes));
  m.node("Expand", {"x", "sizes"}, {"wide"});
  m.node(op_type, {"wide"}, {"y"});
  m.output("y");
  return load(m).run({one}).at(0);
}

Tensor pad_by(const char* mode, const Ints& pads) {
  OneNode m("Pad");
  return m.with("mode", mode).constant(list("pads", pads)).run({f32({2}, {1, 2})});
}

Tensor resize_to(const char* mode, float scale) {
  OneNode m("Resize");
  m.node->add_input("");
  m.with("mode", mode).constant(float_tensor("scales", {1}, {scale}));
  return m.run({f32({2}, {1, 2})});
}

Tensor pool_with_pads(int64_t pads) {
  OneNode m("MaxPool");
  m.with("kernel_shape", Ints{2, 2}).with("pads", Ints{pads, pads, pads, pads});
  return m.run({ones({1, 1, 2, 2})});
}

std::vector<Request> requests() {
  const Tensor two = f32({2}, {1, 2});
  const auto constant_of_shape = [](const Ints& sizes) {
    return OneNode("ConstantOfShape", 0).constant(list("sizes", sizes)).run({});
  };
  const auto depth = [](int64_t n) {
    return OneNode("OneHot", 1)
        .constant(int64_tensor("depth", {}, {n}))
        .constant(float_tensor("values", {2}, {0, 1}))
        .run({i64({2}, {0, 1})});
  };
  return {{"ConstantOfShape", [=] { return constant_of_shape({kHuge}); }},
          {"ConstantOfShape, an overflow of bytes", [=] { return constant_of_shape({kMost}); }},
          {"ConstantOfShape, an overflow",
           [=] {
             return constant_of_shape({kHuge, kHuge, kHuge});
           }},
          {"ConstantOfShape at run time",
           [] {
             return OneNode("ConstantOfShape").run({i64({2}, {1, kHuge})});
           }},
          {"Expand, an overflow",
           [=] {
             return run_with_list("Expand", {kHuge, kHuge, 2}, two);
           }},
          {"Expand, then Relu", [] { return run_on_expanded("Relu", {kHuge}, ones({1})); }},
          {"Expand, then Cast", [] { return run_on_expanded("Identity", {kMost}, ones({1})) + 1; }},
          {"Expand, then Softmax",
           [] {
             return run_on_expanded("Softmax", {2, kHuge}, ones({1}));
           }},
          {"Expand, then EyeLike",
           [] {
             return run_on_expanded("EyeLike", {kHuge / 2, 4}, ones({1, 1}));
           }},
          {"Expand, then Trilu",
           [] {
             return run_on_expanded("Trilu", {4, kHuge}, ones({1, 1}));
           }},
          {"Tile", [=] { return run_with_list("Tile", {kHuge}, two); }},
          {"Tile, an overflow", [=] { return run_with_list("Tile", {kMost}, two); }},
          {"Tile, an overflow of two",
           [] {
             return run_with_list("Tile", {kHuge, kHuge}, ones({2, 2}));
           }},
          {"Pad",
           [] {
             return pad_by("constant", {0, kHuge});
           }},
          {"Pad with the largest number",
           [] {
             return pad_by("constant", {kMost, kMost});
           }},
          {"Pad by edges",
           [] {
             return pad_by("edge", {kHuge, 0});
           }},
          {"Pad by reflection",
           [] {
             return pad_by("reflect", {kMost, kMost});
           }},
          {"Pool with pads", [] { return pool_with_pads(INT32_MAX); }},
          {"OneHot", [=] { return depth(kHuge); }},
          {"OneHot, an overflow", [=] { return depth(kMost); }},
          {"Range",
           [] {
             return OneNode("Range", 3).run({i64({}, {0}), i64({}, {kHuge}), i64({}, {1})});
           }},
          {"Range of tiny steps",
           [] {
             return OneNode("Range", 3).run({f32({}, {0}), f32({}, {1e30f}), f32({}, {1e-30f})});
           }},
          {"HannWindow", [] { return OneNode("HannWindow", 1, 17).run({i64({}, {kHuge})}); }},
          {"Resize to nearest", [] { return resize_to("nearest", 1e12f); }},
          {"Resize linearly", [] { return resize_to("linear", 1e12f); }},
          {"Resize beyond numbers", [] { return resize_to("linear", 1e30f); }},
          {"Concat", [] {
             ModelMaker m(13);
             m.graph.add_input()->set_name("x");
             m.initializer(list("sizes", {kMost / 2 + 1}));
             m.node("Expand", {"x", "sizes"}, {"wide"});
             set(m.node("Concat", {"wide", "wide"}, {"y"}), "axis", 0);
             m.output("y");
             return load(m).run({ones({1})}).at(0);
           }}};
}

// What is put off happens when the values are read.
std::string outcome(const Request& request) {
  try {
    const Tensor y = request.run().to(kFloat32).contiguous();
    y.const_data_ptr<float>();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

bool names_the_problem(const std::string& text) {
  for (const char* problem : {"out of memory", "too large", "too many elements"})
    if (text.find(problem) != std::string::npos) return true;
  return false;
}

TEST(HugeRequests, AreErrors) {
  for (const Request& request : requests()) {
    const std::string text = outcome(request);
    EXPECT_TRUE(names_the_problem(text)) << request.name << ": " << text;
  }
}

TEST(HugeRequests, AreErrorsInCompiledRegions) {
  ModelMaker m(13);
  m.graph.add_input()->set_name("x");
  m.initializer(int64_tensor("sizes", {1}, {kHuge}));
  m.node("Expand", {"x", "sizes"}, {"wide"});
  m.node("Relu", {"wide"}, {"r"});
  m.node("Exp", {"r"}, {"y"});
  m.output("y");
  const Model model = load(m);
  const auto region = compile([&](const Tensor& x) { return model.run({x}); });
  for (int run = 0; run < 4; ++run)
    EXPECT_NE(error_of([&] { region(ones({1})); }).find("out of memory"), std::string::npos);
}

}  // namespace
}  // namespace frit::onnx

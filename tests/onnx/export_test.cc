// Graphs as ONNX models: what is written for them, and what is refused.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/ops/op.h"
#include "tests/error_of.h"
#include "tests/onnx/exported.h"

namespace frit::onnx {
namespace {

::onnx::ModelProto parsed(const Bytes& bytes) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return model;
}

// A line for each node: "v0 = Mul x, c0".
std::string nodes_of(const std::string& text) {
  const Bytes bytes = to_bytes(Graph::parse(text));
  EXPECT_EQ(model_problem(bytes), "");
  const ::onnx::ModelProto model = parsed(bytes);
  std::string lines;
  for (const auto& node : model.graph().node()) {
    for (int i = 0; i < node.output_size(); ++i) lines += (i ? ", " : "") + node.output(i);
    lines += " = " + node.op_type();
    for (int i = 0; i < node.input_size(); ++i) lines += (i ? ", " : " ") + node.input(i);
    lines += '\n';
  }
  return lines;
}

TEST(OnnxExport, WritesOnnxsOwnOpWhereThereIsOne) {
  EXPECT_EQ(nodes_of(R"(graph %mlp(%x: f32[2,3], %w: f32[4,3], %b: f32[4]) -> f32[2,4] {
  %0: f32[2,4] = linear %x, %w, %b
  %1: f32[2,4] = relu %0
  return %1
})"),
            "v0 = Gemm x, w, b\n"
            "out0 = Relu v0\n");
}

TEST(OnnxExport, WritesCompositesAsWhatTheyAreMadeOf) {
  EXPECT_EQ(nodes_of(R"(graph %g(%x: f32[3]) -> f32[3] {
  %0: f32[3] = lerp %x, 2.0, 0.25
  return %0
})"),
            "v0 = Sub c0, x\n"
            "v1 = Mul v0, c1\n"
            "out0 = Add x, v1\n");
}

TEST(OnnxExport, RoundsThe16BitFloatsAfterEachOp) {
  EXPECT_EQ(nodes_of(R"(graph %g(%x: bf16[3], %y: bf16[3]) -> bf16[3] {
  %0: bf16[3] = mul %x, %y
  %1: bf16[3] = add %0, %x
  return %1
})"),
            "v0 = Cast x\nv1 = Cast y\nv2 = Mul v0, v1\nv3 = Cast v2\n"
            "v4 = Cast v3\nv5 = Cast x\nv6 = Add v4, v5\nout0 = Cast v6\n");
}

TEST(OnnxExport, MakesPromotionExplicit) {
  EXPECT_EQ(nodes_of(R"(graph %g(%x: i32[3], %y: f32[3]) -> f32[3] {
  %0: f32[3] = add %x, %y
  return %0
})"),
            "v0 = Cast x\nout0 = Add v0, y\n");
}

TEST(OnnxExport, NumbersAreTensorsWithoutDimensions) {
  const Graph graph = Graph::parse(R"(graph %g(%x: f32[3], %s: f64) -> f32[3] {
  %0: f32[3] = mul %x, %s
  return %0
})");
  const Bytes bytes = to_bytes(graph);
  const ::onnx::ModelProto model = parsed(bytes);
  const auto& input = model.graph().input(1);
  EXPECT_EQ(input.name(), "s");
  EXPECT_EQ(input.type().tensor_type().elem_type(), ::onnx::TensorProto::DOUBLE);
  EXPECT_EQ(input.type().tensor_type().shape().dim_size(), 0);
  const Tensor x = tensor({1.0f, 2.0f, 3.0f}), s = tensor(2.5, kFloat64);
  EXPECT_EQ(difference(Model::parse(bytes, "m").run({x, s})[0], x * 2.5, {0, 0}), "");
}

TEST(OnnxExport, OutputsMayBeInputsAndEachOther) {
  const Graph graph = Graph::parse(R"(graph %g(%out0: f32[3]) -> f32[3], f32[3], f32[3] {
  %0: f32[3] = neg %out0
  return %0, %0, %out0
})");
  const Bytes bytes = to_bytes(graph);
  EXPECT_EQ(model_problem(bytes), "");
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  const std::vector<Tensor> outputs = Model::parse(bytes, "m").run({x});
  EXPECT_EQ(difference(outputs[0], -x, {0, 0}), "");
  EXPECT_EQ(difference(outputs[1], -x, {0, 0}), "");
  EXPECT_EQ(difference(outputs[2], x, {0, 0}), "");
}

TEST(OnnxExport, RefusesWhatHasNoOnnxForm) {
  const auto problem = [](const char* text) {
    return error_of([&] { to_bytes(Graph::parse(text)); });
  };
  EXPECT_EQ(problem(R"(graph %g(%x: f32[3]) -> f32[3] {
  %0: f32[3] = erfinv %x
  return %0
})"),
            "onnx(%g): unsupported op: erfinv(f32[3]): ONNX has no such op");
  EXPECT_EQ(problem(R"(graph %g(%x: i32[3], %y: i32[3]) -> i32[3] {
  %0: i32[3] = bitwise_and %x, %y
  return %0
})"),
            "onnx(%g): unsupported op: bitwise_and(i32[3], i32[3]): ONNX has it of integers from "
            "opset 18 on");
}

TEST(OnnxExport, RefusesAFormThatDependsOnANumberThatVaries) {
  const Graph graph = Graph::parse(R"(graph %g(%x: f32[3], %p: f64) -> f32[] {
  %0: f32[] = norm %x, %p {dims=[], keepdim=false}
  return %0
})");
  EXPECT_EQ(error_of([&] { to_bytes(graph); }),
            "onnx(%g): unsupported op: norm(f32[3], number): its form depends on a number that "
            "varies from call to call");
  EXPECT_FALSE(can_export(graph, graph.nodes()[0]));
}

TEST(OnnxExport, SavesFiles) {
  const Graph graph = Graph::parse(R"(graph %g(%x: f32[3]) -> f32[3] {
  %0: f32[3] = sigmoid %x
  return %0
})");
  EXPECT_TRUE(can_export(graph, graph.nodes()[0]));
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/sigmoid.onnx";
  save(graph, path);
  const Tensor x = tensor({-1.0f, 0.0f, 2.0f});
  EXPECT_EQ(difference(Model::load(path).run({x})[0], sigmoid(x), {1e-6, 0}), "");
  EXPECT_EQ(error_of([&] { save(graph, "/nowhere/x.onnx"); }),
            "onnx::save(/nowhere/x.onnx): cannot open: No such file or directory");
}

}  // namespace
}  // namespace frit::onnx

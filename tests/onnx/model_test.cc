// Reading ONNX files into structs: what arrives, and what is refused with which text.
#include "src/onnx/model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/error_of.h"
#include "tests/onnx/make_model.h"

namespace frit::onnx {
namespace {

ModelDef parse(const ModelMaker& maker) { return parse_model(maker.bytes(), "m.onnx"); }
std::string error(const ModelMaker& maker) {
  return error_of([&] { parse(maker); });
}

// A model that only holds this tensor.
ModelMaker holding(const TensorProto& tensor) {
  ModelMaker m;
  m.initializer(tensor);
  return m;
}

TensorProto tensor_of(int type, const Ints& dims) {
  TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  return tensor;
}

template <class T>
std::vector<T> values(const TensorDef& tensor) {
  std::vector<T> result(tensor.data.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
  return result;
}

template <class T>
std::vector<T> read_values(const TensorProto& tensor) {
  return values<T>(parse(holding(tensor)).graph.initializers.at(0));
}

TEST(Model, HoldsSignatureWeightsAndNodes) {
  ModelMaker m(11);
  m.input("x", TensorProto::FLOAT, {-1, 3});
  m.initializer(float_tensor("w", {3, 1}, {1, 2, 3}));
  m.node("MatMul", {"x", "w"}, {"y"}).set_name("product");
  m.output("y");

  const ModelDef model = parse(m);

  EXPECT_EQ(model.opset, 11);
  ASSERT_EQ(model.graph.inputs.size(), 1u);
  EXPECT_EQ(model.graph.inputs[0].name, "x");
  EXPECT_EQ(model.graph.inputs[0].dtype, kFloat32);
  EXPECT_EQ(model.graph.inputs[0].dims->at(0).symbol, "n");
  EXPECT_EQ(model.graph.inputs[0].dims->at(1).size, 3);
  EXPECT_EQ(values<float>(model.graph.initializers.at(0)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(describe(model.graph.nodes.at(0)), "node \"product\", MatMul");
  EXPECT_EQ(model.graph.nodes[0].inputs, (Strings{"x", "w"}));
  EXPECT_EQ(model.graph.outputs.at(0).name, "y");
  EXPECT_FALSE(model.graph.outputs[0].dims.has_value());
}

TEST(Model, HoldsAttributesOfEveryKind) {
  ModelMaker m;
  NodeProto& node = m.node("Foo", {}, {"y"});
  set(set(set(set(node, "i", 5), "f", 0.5f), "s", "text"), "is", Ints{1, -2});
  set(node, "t", float_tensor("", {}, {7}));

  const auto attributes = parse(m).graph.nodes.at(0).attributes;

  EXPECT_EQ(std::get<int64_t>(attributes.at("i")), 5);
  EXPECT_EQ(std::get<float>(attributes.at("f")), 0.5f);
  EXPECT_EQ(std::get<std::string>(attributes.at("s")), "text");
  EXPECT_EQ(std::get<std::vector<int64_t>>(attributes.at("is")), (Ints{1, -2}));
  EXPECT_EQ(values<float>(std::get<TensorDef>(attributes.at("t"))), (std::vector<float>{7}));
}

TEST(Model, SubgraphsSeeTheNamesAround) {
  ModelMaker m;
  GraphMaker branch;
  branch.node("Relu", {"x"}, {"inner"});
  branch.output("inner");
  m.input("x", TensorProto::FLOAT, {1});
  m.input("c", TensorProto::BOOL, {});
  set(set(m.node("If", {"c"}, {"y"}), "then_branch", branch.graph), "else_branch", branch.graph);
  m.output("y");

  const ModelDef model = parse(m);

  const auto& then_branch = std::get<std::shared_ptr<const GraphDef>>(
      model.graph.nodes.at(0).attributes.at("then_branch"));
  EXPECT_EQ(describe(then_branch->nodes.at(0)), "node \"#0\", Relu");
}

TEST(Model, AnInitializerMayBeListedAsInput) {
  ModelMaker m;
  m.input("w", TensorProto::FLOAT, {1});
  m.initializer(float_tensor("w", {1}, {1}));
  EXPECT_TRUE(parse(m).graph.inputs.empty());
}

TEST(Model, ReadsEachDtypeFromItsField) {
  TensorProto t = tensor_of(TensorProto::DOUBLE, {1});
  t.add_double_data(0.5);
  EXPECT_EQ(read_values<double>(t), (std::vector<double>{0.5}));
  EXPECT_EQ(read_values<float>(float_tensor("w", {1}, {0.5f})), (std::vector<float>{0.5f}));
  EXPECT_EQ(read_values<int64_t>(int64_tensor("w", {1}, {-5})), (Ints{-5}));
  for (const int type : {TensorProto::INT32, TensorProto::INT16, TensorProto::INT8,
                         TensorProto::UINT8, TensorProto::FLOAT16, TensorProto::BFLOAT16}) {
    t = tensor_of(type, {2});
    t.add_int32_data(100);
    t.add_int32_data(3);
    const TensorDef tensor = parse(holding(t)).graph.initializers.at(0);
    std::vector<std::byte> expected(2 * byte_size(tensor.dtype));
    expected[0] = std::byte(100);
    expected[byte_size(tensor.dtype)] = std::byte(3);
    EXPECT_EQ(tensor.data, expected) << name(tensor.dtype);
  }
}

TEST(Model, BoolsAreZeroOrOne) {
  TensorProto t = tensor_of(TensorProto::BOOL, {3});
  t.set_raw_data(std::string("\0\1\7", 3));
  EXPECT_EQ(read_values<uint8_t>(t), (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Model, ReadsRawData) {
  TensorProto t = tensor_of(TensorProto::INT16, {2});
  t.set_raw_data(std::string("\1\0\xfe\xff", 4));
  EXPECT_EQ(read_values<int16_t>(t), (std::vector<int16_t>{1, -2}));
}

TEST(Model, TensorsMayBeEmpty) {
  EXPECT_TRUE(read_values<float>(float_tensor("w", {0, 5}, {})).empty());
}

TEST(Model, RefusesDataThatDoesNotFitTheShape) {
  const std::string start = "onnx(m.onnx): initializer \"w\": ";
  EXPECT_EQ(error(holding(float_tensor("w", {2, 2}, {1, 2, 3}))),
            start + "3 numbers, f32[2,2] takes 4");
  TensorProto t = tensor_of(TensorProto::FLOAT, {2});
  t.set_raw_data("12345");
  EXPECT_EQ(error(holding(t)), start + "raw data of 5 bytes, f32[2] takes 8");
  t.add_float_data(1);
  EXPECT_EQ(error(holding(t)), start + "data in two fields");
  t = tensor_of(TensorProto::FLOAT, {1});
  t.add_int64_data(1);
  EXPECT_EQ(error(holding(t)), start + "data in a field of another type");
  t = tensor_of(TensorProto::INT8, {1});
  t.add_int32_data(200);
  EXPECT_EQ(error(holding(t)), start + "number out of range: 200 as i8");
}

TEST(Model, RefusesShapesThatOverflowOrAreNegative) {
  const int64_t big = int64_t{1} << 31;
  EXPECT_EQ(error(holding(tensor_of(TensorProto::FLOAT, {big, big, 1}))),
            "onnx(m.onnx): initializer \"w\": impossible shape: f32[2147483648,2147483648,1]");
  EXPECT_EQ(error(holding(tensor_of(TensorProto::FLOAT, {-1}))),
            "onnx(m.onnx): initializer \"w\": impossible shape: f32[-1]");
}

TEST(Model, RefusesOtherElementTypesByName) {
  const std::string start = "onnx(m.onnx): unsupported element type: initializer \"w\" is of ";
  EXPECT_EQ(error(holding(tensor_of(TensorProto::STRING, {}))), start + "string");
  EXPECT_EQ(error(holding(tensor_of(TensorProto::UINT16, {}))), start + "uint16");
  EXPECT_EQ(error(holding(tensor_of(TensorProto::COMPLEX64, {}))), start + "complex64");
  EXPECT_EQ(error(holding(tensor_of(0, {}))), start + "undefined");
  EXPECT_EQ(error(holding(tensor_of(99, {}))), start + "type 99");
  ModelMaker m;
  m.input("x", TensorProto::UINT64, {1});
  EXPECT_EQ(error(m), "onnx(m.onnx): unsupported element type: input \"x\" is of uint64");
}

TEST(Model, RefusesExternalData) {
  TensorProto t = tensor_of(TensorProto::FLOAT, {1});
  t.set_data_location(TensorProto::EXTERNAL);
  EXPECT_EQ(error(holding(t)),
            "onnx(m.onnx): unsupported external data: initializer \"w\" keeps its values in "
            "another file; save the model as one file");
}

TEST(Model, RefusesNamesThatNothingDefines) {
  ModelMaker m;
  m.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(error(m), "onnx(m.onnx): undefined name: node \"#0\", Relu uses \"x\"");
  ModelMaker n;
  n.output("z");
  EXPECT_EQ(error(n), "onnx(m.onnx): undefined name: \"z\" is an output of the graph");
}

TEST(Model, RefusesCyclesAndNodesOutOfOrder) {
  ModelMaker m;
  m.node("Relu", {"b"}, {"a"});
  m.node("Relu", {"a"}, {"b"});
  EXPECT_EQ(error(m),
            "onnx(m.onnx): nodes out of order, or in a cycle: node \"#0\", Relu uses \"b\" before "
            "it is made");
}

TEST(Model, RefusesDuplicateNames) {
  ModelMaker m;
  m.input("x", TensorProto::FLOAT, {1});
  m.node("Relu", {"x"}, {"x"});
  EXPECT_EQ(error(m),
            "onnx(m.onnx): duplicate name: \"x\" is defined again as an output of node \"#0\", "
            "Relu");
  ModelMaker n;
  n.initializer(float_tensor("w", {1}, {1}));
  n.initializer(float_tensor("w", {1}, {1}));
  EXPECT_EQ(error(n), "onnx(m.onnx): duplicate name: \"w\" is defined again as an initializer");
  ModelMaker o;
  set(set(o.node("Foo", {}, {"y"}), "a", 1), "a", 2);
  EXPECT_EQ(error(o), "onnx(m.onnx): node \"#0\", Foo: attribute \"a\" twice");
}

TEST(Model, RefusesGraphsThatNestTooDeep) {
  ModelMaker m;
  GraphProto graph;
  for (int i = 0; i < kMaxGraphDepth; ++i) {
    GraphMaker outer;
    set(outer.node("If", {}, {}), "then_branch", graph);
    graph = outer.graph;
  }
  m.graph = graph;
  EXPECT_EQ(error(m), "onnx(m.onnx): graphs nest too deep: more than 16");
}

TEST(Model, RefusesAttributesWithoutAValue) {
  ModelMaker m;
  AttributeProto& attribute = *m.node("Foo", {}, {"y"}).add_attribute();
  attribute.set_name("a");
  EXPECT_EQ(error(m), "onnx(m.onnx): node \"#0\", Foo: attribute \"a\" has no type");
  attribute.set_type(AttributeProto::TENSOR);
  EXPECT_EQ(error(m), "onnx(m.onnx): node \"#0\", Foo: attribute \"a\" has no tensor");
  attribute.set_type(AttributeProto::SPARSE_TENSOR);
  EXPECT_EQ(error(m),
            "onnx(m.onnx): unsupported attribute type: node \"#0\", Foo: attribute \"a\" is "
            "SPARSE_TENSOR");
}

TEST(Model, RefusesMissingOpsetsAndOldVersions) {
  ModelMaker m;
  m.model.clear_opset_import();
  EXPECT_EQ(error(m), "onnx(m.onnx): no opset");
  m.model.set_ir_version(2);
  EXPECT_EQ(error(m), "onnx(m.onnx): unsupported IR version: 2, the oldest that is read is 3");
}

TEST(Model, RefusesTypesOtherThanTensors) {
  ModelMaker m;
  auto& input = *m.graph.add_input();
  input.set_name("x");
  input.mutable_type()->mutable_sequence_type();
  EXPECT_EQ(error(m), "onnx(m.onnx): unsupported type: input \"x\" is no tensor");
}

TEST(Model, RefusesOtherFiles) {
  const std::string text = "hello, world";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(error_of([&] { parse_model(bytes, "m.onnx"); }),
            "onnx(m.onnx): not an ONNX model, or cut short: its 12 bytes do not parse");
  EXPECT_EQ(error_of([] { read_model("/nowhere/m.onnx"); }),
            "onnx(/nowhere/m.onnx): cannot open: No such file or directory");
}

TEST(Model, NamesInErrorsAreMadePrintable) {
  ModelMaker m;
  m.node("Bad\nOp", {std::string(200, 'x')}, {"y"});
  EXPECT_EQ(error(m), "onnx(m.onnx): undefined name: node \"#0\", Bad?Op uses \"" +
                          std::string(100, 'x') + "...\"");
}

TEST(Model, OfEverySpeechModelIsRead) {
  for (const char* name : {"melspectrogram", "embedding_model", "alexa_v0.1", "hey_jarvis_v0.1",
                           "hey_mycroft_v0.1", "hey_rhasspy_v0.1", "timer_v0.1", "weather_v0.1"}) {
    const std::string path = "models/" + std::string(name) + ".onnx";
    if (!std::ifstream(path)) GTEST_SKIP() << path << " is not here";
    const ModelDef model = read_model(path);
    EXPECT_EQ(model.graph.inputs.size(), 1u) << name;
    EXPECT_FALSE(model.graph.nodes.empty()) << name;
  }
}

}  // namespace
}  // namespace frit::onnx

// Models made here and run: each op's attributes, opsets and edges, against numbers worked out by
// hand.
#include <gtest/gtest.h>

#include <cmath>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "tests/error_of.h"
#include "tests/onnx/make_model.h"
#include "tests/onnx/one_node.h"

namespace frit::onnx {
namespace {

constexpr int kF32 = TensorProto::FLOAT, kI64 = TensorProto::INT64;

// The numbers 1, 2, ... in this shape.
Tensor counting(const Ints& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return arange(1, count + 1, kFloat32).reshape(sizes);
}

Floats floats(const Tensor& t) {
  const Tensor flat = t.contiguous();
  const float* p = flat.const_data_ptr<float>();
  return {p, p + flat.numel()};
}

Ints ints(const Tensor& t) {
  const Tensor flat = t.to(kInt64).contiguous();
  const int64_t* p = flat.const_data_ptr<int64_t>();
  return {p, p + flat.numel()};
}

Ints sizes(const Tensor& t) { return t.sizes().vec(); }

TEST(OnnxRun, AMultilayerPerceptron) {
  ModelMaker m;
  m.input("x", kF32, {-1, 2});
  m.initializer(float_tensor("w", {1, 2}, {2, -1}));
  m.initializer(float_tensor("b", {1}, {0.5}));
  set(m.node("Gemm", {"x", "w", "b"}, {"h"}), "transB", 1);
  m.node("Relu", {"h"}, {"y"});
  m.output("y");

  const std::vector<Tensor> outputs = load(m).run({f32({2, 2}, {1, 1, 0, 3})});

  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(sizes(outputs[0]), (Ints{2, 1}));
  EXPECT_EQ(floats(outputs[0]), (Floats{1.5, 0}));
}

TEST(OnnxRun, SignatureIsThatOfTheFile) {
  ModelMaker m(12);
  m.input("x", kF32, {-1, 2});
  m.initializer(float_tensor("w", {1}, {1}));
  m.node("Relu", {"x"}, {"y"});
  m.node("Add", {"y", "w"}, {"z"});
  m.output("z");
  const Model model = load(m);
  EXPECT_EQ(model.opset(), 12);
  EXPECT_EQ(model.op_types(), (Strings{"Add", "Relu"}));
  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.outputs().at(0).name, "z");
}

TEST(OnnxRun, InputsMustFitTheSignature) {
  ModelMaker m;
  m.input("x", kF32, {-1, 2});
  m.node("Relu", {"x"}, {"y"});
  m.output("y");
  const Model model = load(m);
  EXPECT_EQ(error_of([&] { model.run({}); }), "onnx(m.onnx): expected 1 inputs, got 0");
  EXPECT_EQ(error_of([&] {
              model.run({f32({1, 3}, {1, 2, 3})});
            }),
            "onnx(m.onnx): input \"x\": expected f32[n,2], got f32[1,3]");
  EXPECT_EQ(error_of([&] {
              model.run({i64({1, 2}, {1, 2})});
            }),
            "onnx(m.onnx): input \"x\": expected f32[n,2], got i64[1,2]");
  EXPECT_EQ(error_of([&] { model.run({Tensor()}); }),
            "onnx(m.onnx): input \"x\": expected f32[n,2], got an undefined tensor");
}

TEST(OnnxRun, ErrorsOfOpsNameTheNode) {
  OneNode m("MatMul", 2);
  m.node->set_name("product");
  const std::string text = error_of([&] { m.run({f32({1, 2}, {1, 2}), f32({1, 2}, {1, 2})}); });
  EXPECT_EQ(text.find("onnx(m.onnx): node \"product\", MatMul: matmul(f32[1,2], f32[1,2]): "), 0u)
      << text;
}

TEST(OnnxRun, RefusesUnknownOpsAndAttributesWhenLoading) {
  OneNode foo("Foo");
  EXPECT_EQ(load_error(foo.maker), "onnx(m.onnx): unsupported op: node \"#0\", Foo, opset 13");
  OneNode custom("Relu");
  custom.node->set_domain("my.ops");
  EXPECT_EQ(load_error(custom.maker),
            "onnx(m.onnx): unsupported op: node \"#0\", my.ops.Relu, opset 13");
  OneNode attribute("Relu");
  attribute.with("slope", 1);
  EXPECT_EQ(load_error(attribute.maker),
            "onnx(m.onnx): unsupported attribute \"slope\": node \"#0\", Relu");
  OneNode type("Concat");
  type.with("axis", 1.0f);
  EXPECT_EQ(load_error(type.maker),
            "onnx(m.onnx): node \"#0\", Concat: attribute \"axis\" is of another type than the "
            "op's");
  EXPECT_EQ(load_error(ModelMaker(18)), "onnx(m.onnx): unsupported opset: 18, 6 to 17 are run");
}

TEST(OnnxRun, RefusesWrongNumbersOfInputsAndOutputs) {
  EXPECT_EQ(load_error(OneNode("Add", 1).maker), "onnx(m.onnx): node \"#0\", Add: no input 1");
  EXPECT_EQ(load_error(OneNode("Relu", 2).maker),
            "onnx(m.onnx): node \"#0\", Relu: 2 inputs, at most 1");
  OneNode pool("MaxPool");
  pool.node->add_output("indices");
  EXPECT_EQ(load_error(pool.maker), "onnx(m.onnx): unsupported output 1: node \"#0\", MaxPool");
}

TEST(OnnxRun, ValuesMayBeUsedTwiceAndGivenBackTwice) {
  ModelMaker m;
  m.input("x", kF32, {-1});
  m.node("Neg", {"x"}, {"a"});
  m.node("Add", {"a", "a"}, {"b"});
  m.node("Abs", {"x"}, {"unused"});
  for (const char* name : {"a", "b", "x", "a"}) m.output(name);
  const std::vector<Tensor> outputs = load(m).run({f32({1}, {3})});
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(floats(outputs[0]), (Floats{-3}));
  EXPECT_EQ(floats(outputs[1]), (Floats{-6}));
  EXPECT_EQ(floats(outputs[2]), (Floats{3}));
  EXPECT_EQ(floats(outputs[3]), (Floats{-3}));
}

TEST(OnnxRun, ShapesMadeFromConstantsAreKnownWhenLoading) {
  ModelMaker m;
  m.input("x", kF32, {6});
  set(m.node("Constant", {}, {"two"}), "value", int64_tensor("", {1}, {2}));
  m.initializer(int64_tensor("rest", {1}, {-1}));
  set(m.node("Concat", {"two", "rest"}, {"shape"}), "axis", 0);
  m.node("Reshape", {"x", "shape"}, {"y"});
  m.output("y");
  const Model model = load(m);
  EXPECT_EQ(sizes(model.run({counting({6})}).at(0)), (Ints{2, 3}));
}

TEST(OnnxRun, ShapesMayBeComputedFromTheInput) {
  ModelMaker m;
  m.input("x", kF32, {-1, 2});
  m.node("Shape", {"x"}, {"sizes"});
  m.initializer(int64_tensor("zero", {1}, {0}));
  m.node("Gather", {"sizes", "zero"}, {"n"});
  m.initializer(int64_tensor("ones", {2}, {1, 2}));
  set(m.node("Concat", {"n", "ones"}, {"shape"}), "axis", 0);
  m.node("Reshape", {"x", "shape"}, {"y"});
  m.output("y");
  EXPECT_EQ(sizes(load(m).run({counting({3, 2})}).at(0)), (Ints{3, 1, 2}));
}

TEST(OnnxRun, IfTakesOneBranchAndSeesTheValuesAround) {
  ModelMaker m;
  GraphMaker twice, nested;
  twice.node("Add", {"h", "h"}, {"twice"});
  twice.output("twice");
  nested.node("Neg", {"h"}, {"negative"});
  nested.node("Mul", {"negative", "w"}, {"scaled"});
  nested.output("scaled");
  m.input("c", TensorProto::BOOL, {});
  m.input("x", kF32, {1});
  m.initializer(float_tensor("w", {1}, {10}));
  m.node("Abs", {"x"}, {"h"});
  set(set(m.node("If", {"c"}, {"y"}), "then_branch", twice.graph), "else_branch", nested.graph);
  m.output("y");
  const Model model = load(m);
  EXPECT_EQ(floats(model.run({tensor(true), f32({1}, {-3})}).at(0)), (Floats{6}));
  EXPECT_EQ(floats(model.run({tensor(false), f32({1}, {-3})}).at(0)), (Floats{-30}));
}

TEST(OnnxRun, IfRefusesBranchesOfOtherLengths) {
  ModelMaker m;
  m.input("c", TensorProto::BOOL, {});
  GraphMaker branch;
  set(set(m.node("If", {"c"}, {"y"}), "then_branch", branch.graph), "else_branch", branch.graph);
  EXPECT_EQ(load_error(m), "onnx(m.onnx): node \"#0\", If: a branch has 0 outputs, the node 1");
}

TEST(OnnxPointwise, NumbersAndTensorsGiveTheSame) {
  const Tensor x = f32({2}, {6, -1});
  for (const Ints& shape : {Ints{}, Ints{1}, Ints{1, 1}}) {
    EXPECT_EQ(floats(OneNode("Div").constant(float_tensor("c", shape, {2})).run({x})),
              (Floats{3, -0.5}));
    EXPECT_EQ(floats(OneNode("Sub", 2).run({x, f32(shape, {2})})), (Floats{4, -3}));
  }
  // A constant with more dimensions than x gives its rank to the result.
  EXPECT_EQ(sizes(OneNode("Add").constant(float_tensor("c", {1, 1}, {2})).run({x})), (Ints{1, 2}));
}

TEST(OnnxPointwise, IntegersDivideTowardsZero) {
  EXPECT_EQ(ints(OneNode("Div", 2).run({i64({2}, {7, -7}), i64({2}, {2, 2})})), (Ints{3, -3}));
  EXPECT_EQ(ints(OneNode("Div").constant(int64_tensor("c", {}, {-2})).run({i64({2}, {7, -7})})),
            (Ints{-3, 3}));
}

TEST(OnnxPointwise, PowKeepsTheDtypeOfItsBase) {
  const Tensor squares =
      OneNode("Pow").constant(float_tensor("e", {}, {2})).run({i64({2}, {3, -4})});
  EXPECT_EQ(squares.dtype(), kInt64);
  EXPECT_EQ(ints(squares), (Ints{9, 16}));
}

TEST(OnnxPointwise, BeforeOpset7ABroadcastOperandHasAnAxis) {
  OneNode m("Add", 2, 6);
  m.with("broadcast", 1).with("axis", 0);
  EXPECT_EQ(floats(m.run({counting({2, 2}), f32({2}, {10, 20})})), (Floats{11, 12, 23, 24}));
}

TEST(OnnxPointwise, ClipTakesBoundsFromAttributesOrInputs) {
  const Tensor x = f32({3}, {-5, 0.5, 5});
  EXPECT_EQ(floats(OneNode("Clip", 1, 6).with("min", -1.0f).run({x})), (Floats{-1, 0.5, 5}));
  EXPECT_EQ(floats(OneNode("Clip", 3).run({x, f32({}, {-1}), f32({}, {1})})), (Floats{-1, 0.5, 1}));
  OneNode known("Clip");
  known.constant(float_tensor("lo", {}, {0})).constant(float_tensor("hi", {}, {2}));
  EXPECT_EQ(floats(known.run({x})), (Floats{0, 0.5, 2}));
  OneNode high("Clip");
  high.node->add_input("");
  EXPECT_EQ(floats(high.constant(float_tensor("hi", {}, {0})).run({x})), (Floats{-5, 0, 0}));
}

TEST(OnnxPointwise, MaxAndMinFoldAllInputs) {
  const std::vector<Tensor> x = {f32({2}, {1, 5}), f32({2}, {3, 0}), f32({1}, {2})};
  EXPECT_EQ(floats(OneNode("Max", 3).run(x)), (Floats{3, 5}));
  EXPECT_EQ(floats(OneNode("Min", 3).run(x)), (Floats{1, 0}));
  EXPECT_EQ(floats(OneNode("Sum", 3).run(x)), (Floats{6, 7}));
  EXPECT_EQ(floats(OneNode("Max", 1).run({x[0]})), (Floats{1, 5}));
}

TEST(OnnxPointwise, CastGoesToTheNamedType) {
  const Tensor y = OneNode("Cast").with("to", int{TensorProto::INT32}).run({f32({2}, {1.9, -1.9})});
  EXPECT_EQ(y.dtype(), kInt32);
  EXPECT_EQ(ints(y), (Ints{1, -1}));
  EXPECT_EQ(load_error(OneNode("Cast").with("to", int{TensorProto::STRING}).maker),
            "onnx(m.onnx): unsupported element type string: node \"#0\", Cast");
}

TEST(OnnxPointwise, DropoutGivesItsInput) {
  EXPECT_EQ(floats(OneNode("Dropout", 1, 7).with("ratio", 0.3f).run({f32({2}, {1, 2})})),
            (Floats{1, 2}));
}

TEST(OnnxShape, ReshapeKeepsSizesAtZero) {
  const auto reshaped = [](const Ints& shape) {
    return OneNode("Reshape")
        .constant(int64_tensor("s", {static_cast<int64_t>(shape.size())}, shape))
        .run({counting({2, 3, 2})});
  };
  EXPECT_EQ(sizes(reshaped({0, -1})), (Ints{2, 6}));
  EXPECT_EQ(sizes(reshaped({3, 4})), (Ints{3, 4}));
}

TEST(OnnxShape, FlattenMakesTwoDimensions) {
  for (const auto& [axis, expected] :
       std::vector<std::pair<int, Ints>>{{0, {1, 24}}, {1, {2, 12}}, {-1, {6, 4}}, {3, {24, 1}}})
    EXPECT_EQ(sizes(OneNode("Flatten").with("axis", axis).run({counting({2, 3, 4})})), expected);
}

TEST(OnnxShape, TransposeReversesUnlessToldOtherwise) {
  EXPECT_EQ(sizes(OneNode("Transpose").run({counting({2, 3, 4})})), (Ints{4, 3, 2}));
  EXPECT_EQ(sizes(OneNode("Transpose").with("perm", Ints{1, 0, 2}).run({counting({2, 3, 4})})),
            (Ints{3, 2, 4}));
}

TEST(OnnxShape, SqueezeAndUnsqueezeTakeAxesEitherWay) {
  const Tensor x = counting({1, 2, 1});
  EXPECT_EQ(sizes(OneNode("Squeeze").run({x})), (Ints{2}));
  EXPECT_EQ(sizes(OneNode("Squeeze", 1, 11).with("axes", Ints{-1}).run({x})), (Ints{1, 2}));
  EXPECT_EQ(sizes(OneNode("Squeeze").constant(int64_tensor("a", {2}, {0, 2})).run({x})), (Ints{2}));
  EXPECT_EQ(sizes(OneNode("Unsqueeze").constant(int64_tensor("a", {2}, {-1, 0})).run({x})),
            (Ints{1, 1, 2, 1, 1}));
  EXPECT_EQ(error_of([&] { OneNode("Squeeze", 1, 11).with("axes", Ints{1}).run({x}); }),
            "onnx(m.onnx): node \"#0\", Squeeze: dimension 1 has size 2, not 1");
}

TEST(OnnxShape, SliceFollowsNumPy) {
  const auto sliced = [](const Ints& starts, const Ints& ends, const Ints& axes,
                         const Ints& steps) {
    const int64_t n = static_cast<int64_t>(starts.size());
    return OneNode("Slice")
        .constant(int64_tensor("s", {n}, starts))
        .constant(int64_tensor("e", {n}, ends))
        .constant(int64_tensor("a", {n}, axes))
        .constant(int64_tensor("t", {n}, steps))
        .run({counting({2, 4})});
  };
  EXPECT_EQ(floats(sliced({1}, {INT64_MAX}, {1}, {2})), (Floats{2, 4, 6, 8}));
  EXPECT_EQ(floats(sliced({-1}, {INT64_MIN}, {1}, {-2})), (Floats{4, 2, 8, 6}));
  EXPECT_EQ(floats(sliced({0, -2}, {1, 100}, {0, -1}, {1, 1})), (Floats{3, 4}));
  EXPECT_EQ(sizes(sliced({3}, {1}, {1}, {1})), (Ints{2, 0}));
  EXPECT_EQ(sizes(sliced({0}, {3}, {1}, {INT64_MIN})), (Ints{2, 0}));
  EXPECT_EQ(floats(OneNode("Slice", 1, 9)
                       .with("starts", Ints{1})
                       .with("ends", Ints{2})
                       .with("axes", Ints{1})
                       .run({counting({2, 4})})),
            (Floats{2, 6}));
}

TEST(OnnxShape, SplitMakesEqualOrGivenParts) {
  for (const bool given : {false, true}) {
    ModelMaker m;
    m.input("x", kF32, {-1});
    m.initializer(int64_tensor("sizes", {2}, {1, 3}));
    NodeProto& node = m.node("Split", {"x"}, {"a", "b"});
    if (given) node.add_input("sizes");
    m.output("a");
    m.output("b");
    const std::vector<Tensor> parts = load(m).run({counting({4})});
    EXPECT_EQ(floats(parts[0]), given ? (Floats{1}) : (Floats{1, 2}));
    EXPECT_EQ(floats(parts[1]), given ? (Floats{2, 3, 4}) : (Floats{3, 4}));
  }
}

TEST(OnnxShape, GatherCountsFromTheEndAndKeepsTheIndexShape) {
  const Tensor x = counting({2, 3});
  OneNode columns("Gather", 2);
  columns.with("axis", 1);
  const Tensor y = columns.run({x, i64({1, 2}, {-1, 0})});
  EXPECT_EQ(sizes(y), (Ints{2, 1, 2}));
  EXPECT_EQ(floats(y), (Floats{3, 1, 6, 4}));
  EXPECT_EQ(floats(OneNode("Gather", 2).run({x, i64({}, {1})})), (Floats{4, 5, 6}));
  EXPECT_EQ(floats(OneNode("Gather").constant(int64_tensor("i", {}, {-1})).run({x})),
            (Floats{4, 5, 6}));
}

TEST(OnnxShape, ShapeMayBeAPart) {
  EXPECT_EQ(ints(OneNode("Shape").run({counting({2, 3, 4})})), (Ints{2, 3, 4}));
  EXPECT_EQ(
      ints(OneNode("Shape", 1, 15).with("start", -2).with("end", -1).run({counting({2, 3, 4})})),
      (Ints{3}));
}

TEST(OnnxShape, ExpandBroadcastsBothWays) {
  const Tensor y =
      OneNode("Expand").constant(int64_tensor("s", {2}, {3, 1})).run({f32({2}, {1, 2})});
  EXPECT_EQ(sizes(y), (Ints{3, 2}));
  EXPECT_EQ(floats(y), (Floats{1, 2, 1, 2, 1, 2}));
}

TEST(OnnxShape, PadListsBeforesThenAfters) {
  OneNode m("Pad");
  m.constant(int64_tensor("p", {4}, {0, 1, 1, 0})).constant(float_tensor("v", {}, {9}));
  EXPECT_EQ(floats(m.run({f32({1, 2}, {1, 2})})), (Floats{9, 1, 2, 9, 9, 9}));
  EXPECT_EQ(load_error(OneNode("Pad").with("mode", "wrap").maker),
            "onnx(m.onnx): unsupported mode wrap: node \"#0\", Pad");
}

TEST(OnnxShape, PadMayRepeatTheEdgeOrReflect) {
  const auto padded = [](const char* mode, const Floats& x) {
    OneNode m("Pad");
    m.with("mode", mode).constant(int64_tensor("p", {2}, {3, 2}));
    return floats(m.run({f32({static_cast<int64_t>(x.size())}, x)}));
  };
  EXPECT_EQ(padded("edge", {1, 2}), (Floats{1, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(padded("reflect", {1, 2, 3}), (Floats{2, 3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(padded("reflect", {1}), Floats(6, 1));
}

TEST(OnnxShape, RangeIsEmptyWhereItsStepLeadsAwayFromItsEnd) {
  const auto range = [](const Tensor& start, const Tensor& end, const Tensor& step) {
    return OneNode("Range", 3).run({start, end, step}).str();
  };
  EXPECT_EQ(range(i64({}, {5}), i64({}, {1}), i64({}, {-2})), "tensor([5, 3])");
  EXPECT_EQ(range(i64({}, {5}), i64({}, {1}), i64({}, {2})), "tensor([], dtype=int64)");
  EXPECT_EQ(range(f32({}, {0}), f32({}, {1}), f32({}, {-0.5f})), "tensor([])");
}

TEST(OnnxShape, ConstantOfShapeIsZeroUnlessToldOtherwise) {
  OneNode m("ConstantOfShape");
  EXPECT_EQ(floats(m.run({i64({2}, {1, 2})})), (Floats{0, 0}));
  const Tensor y = m.with("value", int64_tensor("", {1}, {7})).run({i64({1}, {2})});
  EXPECT_EQ(y.dtype(), kInt64);
  EXPECT_EQ(ints(y), (Ints{7, 7}));
}

TEST(OnnxReduce, OverAxesOrEverything) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(sizes(OneNode("ReduceMax").run({x})), (Ints{1, 1}));
  EXPECT_EQ(floats(OneNode("ReduceMax").with("keepdims", 0).run({x})), (Floats{6}));
  EXPECT_EQ(floats(OneNode("ReduceMean").with("axes", Ints{-1}).run({x})), (Floats{2, 5}));
  EXPECT_EQ(floats(OneNode("ReduceMin").with("axes", Ints{0}).run({x})), (Floats{1, 2, 3}));
}

TEST(OnnxReduce, SumTakesAxesAsAnInputFromOpset13) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(floats(OneNode("ReduceSum", 1, 11).with("axes", Ints{0}).run({x})), (Floats{5, 7, 9}));
  EXPECT_EQ(floats(OneNode("ReduceSum").constant(int64_tensor("a", {1}, {1})).run({x})),
            (Floats{6, 15}));
  EXPECT_EQ(floats(OneNode("ReduceSum").with("noop_with_empty_axes", 1).run({x})), floats(x));
  const Tensor whole = OneNode("ReduceSum").run({i64({2}, {3, 4}).to(kInt32)});
  EXPECT_EQ(whole.dtype(), kInt32);
  EXPECT_EQ(ints(whole), (Ints{7}));
}

TEST(OnnxReduce, ArgMaxGivesTheFirstIndex) {
  const Tensor x = f32({2, 3}, {1, 3, 3, 9, 0, 1});
  EXPECT_EQ(ints(OneNode("ArgMax").with("axis", 1).with("keepdims", 0).run({x})), (Ints{1, 0}));
  EXPECT_EQ(sizes(OneNode("ArgMin").run({x})), (Ints{1, 3}));
}

TEST(OnnxReduce, SoftmaxBeforeOpset13RunsOverTheTail) {
  const Tensor x = zeros({2, 2, 2});
  EXPECT_EQ(floats(OneNode("Softmax", 1, 11).run({x})), Floats(8, 0.25f));
  EXPECT_EQ(floats(OneNode("Softmax").run({x})), Floats(8, 0.5f));
  EXPECT_FLOAT_EQ(floats(OneNode("LogSoftmax").run({x})).at(0), -std::log(2.0f));
}

TEST(OnnxContract, GemmScalesAndTransposes) {
  const Tensor a = f32({2, 1}, {1, 2}), b = f32({1, 2}, {3, 4});
  EXPECT_EQ(floats(OneNode("Gemm", 2).run({a, b})), (Floats{3, 4, 6, 8}));
  OneNode m("Gemm", 3);
  m.with("alpha", 2.0f).with("beta", 0.5f).with("transA", 1).with("transB", 1);
  EXPECT_EQ(floats(m.run({a, b, f32({1}, {10})})), (Floats{27}));
}

TEST(OnnxContract, NormalizationsUseTheirParameters) {
  const Tensor x = f32({1, 2, 2}, {1, 3, 5, 7});
  OneNode batch("BatchNormalization", 5, 9);
  const Tensor normalized =
      batch.with("epsilon", 0.0f)
          .run({x, f32({2}, {1, 2}), f32({2}, {0, 1}), f32({2}, {1, 5}), f32({2}, {4, 4})});
  EXPECT_EQ(floats(normalized), (Floats{0, 1, 1, 3}));
  OneNode layer("LayerNormalization", 3, 17);
  layer.with("epsilon", 0.0f);
  EXPECT_EQ(floats(layer.run({x, f32({2}, {1, 2}), f32({2}, {0, 1})})), (Floats{-1, 3, -1, 3}));
  EXPECT_EQ(floats(layer.run({x, f32({1}, {2}), f32({1}, {1})})), (Floats{-1, 3, -1, 3}));
}

TEST(OnnxWindow, ConvPadsEachSideByItself) {
  const Tensor x = f32({1, 1, 3}, {1, 2, 3}), w = f32({1, 1, 2}, {10, 1});
  EXPECT_EQ(floats(OneNode("Conv", 2).run({x, w})), (Floats{12, 23}));
  EXPECT_EQ(floats(OneNode("Conv", 2).with("pads", Ints{1, 1}).run({x, w})),
            (Floats{1, 12, 23, 30}));
  EXPECT_EQ(floats(OneNode("Conv", 2).with("pads", Ints{0, 1}).run({x, w})), (Floats{12, 23, 30}));
  EXPECT_EQ(floats(OneNode("Conv", 2).with("auto_pad", "SAME_UPPER").run({x, w})),
            (Floats{12, 23, 30}));
  EXPECT_EQ(floats(OneNode("Conv", 2).with("auto_pad", "SAME_LOWER").run({x, w})),
            (Floats{1, 12, 23}));
  EXPECT_EQ(floats(OneNode("Conv", 3).with("strides", Ints{2}).run({x, w, f32({1}, {100})})),
            (Floats{112}));
}

TEST(OnnxWindow, ConvIn2dHasGroupsAndDilations) {
  OneNode m("Conv", 2);
  m.with("group", 2).with("dilations", Ints{1, 2}).with("kernel_shape", Ints{1, 2});
  const Tensor y = m.run({counting({1, 2, 1, 3}), f32({2, 1, 1, 2}, {1, 1, 1, -1})});
  EXPECT_EQ(sizes(y), (Ints{1, 2, 1, 1}));
  EXPECT_EQ(floats(y), (Floats{4, -2}));
}

TEST(OnnxWindow, ConvRefusesWhatDoesNotFit) {
  EXPECT_EQ(load_error(OneNode("Conv", 2).with("kernel_shape", Ints{1, 1, 1}).maker),
            "onnx(m.onnx): unsupported 3-dimensional window: node \"#0\", Conv");
  EXPECT_EQ(load_error(OneNode("Conv", 2).with("strides", Ints{0}).maker),
            "onnx(m.onnx): node \"#0\", Conv: a kernel size, stride or dilation is 0");
  EXPECT_EQ(error_of([] {
              OneNode("Conv", 2).with("pads", Ints{1}).run({ones({1, 1, 3}), ones({1, 1, 2})});
            }),
            "onnx(m.onnx): node \"#0\", Conv: pads has 1 values, expected 2");
}

TEST(OnnxWindow, MaxPoolPadsWithNothing) {
  const Tensor x = f32({1, 1, 4}, {-1, -2, -3, -4});
  OneNode m("MaxPool");
  m.with("kernel_shape", Ints{2}).with("strides", Ints{2});
  EXPECT_EQ(floats(m.run({x})), (Floats{-1, -3}));
  EXPECT_EQ(floats(OneNode("MaxPool")
                       .with("kernel_shape", Ints{2})
                       .with("strides", Ints{2})
                       .with("pads", Ints{1, 1})
                       .run({x})),
            (Floats{-1, -2, -4}));
  EXPECT_EQ(floats(OneNode("MaxPool")
                       .with("kernel_shape", Ints{2})
                       .with("strides", Ints{3})
                       .with("pads", Ints{0, 1})
                       .run({x})),
            (Floats{-1, -4}));
  EXPECT_EQ(floats(OneNode("MaxPool")
                       .with("kernel_shape", Ints{2})
                       .with("strides", Ints{3})
                       .with("ceil_mode", 1)
                       .run({x})),
            (Floats{-1, -4}));
}

TEST(OnnxWindow, AveragePoolCountsPaddingOnlyWhenTold) {
  const Tensor x = f32({1, 1, 2, 2}, {2, 4, 6, 8});
  const auto pooled = [&](const Ints& pads, int count) {
    return floats(OneNode("AveragePool")
                      .with("kernel_shape", Ints{2, 2})
                      .with("strides", Ints{2, 2})
                      .with("pads", pads)
                      .with("count_include_pad", count)
                      .run({x}));
  };
  EXPECT_EQ(pooled({0, 0, 0, 0}, 0), (Floats{5}));
  EXPECT_EQ(pooled({1, 1, 1, 1}, 1), (Floats{0.5, 1, 1.5, 2}));
  EXPECT_EQ(pooled({1, 1, 1, 1}, 0), (Floats{2, 4, 6, 8}));
  EXPECT_EQ(pooled({1, 0, 1, 0}, 0), (Floats{3, 7}));
  EXPECT_EQ(pooled({1, 0, 0, 0}, 1), (Floats{1.5}));
  EXPECT_EQ(pooled({1, 0, 0, 0}, 0), (Floats{3}));
}

TEST(OnnxWindow, GlobalPoolsLeaveOneElement) {
  const Tensor x = counting({1, 2, 2, 2});
  const Tensor y = OneNode("GlobalAveragePool").run({x});
  EXPECT_EQ(sizes(y), (Ints{1, 2, 1, 1}));
  EXPECT_EQ(floats(y), (Floats{2.5, 6.5}));
  EXPECT_EQ(floats(OneNode("GlobalMaxPool").run({x})), (Floats{4, 8}));
}

TEST(OnnxRun, HyperbolicFunctionsReachTheEndsOfTheirRange) {
  const auto run = [](const char* op, float x) {
    return OneNode(op).run({f32({1}, {x})}).item<float>();
  };
  EXPECT_FLOAT_EQ(run("Cosh", 89), static_cast<float>(std::cosh(89.0)));
  EXPECT_FLOAT_EQ(run("Cosh", -89), static_cast<float>(std::cosh(89.0)));
  EXPECT_FLOAT_EQ(run("Sinh", -89), static_cast<float>(std::sinh(-89.0)));
  EXPECT_FLOAT_EQ(run("Sinh", 1e-5f), 1e-5f);
  EXPECT_FLOAT_EQ(run("Asinh", -3e38f), static_cast<float>(std::asinh(-3e38)));
  EXPECT_FLOAT_EQ(run("Acosh", 3e38f), static_cast<float>(std::acosh(3e38)));
  EXPECT_TRUE(std::isnan(run("Acosh", 0.5f)));
  EXPECT_EQ(run("Cosh", INFINITY), INFINITY);
  EXPECT_EQ(run("Asinh", -INFINITY), -INFINITY);
  EXPECT_EQ(run("Cosh", 90), INFINITY);
}

TEST(OnnxRun, BitsAreShiftedInTheGivenDirection) {
  const Tensor x = tensor({16, 4, 1}, kUInt8), n = tensor({1, 2, 3}, kUInt8);
  const auto shifted = [&](const char* direction) {
    OneNode node("BitShift", 2, 11);
    return node.with("direction", direction).run({x, n}).to(kInt64).str();
  };
  EXPECT_EQ(shifted("RIGHT"), "tensor([8, 1, 0])");
  EXPECT_EQ(shifted("LEFT"), "tensor([32, 16,  8])");
}

TEST(OnnxRun, SilenceIsQuantizedWithAScaleOfOne) {
  ModelMaker m;
  m.input("x", kF32, {-1});
  m.node("DynamicQuantizeLinear", {"x"}, {"y", "scale", "zero"});
  for (const char* name : {"y", "scale", "zero"}) m.output(name);
  const std::vector<Tensor> results = load(m).run({f32({3}, {0, 0, 0})});
  EXPECT_EQ(sum(results[0]).item<int64_t>(), 0);
  EXPECT_EQ(results[1].item<float>(), 1.0f);
  EXPECT_EQ(results[2].item<uint8_t>(), 0);
  const std::vector<Tensor> spread = load(m).run({f32({2}, {0, 255})});
  EXPECT_EQ(spread[1].item<float>(), 1.0f);
  EXPECT_EQ(spread[0][1].item<uint8_t>(), 255);
}

}  // namespace
}  // namespace frit::onnx

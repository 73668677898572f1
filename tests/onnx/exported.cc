#include "tests/onnx/exported.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cmath>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/onnx/dtypes.h"

namespace frit::onnx {
namespace {

backends::OnnxBuffer buffer_of(const Tensor& t) {
  return {t.const_data_ptr(), static_cast<size_t>(t.nbytes()), t.sizes(), dtype_to_onnx(t.dtype())};
}

}  // namespace

std::string model_problem(const Bytes& bytes) {
  ::onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return "does not parse";
  try {
    ::onnx::checker::check_model(model);
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(),
                                         ::onnx::ShapeInferenceOptions(true, 1, false));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::vector<Tensor> model_inputs(std::span<const GraphArg> args) {
  std::vector<Tensor> inputs;
  for (const GraphArg& arg : args) {
    const Dtype number = arg.scalar.is_float()                     ? kFloat64
                         : arg.scalar.kind() == Scalar::Kind::kInt ? kInt64
                                                                   : kBool;
    inputs.push_back(arg.tensor.defined() ? arg.tensor : tensor(arg.scalar, number));
  }
  return inputs;
}

std::shared_ptr<const backends::OnnxRuntime> onnxruntime_of_models() {
  static const auto* runtime = [] {
    std::string why;
    return new std::shared_ptr<const backends::OnnxRuntime>(
        backends::OnnxRuntime::load("models/onnxruntime/libonnxruntime.so.1", &why));
  }();
  return *runtime;
}

std::vector<Tensor> run_in_onnxruntime(const backends::OnnxRuntime& runtime, const Bytes& model,
                                       const Graph& graph, std::span<const Tensor> inputs) {
  const auto session = runtime.open(model, 1);
  std::vector<Tensor> held, outputs;
  std::vector<backends::OnnxBuffer> read, written;
  for (const Tensor& input : inputs) held.push_back(input.contiguous());
  for (const Tensor& input : held) read.push_back(buffer_of(input));
  for (const Graph::ValueId v : graph.outputs())
    outputs.push_back(empty(graph.sizes(v), graph.dtype(v)));
  for (const Tensor& output : outputs) written.push_back(buffer_of(output));
  session->run(read, written);
  return outputs;
}

std::string difference(const Tensor& got, const Tensor& right, const Tolerance& tolerance) {
  if (got.dtype() != right.dtype() || got.sizes() != right.sizes())
    return "is of another dtype or other sizes";
  const Tensor a = got.to(kFloat64).contiguous(), b = right.to(kFloat64).contiguous();
  const auto* p = a.const_data_ptr<double>();
  const auto* q = b.const_data_ptr<double>();
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (p[i] == q[i] || (std::isnan(p[i]) && std::isnan(q[i]))) continue;
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(q[i]);
    if (!(std::abs(p[i] - q[i]) <= allowed))
      return "element " + std::to_string(i) + " is " + std::to_string(p[i]) + ", not " +
             std::to_string(q[i]);
  }
  return "";
}

}  // namespace frit::onnx

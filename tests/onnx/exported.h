// What tests do with an exported model: ONNX's checker, Frit's importer, onnxruntime.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frit/graph.h"
#include "frit/tensor.h"
#include "src/backends/onnxruntime_library.h"

namespace frit::onnx {

using Bytes = std::vector<std::byte>;

// Empty, or what onnx's checker, or its inference of types and shapes, says against the model.
std::string model_problem(const Bytes& model);

// The arguments of a graph as inputs of its model: numbers as tensors without dimensions.
std::vector<Tensor> model_inputs(std::span<const GraphArg> args);

// Null where tools/setup could not fetch it.
std::shared_ptr<const backends::OnnxRuntime> onnxruntime_of_models();

// The outputs that the graph states. Throws std::runtime_error with onnxruntime's text.
std::vector<Tensor> run_in_onnxruntime(const backends::OnnxRuntime& runtime, const Bytes& model,
                                       const Graph& graph, std::span<const Tensor> inputs);

// How far an element may be from the right one: absolute + relative * |right|.
struct Tolerance {
  double absolute, relative;
};

// Empty, or the first element that is too far off. NaN equals NaN.
std::string difference(const Tensor& got, const Tensor& right, const Tolerance& tolerance);

}  // namespace frit::onnx

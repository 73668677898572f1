// A model made ready to run: every node bound to its function, every name resolved to a place.
//
//   std::shared_ptr<const Program> program = build_program(read_model(path));
//   std::vector<Tensor> outputs = program->run(inputs);
//
// Nodes whose inputs are all known run while loading, so that shapes, axes and bounds are at hand
// when the nodes that need them are bound. Values are freed after their last use.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/onnx/model.h"
#include "src/onnx/node.h"

namespace frit::onnx {

class Program {
 public:
  std::string path;
  int64_t opset = 0;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<std::string> op_types;  // sorted, each once
  std::vector<Constant> constants;    // undefined where no step uses it
  int num_values = 0;                 // of a run; the first ones are the inputs
  Block body;

  // See Model::run.
  std::vector<Tensor> run(std::span<const Tensor> tensors) const;
};

// Throws Error(kNotImplemented) for ops and attributes that Frit does not have.
std::shared_ptr<const Program> build_program(const ModelDef& model);

}  // namespace frit::onnx

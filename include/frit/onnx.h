// Runs ONNX models with Frit's ops. Link with //src/onnx.
//
//   frit::onnx::Model model = frit::onnx::Model::load("mlp.onnx");
//   std::vector<frit::Tensor> outputs = model.run({x});
//
// The nodes run as if a program called the ops one after the other, so they are recorded and
// compiled like any other; wrap `run` in frit::compile for a region of its own. Opsets 6 to 17; for
// inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frit/tensor.h"

namespace frit::onnx {

class Program;

// One dimension in a model's signature: a size, a symbol ("batch"), or neither.
struct Dim {
  std::optional<int64_t> size;
  std::string symbol;
};

// An input or output of a model.
struct ValueInfo {
  std::string name;
  std::optional<Dtype> dtype;            // a model may leave an output's open
  std::optional<std::vector<Dim>> dims;  // nothing: of any rank
};

// A loaded model. Copies share it; any number of threads may run it at once.
class Model {
 public:
  // Throws Error(kRuntime) when the file cannot be read, Error(kValue) when it breaks ONNX's rules,
  // and Error(kNotImplemented) for ops, attributes and element types that Frit does not have, such
  // as
  //   onnx(model.onnx): unsupported op: node "x", Foo, opset 13
  static Model load(const std::string& path);
  // The same for bytes in memory; `name` stands for the path in errors.
  static Model parse(std::span<const std::byte> bytes, const std::string& name);

  const std::vector<ValueInfo>& inputs() const;
  const std::vector<ValueInfo>& outputs() const;
  int64_t opset() const;
  // The kinds of ops in it, sorted, each once.
  std::vector<std::string> op_types() const;

  // One tensor per input, in the order of inputs(), of its dtype and fixed sizes (else kValue);
  // gives one per output. Errors of an op are those of frit/ops.h, after the name of the node.
  std::vector<Tensor> run(std::span<const Tensor> inputs) const;
  std::vector<Tensor> run(std::initializer_list<Tensor> inputs) const {
    return run(std::span(inputs.begin(), inputs.size()));
  }

 private:
  explicit Model(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace frit::onnx

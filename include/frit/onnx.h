// Runs ONNX models with Frit's ops, and writes graphs as ONNX models. Link with //src/onnx.
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

#include "frit/graph.h"
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

// Writes a graph, as a backend gets it, as an ONNX model of opset 17. Its inputs keep their names
// and sizes; a number is a tensor without dimensions, f64, i64 or bool. Outputs are out0, out1, ...
// whatever strides the graph states.
//
//   register_backend("saving", [](const BackendInput& input) -> CompiledGraph {
//     onnx::save(input.graph, "mlp.onnx");
//     return nullptr;
//   });
//
// An op is written as ONNX's own where there is one that means the same, else as those that it is
// composed of. Dtypes are made explicit by casts: the 16-bit floats compute in f32 and are rounded
// after each op of the graph, small ints in i32. Throws Error(kNotImplemented) for a node that has
// no ONNX form, for example
//   onnx(%trace): unsupported op: erfinv(f32[3]): ONNX has no such op
// and Error(kRuntime) when the file cannot be written. An op that throws in Frit, as for an index
// out of range, does there what the runtime does; so do NaNs beside maximum, relu and their kin.
void save(const Graph& graph, const std::string& path);
// The same as bytes.
std::vector<std::byte> to_bytes(const Graph& graph);
// Whether a node of a graph can be written: what partitioned() asks.
bool can_export(const Graph& graph, const Graph::Node& node);

}  // namespace frit::onnx

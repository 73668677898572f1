// The public class over a program.
#include <utility>

#include "frit/onnx.h"
#include "src/onnx/model.h"
#include "src/onnx/program.h"

namespace frit::onnx {

Model Model::load(const std::string& path) { return Model(build_program(read_model(path))); }

Model Model::parse(std::span<const std::byte> bytes, const std::string& name) {
  return Model(build_program(parse_model(bytes, name)));
}

const std::vector<ValueInfo>& Model::inputs() const { return program_->inputs; }
const std::vector<ValueInfo>& Model::outputs() const { return program_->outputs; }
int64_t Model::opset() const { return program_->opset; }
std::vector<std::string> Model::op_types() const { return program_->op_types; }

std::vector<Tensor> Model::run(std::span<const Tensor> inputs) const {
  return program_->run(inputs);
}

}  // namespace frit::onnx

// Runs programs: the inputs are checked, then step after step.
#include "src/onnx/program.h"

#include <utility>

#include "src/onnx/fail.h"

namespace frit::onnx {
namespace {

std::string describe(const ValueInfo& info) {
  std::string text = info.dtype ? std::string(name(*info.dtype)) : "any dtype";
  if (!info.dims) return text + " of any rank";
  text += '[';
  for (size_t d = 0; d < info.dims->size(); ++d) {
    const Dim& dim = (*info.dims)[d];
    text += d ? "," : "";
    text += dim.size ? std::to_string(*dim.size) : dim.symbol.empty() ? "?" : printable(dim.symbol);
  }
  return text + ']';
}

std::string describe(const Tensor& tensor) {
  if (!tensor.defined()) return "an undefined tensor";
  std::string text = std::string(name(tensor.dtype())) + '[';
  for (int64_t d = 0; d < tensor.dim(); ++d)
    text += (d ? "," : "") + std::to_string(tensor.size(d));
  return text + ']';
}

bool fits(const Tensor& tensor, const ValueInfo& info) {
  if (!tensor.defined() || (info.dtype && tensor.dtype() != *info.dtype)) return false;
  if (!info.dims) return true;
  if (tensor.dim() != static_cast<int64_t>(info.dims->size())) return false;
  for (size_t d = 0; d < info.dims->size(); ++d) {
    const std::optional<int64_t>& size = (*info.dims)[d].size;
    if (size && tensor.size(static_cast<int64_t>(d)) != *size) return false;
  }
  return true;
}

void run_step(const Step& step, Frame& frame) {
  try {
    Call call(frame, step);
    step.run(call);
  } catch (const Error& error) {
    throw Error(error.kind(), step.description + ": " + error.what());
  }
  for (const int value : step.frees) frame.values[value] = Tensor();
}

}  // namespace

std::vector<Tensor> run_block(const Block& block, Frame& frame) {
  for (const Step& step : block.steps) run_step(step, frame);
  std::vector<Tensor> results;
  results.reserve(block.outputs.size());
  for (const Operand& operand : block.outputs) results.push_back(frame.at(operand));
  for (const int value : block.frees) frame.values[value] = Tensor();
  return results;
}

std::vector<Tensor> Program::run(std::span<const Tensor> tensors) const {
  if (tensors.size() != inputs.size())
    fail(path, "expected " + std::to_string(inputs.size()) + " inputs, got " +
                   std::to_string(tensors.size()));
  Frame frame{constants, std::vector<Tensor>(num_values)};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!fits(tensors[i], inputs[i]))
      fail(path, "input " + quoted(inputs[i].name) + ": expected " + describe(inputs[i]) +
                     ", got " + describe(tensors[i]));
    frame.values[i] = tensors[i];
  }
  try {
    return run_block(body, frame);
  } catch (const Error& error) {
    fail(path, error.what(), error.kind());
  }
}

}  // namespace frit::onnx

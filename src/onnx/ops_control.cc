// Constants and branches.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// The value of a Constant node, in whichever attribute it stands.
Tensor constant_value(Node& node) {
  if (const TensorDef* value = node.tensor("value")) return to_tensor(*value);
  if (node.has_attribute("value_int")) return tensor(node.int_or("value_int", 0), kInt64);
  if (node.has_attribute("value_ints")) return tensor(node.ints_or("value_ints", {}));
  if (node.has_attribute("value_float")) return tensor(node.float_or("value_float", 0), kFloat32);
  if (node.has_attribute("value_floats")) return tensor(node.floats_or("value_floats", {}));
  node.fail("no value");
}

}  // namespace

Runner bind_constant(Node& node) {
  const Tensor value = constant_value(node);
  return [value](Call& call) { call.result(value); };
}

Runner bind_constant_of_shape(Node& node) {
  const IntList sizes = node.int_list(0);
  Scalar value = 0.0f;
  Dtype dtype = kFloat32;
  if (const TensorDef* given = node.tensor("value")) {
    if (given->num_elements() != 1) node.fail("the value has more than one element");
    value = to_tensor(*given).item();
    dtype = given->dtype;
  }
  return [=](Call& call) { call.result(full(sizes.get(call), value, dtype)); };
}

// Reads the condition, which is a boundary, and runs one branch.
Runner bind_if(Node& node) {
  const auto then_branch = node.required_block("then_branch");
  const auto else_branch = node.required_block("else_branch");
  for (const auto& branch : {then_branch, else_branch})
    if (static_cast<int>(branch->outputs.size()) != node.num_outputs())
      node.fail("a branch has " + std::to_string(branch->outputs.size()) + " outputs, the node " +
                std::to_string(node.num_outputs()));
  return [=](Call& call) {
    std::vector<Tensor> results = call.run(call[0].item<bool>() ? *then_branch : *else_branch);
    for (size_t i = 0; i < results.size(); ++i)
      call.result(std::move(results[i]), static_cast<int>(i));
  };
}

}  // namespace frit::onnx::ops

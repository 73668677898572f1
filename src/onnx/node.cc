// Nodes at load time and at run time.
#include "src/onnx/node.h"

#include "src/onnx/dtypes.h"
#include "src/onnx/fail.h"

namespace frit::onnx {

const Tensor& Frame::at(const Operand& operand) const {
  static const Tensor absent;
  switch (operand.kind) {
    case Operand::Kind::kAbsent:
      return absent;
    case Operand::Kind::kValue:
      return values[operand.index];
    case Operand::Kind::kConstant:
      return constants[operand.index].tensor;
  }
  return absent;
}

bool Call::has(int i) const {
  return i < num_inputs() && step_.inputs[i].kind != Operand::Kind::kAbsent;
}

const Tensor& Call::operator[](int i) const {
  static const Operand absent;
  return frame_.at(i < num_inputs() ? step_.inputs[i] : absent);
}

std::optional<Scalar> Call::number(int i, const Tensor& other) const {
  if (!has(i) || step_.inputs[i].kind != Operand::Kind::kConstant) return std::nullopt;
  const Constant& constant = frame_.constants[step_.inputs[i].index];
  const bool fits =
      constant.tensor.dim() <= other.dim() && constant.tensor.dtype() == other.dtype();
  return fits ? constant.number : std::nullopt;
}

std::vector<Tensor> Call::inputs() const {
  std::vector<Tensor> result;
  result.reserve(step_.inputs.size());
  for (const Operand& operand : step_.inputs) result.push_back(frame_.at(operand));
  return result;
}

void Call::result(Tensor value, int i) {
  if (i < num_outputs() && step_.outputs[i] >= 0)
    frame_.values[step_.outputs[i]] = std::move(value);
}

std::vector<int64_t> IntList::get(const Call& call) const {
  if (known_) return *known_;
  return input_ >= 0 ? to_ints(call[input_]) : std::vector<int64_t>();
}

const Attribute* Node::find(const std::string& name) {
  known_.insert(name);
  const auto it = def_.attributes.find(name);
  return it == def_.attributes.end() ? nullptr : &it->second;
}

template <class T>
const T* Node::find_as(const std::string& name) {
  const Attribute* attribute = find(name);
  if (!attribute) return nullptr;
  const T* value = std::get_if<T>(attribute);
  if (!value) fail("attribute " + quoted(name) + " is of another type than the op's");
  return value;
}

bool Node::has_attribute(const std::string& name) { return find(name) != nullptr; }

int64_t Node::int_or(const std::string& name, int64_t fallback) {
  const int64_t* value = find_as<int64_t>(name);
  return value ? *value : fallback;
}

float Node::float_or(const std::string& name, float fallback) {
  const float* value = find_as<float>(name);
  return value ? *value : fallback;
}

std::string Node::string_or(const std::string& name, const std::string& fallback) {
  const std::string* value = find_as<std::string>(name);
  return value ? *value : fallback;
}

std::vector<int64_t> Node::ints_or(const std::string& name, const std::vector<int64_t>& fallback) {
  const auto* value = find_as<std::vector<int64_t>>(name);
  return value ? *value : fallback;
}

std::vector<float> Node::floats_or(const std::string& name, const std::vector<float>& fallback) {
  const auto* value = find_as<std::vector<float>>(name);
  return value ? *value : fallback;
}

std::vector<std::string> Node::strings_or(const std::string& name,
                                          const std::vector<std::string>& fallback) {
  const auto* value = find_as<std::vector<std::string>>(name);
  return value ? *value : fallback;
}

Dtype Node::dtype_or(const std::string& name, Dtype fallback) {
  if (!has_attribute(name)) return fallback;
  const int64_t number = required_int(name);
  const std::optional<Dtype> dtype = dtype_from_onnx(number);
  if (!dtype) fail_unsupported("element type " + onnx_dtype_name(number));
  return *dtype;
}

int64_t Node::required_int(const std::string& name) {
  if (const int64_t* value = find_as<int64_t>(name)) return *value;
  fail("no attribute " + quoted(name));
}

const TensorDef* Node::tensor(const std::string& name) { return find_as<TensorDef>(name); }

std::shared_ptr<const Block> Node::required_block(const std::string& name) {
  if (const auto* graph = find_as<std::shared_ptr<const GraphDef>>(name))
    return context_.build_block(**graph);
  fail("no attribute " + quoted(name));
}

const Tensor* Node::constant(int i) const {
  const bool known = i < num_inputs() && context_.constants[i].defined();
  return known ? &context_.constants[i] : nullptr;
}

IntList Node::int_list(const std::string& name, int64_t input_since, int input) {
  if (opset() >= input_since) return int_list(input);
  return has_attribute(name) ? IntList(ints_or(name, {})) : IntList();
}

IntList Node::int_list(int input) const {
  if (!has_input(input)) return IntList();
  if (const Tensor* value = constant(input)) return IntList(to_ints(*value));
  return IntList(input);
}

void Node::fail(const std::string& problem) const {
  onnx::fail(context_.path, describe(def_) + ": " + problem);
}

void Node::fail_unsupported(const std::string& what) const {
  onnx::fail_unsupported(context_.path, what + ": " + describe(def_));
}

void Node::check_all_known() const {
  for (const auto& [name, value] : def_.attributes)
    if (!known_.contains(name)) fail_unsupported("attribute " + quoted(name));
}

Tensor to_tensor(const TensorDef& def) {
  return from_host(def.data.data(), def.dims, TensorOptions(def.dtype).device(kCPU));
}

std::vector<int64_t> to_ints(const Tensor& tensor) {
  const Tensor flat = tensor.cpu().contiguous();
  const size_t count = static_cast<size_t>(flat.numel());
  if (flat.dtype() == kInt64) {
    const int64_t* p = flat.const_data_ptr<int64_t>();
    return {p, p + count};
  }
  if (flat.dtype() == kInt32) {
    const int32_t* p = flat.const_data_ptr<int32_t>();
    return {p, p + count};
  }
  throw Error(ErrorKind::kType,
              "expected a list of integers, got " + std::string(name(flat.dtype())));
}

int64_t wrap_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw Error(ErrorKind::kIndex, "axis out of range: " + std::to_string(axis) + " of " +
                                       std::to_string(rank) + " dimensions");
  return axis < 0 ? axis + rank : axis;
}

void check_length(size_t length, size_t expected, const char* what) {
  if (length != expected)
    throw Error(ErrorKind::kValue, std::string(what) + " has " + std::to_string(length) +
                                       " values, expected " + std::to_string(expected));
}

}  // namespace frit::onnx

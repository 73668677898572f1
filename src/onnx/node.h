// What the functions of the op table see of a node: when a model is loaded, and when it runs.
//
//   Runner bind_concat(Node& node) {
//     const int64_t axis = node.required_int("axis");
//     return [axis](Call& call) { call.result(cat(call.inputs(), axis)); };
//   }
//
// A bind function reads every attribute that the op may have and refuses what Frit cannot do; an
// attribute that it has not asked for is refused after it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frit/ops.h"
#include "frit/tensor.h"
#include "src/onnx/model.h"

namespace frit::onnx {

class Call;
class Node;

// Runs a node: reads the inputs of the call and sets its results.
using Runner = std::function<void(Call&)>;

// Where a step finds an input: a value of this run, a constant of the program, or nowhere.
struct Operand {
  enum class Kind : uint8_t { kAbsent, kValue, kConstant };
  Kind kind = Kind::kAbsent;
  int index = 0;
};

struct Step {
  std::string description;  // of the node, for errors
  Runner run;
  std::vector<Operand> inputs;
  std::vector<int> outputs;  // where results go in the values of the run; -1: nowhere
  std::vector<int> frees;    // values that no later step needs
};

// The steps of a graph or of a branch of `If`.
struct Block {
  std::vector<Step> steps;
  std::vector<Operand> outputs;
  std::vector<int> frees;  // the outputs that are made in this block
};

// A value known since loading. Its number, where it has one element, is kept beside it: to ask the
// tensor for it would look like an observation to the recorder.
struct Constant {
  Tensor tensor;
  std::optional<Scalar> number;
};

// The values of one run.
struct Frame {
  const std::vector<Constant>& constants;
  std::vector<Tensor> values;

  const Tensor& at(const Operand& operand) const;
};

// Runs the steps in order; gives the block's outputs.
std::vector<Tensor> run_block(const Block& block, Frame& frame);

// A node while it runs.
class Call {
 public:
  Call(Frame& frame, const Step& step) : frame_(frame), step_(step) {}

  int num_inputs() const { return static_cast<int>(step_.inputs.size()); }
  int num_outputs() const { return static_cast<int>(step_.outputs.size()); }
  bool has(int i) const;
  // Input i; an undefined tensor where it is left out.
  const Tensor& operator[](int i) const;
  // The number that input i holds, if it is a constant of one element that may stand beside `other`
  // as a number: same dtype, no more dimensions.
  std::optional<Scalar> number(int i, const Tensor& other) const;
  std::vector<Tensor> inputs() const;
  void result(Tensor value, int i = 0);
  std::vector<Tensor> run(const Block& block) { return run_block(block, frame_); }

 private:
  Frame& frame_;
  const Step& step_;
};

// A list of integers that a node needs on the host: known since loading, or read from an input when
// the node runs, which waits for that value.
class IntList {
 public:
  IntList() = default;
  explicit IntList(std::vector<int64_t> known) : known_(std::move(known)) {}
  explicit IntList(int input) : input_(input) {}

  // Whether the node has it at all.
  bool given() const { return known_.has_value() || input_ >= 0; }
  std::vector<int64_t> get(const Call& call) const;

 private:
  std::optional<std::vector<int64_t>> known_;
  int input_ = -1;
};

// A node while its model is loaded.
class Node {
 public:
  // What loading knows that the node alone does not say.
  struct Context {
    const std::string& path;
    int64_t opset;
    std::vector<Tensor> constants;  // per input; undefined where not known yet
    std::function<std::shared_ptr<const Block>(const GraphDef&)> build_block;
  };
  Node(const NodeDef& def, Context context) : def_(def), context_(std::move(context)) {}

  int64_t opset() const { return context_.opset; }
  int num_inputs() const { return static_cast<int>(def_.inputs.size()); }
  int num_outputs() const { return static_cast<int>(def_.outputs.size()); }
  bool has_input(int i) const { return i < num_inputs() && !def_.inputs[i].empty(); }
  bool has_output(int i) const { return i < num_outputs() && !def_.outputs[i].empty(); }

  // Attributes; each call marks the name as known to the op. Throws where it is of another type.
  bool has_attribute(const std::string& name);
  int64_t int_or(const std::string& name, int64_t fallback);
  float float_or(const std::string& name, float fallback);
  std::string string_or(const std::string& name, const std::string& fallback);
  std::vector<int64_t> ints_or(const std::string& name, const std::vector<int64_t>& fallback);
  std::vector<float> floats_or(const std::string& name, const std::vector<float>& fallback);
  std::vector<std::string> strings_or(const std::string& name,
                                      const std::vector<std::string>& fallback);
  // An element type by ONNX's number; refuses those that Frit does not have.
  Dtype dtype_or(const std::string& name, Dtype fallback);
  int64_t required_int(const std::string& name);
  // Null where it is left out.
  const TensorDef* tensor(const std::string& name);
  std::shared_ptr<const Block> required_block(const std::string& name);
  // An attribute that is read but makes no difference to inference.
  void ignore(const std::string& name) { known_.insert(name); }

  // The value of input i if it is known while loading, else null.
  const Tensor* constant(int i) const;
  // A list that is input `input` since an opset, and the attribute of that name before.
  IntList int_list(const std::string& name, int64_t input_since, int input);
  IntList int_list(int input) const;

  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_unsupported(const std::string& what) const;
  // Refuses attributes that nothing asked for.
  void check_all_known() const;

 private:
  const Attribute* find(const std::string& name);
  template <class T>
  const T* find_as(const std::string& name);

  const NodeDef& def_;
  Context context_;
  std::set<std::string> known_;
};

// The tensor with these values.
Tensor to_tensor(const TensorDef& def);
// The numbers of an i64 or i32 tensor; waits for its value. Throws for other dtypes.
std::vector<int64_t> to_ints(const Tensor& tensor);
// `dim` counted from the front. Throws kIndex where it is not below `rank`.
int64_t wrap_axis(int64_t axis, int64_t rank);
// Throws kValue where a list of another length than `expected` was given as `what`.
void check_length(size_t length, size_t expected, const char* what);

}  // namespace frit::onnx

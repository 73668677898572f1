// Custom ops: functions of the program, or of a plug-in, that are ops like Frit's own: one node in
// graphs, and no break in what is compiled.
//
//   const frit::CustomOp scale_add = frit::register_op(
//       "mylib::scale_add(Tensor x, Tensor y, float alpha=1) -> Tensor",
//       {.eager_out =
//            [](const frit::OpArgs& args, std::span<const frit::Tensor> results) {
//              const auto* x = args.tensor(0).const_data_ptr<float>();
//              const auto* y = args.tensor(1).const_data_ptr<float>();
//              auto* out = results[0].data_ptr<float>();
//              for (int64_t i = 0; i < results[0].numel(); ++i)
//                out[i] = x[i] + static_cast<float>(args.number(2)) * y[i];
//            },
//        .fake = [](const frit::OpArgs& args,
//                   frit::OpTypes& types) { types.add_like(args.facts(0)); }});
//   frit::Tensor z = scale_add({x, y, 2.0});
//
// The schema is PyTorch's: Tensor, Tensor? (may be left out), Tensor(a!) (the op writes to it), one
// Tensor[], float, float? and Scalar (numbers that vary from call to call), int, int?, int[], bool,
// bool? and str (attributes: another value is another computation), with defaults; at most 24
// arguments, and tensors and numbers of a call. Results are new Tensors, at
// most 4 together with the operands written to, or Tensor(a!), which gives back that operand.
//
// An op is a function of its arguments, but for what the schema says it writes: equal calls may be
// made once, a call whose result nobody wants not at all, and a call may be made later than it
// stands in the program. What its functions do with Frit inside is neither recorded nor deferred.
// They may be called by several threads at once. Exceptions reach the caller of the op, or, inside
// of what is compiled, that of a later call (docs/extending.md).
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/op.h"
#include "frit/op_args.h"
#include "frit/tensor.h"

namespace frit {

// An argument of a call. Does not own: it is good for the time of the call.
class OpArg {
 public:
  enum class Kind : uint8_t { kNone, kTensor, kTensors, kScalar, kInts, kText };
  OpArg(std::nullopt_t) : kind_(Kind::kNone) {}                        // NOLINT
  OpArg(const Tensor& t) : kind_(Kind::kTensor), tensor_(t.impl()) {}  // NOLINT
  OpArg(const Scalar& s) : kind_(Kind::kScalar), scalar_(s) {}         // NOLINT
  template <class T>
  requires std::is_arithmetic_v<T> OpArg(T number) : OpArg(Scalar(number)) {}       // NOLINT
  OpArg(IntArrayRef list) : kind_(Kind::kInts), ints_(list) {}                      // NOLINT
  OpArg(const std::vector<int64_t>& list) : OpArg(IntArrayRef(list)) {}             // NOLINT
  OpArg(std::initializer_list<int64_t> list) : OpArg(IntArrayRef(list)) {}          // NOLINT
  OpArg(std::span<const Tensor> list) : kind_(Kind::kTensors), tensors_(list) {}    // NOLINT
  OpArg(const std::vector<Tensor>& list) : OpArg(std::span<const Tensor>(list)) {}  // NOLINT
  OpArg(std::string_view text) : kind_(Kind::kText), text_(text) {}                 // NOLINT
  OpArg(const char* text) : OpArg(std::string_view(text)) {}                        // NOLINT
  OpArg(const std::string& text) : OpArg(std::string_view(text)) {}                 // NOLINT

  Kind kind() const { return kind_; }
  TensorImpl* tensor() const { return tensor_; }  // null: an undefined tensor
  const Scalar& scalar() const { return scalar_; }
  IntArrayRef ints() const { return ints_; }
  std::span<const Tensor> tensors() const { return tensors_; }
  std::string_view text() const { return text_; }

 private:
  Kind kind_;
  TensorImpl* tensor_ = nullptr;
  Scalar scalar_;
  IntArrayRef ints_;
  std::span<const Tensor> tensors_;
  std::string_view text_;
};

// What a decomposition is written with: Frit's ops by name, on values.
//
//   [](OpExpansion& b) {    // mylib::scale_add
//     return b.op("add", {b.arg(0), b.op("mul", {b.arg(1), b.arg(2)})});
//   }
class OpExpansion {
 public:
  // A tensor, or a number.
  class Value {
   public:
    struct Id {
      int32_t id;
    };
    explicit Value(Id id) : id_(id.id) {}
    Value(const Scalar& number) : number_(number) {}  // NOLINT
    template <class T>
    requires std::is_arithmetic_v<T> Value(T number) : number_(Scalar(number)) {}  // NOLINT
    bool is_tensor() const { return id_ >= 0; }
    int32_t id() const { return id_; }
    const Scalar& number() const { return number_; }

   private:
    int32_t id_ = -1;
    Scalar number_;
  };
  struct Attribute {
    std::string_view name;
    OpArg value;
  };
  struct State;
  explicit OpExpansion(const State& state) : state_(state) {}

  // A Tensor, float or Scalar of the op, by its schema; of a Tensor[], which args().count(i)
  // counts, the k-th. Of Frit's own ops operand i of the node.
  Value arg(int i, int k = 0) const;
  int num_args() const;
  OpArgs args() const;  // for the attributes of a registered op
  // Attributes by name, of any op.
  int64_t integer(std::string_view attribute) const;
  bool flag(std::string_view attribute) const { return integer(attribute) != 0; }
  IntArrayRef ints(std::string_view attribute) const;
  TensorFacts facts(const Value& v) const;
  // The result of an op, the first one where it has several. All attributes are given:
  // b.op("sum", {x}, {{"dims", {1}}, {"keepdim", true}}); `frit ops` lists them.
  Value op(std::string_view name, std::initializer_list<Value> operands,
           std::initializer_list<Attribute> attributes = {});
  Value cast(const Value& v, Dtype dtype);

 private:
  const State& state_;
};

// What an op does. One of the functions but `fake` is required; `fake` is needed by `eager_out`
// where the op has results, and in graphs: a call of an op with results and without it runs at its
// call.
struct CustomFunctions {
  // Fills results that Frit made as `fake` says; they are contiguous or have an operand's strides.
  std::function<void(const OpArgs& args, std::span<const Tensor> results)> eager_out = {};
  // Or: gives new tensors, none of which shares memory with an operand.
  std::function<std::vector<Tensor>(const OpArgs& args)> eager = {};
  // Says of what type the results are, from the arguments' facts.
  std::function<void(const OpArgs& args, OpTypes& types)> fake = {};
  // The op as others of Frit's, which plans fuse. For ops with one result that write to nothing;
  // they need no other function. Where there is another one, it must give the same bits.
  std::function<OpExpansion::Value(OpExpansion& b)> decomposition = {};
  // kFloat32 or kFloat64: floating operands of fewer bits reach the functions as copies of that
  // dtype. Results of that dtype are rounded once to the type that `fake` says (without it, to that
  // of the operands), and so is what is written to operands. f16 and bf16 thus round as in Frit's
  // own ops: once per op. `fake` itself sees the operands as they are.
  std::optional<Dtype> autocast = std::nullopt;
};

// A registered op. Copies are the same op; it is never forgotten.
class CustomOp {
 public:
  explicit CustomOp(Op op) : op_(op) {}

  // Arguments in the schema's order; those left out have their defaults. For ops of one result.
  Tensor operator()(std::initializer_list<OpArg> args) const {
    return call_one({args.begin(), args.size()});
  }
  Tensor call_one(std::span<const OpArg> args) const;
  // For ops of any number of results.
  std::vector<Tensor> call(std::span<const OpArg> args) const;
  std::vector<Tensor> call(std::initializer_list<OpArg> args) const {
    return call(std::span<const OpArg>(args.begin(), args.size()));
  }

  Op op() const { return op_; }
  std::string_view name() const { return frit::name(op_); }  // "mylib::scale_add"
  std::string_view schema() const;

 private:
  Op op_;
};

// Registering an op again by the same schema replaces its functions, also in what has been
// compiled; by another schema it is an error. Throws Error(kValue) naming the place where the
// schema is wrong.
CustomOp register_op(std::string_view schema, CustomFunctions functions);
// The op of that name: throws where nobody has registered it.
CustomOp custom_op(std::string_view name);

}  // namespace frit

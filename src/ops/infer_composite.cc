// The rule of a composite is its own text, run over layouts.
#include <vector>

#include "src/ops/builder.h"
#include "src/ops/rules.h"

namespace frit::rules {
namespace {

// Knows of each value its layout only.
class LayoutBuilder : public OpBuilder {
 public:
  using OpBuilder::op;

  Value value(const Layout* layout) {
    layouts_.push_back(layout);
    return Value{static_cast<int32_t>(layouts_.size()) - 1};
  }

  Value op(Op op, std::span<const Arg> args, const Attrs& attrs) override {
    std::vector<OperandType> operands;
    for (const Arg& arg : args)
      operands.push_back(
          {arg.is_value() ? layouts_[static_cast<size_t>(arg.value.id)] : nullptr, arg.scalar});
    return value(infer(op, operands, attrs).results[0].layout);
  }
  const Layout& layout(Value v) override {
    if (v.id < 0) throw Error(ErrorKind::kType, "an operand that must be a tensor is a number");
    return *layouts_[static_cast<size_t>(v.id)];
  }
  Scalar assume(const Arg& scalar) override { return scalar.scalar; }

 private:
  std::vector<const Layout*> layouts_;
};

const Layout* run(const Call& call) {
  LayoutBuilder builder;
  std::vector<Arg> args;
  for (const OperandType& operand : call.operands)
    args.push_back(operand.layout != nullptr ? Arg(builder.value(operand.layout))
                                             : Arg(operand.scalar));
  return same(builder.layout(expand_composite(builder, call.op, args, call.attrs)));
}

// What went wrong, without the part that it went wrong in: "amax(f32[0]): reason" gives "reason".
std::string problem_of(const Error& error) {
  const std::string_view what = error.what();
  const size_t at = what.find("): ");
  return std::string(at == what.npos ? what : what.substr(at + 3));
}

}  // namespace

ResultTypes composite(const Call& call) {
  try {
    return one(run(call));
  } catch (const Error& error) {
    fail(call, error.kind(), problem_of(error));
  }
}

}  // namespace frit::rules

// Texts of calls, for errors.
#include "src/ops/call.h"

#include <vector>

#include "src/ops/rules.h"

namespace frit {
namespace rules {

std::string describe(const OperandType& operand) {
  if (operand.layout != nullptr) return to_string(*operand.layout);
  switch (operand.scalar.kind()) {
    case Scalar::Kind::kBool:
      return operand.scalar.to_bool() ? "true" : "false";
    case Scalar::Kind::kInt:
      return text(operand.scalar.to_int());
    case Scalar::Kind::kFloat:
      return text(operand.scalar.to_double());
  }
  __builtin_unreachable();
}

std::string describe(const Call& call) {
  std::ostringstream out;
  out << name(call.op) << '(';
  const char* separator = "";
  for (const OperandType& operand : call.operands) {
    out << separator << describe(operand);
    separator = ", ";
  }
  // Rules that know operands only leave the attributes empty.
  if (!call.attrs.flat().empty()) {
    const std::string attrs = to_string(call.op, call.attrs);  // {dim=1, keepdim=true}
    out << separator << attrs.substr(1, attrs.size() - 2);
  }
  out << ')';
  return out.str();
}

void fail(const Call& call, ErrorKind kind, const std::string& problem) {
  throw Error(kind, describe(call) + ": " + problem);
}

}  // namespace rules

namespace {

std::vector<OperandType> types_of(const OpCall& call) {
  std::vector<OperandType> types;
  for (const Operand& operand : call.operands) types.push_back({operand.layout(), operand.scalar});
  return types;
}

}  // namespace

std::string describe(const OpCall& call) {
  return rules::describe(rules::Call{call.op, types_of(call), call.attrs});
}

void fail(const OpCall& call, ErrorKind kind, const std::string& problem) {
  throw Error(kind, describe(call) + ": " + problem);
}

}  // namespace frit

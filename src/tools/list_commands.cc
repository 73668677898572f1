// frit ops and frit flags.
#include <cstdio>
#include <string>

#include "src/base/flags.h"
#include "src/ops/op.h"
#include "src/schedule/lowering.h"
#include "src/tools/commands.h"

namespace frit::tools {
namespace {

std::string_view family_name(Family family) {
  switch (family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return "elementwise";
    case Family::kCast:
      return "cast";
    case Family::kReduce:
    case Family::kArgReduce:
      return "reduction";
    case Family::kScan:
      return "scan";
    case Family::kMove:
      return "view";
    case Family::kCopy:
    case Family::kCat:
    case Family::kPad:
      return "copy";
    case Family::kIndex:
      return "index";
    case Family::kScatter:
      return "scatter";
    case Family::kSort:
      return "sort";
    case Family::kContract:
      return "contraction";
    case Family::kPool:
      return "pooling";
    case Family::kResample:
      return "resampling";
    case Family::kFft:
      return "transform";
    case Family::kLinalg:
      return "linalg";
    case Family::kRecurrent:
      return "recurrent";
    case Family::kCreate:
      return "creation";
    case Family::kStore:
      return "write";
    case Family::kComposite:
      return "composite";
    case Family::kCustom:
      return "custom";
  }
  __builtin_unreachable();
}

// How plans run an op.
std::string runs_as(Op op) {
  const OpLowering lowering = lowering_of(op);
  switch (lowering.how) {
    case Lowering::kKernel:
      return "kernel";
    case Lowering::kLibrary:
      return "library";
    case Lowering::kEager:
      return "eager";
  }
  __builtin_unreachable();
}

}  // namespace

void list_ops(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments)
    if (argument != "--core") throw Usage{"unknown option " + argument};
  if (!arguments.empty()) return print_core_ops();
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    const OpInfo& row = info(op);
    std::string text(row.meaning);
    if (const std::string_view reason = lowering_of(op).reason; !reason.empty())
      text += " (no kernel: " + std::string(reason) + ")";
    std::printf("%-30s %-12s %-8s %s\n", std::string(row.name).c_str(),
                std::string(family_name(row.family)).c_str(), runs_as(op).c_str(), text.c_str());
  }
}

void list_flags(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw Usage{"unknown argument " + arguments[0]};
  std::fputs(base::describe_flags().c_str(), stdout);
}

}  // namespace frit::tools

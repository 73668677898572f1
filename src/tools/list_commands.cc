// frit ops and frit flags.
#include <cstdio>

#include "src/base/flags.h"
#include "src/ops/op.h"
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
    case Family::kCreate:
      return "creation";
    case Family::kStore:
      return "write";
    case Family::kComposite:
      return "composite";
  }
  __builtin_unreachable();
}

}  // namespace

void list_ops(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments)
    if (argument != "--core") throw Usage{"unknown option " + argument};
  for (const OpInfo& op : all_ops()) {
    if (!arguments.empty() && op.family == Family::kComposite) continue;
    std::printf("%-30s %-12s %s\n", std::string(op.name).c_str(),
                std::string(family_name(op.family)).c_str(), std::string(op.meaning).c_str());
  }
}

void list_flags(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw Usage{"unknown argument " + arguments[0]};
  std::fputs(base::describe_flags().c_str(), stdout);
}

}  // namespace frit::tools

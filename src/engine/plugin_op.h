// A plug-in's op as one that the program registers.
#pragma once

#include <string>

#include "frit/custom_op.h"
#include "frit/plugin.h"

namespace frit::engine {

struct PluginOp {
  std::string name, schema;
  CustomFunctions functions;
};
// `plugin` is named where its functions fail. Throws Error(kValue) saying what is wrong with the
// op, without the plug-in's name. `before`: how many of its ops are registered first.
PluginOp plugin_op(const frit_op* given, const std::string& plugin, size_t before);

// The host's add_type: throws where the type is none, or there are too many.
void add_plugin_type(frit_types* types, const frit_type* type);

}  // namespace frit::engine

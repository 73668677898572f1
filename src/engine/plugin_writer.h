// A plug-in's writer as one of Frit's.
#pragma once

#include <memory>
#include <string>

#include "frit/kernel.h"
#include "frit/plugin.h"

namespace frit::engine {

struct PluginWriterOf {
  std::string device;  // a name that may be none
  std::unique_ptr<Writer> writer;
};

// Throws Error(kValue) saying what is wrong with it, without the plug-in's name.
PluginWriterOf plugin_writer(const frit_writer* given);

}  // namespace frit::engine

// A plug-in's writer as one of Frit's.
#pragma once

#include <memory>

#include "frit/kernel.h"
#include "frit/plugin.h"

namespace frit::engine {

// Throws Error(kValue) saying what is wrong with it, without the plug-in's name.
std::unique_ptr<Writer> plugin_writer(const frit_writer* given);

}  // namespace frit::engine

// A plug-in's backend as one of Frit's.
#pragma once

#include <string>
#include <utility>

#include "frit/backend.h"
#include "frit/plugin.h"

namespace frit::engine {

// The backend and its name. Throws Error(kValue) saying what is wrong with it, without the
// plug-in's name.
std::pair<std::string, Backend> plugin_backend(const frit_backend* given);

}  // namespace frit::engine

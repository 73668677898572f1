// The plug-ins of this process.
#pragma once

#include "frit/plugins.h"

namespace frit::engine {

// Loads what FRIT_PLUGINS names, on the first call. What fails is reported on stderr. Does nothing
// where a plug-in's init calls it.
void load_named_plugins();

}  // namespace frit::engine

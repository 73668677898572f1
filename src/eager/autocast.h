// Registered ops that compute in a wider type than their operands have.
#pragma once

#include "frit/custom_op.h"

namespace frit {

// The functions with what their `autocast` asks for around them; as they are without it.
CustomFunctions with_autocast(CustomFunctions functions);

}  // namespace frit

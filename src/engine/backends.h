// The table of backends and of the code generator in use.
#pragma once

#include <optional>

#include "frit/backend.h"

namespace frit::engine {

// The backend of that name, or nothing. "native" is not in the table: the engine builds it itself.
std::optional<Backend> find_backend(const std::string& name);
std::string default_backend();
// The writer that a plug-in registered, or null.
Writer* registered_writer();

}  // namespace frit::engine

// The table of backends and of the code generator in use.
#pragma once

#include <optional>

#include "frit/backend.h"

namespace frit::engine {

struct FoundBackend {
  Backend compile;
  bool exact;  // it came with Frit: its outputs have eager's bits
};

// The backend of that name, or nothing. "native" is not in the table: the engine builds it itself.
std::optional<FoundBackend> find_backend(const std::string& name);
std::string default_backend();
// The names of a list of backends, first who is asked first.
std::vector<std::string> backends_in(const std::string& names);
// Throws where one is not known; `call` is what the error begins with.
void check_backends(const std::string& call, const std::string& names);
// Changes whenever a plan built now might differ from one built before: part of the environment
// that guards compare.
uint32_t backend_generation();
// The writer that a plug-in registered for devices of that type, or null.
Writer* registered_writer(Device device);

}  // namespace frit::engine

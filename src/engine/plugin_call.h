// Calls of a plug-in's functions, and what they say of their failures.
#pragma once

#include <exception>
#include <string>

#include "frit/plugin.h"

namespace frit::engine {

// What the plug-in's function that runs on this thread says of its failure.
void set_plugin_error(const char* text);
std::string take_plugin_error();

// Calls a function of a plug-in. False, with what it said or threw, where it fails.
template <class Fn>
bool plugin_call(Fn fn, std::string* why) {
  take_plugin_error();
  try {
    const int status = fn();
    *why = take_plugin_error();
    if (status != FRIT_PLUGIN_OK && why->empty()) *why = "it gave " + std::to_string(status);
    return status == FRIT_PLUGIN_OK;
  } catch (const std::exception& error) {
    *why = std::string("it threw: ") + error.what();
  } catch (...) {
    *why = "it threw an exception of unknown type";
  }
  return false;
}

// Has the plug-in free what is its own. There is nobody to tell where that fails.
inline void plugin_destroy(void (*destroy)(void*), void* state) {
  if (destroy == nullptr) return;
  std::string ignored;
  plugin_call([&] { return destroy(state), FRIT_PLUGIN_OK; }, &ignored);
}

}  // namespace frit::engine

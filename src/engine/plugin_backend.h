// A plug-in's backend as one of Frit's.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "frit/backend.h"
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

// The backend and its name. Throws Error(kValue) saying what is wrong with it, without the
// plug-in's name.
std::pair<std::string, Backend> plugin_backend(const frit_backend* given);

}  // namespace frit::engine

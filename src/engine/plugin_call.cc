// The words of the plug-in's function that failed last on a thread.
#include "src/engine/plugin_call.h"

#include <utility>

namespace frit::engine {
namespace {

thread_local std::string error_of_thread;

}  // namespace

void set_plugin_error(const char* text) { error_of_thread = text != nullptr ? text : ""; }

std::string take_plugin_error() { return std::exchange(error_of_thread, {}); }

}  // namespace frit::engine

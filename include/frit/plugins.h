// Plug-ins from shared libraries, which frit/plugin.h is the interface of.
//
//   frit::load_plugin("./libtoy.so");              // or FRIT_PLUGINS=./libtoy.so:...
//   auto fast = frit::compile(fn, {.backend = "toy"});
//
// What FRIT_PLUGINS names is loaded before a backend, an op of that kind or a writer is first
// looked for; what fails is reported on stderr, and the program goes on without it.
#pragma once

#include <string>
#include <vector>

namespace frit {

struct PluginInfo {
  std::string path;           // without links
  std::string name, version;  // what it says of itself; empty where it does not
  int major = 0, minor = 0;   // of the interface that it was built against
  // The names of what it registered.
  std::vector<std::string> backends, ops, writers, devices;
};

// Loads a plug-in for the rest of the process; one that is loaded already is not loaded again.
// Throws Error(kRuntime) that names the path where there is no such file, it is no plug-in, was
// built for another major version, or its init fails. Where init crashes, a line on stderr says
// which plug-in's it was. Thread-safe; not to be called from init.
PluginInfo load_plugin(const std::string& path);

// In the order of loading.
std::vector<PluginInfo> list_plugins();

}  // namespace frit

// A plug-in's devices and their kernels as Frit's.
#pragma once

#include <string>

#include "frit/device_kernel.h"
#include "frit/devices.h"
#include "frit/plugin.h"

namespace frit::engine {

struct PluginDevice {
  std::string name;
  DeviceHooks hooks;
};
struct PluginDeviceKernel {
  std::string device, op;
  DeviceKernel run;
};

// `plugin` is its path, for errors of its functions. Both throw Error(kValue) saying what is wrong,
// without the plug-in's name.
PluginDevice plugin_device(const frit_device* given, const std::string& plugin);
PluginDeviceKernel plugin_device_kernel(const frit_device_kernel* given, const std::string& plugin);

}  // namespace frit::engine

// Loads plug-ins: shared libraries with the interface of frit/plugin.h.
//
// The version is a constant of the library, so that one of another major version is refused before
// any of its functions is called. What init registers is kept until init has succeeded: of a
// plug-in that fails half way nothing is used. Libraries are never unloaded, not even those that
// failed: their threads, thread-local variables and exit handlers may be in use.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/plugins.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "frit/backend.h"
#include "frit/custom_op.h"
#include "frit/error.h"
#include "src/base/flags.h"
#include "src/base/log.h"
#include "src/engine/backends.h"
#include "src/engine/crash_report.h"
#include "src/engine/plugin_backend.h"
#include "src/engine/plugin_call.h"
#include "src/engine/plugin_device.h"
#include "src/engine/plugin_op.h"
#include "src/engine/plugin_writer.h"
#include "src/ops/custom.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

using InitFunction = int(const frit_host*, frit_plugin*);

// A plug-in on its way in.
struct Loading {
  PluginInfo info;
  frit_plugin self{};
  std::vector<std::pair<std::string, Backend>> backends;
  std::vector<engine::PluginOp> ops;
  std::vector<engine::PluginWriterOf> writers;
  std::vector<engine::PluginDevice> devices;
  std::vector<engine::PluginDeviceKernel> kernels;

  // Whether there is a device of that name, or will be once the plug-in is in.
  bool knows_device(const std::string& name) const {
    return devices::find(name) ||
           std::any_of(devices.begin(), devices.end(),
                       [&](const engine::PluginDevice& device) { return device.name == name; });
  }
};

struct Plugins {
  std::mutex loading;  // held while one is loaded
  std::mutex table;    // of `loaded`
  std::vector<PluginInfo> loaded;
  std::atomic<bool> named_are_loaded{false};
};

Plugins& plugins() {
  static Plugins* plugins = new Plugins;
  return *plugins;
}

// Whether this thread holds `loading`; and the plug-in whose init it runs.
thread_local bool loads_here = false;
thread_local Loading* in_init = nullptr;

class LoadingScope {
 public:
  LoadingScope() : lock_(plugins().loading) { loads_here = true; }
  ~LoadingScope() { loads_here = false; }
  LoadingScope(const LoadingScope&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
};

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::kRuntime, "load_plugin(" + path + "): " + problem);
}

// The functions of the host. None lets an exception out to the plug-in.

// Runs fn; what it throws is said to the plug-in.
template <class Fn>
int answered(Fn fn) {
  try {
    fn();
    return FRIT_PLUGIN_OK;
  } catch (const std::exception& error) {
    engine::set_plugin_error(error.what());
    return FRIT_PLUGIN_FAILED;
  }
}

// The plug-in whose init calls.
Loading& registering(const char* call, const frit_plugin* self) {
  if (in_init == nullptr || self != &in_init->self)
    throw Error(ErrorKind::kValue,
                std::string(call) + ": only init registers, with the `self` that it was given");
  return *in_init;
}

int register_backend_of_plugin(frit_plugin* self, const frit_backend* backend) {
  return answered([&] {
    registering("register_backend", self).backends.push_back(engine::plugin_backend(backend));
  });
}

int register_op_of_plugin(frit_plugin* self, const frit_op* op) {
  return answered([&] {
    Loading& loading = registering("register_op", self);
    engine::PluginOp made = engine::plugin_op(op, loading.info.path, loading.ops.size());
    for (const engine::PluginOp& other : loading.ops)
      if (other.name == made.name)
        throw Error(ErrorKind::kValue, "register_op: " + made.name + ": registered twice");
    loading.ops.push_back(std::move(made));
  });
}

int register_writer_of_plugin(frit_plugin* self, const frit_writer* writer) {
  return answered([&] {
    Loading& loading = registering("register_writer", self);
    engine::PluginWriterOf made = engine::plugin_writer(writer);
    if (!loading.knows_device(made.device))
      throw Error(ErrorKind::kValue, "register_writer: " + std::string(made.writer->name()) +
                                         ": no such device: '" + made.device + "'");
    loading.writers.push_back(std::move(made));
  });
}

int register_device_of_plugin(frit_plugin* self, const frit_device* device) {
  return answered([&] {
    Loading& loading = registering("register_device", self);
    engine::PluginDevice made = engine::plugin_device(device, loading.info.path);
    if (loading.knows_device(made.name))
      throw Error(ErrorKind::kValue, "register_device(" + made.name + "): the name is taken");
    devices::check_hooks(made.name, made.hooks);
    if (devices::num_types() + loading.devices.size() >= size_t{devices::kMaxTypes})
      throw Error(ErrorKind::kValue, "register_device(" + made.name +
                                         "): too many devices: at most " +
                                         std::to_string(devices::kMaxTypes - 1));
    loading.devices.push_back(std::move(made));
  });
}

int register_kernel_of_plugin(frit_plugin* self, const frit_device_kernel* kernel) {
  return answered([&] {
    Loading& loading = registering("register_kernel", self);
    engine::PluginDeviceKernel made = engine::plugin_device_kernel(kernel, loading.info.path);
    const auto refuse = [&](const std::string& problem) {
      throw Error(ErrorKind::kValue,
                  "register_kernel(" + made.device + ", " + made.op + "): " + problem);
    };
    if (made.device == "cpu") refuse("the CPU has kernels of its own");
    if (!loading.knows_device(made.device)) refuse("no such device");
    const bool own = std::any_of(loading.ops.begin(), loading.ops.end(),
                                 [&](const engine::PluginOp& op) { return op.name == made.op; });
    if (!own && !op_named(made.op)) refuse("no such op");
    loading.kernels.push_back(std::move(made));
  });
}

int add_type_of_plugin(frit_types* types, const frit_type* type) {
  return answered([&] { engine::add_plugin_type(types, type); });
}

void log_of_plugin(const char* text) {
  if (text != nullptr && base::logs(base::LogCategory::plugin))
    base::LogLine("plugin").add("says", text);
}

constexpr frit_host kHost = {
    sizeof(frit_host),         FRIT_PLUGIN_MAJOR,          FRIT_PLUGIN_MINOR,
    engine::set_plugin_error,  register_backend_of_plugin, log_of_plugin,
    register_op_of_plugin,     register_writer_of_plugin,  add_type_of_plugin,
    register_device_of_plugin, register_kernel_of_plugin};

std::string version_text(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr)
    fail(path, std::string("no such plug-in: ") + std::strerror(errno));
  return resolved;
}

void* open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* error = dlerror();
  fail(path, std::string("cannot be loaded: ") + (error != nullptr ? error : "unknown error"));
}

void check_version(void* library, PluginInfo* info) {
  const auto* abi = static_cast<const int32_t*>(dlsym(library, "frit_plugin_abi"));
  if (abi == nullptr)
    fail(info->path, "no plug-in: it does not define frit_plugin_abi, as FRIT_PLUGIN_ABI does");
  info->major = abi[0];
  info->minor = abi[1];
  if (info->major != FRIT_PLUGIN_MAJOR)
    fail(info->path, "other version: it was built for plug-in interface " +
                         version_text(info->major, info->minor) + ", this Frit has " +
                         version_text(FRIT_PLUGIN_MAJOR, FRIT_PLUGIN_MINOR));
}

// Runs init, which fills `loading`.
void initialize(void* library, Loading* loading) {
  const std::string& path = loading->info.path;
  auto* init = reinterpret_cast<InitFunction*>(dlsym(library, "frit_plugin_init"));
  if (init == nullptr) fail(path, "no plug-in: it does not define frit_plugin_init");
  loading->self.size = sizeof(frit_plugin);
  in_init = loading;
  std::string why;
  const bool good = engine::plugin_call([&] { return init(&kHost, &loading->self); }, &why);
  in_init = nullptr;
  if (!good) fail(path, "init failed: " + why);
  if (loading->self.name != nullptr) loading->info.name = loading->self.name;
  if (loading->self.version != nullptr) loading->info.version = loading->self.version;
}

std::optional<PluginInfo> find_loaded(const std::string& path) {
  std::lock_guard lock(plugins().table);
  for (const PluginInfo& info : plugins().loaded)
    if (info.path == path) return info;
  return std::nullopt;
}

// What init registered, to the tables of the process. Each was checked by then: what another thread
// has registered meanwhile may still refuse an op or a device. Ops first, as the next try may
// register them again.
void register_all(Loading* loading) {
  PluginInfo& info = loading->info;
  try {
    for (engine::PluginOp& op : loading->ops) {
      info.ops.push_back(op.name);
      register_op(op.schema, std::move(op.functions));
    }
    for (engine::PluginDevice& device : loading->devices) {
      info.devices.push_back(device.name);
      register_device(device.name, std::move(device.hooks));
    }
  } catch (const Error& error) {
    fail(info.path, error.what());
  }
  for (engine::PluginDeviceKernel& kernel : loading->kernels)
    register_kernel(kernel.device, kernel.op, std::move(kernel.run));
  for (auto& [name, backend] : loading->backends) {
    info.backends.push_back(name);
    register_backend(name, std::move(backend));
  }
  for (engine::PluginWriterOf& made : loading->writers) {
    info.writers.emplace_back(made.writer->name());
    register_writer(made.device, [&] { return std::move(made.writer); });
  }
}

// Under LoadingScope.
PluginInfo load(const std::string& path) {
  Loading loading;
  loading.info.path = real_path(path);
  if (std::optional<PluginInfo> known = find_loaded(loading.info.path)) return *std::move(known);
  {
    const engine::CrashReport report("plug-in " + loading.info.path + " crashed as it was loaded");
    void* library = open(loading.info.path);
    check_version(library, &loading.info);
    initialize(library, &loading);
  }
  register_all(&loading);
  if (base::logs(base::LogCategory::plugin))
    base::LogLine("plugin")
        .add("abi", version_text(loading.info.major, loading.info.minor))
        .add("backends", loading.info.backends.size())
        .add("ops", loading.info.ops.size())
        .add("writers", loading.info.writers.size())
        .add("devices", loading.info.devices.size())
        .add("loaded", loading.info.path);
  std::lock_guard lock(plugins().table);
  plugins().loaded.push_back(loading.info);
  return loading.info;
}

}  // namespace

namespace engine {
namespace {

// Before main(): an op that is looked for by its name may be one of theirs.
const bool installed = [] {
  custom::load_more = load_named_plugins;
  return true;
}();

}  // namespace

void load_named_plugins() {
  std::atomic<bool>& done = plugins().named_are_loaded;
  if (done.load(std::memory_order_acquire) || loads_here) return;
  const LoadingScope scope;
  if (done.load(std::memory_order_relaxed)) return;
  std::istringstream paths(base::flags().plugins);
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty()) continue;
    try {
      load(path);
    } catch (const Error& error) {
      std::fprintf(stderr, "frit: FRIT_PLUGINS: %s; going on without it\n", error.what());
    }
  }
  done.store(true, std::memory_order_release);
}

}  // namespace engine

PluginInfo load_plugin(const std::string& path) {
  if (loads_here) fail(path, "another plug-in's init must not load plug-ins");
  engine::load_named_plugins();
  const LoadingScope scope;
  return load(path);
}

std::vector<PluginInfo> list_plugins() {
  engine::load_named_plugins();
  std::lock_guard lock(plugins().table);
  return plugins().loaded;
}

}  // namespace frit

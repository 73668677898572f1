// Registers backends and writers.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/backends.h"
#include "src/base/fork.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "frit/error.h"
#include "src/engine/built_in_backends.h"
#include "src/engine/plugins.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

// Nothing of a plug-in's is called, copied or destroyed under the lock.
struct Backends {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  struct Registered {
    std::shared_ptr<const Backend> compile;
    bool exact;
  };
  std::map<std::string, Registered> by_name;
  std::string default_name = "native";
  struct DeviceWriter {
    uint8_t device_type;
    std::unique_ptr<Writer> writer;
  };
  // The last of a device's is in use; earlier ones made code that lives on.
  std::vector<DeviceWriter> writers;
};

// Counts changes; see backend_generation().
std::atomic<uint32_t> generation{0};

Backends& backends() {
  static Backends* table = [] {
    auto* made = new Backends;
    for (engine::BuiltInBackend& b : engine::built_in_backends())
      made->by_name[b.name] = {std::make_shared<const Backend>(std::move(b.compile)), b.exact};
    return made;
  }();
  return *table;
}

}  // namespace

namespace engine {

std::optional<FoundBackend> find_backend(const std::string& name) {
  Backends& b = backends();
  Backends::Registered found;
  {
    std::lock_guard lock(b.mutex);
    const auto it = b.by_name.find(name);
    if (it == b.by_name.end()) return std::nullopt;
    found = it->second;
  }
  return FoundBackend{*found.compile, found.exact};
}

std::vector<std::string> backends_in(const std::string& names) {
  std::vector<std::string> all;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const size_t first = names.find_first_not_of(' ', begin);
    const size_t last = names.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    all.push_back(first < end ? names.substr(first, last + 1 - first) : "");
    begin = end + 1;
  }
  return all;
}

void check_backends(const std::string& call, const std::string& names) {
  load_named_plugins();
  for (const std::string& name : backends_in(names)) {
    if (name == "native" || find_backend(name)) continue;
    std::string known;
    for (const std::string& other : list_backends()) known += (known.empty() ? "" : ", ") + other;
    throw Error(ErrorKind::kValue, call + ": unknown backend '" + name + "': known are " + known);
  }
}

std::string default_backend() {
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  return b.default_name;
}

uint32_t backend_generation() { return generation.load(std::memory_order_relaxed); }

Writer* registered_writer(Device device) {
  load_named_plugins();
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  Writer* found = nullptr;
  for (const Backends::DeviceWriter& w : b.writers)
    if (w.device_type == device.type) found = w.writer.get();
  return found;
}

}  // namespace engine

void register_backend(const std::string& name, Backend backend) {
  engine::load_named_plugins();  // so that what comes later replaces theirs
  if (name == "native")
    throw Error(ErrorKind::kValue, "register_backend(native): the name is taken");
  if (name.empty() || name.find(',') != std::string::npos)
    throw Error(ErrorKind::kValue, "register_backend(" + name + "): no name, or a comma in it");
  if (!backend)
    throw Error(ErrorKind::kValue, "register_backend(" + name + "): the function is empty");
  Backends::Registered registered{std::make_shared<const Backend>(std::move(backend)), false};
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  std::swap(b.by_name[name], registered);
  generation.fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::string> list_backends() {
  engine::load_named_plugins();
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  std::vector<std::string> names = {"native"};
  for (const auto& [name, backend] : b.by_name) names.push_back(name);
  return names;
}

void set_default_backend(const std::string& name) {
  engine::check_backends("set_default_backend(" + name + ")", name);
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  if (b.default_name == name) return;
  b.default_name = name;
  generation.fetch_add(1, std::memory_order_relaxed);
}

void register_writer(const std::string& device, std::function<std::unique_ptr<Writer>()> factory) {
  engine::load_named_plugins();  // so that what comes later replaces theirs
  const std::optional<uint8_t> type = devices::find(device);
  if (!type) throw Error(ErrorKind::kValue, "register_writer(" + device + "): no such device");
  std::unique_ptr<Writer> writer = factory ? factory() : nullptr;
  if (writer == nullptr)
    throw Error(ErrorKind::kValue, "register_writer(" + device + "): the factory made no writer");
  Backends& b = backends();
  std::lock_guard lock(b.mutex);
  b.writers.push_back({*type, std::move(writer)});
  generation.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace frit

// Registers devices, allocates on them and copies bytes.
#pragma GCC optimize("Os")  // what takes time is the devices'
#include "src/tensor/devices.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "frit/error.h"
#include "src/base/check.h"
#include "src/base/fork.h"

namespace frit {
namespace devices {
namespace {

// Records are never moved or destroyed: a type that is known can be looked up without the lock.
struct Table {
  base::ForkMutex mutex{base::ForkLevel::kTables};
  std::atomic<const Record*> records[kMaxTypes] = {};
  std::atomic<int> count{1};
};
Table& table() {
  static Table* table = new Table;
  return *table;
}

// The devices that this thread works with: one for each type, and which type goes first.
struct Current {
  uint8_t type;
  uint8_t index[kMaxTypes];
};
constinit thread_local Current current = {};
constexpr int kMaxStreams = 8;
struct StreamEntry {
  Device device;
  void* stream;
};
constinit thread_local StreamEntry streams[kMaxStreams] = {};

bool is_name(const std::string& name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_lower(name[0]) && std::all_of(name.begin(), name.end(), fits);
}

std::string known_names() {
  std::string text;
  for (const std::string& name : list_devices()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "1" of "npu:1"; -1 where that is no index.
int parse_index(std::string_view text) {
  if (text.empty() || text.size() > 3) return -1;
  int index = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    index = index * 10 + (c - '0');
  }
  return index < 256 ? index : -1;
}

}  // namespace

constinit thread_local Device device_of_new = kCPU;

void check_hooks(const std::string& name, const DeviceHooks& hooks) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::kValue, "register_device(" + name + "): " + problem);
  };
  if (!is_name(name) || name == "cpu")
    refuse("not a name for a device: lower case letters, digits and _, and not cpu");
  if (!hooks.allocate || !hooks.deallocate || !hooks.copy_in || !hooks.copy_out)
    refuse("allocate, deallocate, copy_in and copy_out are needed");
  if (hooks.count < 1 || hooks.count > 256)
    refuse("from 1 to 256 devices, not " + std::to_string(hooks.count));
  if (hooks.new_stream && (!hooks.delete_stream || !hooks.synchronize_stream))
    refuse("new_stream needs delete_stream and synchronize_stream");
}

int num_types() { return table().count.load(std::memory_order_acquire); }

const Record& record(uint8_t type) {
  const Record* found =
      type < kMaxTypes ? table().records[type].load(std::memory_order_acquire) : nullptr;
  FRIT_CHECK(found != nullptr) << "device type " << int{type};
  return *found;
}

std::optional<uint8_t> find(std::string_view name) {
  if (name == "cpu") return uint8_t{0};
  for (int type = 1; type < num_types(); ++type)
    if (record(static_cast<uint8_t>(type)).name == name) return static_cast<uint8_t>(type);
  return std::nullopt;
}

void check(Device device) {
  const bool known =
      device.is_cpu() ? device.index == 0
                      : device.type < num_types() && device.index < record(device.type).hooks.count;
  if (!known)
    throw Error(ErrorKind::kRuntime,
                "device(" + device.str() + "): no such device: known are " + known_names());
}

std::byte* allocate(Device device, int64_t bytes) {
  check(device);
  const Record& on = record(device.type);
  void* memory = on.hooks.allocate(device.index, std::max<int64_t>(bytes, 1));
  if (memory == nullptr)
    throw Error(ErrorKind::kOutOfMemory, "empty: out of memory: cannot allocate " +
                                             std::to_string(bytes) + " bytes on " + device.str());
  on.live_bytes[device.index].fetch_add(bytes, std::memory_order_relaxed);
  return static_cast<std::byte*>(memory);
}

void deallocate(Device device, std::byte* memory, int64_t bytes) {
  const Record& on = record(device.type);
  on.live_bytes[device.index].fetch_sub(bytes, std::memory_order_relaxed);
  on.hooks.deallocate(device.index, memory, std::max<int64_t>(bytes, 1));
}

void copy_bytes(Device to, void* destination, Device from, const void* source, int64_t bytes) {
  if (bytes == 0) return;
  if (to.is_cpu() && from.is_cpu()) {
    std::memcpy(destination, source, static_cast<size_t>(bytes));
  } else if (to.is_cpu()) {
    record(from.type).hooks.copy_out(from.index, destination, source, bytes);
  } else if (from.is_cpu()) {
    record(to.type).hooks.copy_in(to.index, destination, source, bytes);
  } else if (to == from && record(to.type).hooks.copy) {
    record(to.type).hooks.copy(to.index, destination, source, bytes);
  } else {
    const StorageRef between = StorageRef::adopt(new_storage(bytes, kCPU));
    copy_bytes(kCPU, between->data, from, source, bytes);
    copy_bytes(to, destination, kCPU, between->data, bytes);
  }
}

void* current_stream(Device device) {
  for (const StreamEntry& entry : streams)
    if (entry.stream != nullptr && entry.device == device) return entry.stream;
  return nullptr;
}

void manual_seed(uint64_t seed) {
  for (int type = 1; type < num_types(); ++type) {
    const DeviceHooks& hooks = record(static_cast<uint8_t>(type)).hooks;
    for (int i = 0; hooks.manual_seed && i < hooks.count; ++i) hooks.manual_seed(i, seed);
  }
}

Tensor copy_to(Device device, const TensorImpl& tensor) {
  const Layout& from = *tensor.layout;
  Tensor copy = new_tensor(intern_layout(from.dtype, device, from.sizes(), from.strides()));
  copy_bytes(device, copy.impl()->data, from.device, tensor.data,
             from.span() * byte_size(from.dtype));
  return copy;
}

}  // namespace devices

Device::Device(const std::string& name) {
  const size_t colon = name.find(':');
  const std::optional<uint8_t> found = devices::find(std::string_view(name).substr(0, colon));
  const int given = colon == name.npos ? 0 : devices::parse_index(name.substr(colon + 1));
  if (!found || given < 0)
    throw Error(ErrorKind::kRuntime,
                "device(" + name + "): no such device: known are " + devices::known_names());
  type = *found;
  index = colon == name.npos ? devices::current.index[type] : static_cast<uint8_t>(given);
  devices::check(*this);
}

std::string Device::str() const {
  if (is_cpu()) return "cpu";
  const std::string name =
      type < devices::num_types() ? devices::record(type).name : "device" + std::to_string(type);
  return name + ':' + std::to_string(index);
}

Device default_device() { return devices::device_of_new; }
void set_default_device(Device device) {
  devices::check(device);
  devices::device_of_new = device;
}
DefaultDeviceScope::DefaultDeviceScope(Device device) : outer_(default_device()) {
  set_default_device(device);
}
DefaultDeviceScope::~DefaultDeviceScope() { devices::device_of_new = outer_; }

Device register_device(const std::string& name, DeviceHooks hooks) {
  devices::check_hooks(name, hooks);
  auto made = std::make_unique<devices::Record>();
  made->name = name;
  made->live_bytes = std::make_unique<std::atomic<int64_t>[]>(static_cast<size_t>(hooks.count));
  made->hooks = std::move(hooks);
  devices::Table& table = devices::table();
  std::lock_guard lock(table.mutex);
  const int type = table.count.load(std::memory_order_relaxed);
  if (devices::find(name))
    throw Error(ErrorKind::kValue, "register_device(" + name + "): the name is taken");
  if (type == devices::kMaxTypes)
    throw Error(ErrorKind::kValue, "register_device(" + name + "): too many devices: at most " +
                                       std::to_string(devices::kMaxTypes - 1));
  table.records[type].store(made.release(), std::memory_order_release);
  table.count.store(type + 1, std::memory_order_release);
  return {static_cast<uint8_t>(type), 0};
}

std::vector<std::string> list_devices() {
  std::vector<std::string> names = {"cpu"};
  for (int type = 1; type < devices::num_types(); ++type)
    names.push_back(devices::record(static_cast<uint8_t>(type)).name);
  return names;
}

namespace accelerator {

bool is_available() { return devices::num_types() > 1; }

std::optional<Device> current() {
  if (!is_available()) return std::nullopt;
  const uint8_t type = std::max<uint8_t>(devices::current.type, 1);
  return Device(type, devices::current.index[type]);
}

void set_device(Device device) {
  devices::check(device);
  if (device.is_cpu())
    throw Error(ErrorKind::kValue, "accelerator::set_device(cpu): the CPU is no accelerator");
  devices::current.type = device.type;
  devices::current.index[device.type] = device.index;
}

int device_count() {
  const std::optional<Device> device = current();
  return device ? devices::record(device->type).hooks.count : 0;
}

int device_count(const std::string& type) {
  const Device device(type);
  return device.is_cpu() ? 1 : devices::record(device.type).hooks.count;
}

void synchronize(Device device) {
  devices::check(device);
  if (device.is_cpu()) return;
  const DeviceHooks& hooks = devices::record(device.type).hooks;
  if (hooks.synchronize) hooks.synchronize(device.index);
}

void synchronize() {
  for (int i = 0; i < device_count(); ++i)
    synchronize(Device(current()->type, static_cast<uint8_t>(i)));
}

int64_t memory_allocated(Device device) {
  devices::check(device);
  if (device.is_cpu()) return pool_stats().live_bytes;
  return devices::record(device.type).live_bytes[device.index].load(std::memory_order_relaxed);
}

struct Stream::State {
  explicit State(Device on) : device(on), hooks(devices::record(on.type).hooks) {
    handle = hooks.new_stream(device.index);
    if (handle == nullptr)
      throw Error(ErrorKind::kRuntime, "Stream(" + device.str() + "): the device gave none");
  }
  ~State() { hooks.delete_stream(device.index, handle); }

  const Device device;
  const DeviceHooks& hooks;
  void* handle;
};

Stream::Stream(Device device) {
  devices::check(device);
  if (device.is_cpu() || !devices::record(device.type).hooks.new_stream)
    throw Error(ErrorKind::kNotImplemented,
                "Stream(" + device.str() + "): the device has no streams");
  state_ = std::make_shared<State>(device);
}

Device Stream::device() const { return state_->device; }
void* Stream::handle() const { return state_->handle; }
void Stream::synchronize() const {
  state_->hooks.synchronize_stream(state_->device.index, state_->handle);
}

// Takes the place of the device's stream of this thread.
StreamScope::StreamScope(Stream stream)
    : stream_(std::move(stream)), outer_(devices::current_stream(stream_.device())) {
  devices::StreamEntry* free = nullptr;
  for (devices::StreamEntry& entry : devices::streams) {
    if (entry.stream == nullptr && free == nullptr) free = &entry;
    if (entry.stream != nullptr && entry.device == stream_.device()) {
      entry.stream = stream_.handle();
      return;
    }
  }
  if (free == nullptr)
    throw Error(ErrorKind::kRuntime, "StreamScope(" + stream_.device().str() +
                                         "): this thread has streams on too many devices: " +
                                         std::to_string(devices::kMaxStreams));
  *free = {stream_.device(), stream_.handle()};
}

StreamScope::~StreamScope() {
  for (devices::StreamEntry& entry : devices::streams)
    if (entry.stream == stream_.handle() && entry.device == stream_.device()) entry.stream = outer_;
}

}  // namespace accelerator
}  // namespace frit

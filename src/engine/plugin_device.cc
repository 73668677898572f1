// Hands memory and calls of ops to devices over the C interface of plug-ins.
#pragma GCC optimize("Os")  // what it calls is another's, and it is large otherwise
#include "src/engine/plugin_device.h"

#include <memory>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/engine/plugin_call.h"
#include "src/engine/plugin_values.h"
#include "src/ops/attrs.h"

namespace frit::engine {
namespace {

// What minor version 2 had, which none may lack.
constexpr size_t kFirstDeviceSize = sizeof(frit_device);
constexpr size_t kFirstKernelSize = sizeof(frit_device_kernel);

// A device as its plug-in gave it, and how its failures are told.
struct Given {
  std::string plugin, name;
  frit_device device;

  // Throws where `fn`, which does `what`, fails.
  template <class Fn>
  void call(const char* what, int index, Fn fn) const {
    std::string why;
    if (plugin_call(fn, &why)) return;
    throw Error(ErrorKind::kRuntime, "device(" + name + ":" + std::to_string(index) + "): " + what +
                                         " failed: " + why + " (plug-in " + plugin + ")");
  }
};
using Device = std::shared_ptr<const Given>;

void add_memory(const Device& d, DeviceHooks* hooks) {
  hooks->allocate = [d](int index, int64_t bytes) {
    void* memory = nullptr;
    std::string why;  // no memory is no more than that
    plugin_call(
        [&] {
          memory = d->device.allocate(d->device.context, index, bytes);
          return FRIT_PLUGIN_OK;
        },
        &why);
    return memory;
  };
  hooks->deallocate = [d](int index, void* memory, int64_t bytes) {
    std::string why;  // there is nobody to tell
    plugin_call(
        [&] {
          return d->device.deallocate(d->device.context, index, memory, bytes), FRIT_PLUGIN_OK;
        },
        &why);
  };
  hooks->copy_in = [d](int index, void* to, const void* host, int64_t bytes) {
    d->call("copy_in", index,
            [&] { return d->device.copy_in(d->device.context, index, to, host, bytes); });
  };
  hooks->copy_out = [d](int index, void* host, const void* from, int64_t bytes) {
    d->call("copy_out", index,
            [&] { return d->device.copy_out(d->device.context, index, host, from, bytes); });
  };
  if (d->device.copy == nullptr) return;
  hooks->copy = [d](int index, void* to, const void* from, int64_t bytes) {
    d->call("copy", index,
            [&] { return d->device.copy(d->device.context, index, to, from, bytes); });
  };
}

void add_streams(const Device& d, DeviceHooks* hooks) {
  if (d->device.synchronize != nullptr)
    hooks->synchronize = [d](int index) {
      d->call("synchronize", index,
              [&] { return d->device.synchronize(d->device.context, index); });
    };
  if (d->device.manual_seed != nullptr)
    hooks->manual_seed = [d](int index, uint64_t seed) {
      d->call("manual_seed", index,
              [&] { return d->device.manual_seed(d->device.context, index, seed); });
    };
  if (d->device.new_stream == nullptr) return;
  hooks->new_stream = [d](int index) {
    void* stream = nullptr;
    d->call("new_stream", index, [&] {
      stream = d->device.new_stream(d->device.context, index);
      return FRIT_PLUGIN_OK;
    });
    return stream;
  };
  if (d->device.delete_stream != nullptr)
    hooks->delete_stream = [d](int index, void* stream) {
      std::string why;  // there is nobody to tell
      plugin_call(
          [&] { return d->device.delete_stream(d->device.context, index, stream), FRIT_PLUGIN_OK; },
          &why);
    };
  if (d->device.synchronize_stream != nullptr)
    hooks->synchronize_stream = [d](int index, void* stream) {
      d->call("synchronize_stream", index,
              [&] { return d->device.synchronize_stream(d->device.context, index, stream); });
    };
}

// One call of an op as the interface has it.
class HandedCall {
 public:
  explicit HandedCall(const KernelCall& call) : name_(name(call.op())) {
    const size_t count = call.num_operands();
    numbers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      operands_.push_back(call.is_tensor(i) ? handed(call.tensor(i))
                                            : handed(call.scalar(i), &numbers_[i]));
      kinds_.push_back(call.is_tensor(i) ? FRIT_TENSOR : FRIT_NUMBER);
      arguments_.push_back(static_cast<int32_t>(i));
    }
    for (const Tensor& result : call.results()) results_.push_back(handed(result));
    add_attributes(call);
    call_ = {sizeof call_,
             name_.c_str(),
             operands_.data(),
             kinds_.data(),
             arguments_.data(),
             attributes_.data(),
             results_.data(),
             static_cast<int32_t>(count),
             static_cast<int32_t>(attributes_.size()),
             static_cast<int32_t>(results_.size()),
             0};
  }
  HandedCall(const HandedCall&) = delete;
  const frit_call* get() const { return &call_; }

 private:
  static int32_t kind_of(AttrKind kind) {
    switch (kind) {
      case AttrKind::kInt:
        return FRIT_ATTR_INT;
      case AttrKind::kInts:
        return FRIT_ATTR_INTS;
      case AttrKind::kBool:
        return FRIT_ATTR_BOOL;
      case AttrKind::kDtype:
        return FRIT_ATTR_DTYPE;
      case AttrKind::kText:
        return FRIT_ATTR_TEXT;
    }
    __builtin_unreachable();
  }

  void add_attributes(const KernelCall& call) {
    const auto specs = attr_specs(call.op());
    names_.reserve(specs.size());  // what is pointed to stays where it is
    texts_.reserve(specs.size());
    values_.reserve(specs.size());
    for (const AttrSpec& spec : specs) {
      frit_attribute made = {names_.emplace_back(spec.name).c_str(), nullptr, nullptr, 0,
                             kind_of(spec.kind)};
      if (spec.kind == AttrKind::kText) {
        made.text = texts_.emplace_back(unpacked_text(call.list_attribute(spec.name))).c_str();
      } else if (is_list(spec.kind)) {
        const IntArrayRef list = call.list_attribute(spec.name);
        made.values = list.data();
        made.num_values = static_cast<int32_t>(list.size());
      } else {
        made.values = &values_.emplace_back(call.attribute(spec.name));
        made.num_values = 1;
      }
      attributes_.push_back(made);
    }
  }

  std::string name_;
  frit_call call_;
  std::vector<frit_tensor> operands_, results_;
  std::vector<int32_t> kinds_, arguments_;
  std::vector<NumberBits> numbers_;
  std::vector<frit_attribute> attributes_;
  std::vector<std::string> names_, texts_;
  std::vector<int64_t> values_;
};

[[noreturn]] void refuse(const char* call, const std::string& problem) {
  throw Error(ErrorKind::kValue, std::string(call) + ": " + problem);
}

std::string text_of(const char* given) { return given != nullptr ? given : ""; }

void check_size(const char* call, const char* what, size_t size, size_t least) {
  if (size < least)
    refuse(call, std::string("the ") + what + "'s size is " + std::to_string(size) +
                     " bytes, that of 1.2 is " + std::to_string(least));
}

}  // namespace

PluginDevice plugin_device(const frit_device* given, const std::string& plugin) {
  constexpr const char* kCall = "register_device";
  if (given == nullptr) refuse(kCall, "the device is null");
  check_size(kCall, "device", given->size, kFirstDeviceSize);
  const std::string name = text_of(given->name);
  if (given->allocate == nullptr || given->deallocate == nullptr || given->copy_in == nullptr ||
      given->copy_out == nullptr)
    refuse(kCall, name + ": allocate, deallocate, copy_in and copy_out are needed");
  const auto device = std::make_shared<const Given>(Given{plugin, name, *given});
  PluginDevice made{name, {}};
  made.hooks.count = given->count;
  add_memory(device, &made.hooks);
  add_streams(device, &made.hooks);
  return made;
}

PluginDeviceKernel plugin_device_kernel(const frit_device_kernel* given,
                                        const std::string& plugin) {
  constexpr const char* kCall = "register_kernel";
  if (given == nullptr) refuse(kCall, "the kernel is null");
  check_size(kCall, "kernel", given->size, kFirstKernelSize);
  PluginDeviceKernel made{text_of(given->device), text_of(given->op), {}};
  if (given->run == nullptr) refuse(kCall, made.device + " " + made.op + ": run is null");
  made.run = [run = given->run, context = given->context, plugin](const KernelCall& call) {
    const HandedCall as_seen(call);
    int status = FRIT_PLUGIN_OK;
    std::string why;
    const bool good = plugin_call(
        [&] {
          status = run(context, as_seen.get());
          return status == FRIT_PLUGIN_DECLINED ? FRIT_PLUGIN_OK : status;
        },
        &why);
    if (good) return status == FRIT_PLUGIN_OK;
    throw Error(ErrorKind::kRuntime, std::string(name(call.op())) + ": its kernel on " +
                                         call.device().str() + " failed: " + why + " (plug-in " +
                                         plugin + ")");
  };
  return made;
}

}  // namespace frit::engine

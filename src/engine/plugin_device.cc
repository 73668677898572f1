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
#include "src/ops/custom.h"

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

// One call of an op as the interface has it. Of Frit's ops operands are arguments, and attributes
// stand by name; of registered ones all is as their own functions get it.
class HandedCall {
 public:
  explicit HandedCall(const KernelCall& call) : call_of_(call), name_(name(call.op())) {
    const size_t count = call.num_operands();
    numbers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      operands_.push_back(call.is_tensor(i) ? handed(call.tensor(i))
                                            : handed(call.scalar(i), &numbers_[i]));
      kinds_.push_back(call.is_tensor(i) ? FRIT_TENSOR : FRIT_NUMBER);
      arguments_.push_back(static_cast<int32_t>(i));
    }
    for (const Tensor& result : call.results()) results_.push_back(handed(result));
    const auto specs = attr_specs(call.op());
    names_.reserve(specs.size());  // what is pointed to stays where it is
    texts_.reserve(specs.size());
    values_.reserve(specs.size());
    is_custom(call.op()) ? add_by_schema() : add_by_name(specs);
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
  void add_by_name(std::span<const AttrSpec> specs) {
    for (const AttrSpec& spec : specs) {
      switch (spec.kind) {
        case AttrKind::kInt:
          add_value(spec.name, FRIT_ATTR_INT);
          break;
        case AttrKind::kInts:
          add_list(spec.name, FRIT_ATTR_INTS);
          break;
        case AttrKind::kBool:
          add_value(spec.name, FRIT_ATTR_BOOL);
          break;
        case AttrKind::kDtype:
          add_value(spec.name, FRIT_ATTR_DTYPE);
          break;
        case AttrKind::kText:
          add_text(spec.name);
          break;
      }
    }
  }

  void add_by_schema() {
    const custom::Schema& schema = custom::definition(call_of_.op()).schema;
    for (size_t a = 0; a < schema.args.size(); ++a) {
      const custom::ArgSpec& spec = schema.args[a];
      if (custom::is_operand(spec.kind)) {
        name_operands(schema.operands_of(spec, operands_.size()), spec.kind,
                      static_cast<int32_t>(a));
      } else {
        add_argument(spec);
      }
    }
  }

  // What was left out is a bool, which no number is.
  void name_operands(custom::Schema::Range range, custom::ArgKind kind, int32_t argument) {
    for (size_t place = range.first; place < range.first + range.size; ++place) {
      arguments_[place] = argument;
      const bool optional =
          kind == custom::ArgKind::kOptionalTensor || kind == custom::ArgKind::kOptionalFloat;
      const bool absent = optional && !call_of_.is_tensor(place) &&
                          call_of_.scalar(place).kind() == Scalar::Kind::kBool;
      if (!absent) continue;
      kinds_[place] = FRIT_ABSENT;
      operands_[place] = {};
    }
  }

  void add_argument(const custom::ArgSpec& spec) {
    switch (spec.kind) {
      case custom::ArgKind::kInts:
        return add_list(spec.name, FRIT_ATTR_INTS);
      case custom::ArgKind::kText:
        return add_text(spec.name);
      case custom::ArgKind::kOptionalInt:
        return add_list(spec.name, FRIT_ATTR_INT);  // of one or none
      case custom::ArgKind::kOptionalBool:
        return add_list(spec.name, FRIT_ATTR_BOOL);
      case custom::ArgKind::kInt:
        return add_value(spec.name, FRIT_ATTR_INT);
      default:
        return add_value(spec.name, FRIT_ATTR_BOOL);
    }
  }

  frit_attribute& add(std::string_view name, int32_t kind) {
    return attributes_.emplace_back(
        frit_attribute{names_.emplace_back(name).c_str(), nullptr, nullptr, 0, kind});
  }
  void add_value(std::string_view name, int32_t kind) {
    frit_attribute& made = add(name, kind);
    made.values = &values_.emplace_back(call_of_.attribute(name));
    made.num_values = 1;
  }
  void add_list(std::string_view name, int32_t kind) {
    const IntArrayRef list = call_of_.list_attribute(name);
    frit_attribute& made = add(name, kind);
    made.values = list.data();
    made.num_values = static_cast<int32_t>(list.size());
  }
  void add_text(std::string_view name) {
    add(name, FRIT_ATTR_TEXT).text =
        texts_.emplace_back(unpacked_text(call_of_.list_attribute(name))).c_str();
  }

  const KernelCall& call_of_;
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

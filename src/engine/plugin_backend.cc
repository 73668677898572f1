// Hands graphs over the C interface of plug-ins.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/plugin_backend.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/engine/plugin_call.h"
#include "src/engine/plugin_values.h"
#include "src/tensor/tensor_impl.h"

namespace frit::engine {
namespace {

// What the first minor version had, which none may lack.
constexpr size_t kFirstBackendSize = offsetof(frit_backend, keep);

frit_type type_of(const Graph& graph, Graph::ValueId value) {
  if (graph.is_scalar(value)) {
    const Dtype dtype = dtype_of_number(graph.scalar_kind(value));
    return {nullptr, nullptr, static_cast<int32_t>(dtype), 0, FRIT_NUMBER, 0};
  }
  const IntArrayRef sizes = graph.sizes(value);
  return {sizes.data(),
          graph.strides(value).data(),
          static_cast<int32_t>(graph.dtype(value)),
          static_cast<int32_t>(sizes.size()),
          FRIT_TENSOR,
          0};
}

// What a plug-in made of a graph. Shared by the copies of the function that runs it.
class Compiled {
 public:
  Compiled(std::string backend, const Graph& graph, const frit_compiled& compiled)
      : backend_(std::move(backend)), compiled_(compiled) {
    for (const Graph::ValueId output : graph.outputs()) outputs_.push_back(graph.layout(output));
  }
  Compiled(const Compiled&) = delete;
  ~Compiled() { plugin_destroy(compiled_.destroy, compiled_.state); }

  std::vector<Tensor> run(std::span<const GraphArg> args) const {
    std::vector<NumberBits> numbers(args.size());
    std::vector<frit_tensor> inputs, outputs;
    for (size_t i = 0; i < args.size(); ++i)
      inputs.push_back(args[i].tensor.defined() ? handed(args[i].tensor)
                                                : handed(args[i].scalar, &numbers[i]));
    std::vector<Tensor> results;
    for (const Layout* layout : outputs_)
      outputs.push_back(handed(results.emplace_back(new_tensor(layout))));
    std::string why;
    const auto run = [&] { return compiled_.run(compiled_.state, inputs.data(), outputs.data()); };
    if (!plugin_call(run, &why))
      throw Error(ErrorKind::kRuntime, "backend(" + backend_ + "): run failed: " + why);
    return results;
  }

 private:
  std::string backend_;
  frit_compiled compiled_;
  std::vector<const Layout*> outputs_;
};

// A plug-in's backend, copied.
struct PluginBackend {
  std::string name;
  void* context;
  int (*compile)(void*, const frit_graph*, frit_compiled*);
  std::vector<std::string> devices;

  // A plug-in that knows nothing of a device would take its addresses for the host's.
  void check_devices(const Graph& graph) const {
    for (Graph::ValueId v = 0; v < graph.num_values(); ++v) {
      if (graph.is_scalar(v)) continue;
      const std::string device = graph.device(v).str(), type = device.substr(0, device.find(':'));
      if (std::find(devices.begin(), devices.end(), type) == devices.end())
        throw Error(ErrorKind::kNotImplemented,
                    "backend(" + name + "): refused: it is not for tensors on " + device);
    }
  }

  CompiledGraph operator()(const BackendInput& input) const {
    const Graph& graph = input.graph;
    check_devices(graph);
    const std::string text = graph.print();
    std::vector<frit_type> inputs, outputs;
    for (int v = 0; v < graph.num_inputs(); ++v) inputs.push_back(type_of(graph, v));
    for (const Graph::ValueId v : graph.outputs()) outputs.push_back(type_of(graph, v));
    const frit_graph given = {sizeof(frit_graph), text.c_str(),
                              inputs.data(),      outputs.data(),
                              graph.num_inputs(), static_cast<int32_t>(outputs.size())};
    frit_compiled compiled = {sizeof(frit_compiled), nullptr, nullptr, nullptr};
    std::string why;
    if (!plugin_call([&] { return compile(context, &given, &compiled); }, &why))
      throw Error(ErrorKind::kNotImplemented, "backend(" + name + "): refused: " + why);
    const auto made = std::make_shared<const Compiled>(name, graph, compiled);
    if (compiled.run == nullptr)
      throw Error(ErrorKind::kRuntime, "backend(" + name + "): compile gave no function to run");
    return [made](std::span<const GraphArg> args) { return made->run(args); };
  }
};

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kValue, "register_backend: " + problem);
}

void check(const frit_backend* given) {
  if (given == nullptr) refuse("the backend is null");
  if (given->size < kFirstBackendSize)
    refuse("the backend's size is " + std::to_string(given->size) + " bytes, that of 1.0 is " +
           std::to_string(kFirstBackendSize));
  const std::string name = given->name != nullptr ? given->name : "";
  if (name.empty()) refuse("the backend has no name");
  if (name == "native") refuse("the name native is taken");
  if (name.find(',') != std::string::npos) refuse(name + ": there is a comma in the name");
  if (given->compile == nullptr) refuse(name + ": compile is null");
  if (given->stage != FRIT_STAGE_CAPTURE && given->stage != FRIT_STAGE_NORMALIZED)
    refuse(name + ": there is no stage " + std::to_string(given->stage));
}

}  // namespace

std::pair<std::string, Backend> plugin_backend(const frit_backend* given) {
  check(given);
  PluginBackend backend{given->name, given->context, given->compile, {}};
  if (FRIT_PLUGIN_HAS(given, devices) && given->devices != nullptr)
    for (const char* const* device = given->devices; *device != nullptr; ++device)
      backend.devices.emplace_back(*device);
  else
    backend.devices = {"cpu"};
  const std::string name = backend.name;
  std::vector<std::string> keep;
  if (FRIT_PLUGIN_HAS(given, keep) && given->keep != nullptr)
    for (const char* const* op = given->keep; *op != nullptr; ++op) keep.emplace_back(*op);
  if (given->stage == FRIT_STAGE_NORMALIZED)
    return {name, normalized(std::move(backend), std::move(keep))};
  if (!keep.empty()) refuse(name + ": keep is for the normalized stage");
  return {name, std::move(backend)};
}

}  // namespace frit::engine

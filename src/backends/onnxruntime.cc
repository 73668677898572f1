// Graphs run by onnxruntime, on the memory of Frit's tensors.
#include "frit/onnxruntime.h"

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "frit/backend.h"
#include "frit/compile.h"
#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/backends/onnxruntime_library.h"
#include "src/onnx/dtypes.h"

namespace frit {
namespace {

using backends::OnnxBuffer;
using backends::OnnxRuntime;

// Where to look for the library, first place first.
std::vector<std::string> places(const OnnxruntimeOptions& options) {
  if (!options.library.empty()) return {options.library};
  return {"libonnxruntime.so.1", "libonnxruntime.so"};
}

// Loaded once and never unloaded, since plans may outlive everything else. Null: `why`.
std::shared_ptr<const OnnxRuntime> loaded(const OnnxruntimeOptions& options, std::string* why) {
  static std::mutex mutex;
  static auto* by_place = new std::map<std::string, std::shared_ptr<const OnnxRuntime>>;
  const std::lock_guard lock(mutex);
  std::string first;
  for (const std::string& place : places(options)) {
    std::shared_ptr<const OnnxRuntime>& runtime = (*by_place)[place];
    if (runtime == nullptr) runtime = OnnxRuntime::load(place, why);
    if (runtime != nullptr) return runtime;
    if (first.empty()) first = *why;
  }
  *why = "onnxruntime: no library: " + first;
  return nullptr;
}

// Calls fn with the type of elements.
template <class Fn>
void with_type(Dtype dtype, Fn fn) {
  switch (dtype) {
    case kFloat64:
      return fn(double{});
    case kFloat32:
      return fn(float{});
    case kBFloat16:
      return fn(BFloat16{});
    case kFloat16:
      return fn(Half{});
    case kInt64:
      return fn(int64_t{});
    case kInt32:
      return fn(int32_t{});
    case kInt16:
      return fn(int16_t{});
    case kInt8:
      return fn(int8_t{});
    case kUInt8:
      return fn(uint8_t{});
    case kBool:
      return fn(bool{});
  }
}

// One call of a compiled graph: the memory of its tensors is open while onnxruntime runs.
class Run {
 public:
  Run(const OnnxRuntime::Session& session, const Graph& graph, std::span<const GraphArg> args)
      : session_(session) {
    for (const GraphArg& arg : args) {
      if (arg.tensor.defined())
        inputs_.push_back(arg.tensor.contiguous());
      else
        inputs_.push_back(number(arg.scalar));
    }
    for (const Graph::ValueId v : graph.outputs()) {
      // What is not row-major the engine copies into the layout that the graph states.
      const TensorOptions here = TensorOptions(graph.dtype(v)).device(kCPU);
      Tensor out = empty_strided(graph.sizes(v), graph.strides(v), here);
      outputs_.push_back(out.is_contiguous() ? out : empty(graph.sizes(v), here));
    }
  }

  std::vector<Tensor> go() {
    open(0);
    return std::move(outputs_);
  }

 private:
  static Tensor number(const Scalar& scalar) {
    const TensorOptions here = TensorOptions().device(kCPU);
    return tensor(scalar, scalar.is_float() ? here.dtype(kFloat64) : here);
  }

  // Opens the memory of one tensor after the other, then runs.
  void open(size_t i) {
    if (i == inputs_.size() + outputs_.size())
      return session_.run(std::span(buffers_).first(inputs_.size()),
                          std::span(buffers_).subspan(inputs_.size()));
    const bool reads = i < inputs_.size();
    const Tensor& t = reads ? inputs_[i] : outputs_[i - inputs_.size()];
    const auto open_rest = [&](const void* data) {
      buffers_.push_back(
          {data, static_cast<size_t>(t.nbytes()), t.sizes(), onnx::dtype_to_onnx(t.dtype())});
      open(i + 1);
    };
    with_type(t.dtype(), [&](auto element) {
      using T = decltype(element);
      reads ? t.with_data<const T>(open_rest) : t.with_data<T>(open_rest);
    });
  }

  const OnnxRuntime::Session& session_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<OnnxBuffer> buffers_;
};

// A part of a graph. Null where onnxruntime has no kernel for it; `why` says for what.
CompiledGraph compile_part(const OnnxRuntime& runtime, const Graph& graph, std::string* why) {
  std::shared_ptr<const OnnxRuntime::Session> session;
  try {
    session = runtime.open(onnx::to_bytes(graph), get_num_threads());
  } catch (const std::runtime_error& error) {
    *why = error.what();
    return nullptr;
  }
  return [session, graph](std::span<const GraphArg> args) {
    try {
      return Run(*session, graph, args).go();
    } catch (const std::runtime_error& error) {
      throw Error(ErrorKind::kRuntime, error.what());
    }
  };
}

CompiledGraph compile_graph(const OnnxruntimeOptions& options, const BackendInput& input) {
  std::string why;
  if (!input.graph.on_cpu())
    throw Error(ErrorKind::kNotImplemented, "onnxruntime: tensors on other devices than the CPU");
  const std::shared_ptr<const OnnxRuntime> runtime = loaded(options, &why);
  if (runtime == nullptr) throw Error(ErrorKind::kNotImplemented, why);
  const auto part = [&](const BackendInput& taken) {
    return compile_part(*runtime, taken.graph, &why);
  };
  CompiledGraph compiled = partitioned(part, onnx::can_export)(input);
  if (compiled) return compiled;
  if (why.empty()) onnx::to_bytes(input.graph);  // throws what has no ONNX form
  throw Error(ErrorKind::kNotImplemented,
              why.empty() ? "onnxruntime: the rest of the graph is not for machine code" : why);
}

}  // namespace

void register_onnxruntime(const OnnxruntimeOptions& options) {
  register_backend("onnxruntime",
                   [options](const BackendInput& input) { return compile_graph(options, input); });
}

std::string onnxruntime_version(const OnnxruntimeOptions& options) {
  std::string why;
  const std::shared_ptr<const OnnxRuntime> runtime = loaded(options, &why);
  if (runtime == nullptr) throw Error(ErrorKind::kRuntime, why);
  return runtime->version();
}

}  // namespace frit

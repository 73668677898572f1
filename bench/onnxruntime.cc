// Calls onnxruntime through the positions of its function table.
#include "bench/onnxruntime.h"

#include <dlfcn.h>

#include <stdexcept>

namespace frit::bench {
namespace {

constexpr uint32_t kApiVersion = 17;  // the oldest that has all of this; newer libraries serve it

// Positions in the table.
constexpr int kGetErrorMessage = 2, kCreateEnv = 3, kCreateSession = 7, kRun = 9,
              kCreateSessionOptions = 10, kSetGraphOptimizationLevel = 23,
              kSetIntraOpNumThreads = 24, kSetInterOpNumThreads = 25, kSessionGetInputName = 36,
              kSessionGetOutputName = 37, kCreateTensorWithData = 49, kGetTensorMutableData = 51,
              kGetTensorShapeElementCount = 64, kGetTensorTypeAndShape = 65,
              kCreateCpuMemoryInfo = 69, kAllocatorFree = 76, kGetAllocatorWithDefaultOptions = 78,
              kReleaseEnv = 92, kReleaseStatus = 93, kReleaseMemoryInfo = 94, kReleaseSession = 95,
              kReleaseValue = 96, kReleaseTensorTypeAndShape = 99, kReleaseSessionOptions = 100;

constexpr int kFloat = 1, kArenaAllocator = 1, kDefaultMemory = 0, kWarnings = 2,
              kAllOptimisations = 99;

struct ApiBase {
  void* const* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

}  // namespace

template <class... A>
void OnnxRuntime::call(int position, A... args) const {
  void* status = reinterpret_cast<void* (*)(A...)>(table_[position])(args...);
  if (status == nullptr) return;
  const std::string text =
      reinterpret_cast<const char* (*)(void*)>(table_[kGetErrorMessage])(status);
  release(kReleaseStatus, status);
  throw std::runtime_error("onnxruntime: " + text);
}

template <class... A>
void OnnxRuntime::release(int position, A... args) const {
  reinterpret_cast<void (*)(A...)>(table_[position])(args...);
}

std::unique_ptr<OnnxRuntime> OnnxRuntime::load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) return nullptr;
  auto runtime = std::make_unique<OnnxRuntime>();
  runtime->table_ = get_base()->get_api(kApiVersion);
  if (runtime->table_ == nullptr) return nullptr;
  runtime->call(kCreateEnv, kWarnings, "bench", &runtime->env_);
  runtime->call(kCreateSessionOptions, &runtime->options_);
  runtime->call(kSetGraphOptimizationLevel, runtime->options_, kAllOptimisations);
  runtime->call(kSetIntraOpNumThreads, runtime->options_, 1);
  runtime->call(kSetInterOpNumThreads, runtime->options_, 1);
  runtime->call(kCreateCpuMemoryInfo, kArenaAllocator, kDefaultMemory, &runtime->memory_);
  return runtime;
}

OnnxRuntime::~OnnxRuntime() {
  if (memory_ != nullptr) release(kReleaseMemoryInfo, memory_);
  if (options_ != nullptr) release(kReleaseSessionOptions, options_);
  if (env_ != nullptr) release(kReleaseEnv, env_);
}

std::unique_ptr<OnnxRuntime::Session> OnnxRuntime::open(const std::string& model) {
  auto session = std::make_unique<Session>();
  session->owner = this;
  call(kCreateSession, env_, model.c_str(), options_, &session->session);
  void* allocator = nullptr;
  call(kGetAllocatorWithDefaultOptions, &allocator);
  char* name = nullptr;
  call(kSessionGetInputName, session->session, size_t{0}, allocator, &name);
  session->input_name = name;
  call(kAllocatorFree, allocator, static_cast<void*>(name));
  call(kSessionGetOutputName, session->session, size_t{0}, allocator, &name);
  session->output_name = name;
  call(kAllocatorFree, allocator, static_cast<void*>(name));
  return session;
}

OnnxRuntime::Session::~Session() {
  if (session != nullptr) owner->release(kReleaseSession, session);
}

std::vector<float> OnnxRuntime::Session::run(std::span<const float> input,
                                             std::span<const int64_t> shape) {
  void* value = nullptr;
  owner->call(kCreateTensorWithData, owner->memory_,
              static_cast<void*>(const_cast<float*>(input.data())), input.size_bytes(),
              shape.data(), shape.size(), kFloat, &value);
  const char* input_names[] = {input_name.c_str()};
  const char* output_names[] = {output_name.c_str()};
  void* output = nullptr;
  owner->call(kRun, session, static_cast<void*>(nullptr),
              static_cast<const char* const*>(input_names), static_cast<void* const*>(&value),
              size_t{1}, static_cast<const char* const*>(output_names), size_t{1}, &output);
  void* info = nullptr;
  size_t count = 0;
  float* data = nullptr;
  owner->call(kGetTensorTypeAndShape, output, &info);
  owner->call(kGetTensorShapeElementCount, info, &count);
  owner->call(kGetTensorMutableData, output, reinterpret_cast<void**>(&data));
  std::vector<float> result(data, data + count);
  owner->release(kReleaseTensorTypeAndShape, info);
  owner->release(kReleaseValue, output);
  owner->release(kReleaseValue, value);
  return result;
}

}  // namespace frit::bench

// Calls onnxruntime through the positions of its function table.
#include "src/backends/onnxruntime_library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace frit::backends {
namespace {

constexpr uint32_t kApiVersion =
    17;  // the oldest that runs all that is exported; newer ones serve it

// Positions in the table.
constexpr int kGetErrorMessage = 2, kCreateEnv = 3, kCreateSession = 7, kCreateSessionFromArray = 8,
              kRun = 9, kCreateSessionOptions = 10, kSetGraphOptimizationLevel = 23,
              kSetIntraOpNumThreads = 24, kSetInterOpNumThreads = 25, kSessionGetInputCount = 30,
              kSessionGetOutputCount = 31, kSessionGetInputName = 36, kSessionGetOutputName = 37,
              kCreateTensorWithData = 49, kGetTensorMutableData = 51,
              kGetTensorShapeElementCount = 64, kGetTensorTypeAndShape = 65,
              kCreateCpuMemoryInfo = 69, kAllocatorFree = 76, kGetAllocatorWithDefaultOptions = 78,
              kReleaseEnv = 92, kReleaseStatus = 93, kReleaseMemoryInfo = 94, kReleaseSession = 95,
              kReleaseValue = 96, kReleaseTensorTypeAndShape = 99, kReleaseSessionOptions = 100;

constexpr int kFloat = 1, kArenaAllocator = 1, kDefaultMemory = 0, kAllOptimisations = 99;
// What goes wrong is in the status that a call gives: nothing is to be printed beside it.
constexpr int kFatalErrors = 4;

struct ApiBase {
  void* const* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

// What onnxruntime is handed where there is no element.
constexpr int64_t kNothing = 0;

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

namespace {

// Values of one run, released at its end.
template <class Release>
class Values {
 public:
  explicit Values(Release release) : release_(release) {}
  ~Values() {
    for (void* value : values_)
      if (value != nullptr) release_(value);
  }
  Values(const Values&) = delete;
  void add(void* value) { values_.push_back(value); }
  void** data() { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  Release release_;
  std::vector<void*> values_;
};

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (const std::string& name : names) result.push_back(name.c_str());
  return result;
}

}  // namespace

std::shared_ptr<const OnnxRuntime> OnnxRuntime::load(const std::string& library, std::string* why) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) {
    *why = library + " is no onnxruntime: it has no OrtGetApiBase";
    return nullptr;
  }
  std::shared_ptr<OnnxRuntime> runtime(new OnnxRuntime);
  runtime->version_ = get_base()->get_version();
  runtime->table_ = get_base()->get_api(kApiVersion);
  if (runtime->table_ == nullptr) {
    *why = library + " is onnxruntime " + runtime->version_ + ", expected 1." +
           std::to_string(kApiVersion) + " or newer";
    return nullptr;
  }
  try {
    runtime->call(kCreateEnv, kFatalErrors, "frit", &runtime->env_);
    runtime->call(kCreateCpuMemoryInfo, kArenaAllocator, kDefaultMemory, &runtime->memory_);
  } catch (const std::runtime_error& error) {
    *why = error.what();
    return nullptr;
  }
  return runtime;
}

OnnxRuntime::~OnnxRuntime() {
  if (memory_ != nullptr) release(kReleaseMemoryInfo, memory_);
  if (env_ != nullptr) release(kReleaseEnv, env_);
}

void* OnnxRuntime::new_options(int threads) const {
  void* options = nullptr;
  call(kCreateSessionOptions, &options);
  call(kSetGraphOptimizationLevel, options, kAllOptimisations);
  call(kSetIntraOpNumThreads, options, threads);
  call(kSetInterOpNumThreads, options, 1);
  return options;
}

std::unique_ptr<const OnnxRuntime::Session> OnnxRuntime::open(std::span<const std::byte> model,
                                                              int threads) const {
  const std::shared_ptr<void> options(new_options(threads),
                                      [this](void* o) { release(kReleaseSessionOptions, o); });
  void* session = nullptr;
  call(kCreateSessionFromArray, env_, static_cast<const void*>(model.data()), model.size(),
       options.get(), &session);
  return std::unique_ptr<const Session>(new Session(shared_from_this(), session));
}

std::unique_ptr<const OnnxRuntime::Session> OnnxRuntime::open_file(const std::string& path,
                                                                   int threads) const {
  const std::shared_ptr<void> options(new_options(threads),
                                      [this](void* o) { release(kReleaseSessionOptions, o); });
  void* session = nullptr;
  call(kCreateSession, env_, path.c_str(), options.get(), &session);
  return std::unique_ptr<const Session>(new Session(shared_from_this(), session));
}

std::vector<std::string> OnnxRuntime::names(void* session, int count_position,
                                            int name_position) const {
  void* allocator = nullptr;
  call(kGetAllocatorWithDefaultOptions, &allocator);
  size_t count = 0;
  call(count_position, session, &count);
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    call(name_position, session, i, allocator, &name);
    result.emplace_back(name);
    call(kAllocatorFree, allocator, static_cast<void*>(name));
  }
  return result;
}

void* OnnxRuntime::new_value(const OnnxBuffer& buffer) const {
  void* value = nullptr;
  const void* data = buffer.data == nullptr ? &kNothing : buffer.data;
  call(kCreateTensorWithData, memory_, const_cast<void*>(data), buffer.bytes, buffer.sizes.data(),
       buffer.sizes.size(), static_cast<int>(buffer.type), &value);
  return value;
}

OnnxRuntime::Session::Session(std::shared_ptr<const OnnxRuntime> owner, void* session)
    : owner_(std::move(owner)),
      session_(session),
      input_names_(owner_->names(session, kSessionGetInputCount, kSessionGetInputName)),
      output_names_(owner_->names(session, kSessionGetOutputCount, kSessionGetOutputName)) {}

OnnxRuntime::Session::~Session() { owner_->release(kReleaseSession, session_); }

void OnnxRuntime::Session::run(std::span<const OnnxBuffer> inputs,
                               std::span<const OnnxBuffer> outputs) const {
  const auto release = [this](void* value) { owner_->release(kReleaseValue, value); };
  Values read(release), written(release);
  for (const OnnxBuffer& buffer : inputs) read.add(owner_->new_value(buffer));
  for (const OnnxBuffer& buffer : outputs) written.add(owner_->new_value(buffer));
  const std::vector<const char*> input_names = pointers(input_names_);
  const std::vector<const char*> output_names = pointers(output_names_);
  owner_->call(kRun, session_, static_cast<void*>(nullptr), input_names.data(), read.data(),
               read.size(), output_names.data(), written.size(), written.data());
}

std::vector<float> OnnxRuntime::Session::run(std::span<const float> input,
                                             std::span<const int64_t> sizes) const {
  const auto release = [this](void* value) { owner_->release(kReleaseValue, value); };
  Values values(release);
  values.add(owner_->new_value({input.data(), input.size_bytes(), sizes, kFloat}));
  values.add(nullptr);
  const char* input_names[] = {input_names_[0].c_str()};
  const char* output_names[] = {output_names_[0].c_str()};
  owner_->call(kRun, session_, static_cast<void*>(nullptr), &input_names[0], values.data(),
               size_t{1}, &output_names[0], size_t{1}, values.data() + 1);
  void* output = values.data()[1];
  void* info = nullptr;
  size_t count = 0;
  float* data = nullptr;
  owner_->call(kGetTensorTypeAndShape, output, &info);
  owner_->call(kGetTensorShapeElementCount, info, &count);
  owner_->release(kReleaseTensorTypeAndShape, info);
  owner_->call(kGetTensorMutableData, output, reinterpret_cast<void**>(&data));
  return {data, data + count};
}

}  // namespace frit::backends

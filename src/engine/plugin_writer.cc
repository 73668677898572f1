// Hands kernels over the C interface of plug-ins.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/plugin_writer.h"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/engine/plugin_call.h"

namespace frit::engine {
namespace {

// The interface counts as Frit does.
static_assert(static_cast<int>(KernelParam::Kind::kBuffer) == FRIT_PARAM_BUFFER);
static_assert(static_cast<int>(KernelParam::Kind::kScalar) == FRIT_PARAM_SCALAR);
static_assert(static_cast<int>(KernelParam::Kind::kSize) == FRIT_PARAM_SIZE);
static_assert(static_cast<int>(Access::kBroadcast) == FRIT_ACCESS_BROADCAST);
static_assert(static_cast<int>(Access::kUnit) == FRIT_ACCESS_UNIT);
static_assert(static_cast<int>(Access::kStrided) == FRIT_ACCESS_STRIDED);
static_assert(static_cast<int>(Access::kReversed) == FRIT_ACCESS_REVERSED);

// What minor version 2 had, which none may lack.
constexpr size_t kFirstWriterSize = sizeof(frit_writer);

void add_written(const std::vector<KernelStmt>& body, std::set<int>* params) {
  for (const KernelStmt& stmt : body) {
    if (stmt.kind == KernelStmt::Kind::kStore || stmt.kind == KernelStmt::Kind::kPut)
      params->insert(stmt.param);
    add_written(stmt.body, params);
  }
}

// A kernel and what the interface's struct points to.
class HandedKernel {
 public:
  explicit HandedKernel(const Kernel& kernel) : text_(kernel.print()), line_(kernel.one_line()) {
    std::set<int> written;
    add_written(kernel.body, &written);
    access_.resize(kernel.params.size());
    int32_t word = 0;
    for (size_t p = 0; p < kernel.params.size(); ++p) {
      const KernelParam& param = kernel.params[p];
      for (const Access access : param.access) access_[p].push_back(static_cast<int32_t>(access));
      params_.push_back({param.name.c_str(), access_[p].data(), static_cast<int32_t>(param.kind),
                         static_cast<int32_t>(param.dtype), word,
                         written.contains(static_cast<int>(p))});
      word += 1 + static_cast<int32_t>(param.access.size());
    }
    handed_ = {sizeof handed_,
               text_.c_str(),
               line_.c_str(),
               params_.data(),
               static_cast<int32_t>(params_.size()),
               kernel.rank,
               kernel.num_words(),
               0};
  }
  HandedKernel(const HandedKernel&) = delete;
  const frit_kernel* get() const { return &handed_; }

 private:
  std::string text_, line_;
  std::vector<std::vector<int32_t>> access_;
  std::vector<frit_param> params_;
  frit_kernel handed_;
};

class PluginKernel final : public CompiledKernel {
 public:
  PluginKernel(std::string writer, const frit_compiled_kernel& made)
      : writer_(std::move(writer)),
        listing_(made.listing != nullptr ? made.listing : ""),
        made_(made) {}
  ~PluginKernel() override { plugin_destroy(made_.destroy, made_.state); }
  PluginKernel(const PluginKernel&) = delete;

  void run(const uint64_t* args, int64_t begin, int64_t end) const override {
    std::string why;
    if (!plugin_call([&] { return made_.run(made_.state, args, begin, end); }, &why))
      throw Error(ErrorKind::kRuntime, "writer(" + writer_ + "): run failed: " + why);
  }
  Code code() const override { return nullptr; }
  std::string listing() const override { return listing_; }

 private:
  std::string writer_, listing_;
  frit_compiled_kernel made_;
};

class PluginWriter final : public Writer {
 public:
  explicit PluginWriter(const frit_writer& given)
      : name_(given.name), context_(given.context), compile_(given.compile) {}

  std::string_view name() const override { return name_; }
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    const HandedKernel handed(kernel);
    frit_compiled_kernel made = {sizeof made, nullptr, nullptr, nullptr, nullptr};
    std::string why;
    if (plugin_call([&] { return compile_(context_, handed.get(), &made); }, &why)) {
      if (made.run != nullptr) return std::make_unique<PluginKernel>(name_, made);
      plugin_destroy(made.destroy, made.state);
      why = "compile gave no function to run";
    }
    if (reason != nullptr) *reason = why;
    return nullptr;
  }

 private:
  std::string name_;
  void* context_;
  int (*compile_)(void*, const frit_kernel*, frit_compiled_kernel*);
};

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kValue, "register_writer: " + problem);
}

}  // namespace

PluginWriterOf plugin_writer(const frit_writer* given) {
  if (given == nullptr) refuse("the writer is null");
  if (given->size < kFirstWriterSize)
    refuse("the writer's size is " + std::to_string(given->size) + " bytes, that of 1.2 is " +
           std::to_string(kFirstWriterSize));
  const std::string name = given->name != nullptr ? given->name : "";
  if (name.empty()) refuse("the writer has no name");
  if (name == "native" || name == "blocks") refuse("the name " + name + " is taken");
  if (given->device == nullptr) refuse(name + ": the device is null");
  if (given->compile == nullptr) refuse(name + ": compile is null");
  return {given->device, std::make_unique<PluginWriter>(*given)};
}

}  // namespace frit::engine

// Compiles printed kernels with the system's compiler, where there is one.
#include "src/codegen/cpp_writer.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace frit::codegen {
namespace {

class CppKernel final : public CompiledKernel {
 public:
  CppKernel(std::string source, void* library, Code code)
      : source_(std::move(source)), library_(library), code_(code) {}
  ~CppKernel() override {
    if (library_ != nullptr) dlclose(library_);
  }
  CppKernel(const CppKernel&) = delete;
  CppKernel& operator=(const CppKernel&) = delete;

  Code code() const override { return code_; }
  std::string listing() const override { return source_; }

 private:
  std::string source_;
  void* library_;
  Code code_;
};

// A folder of its own, gone with the object. Empty path: there is none.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern =
        (std::filesystem::temp_directory_path(error) / "frit-cpp-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class CppWriter final : public Writer {
 public:
  explicit CppWriter(std::string command) : command_(std::move(command)) {}

  std::string_view name() const override { return "cpp"; }

  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    std::string source = cpp_source(kernel, reason);
    if (source.empty()) return nullptr;
    if (command_.empty()) return std::make_unique<CppKernel>(std::move(source), nullptr, nullptr);
    const TemporaryFolder folder;
    const std::string file = folder.path() / "kernel.cc", library = folder.path() / "kernel.so";
    std::ofstream(file) << source;
    const std::string command = command_ + " " + file + " -shared -fPIC -o " + library;
    if (folder.path().empty() || std::system(command.c_str()) != 0)
      return refuse("failed: " + command, reason);
    void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* entry = loaded == nullptr ? nullptr : dlsym(loaded, "kernel");
    if (entry == nullptr) return refuse(dlerror(), reason);
    return std::make_unique<CppKernel>(std::move(source), loaded,
                                       reinterpret_cast<CompiledKernel::Code>(entry));
  }

 private:
  static std::unique_ptr<CompiledKernel> refuse(const std::string& why, std::string* reason) {
    if (reason != nullptr) *reason = why;
    return nullptr;
  }

  std::string command_;
};

}  // namespace

std::unique_ptr<Writer> new_cpp_writer(std::string command) {
  return std::make_unique<CppWriter>(std::move(command));
}

}  // namespace frit::codegen

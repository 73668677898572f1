// From kernel to published machine code.
#include "src/codegen/native_writer.h"

#include "src/base/code_memory.h"
#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "src/codegen/function_emitter.h"

namespace frit::codegen {
namespace {

class NativeKernel final : public CompiledKernel {
 public:
  NativeKernel(void* entry, int64_t bytes) : entry_(entry), bytes_(bytes) {}
  ~NativeKernel() override { base::CodeMemory::shared().release(entry_); }
  NativeKernel(const NativeKernel&) = delete;
  NativeKernel& operator=(const NativeKernel&) = delete;

  void run(const uint64_t* args, int64_t begin, int64_t end) const override {
    reinterpret_cast<Code>(entry_)(args, begin, end);
  }
  Code code() const override { return reinterpret_cast<Code>(entry_); }
  int64_t code_bytes() const override { return bytes_; }

 private:
  void* entry_;
  int64_t bytes_;
};

class NativeWriter final : public Writer {
 public:
  std::string_view name() const override { return "native"; }

  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    if (base::isa() < Isa::kAvx2)
      return refuse("the processor has no AVX2 (or FRIT_ISA caps it)", reason);
    if (base::flags().no_exec) return refuse("executable memory is refused", reason);
    const auto validation =
        base::flags().verify ? Assembly::Validation::kOn : Assembly::Validation::kOff;
    FunctionEmitter emitter(kernel, validation);
    std::string problem = emitter.emit();
    if (!problem.empty() && emitter.failed_in_columns()) {
      FunctionEmitter plain(kernel, validation, FunctionEmitter::ColumnLoops::kNever);
      problem = plain.emit();
      if (problem.empty()) return publish(plain.assembly(), kernel.name, reason);
    }
    if (!problem.empty()) return refuse(problem, reason);
    return publish(emitter.assembly(), kernel.name, reason);
  }

 private:
  static std::unique_ptr<CompiledKernel> publish(const Assembly& assembly, const std::string& name,
                                                 std::string* reason) {
    base::CodeMemory& memory = base::CodeMemory::shared();
    void* entry = memory.publish(assembly.code(), assembly.code_size(), name);
    if (entry == nullptr)
      return refuse(memory.full(assembly.code_size())
                        ? "the limit on executable memory (FRIT_CODE_BYTES) is reached"
                        : "executable memory is refused",
                    reason);
    return std::make_unique<NativeKernel>(entry, static_cast<int64_t>(assembly.code_size()));
  }

  static std::unique_ptr<CompiledKernel> refuse(const std::string& why, std::string* reason) {
    if (reason != nullptr) *reason = why;
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Writer> new_native_writer() { return std::make_unique<NativeWriter>(); }

}  // namespace frit::codegen

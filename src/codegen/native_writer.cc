// From kernel to published machine code.
#include "src/codegen/native_writer.h"

#include <cstring>
#include <utility>

#include "src/base/check.h"
#include "src/base/code_memory.h"
#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "src/codegen/function_emitter.h"

namespace frit::codegen {
namespace {

using ColumnLoops = FunctionEmitter::ColumnLoops;

class NativeKernel final : public CompiledKernel {
 public:
  NativeKernel(void* entry, size_t bytes, Kernel kernel, ColumnLoops column_loops)
      : entry_(entry), bytes_(bytes), kernel_(std::move(kernel)), column_loops_(column_loops) {}
  ~NativeKernel() override { base::CodeMemory::shared().release(entry_); }
  NativeKernel(const NativeKernel&) = delete;
  NativeKernel& operator=(const NativeKernel&) = delete;

  void run(const uint64_t* args, int64_t begin, int64_t end) const override {
    reinterpret_cast<Code>(entry_)(args, begin, end);
  }
  Code code() const override { return reinterpret_cast<Code>(entry_); }
  int64_t code_bytes() const override { return static_cast<int64_t>(bytes_); }

  // Texts of instructions cost more than the instructions: they are made when somebody asks, by
  // assembling the kernel once more.
  std::string listing() const override {
    FunctionEmitter emitter(kernel_, Assembly::Validation::kOff, column_loops_);
    emitter.keep_listing();
    const std::string problem = emitter.emit();
    const Assembly& again = emitter.assembly();
    FRIT_CHECK(problem.empty() && again.code_size() == bytes_ &&
               std::memcmp(again.code(), entry_, bytes_) == 0)
        << "assembled anew, the kernel is other code: " << problem << "\n"
        << kernel_.print();
    return again.listing();
  }

 private:
  void* entry_;
  size_t bytes_;
  Kernel kernel_;
  ColumnLoops column_loops_;
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
    bool failed_in_columns = false;
    auto made = assemble(kernel, validation, ColumnLoops::kAllowed, &failed_in_columns, reason);
    if (!failed_in_columns) return made;
    return assemble(kernel, validation, ColumnLoops::kNever, &failed_in_columns, reason);
  }

 private:
  static std::unique_ptr<CompiledKernel> assemble(const Kernel& kernel,
                                                  Assembly::Validation validation,
                                                  ColumnLoops column_loops, bool* failed_in_columns,
                                                  std::string* reason) {
    FunctionEmitter emitter(kernel, validation, column_loops);
    const std::string problem = emitter.emit();
    *failed_in_columns = !problem.empty() && emitter.failed_in_columns();
    if (!problem.empty()) return refuse(problem, reason);
    const Assembly& assembly = emitter.assembly();
    void* entry = publish(assembly, kernel.name, reason);
    if (entry == nullptr) return nullptr;
    return std::make_unique<NativeKernel>(entry, assembly.code_size(), kernel, column_loops);
  }

  static void* publish(const Assembly& assembly, const std::string& name, std::string* reason) {
    base::CodeMemory& memory = base::CodeMemory::shared();
    void* entry = memory.publish(assembly.code(), assembly.code_size(), name);
    if (entry == nullptr)
      refuse(memory.full(assembly.code_size())
                 ? "the limit on executable memory (FRIT_CODE_BYTES) is reached"
                 : "executable memory is refused",
             reason);
    return entry;
  }

  static std::unique_ptr<CompiledKernel> refuse(const std::string& why, std::string* reason) {
    if (reason != nullptr) *reason = why;
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Writer> new_native_writer() { return std::make_unique<NativeWriter>(); }

}  // namespace frit::codegen

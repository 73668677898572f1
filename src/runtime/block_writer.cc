// From kernel to block program.
#include "src/runtime/block_writer.h"

#include "src/runtime/block_program.h"
#include "src/runtime/block_run.h"
#include "src/runtime/scratch_pool.h"

namespace frit::runtime {
namespace {

class BlockKernel final : public CompiledKernel {
 public:
  explicit BlockKernel(std::unique_ptr<BlockProgram> program)
      : program_(std::move(program)), scratch_bytes_(block_scratch_bytes(*program_)) {}

  void run(const uint64_t* args, int64_t begin, int64_t end) const override {
    const ScratchPool::Loan scratch(ScratchPool::get(), scratch_bytes_);
    run_blocks(*program_, args, begin, end, scratch.data());
  }
  Code code() const override { return nullptr; }
  std::string listing() const override { return program_->listing(); }

 private:
  std::unique_ptr<BlockProgram> program_;
  int64_t scratch_bytes_;
};

class BlockWriter final : public Writer {
 public:
  std::string_view name() const override { return "blocks"; }

  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) override {
    std::unique_ptr<BlockProgram> program = make_block_program(kernel, reason);
    return program == nullptr ? nullptr : std::make_unique<BlockKernel>(std::move(program));
  }
};

}  // namespace

std::unique_ptr<Writer> new_block_writer() { return std::make_unique<BlockWriter>(); }

}  // namespace frit::runtime

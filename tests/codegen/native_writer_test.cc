// What only machine code has: registers to preserve, and reasons to refuse.
#include "src/codegen/native_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "tests/codegen/kernel_texts.h"

namespace frit::codegen {
namespace {

class NativeWriter : public testing::Test {
 protected:
  void SetUp() override {
    if (base::isa() < Isa::kAvx2) GTEST_SKIP() << "no AVX2";
    base::mutable_flags().verify = true;
  }
  std::unique_ptr<Writer> writer_ = new_native_writer();
};

// Calls code with known values in the callee-saved registers, and looks at them and at rsp
// afterwards.
struct Registers {
  uint64_t rbx = 0x11, r12 = 0x22, r13 = 0x33, r14 = 0x44, r15 = 0x55;
  uint64_t rsp_before = 0, rsp_after = 0;
  CompiledKernel::Code code = nullptr;
};

void call_with_registers(Registers* registers, const uint64_t* args, int64_t end) {
  int64_t begin = 0;
  asm volatile(
      "push %%rbp\n mov %%rsp, %%rbp\n sub $512, %%rsp\n and $-64, %%rsp\n"
      "push %%rax\n push %%rax\n"
      "mov 0(%%rax), %%rbx\n mov 8(%%rax), %%r12\n mov 16(%%rax), %%r13\n mov 24(%%rax), %%r14\n "
      "mov 32(%%rax), %%r15\n"
      "mov %%rsp, 40(%%rax)\n"
      "call *56(%%rax)\n"
      "mov %%rsp, %%rcx\n mov (%%rsp), %%rax\n mov %%rcx, 48(%%rax)\n"
      "mov %%rbx, 0(%%rax)\n mov %%r12, 8(%%rax)\n mov %%r13, 16(%%rax)\n mov %%r14, 24(%%rax)\n "
      "mov %%r15, 32(%%rax)\n"
      "mov %%rbp, %%rsp\n pop %%rbp\n"
      : "+a"(registers), "+D"(args), "+S"(begin), "+d"(end)
      :
      : "rcx", "r8", "r9", "r10", "r11", "rbx", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15");
}

TEST_F(NativeWriter, PreservesTheRegistersOfItsCaller) {
  const Kernel kernel = Kernel::parse(many_live_values(9, "f32"));
  const auto compiled = writer_->compile(kernel, nullptr);
  std::vector<float> memory(100, 1);
  std::vector<uint64_t> args;
  for (int i = 0; i < 10; ++i)
    args.insert(args.end(), {reinterpret_cast<uint64_t>(memory.data()), 1});
  args.push_back(100);
  Registers registers;
  registers.code = compiled->code();
  call_with_registers(&registers, args.data(), 100);
  EXPECT_EQ(registers.rbx, 0x11u);
  EXPECT_EQ(registers.r12, 0x22u);
  EXPECT_EQ(registers.r13, 0x33u);
  EXPECT_EQ(registers.r14, 0x44u);
  EXPECT_EQ(registers.r15, 0x55u);
  EXPECT_EQ(registers.rsp_before, registers.rsp_after);
}

TEST_F(NativeWriter, RefusesFoldsOfSmallInts) {
  std::string reason;
  const Kernel kernel = Kernel::parse(kFoldSmallInts);
  EXPECT_EQ(writer_->compile(kernel, &reason), nullptr);
  EXPECT_EQ(reason, "amax: no code for i8");
}

TEST_F(NativeWriter, RefusesWhereTheIsaIsCapped) {
  std::string reason;
  base::set_isa_cap(Isa::kBaseline);
  EXPECT_EQ(writer_->compile(Kernel::parse(pointwise(Op::exp, Dtype::kF32, "uu")), &reason),
            nullptr);
  base::set_isa_cap(Isa::kAvx512);
  EXPECT_EQ(reason, "the processor has no AVX2 (or FRIT_ISA caps it)");
}

TEST_F(NativeWriter, ListsTheInstructions) {
  const Kernel kernel = Kernel::parse(many_live_values(9, "f32"));
  const std::string listing = writer_->compile(kernel, nullptr)->listing();
  EXPECT_NE(listing.find("vmovups"), std::string::npos) << listing;
  EXPECT_NE(listing.find("\nret\n"), std::string::npos) << listing;
  EXPECT_EQ(listing.find("2147483392"), std::string::npos) << "the frame's size is not filled in";
}

}  // namespace
}  // namespace frit::codegen

// Frame, constants and cold code of one function.
#include "src/codegen/assembly.h"

#include <array>
#include <cstring>

#include "src/base/check.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

constexpr int kFrameAlignment = 32;
constexpr std::array kCalleeSaved = {rbx, r12, r13, r14, r15};
constexpr std::array kCallerSaved = {rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11};
constexpr int kNumVectors = 16;
constexpr int kMaskBytes = 64;
constexpr int kUnknownFrame = 0x7fffff00;  // stands in the code until the size is known

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }

}  // namespace

void EncodingErrors::handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) {
  if (first_.empty()) first_ = message;
}

Assembly::Assembly(Validation validation) {
  holder_.init(asmjit::Environment::host());
  holder_.setErrorHandler(&errors_);
  holder_.attach(&assembler_);
  if (validation == Validation::kOn) {
    assembler_.addDiagnosticOptions(asmjit::DiagnosticOptions::kValidateAssembler);
  }
  constants_label_ = assembler_.newLabel();
  masks_label_ = assembler_.newLabel();
  save_label_ = assembler_.newLabel();
  restore_label_ = assembler_.newLabel();
}

void Assembly::keep_listing() { holder_.setLogger(&logger_); }

void Assembly::finish_listing(int frame_bytes) {
  if (logger_.dataSize() == 0) return;
  listing_.assign(logger_.data(), logger_.dataSize());
  const std::string unknown = std::to_string(kUnknownFrame);
  const size_t at = listing_.find(unknown);
  if (at != listing_.npos) listing_.replace(at, unknown.size(), std::to_string(frame_bytes));
}

void Assembly::begin_function() {
  assembler_.push(rbp);
  assembler_.mov(rbp, rsp);
  for (const Gp& reg : kCalleeSaved) assembler_.push(reg);
  assembler_.long_().sub(rsp, kUnknownFrame);
  frame_patch_ = assembler_.offset() - 4;
  assembler_.and_(rsp, -kFrameAlignment);
}

void Assembly::end_function() {
  assembler_.vzeroupper();
  assembler_.lea(rsp, ptr(rbp, -8 * static_cast<int>(kCalleeSaved.size())));
  for (size_t i = kCalleeSaved.size(); i-- > 0;) assembler_.pop(kCalleeSaved[i]);
  assembler_.pop(rbp);
  assembler_.ret();
}

int Assembly::allocate_frame(int bytes) {
  const int offset = round_up(frame_bytes_, bytes >= kFrameAlignment ? kFrameAlignment : 8);
  frame_bytes_ = offset + round_up(bytes, 8);
  return offset;
}

Mem Assembly::constant(uint64_t bits, int width) {
  size_t i = 0;
  while (i < constants_.size() && (constants_[i].bits != bits || constants_[i].width != width)) ++i;
  if (i == constants_.size()) constants_.push_back({bits, width});
  return ptr(constants_label_, static_cast<int32_t>(i) * 32);
}

Mem Assembly::mask_table_end() {
  uses_masks_ = true;
  return ptr(masks_label_, kMaskBytes / 2);
}

void Assembly::call_save_registers() {
  if (save_area_ < 0) {
    save_area_ = allocate_frame(32 * kNumVectors + 8 * static_cast<int>(kCallerSaved.size()));
  }
  assembler_.call(save_label_);
}

void Assembly::call_restore_registers() { assembler_.call(restore_label_); }

void Assembly::emit_save_routine(const asmjit::Label& entry, bool save) {
  assembler_.bind(entry);
  int offset = save_area_ + 8;  // the return address lies under the frame
  for (int i = 0; i < kNumVectors; ++i, offset += 32) {
    if (save) {
      assembler_.vmovups(ptr(rsp, offset), ymm(i));
    } else {
      assembler_.vmovups(ymm(i), ptr(rsp, offset));
    }
  }
  for (const Gp& reg : kCallerSaved) {
    if (save) {
      assembler_.mov(ptr(rsp, offset), reg);
    } else {
      assembler_.mov(reg, ptr(rsp, offset));
    }
    offset += 8;
  }
  assembler_.ret();
}

void Assembly::emit_constants() {
  assembler_.align(asmjit::AlignMode::kZero, 32);
  assembler_.bind(constants_label_);
  for (const Constant& constant : constants_) {
    std::array<uint8_t, 32> bytes;
    for (int i = 0; i < 32; i += constant.width) {
      std::memcpy(bytes.data() + i, &constant.bits, constant.width);
    }
    assembler_.embed(bytes.data(), bytes.size());
  }
  if (!uses_masks_) return;
  std::array<uint8_t, kMaskBytes> masks = {};
  std::memset(masks.data(), 0xff, kMaskBytes / 2);
  assembler_.bind(masks_label_);
  assembler_.embed(masks.data(), masks.size());
}

std::string Assembly::finish() {
  for (size_t i = 0; i < cold_.size(); ++i) {
    const std::function<void()> emit = std::move(cold_[i]);
    emit();
  }
  if (save_area_ >= 0) {
    emit_save_routine(save_label_, true);
    emit_save_routine(restore_label_, false);
  }
  emit_constants();
  const int32_t bytes = round_up(frame_bytes_, kFrameAlignment) + kFrameAlignment;
  std::memcpy(holder_.textSection()->data() + frame_patch_, &bytes, sizeof bytes);
  finish_listing(bytes);
  if (errors_.first().empty() && holder_.hasUnresolvedLinks()) holder_.resolveUnresolvedLinks();
  return errors_.first();
}

const uint8_t* Assembly::code() const { return holder_.textSection()->data(); }
size_t Assembly::code_size() const { return holder_.textSection()->bufferSize(); }

}  // namespace frit::codegen

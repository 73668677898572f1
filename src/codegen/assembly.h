// One function being assembled: the encoder, the stack frame, the constants behind the code and the
// cold code after it.
//
//   Assembly assembly;
//   assembly.a().vmovups(ymm0, assembly.constant(0x3f800000, 4));    // [rip + ...]
//   int spill = assembly.allocate_frame(32);
//   assembly.a().vmovups(assembly.frame(spill), ymm0);
//   assembly.finish();                                               // cold code, then constants
//
// The frame lies at rsp, 32-byte aligned; rbp is its caller's side. rsp and rbp stay as they are
// from begin_function to end_function, so that frames can be walked.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frit::codegen {

using asmjit::x86::Gp;
using asmjit::x86::Mem;
using asmjit::x86::Vec;

// Remembers the first thing that the encoder complained about.
class EncodingErrors final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter* origin) override;
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

class Assembly {
 public:
  // validate: every instruction's operands are checked before they are encoded (3.5 times slower).
  enum class Validation : uint8_t { kOff, kOn };
  explicit Assembly(Validation validation);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  asmjit::x86::Assembler& a() { return assembler_; }

  // From here on the instructions are also written down as text, for people.
  void keep_listing();
  // After finish(). Empty unless kept.
  const std::string& listing() const { return listing_; }

  // Saves the callee-saved registers and opens the frame, whose size is patched in by finish().
  void begin_function();
  void end_function();

  // Bytes of the frame, aligned to 32 where there are that many, else to 8. Lives until the end.
  int allocate_frame(int bytes);
  Mem frame(int offset, int size = 0) const {
    return asmjit::x86::ptr(asmjit::x86::rsp, offset, size);
  }

  // A constant of `width` bytes, repeated through 32.
  Mem constant(uint64_t bits, int width);
  // Where a table of 32 bytes of ones followed by 32 of zeros changes over: a load from n*width
  // bytes before it is a mask of the first n lanes.
  Mem mask_table_end();

  // Assembled after the function. Cold code may add more.
  void add_cold(std::function<void()> emit) { cold_.push_back(std::move(emit)); }
  // Saves (restores) every register that a called function may change. Clobber nothing.
  void call_save_registers();
  void call_restore_registers();

  // Ends the function's text. Empty, or why there is no code.
  std::string finish();
  const uint8_t* code() const;
  size_t code_size() const;

 private:
  struct Constant {
    uint64_t bits;
    int width;
  };
  void emit_save_routine(const asmjit::Label& entry, bool save);
  void emit_constants();

  void finish_listing(int frame_bytes);

  EncodingErrors errors_;
  asmjit::StringLogger logger_;  // outlives its user, the holder
  asmjit::CodeHolder holder_;
  asmjit::x86::Assembler assembler_;
  asmjit::Label constants_label_, masks_label_, save_label_, restore_label_;
  std::vector<Constant> constants_;
  std::vector<std::function<void()>> cold_;
  int frame_bytes_ = 0;
  int save_area_ = -1;
  size_t frame_patch_ = 0;
  bool uses_masks_ = false;
  std::string listing_;
};

}  // namespace frit::codegen

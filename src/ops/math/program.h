// Straight-line code of primitive instructions (prims.def) in SSA form: what a written sequence
// becomes when it is instantiated for the recording type, and what an emitter turns into machine
// code.
//
//   Program p;
//   int32_t x = p.input(Type::kF32, 0);
//   p.outputs = {*record(p, Op::relu, {x})};   // record.h
//   p.print();                                 // "%0: f32 = input 0\n%1: f32 = const 0x0\n..."
//   interpret(p, {bits_of_x});                 // the same bits as eager and as machine code
//
// Every instruction works lane by lane, so a program says nothing about the number of lanes. Types
// of two widths may meet (through convert); an emitter picks its lanes by the widest.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frit::math {

enum class Prim : uint8_t {
#define FRIT_PRIM(enumerator, text, operands, meaning) enumerator,
#include "src/ops/math/prims.def"
};

enum class Type : uint8_t { kF32, kF64, kI32, kI64, kM32, kM64 };

// Numbered as the immediate of roundps.
enum class Rounding : uint8_t { kNearestEven, kFloor, kCeil, kTrunc };

std::string_view name(Prim prim);
std::string_view name(Type type);
int num_operands(Prim prim);
constexpr int byte_width(Type type) { return static_cast<int>(type) & 1 ? 8 : 4; }
constexpr bool is_mask(Type type) { return type >= Type::kM32; }
constexpr bool is_float(Type type) { return type <= Type::kF64; }
constexpr Type mask_of(Type type) { return byte_width(type) == 4 ? Type::kM32 : Type::kM64; }

struct Inst {
  Prim prim;
  Type type;                                           // of the result
  std::array<int32_t, 4> operands = {-1, -1, -1, -1};  // earlier instructions
  uint64_t imm = 0;                                    // 32-bit constants are zero-extended

  bool operator==(const Inst&) const = default;
};

class Program {
 public:
  const std::vector<Inst>& insts() const { return insts_; }
  const Inst& operator[](int32_t id) const { return insts_[id]; }
  int32_t size() const { return static_cast<int32_t>(insts_.size()); }

  // Appends an instruction, or finds the equal one that is already there. Returns its id.
  int32_t append(const Inst& inst);
  int32_t input(Type type, uint64_t number) {
    return append({Prim::kInput, type, {-1, -1, -1, -1}, number});
  }
  int32_t constant(Type type, uint64_t bits) {
    return append({Prim::kConst, type, {-1, -1, -1, -1}, bits});
  }

  // One instruction a line, then "return %i, %j". Floats print as their bits.
  std::string print() const;

  std::vector<int32_t> outputs;  // set by whoever records

 private:
  void rehash();

  std::vector<Inst> insts_;
  std::vector<int32_t> table_;  // open addressing over insts_; -1 is free
};

// Runs one lane. Inputs and results are bits, 32-bit ones zero-extended; masks are all ones (of
// their width) or zero.
std::vector<uint64_t> interpret(const Program& program, std::span<const uint64_t> inputs);

// The value of every instruction, for tests of emitters.
std::vector<uint64_t> interpret_all(const Program& program, std::span<const uint64_t> inputs);

}  // namespace frit::math

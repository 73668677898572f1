// From primitive instructions to vector instructions of one ISA: AVX2 with FMA.
//
// This is all that knows the vector registers, their number and width, how masks live in them, and
// which instruction (or short sequence) a primitive becomes. Who owns which register is not known
// here; body.h decides it, by the facts that `needs` states. Another ISA is another Emitter with
// the same members.
#pragma once

#include <array>
#include <span>

#include "frit/dtype.h"
#include "src/codegen/assembly.h"
#include "src/ops/math/program.h"

namespace frit::codegen {

// A vector register or memory.
using Place = asmjit::Operand;

// What the register allocator has to know about an instruction's encoding.
struct Needs {
  bool last_in_memory = false;  // the last operand may be memory
  bool commutes = false;        // the first two operands may change places
  int temporaries = 0;          // registers to use up
};

// How a value of a dtype is held: f16 and bf16 as the i32 of their bits, the small ints as an
// i32 of their value, bool as m32.
math::Type type_of(Dtype dtype);

class Emitter {
 public:
  static constexpr int kRegisters = 16;
  static constexpr int kVectorBytes = 32;

  explicit Emitter(Assembly& assembly) : as_(assembly), a_(assembly.a()) {}

  // Lanes of the vectors from here on: 8, or 4 where a type is 64 bits wide. Narrower types then
  // fill half a register.
  void set_lanes(int lanes) { lanes_ = lanes; }
  int lanes() const { return lanes_; }

  // The register of that number, as wide as the type's vector is.
  Vec reg(math::Type type, int number) const;

  // `operand` is the type of the (first value) operand, which for comparisons and conversions
  // differs from the instruction's own.
  static Needs needs(const math::Inst& inst, math::Type operand);

  // dst = inst(operands). dst may be one of the operands' registers; the temporaries are none of
  // them, nor dst. Not for kConst, kInput, kBitcast, kFma, kFnma and kSlow.
  void op(const math::Inst& inst, math::Type operand, int dst, std::span<const Place> operands,
          std::span<const int> temporaries);

  // One of fma's three forms, for dst being the register of the operand that it names.
  enum class FmaForm : uint8_t { k132, k213, k231 };  // dst = dst*c + b;  b*dst + c;  b*c + dst
  void fma(const math::Inst& inst, FmaForm form, int dst, int b, const Place& c);

  // A whole register.
  void move(math::Type type, int dst, int src);
  void load(math::Type type, int dst, const Mem& from);
  void store(math::Type type, const Mem& to, int src);
  // Into 32 bytes, also where the type fills half a register; every lane holds the same.
  void store_splat(math::Type type, const Mem& to, int src);

  // Elements of a dtype, next to each other, from and to memory. `temporary` is used up.
  void load_elements(Dtype dtype, int dst, const Mem& from, int temporary);
  void store_elements(Dtype dtype, const Mem& to, int src, int temporary);
  // The same where only the lanes of the mask (in memory) are touched; others load as zero. For
  // dtypes of 4 and 8 bytes. dst may not be the temporary.
  void load_masked(Dtype dtype, int dst, const Mem& from, const Mem& mask);
  void store_masked(Dtype dtype, const Mem& to, int src, const Mem& mask, int temporary);
  // One element in every lane. `temporary` (vector) and `word` (general) are used up.
  void load_broadcast(Dtype dtype, int dst, const Mem& from, const Gp& word);
  // Lane 0.
  void store_first(Dtype dtype, const Mem& to, int src, const Gp& word);
  // Elements one stride apart, `address` of the first; address and triple (for 3 * stride) are used
  // up.
  void load_strided(Dtype dtype, int dst, const Gp& address, const Gp& stride, const Gp& triple,
                    int temporary);

  // Lane after lane from memory, then joined. Of types narrower than 4 bytes elements lie side by
  // side in dst's low half.
  void insert_element(Dtype dtype, int dst, const Mem& from, int temporary, int lane);
  void join_elements(Dtype dtype, int dst, int temporary);

  // first, first + 1, ... in the lanes (or `first` in all), as i64 or i32.
  void load_count(math::Type type, int dst, const Gp& first, bool counts, int temporary);

  // Lane `lane` of the vector in memory, in every lane.
  void load_lane(math::Type type, int dst, const Mem& from, int lane);
  // That lane of dst = that of src; lanes before it stay.
  void put_lane(math::Type type, int dst, int src, int lane);

  // Four vectors of four lanes: lane j of vector i becomes lane i of vector j. Their registers
  // change places, and one is left over, `spare` to begin with.
  void transpose(math::Type type, std::array<int, 4>* vectors, int* spare);

  // Of four lanes, whose upper half goes to `upper` at lane 2, for lane 3 too: the i64 in one of
  // them; and one stored, of types of 4 and 8 bytes.
  void place_of_lane(const Gp& to, int places, int lane, int upper);
  void store_lane(math::Type type, const Mem& to, int src, int lane, int upper);
  // dst's lane 0 = lane `lane` of src; the rest is anything. dst is not src.
  void lane_to_first(math::Type type, int dst, int src, int lane);

  // The lanes in the opposite order, in place.
  void reverse(math::Type type, int reg);

  // dst = mask ? a : b.
  void blend(math::Type type, int dst, int mask, int a, int b);
  // Sets bit i of `to` where lane i of the mask is set.
  void mask_bits(math::Type mask, const Gp& to, int src);
  // dst's low half = src's upper half, of that many lanes; the rest is anything.
  void fold_half(math::Type type, int dst, int src, int lanes);

 private:
  using InstId = asmjit::InstId;
  Vec as(math::Type type, const Place& place) const {
    return reg(type, static_cast<int>(place.id()));
  }
  void convert(const math::Inst& inst, math::Type operand, int dst, int src,
               std::span<const int> temporaries);
  void convert_through_memory(const math::Inst& inst, math::Type operand, int dst, int src);
  void narrow_lanes(int dst, int src, int temporary);
  void mul_i64(int dst, int a, int b, std::span<const int> temporaries);
  void i64_to_f64(int dst, int src, std::span<const int> temporaries);
  void not_(math::Type type, int dst, int src, int temporary);
  Mem scratch();

  Assembly& as_;
  asmjit::x86::Assembler& a_;
  int lanes_ = 8;
  int scratch_ = -1;
};

}  // namespace frit::codegen

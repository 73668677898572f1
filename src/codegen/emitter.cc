// Primitive instructions in AVX2 and FMA.
#include "src/codegen/emitter.h"

#include <array>

#include "src/base/check.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names
using asmjit::InstId;
namespace I = asmjit::x86::Inst;
using math::Prim;
using math::Type;

constexpr int kLtQuiet = 17, kLeQuiet = 18, kEqQuiet = 0;
constexpr int kSuppressInexact = 8;

// One row a primitive: the instruction for f32, f64, 32-bit and 64-bit integers; masks take the
// floats' for bit operations. kIdNone: a sequence, or does not exist.
struct Encoding {
  InstId f32, f64, i32, i64;
};
constexpr InstId kNone = I::kIdNone;

Encoding encoding(Prim prim) {
  switch (prim) {
    case Prim::kAdd:
      return {I::kIdVaddps, I::kIdVaddpd, I::kIdVpaddd, I::kIdVpaddq};
    case Prim::kSub:
      return {I::kIdVsubps, I::kIdVsubpd, I::kIdVpsubd, I::kIdVpsubq};
    case Prim::kMul:
      return {I::kIdVmulps, I::kIdVmulpd, I::kIdVpmulld, 0};
    case Prim::kDiv:
      return {I::kIdVdivps, I::kIdVdivpd, 0, 0};
    case Prim::kSqrt:
      return {I::kIdVsqrtps, I::kIdVsqrtpd, 0, 0};
    case Prim::kMinLt:
      return {I::kIdVminps, I::kIdVminpd, 0, 0};
    case Prim::kMaxGt:
      return {I::kIdVmaxps, I::kIdVmaxpd, 0, 0};
    case Prim::kRound:
      return {I::kIdVroundps, I::kIdVroundpd, 0, 0};
    case Prim::kAnd:
      return {I::kIdVandps, I::kIdVandpd, I::kIdVpand, I::kIdVpand};
    case Prim::kOr:
      return {I::kIdVorps, I::kIdVorpd, I::kIdVpor, I::kIdVpor};
    case Prim::kXor:
      return {I::kIdVxorps, I::kIdVxorpd, I::kIdVpxor, I::kIdVpxor};
    case Prim::kAndNot:
      return {I::kIdVandnps, I::kIdVandnpd, I::kIdVpandn, I::kIdVpandn};
    case Prim::kShl:
      return {0, 0, I::kIdVpslld, I::kIdVpsllq};
    case Prim::kShr:
      return {0, 0, I::kIdVpsrld, I::kIdVpsrlq};
    case Prim::kSar:
      return {0, 0, I::kIdVpsrad, 0};
    case Prim::kLt:
      return {I::kIdVcmpps, I::kIdVcmppd, I::kIdVpcmpgtd, I::kIdVpcmpgtq};
    case Prim::kLe:
      return {I::kIdVcmpps, I::kIdVcmppd, 0, 0};
    case Prim::kEq:
      return {I::kIdVcmpps, I::kIdVcmppd, I::kIdVpcmpeqd, I::kIdVpcmpeqq};
    case Prim::kConst:
    case Prim::kInput:
    case Prim::kFma:
    case Prim::kFnma:
    case Prim::kNot:
    case Prim::kSelect:
    case Prim::kBitcast:
    case Prim::kConvert:
    case Prim::kSlow:
      break;
  }
  return {0, 0, 0, 0};
}

InstId encoding(Prim prim, Type type) {
  const Encoding all = encoding(prim);
  switch (type) {
    case Type::kF32:
    case Type::kM32:
      return all.f32;
    case Type::kF64:
    case Type::kM64:
      return all.f64;
    case Type::kI32:
      return all.i32;
    case Type::kI64:
      return all.i64;
  }
  return 0;
}

bool through_memory(Type from, Type to) {
  return (from == Type::kI64 && to == Type::kF32) || (is_float(from) && to == Type::kI64);
}

}  // namespace

Type type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return Type::kF32;
    case Dtype::kF64:
      return Type::kF64;
    case Dtype::kI64:
      return Type::kI64;
    case Dtype::kBool:
      return Type::kM32;
    case Dtype::kBF16:
    case Dtype::kF16:
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kU8:
      break;
  }
  return Type::kI32;
}

Vec Emitter::reg(Type type, int number) const {
  if (lanes_ * byte_width(type) == kVectorBytes) return Ymm(number);
  return Xmm(number);
}

Needs Emitter::needs(const math::Inst& inst, Type operand) {
  switch (inst.prim) {
    case Prim::kAdd:
    case Prim::kAnd:
    case Prim::kOr:
    case Prim::kXor:
      return {.last_in_memory = true, .commutes = true};
    case Prim::kEq:
      return {.last_in_memory = true, .commutes = true};
    case Prim::kMul:
      if (inst.type == Type::kI64) return {.temporaries = 2};
      return {.last_in_memory = true, .commutes = true};
    case Prim::kSub:
    case Prim::kDiv:
    case Prim::kMinLt:
    case Prim::kMaxGt:
    case Prim::kAndNot:
    case Prim::kLe:
      return {.last_in_memory = true};
    case Prim::kLt:
      return {.last_in_memory = is_float(operand)};
    case Prim::kNot:
      return {.temporaries = 1};
    case Prim::kConvert:
      if (operand == Type::kI64 && inst.type == Type::kF64) return {.temporaries = 2};
      return {.temporaries = byte_width(operand) > byte_width(inst.type) ? 1 : 0};
    case Prim::kConst:
    case Prim::kInput:
    case Prim::kSqrt:
    case Prim::kFma:
    case Prim::kFnma:
    case Prim::kRound:
    case Prim::kShl:
    case Prim::kShr:
    case Prim::kSar:
    case Prim::kSelect:
    case Prim::kBitcast:
    case Prim::kSlow:
      break;
  }
  return {};
}

void Emitter::op(const math::Inst& inst, Type operand, int dst, std::span<const Place> operands,
                 std::span<const int> temporaries) {
  const InstId id = encoding(inst.prim, operand);
  const Vec to = reg(inst.type, dst);
  const auto in = [&](int i) { return as(operand, operands[i]); };
  switch (inst.prim) {
    case Prim::kSqrt:
      a_.emit(id, to, in(0));
      return;
    case Prim::kRound:
      a_.emit(id, to, in(0), asmjit::Imm(static_cast<int>(inst.imm) | kSuppressInexact));
      return;
    case Prim::kShl:
    case Prim::kShr:
    case Prim::kSar:
      a_.emit(id, to, in(0), asmjit::Imm(inst.imm));
      return;
    case Prim::kLt:
      if (is_float(operand)) {
        a_.emit(id, to, in(0), operands[1], asmjit::Imm(kLtQuiet));
      } else {
        a_.emit(id, to, in(1), in(0));
      }
      return;
    case Prim::kLe:
      a_.emit(id, to, in(0), operands[1], asmjit::Imm(kLeQuiet));
      return;
    case Prim::kEq:
      if (is_float(operand)) {
        a_.emit(id, to, in(0), operands[1], asmjit::Imm(kEqQuiet));
      } else {
        a_.emit(id, to, in(0), operands[1]);
      }
      return;
    case Prim::kSelect:
      blend(inst.type, dst, operands[0].id(), operands[1].id(), operands[2].id());
      return;
    case Prim::kNot:
      not_(inst.type, dst, operands[0].id(), temporaries[0]);
      return;
    case Prim::kConvert:
      convert(inst, operand, dst, operands[0].id(), temporaries);
      return;
    case Prim::kMul:
      if (inst.type == Type::kI64) {
        mul_i64(dst, operands[0].id(), operands[1].id(), temporaries);
        return;
      }
      break;
    case Prim::kAdd:
    case Prim::kSub:
    case Prim::kDiv:
    case Prim::kMinLt:
    case Prim::kMaxGt:
    case Prim::kAnd:
    case Prim::kOr:
    case Prim::kXor:
    case Prim::kAndNot:
    case Prim::kConst:
    case Prim::kInput:
    case Prim::kFma:
    case Prim::kFnma:
    case Prim::kBitcast:
    case Prim::kSlow:
      break;
  }
  FRIT_CHECK(id != kNone) << name(inst.prim) << " of " << name(inst.type) << " is no instruction";
  a_.emit(id, to, in(0), operands[1]);
}

void Emitter::fma(const math::Inst& inst, FmaForm form, int dst, int b, const Place& c) {
  // [form][negated product][f64]
  static constexpr InstId kIds[3][2][2] = {
      {{I::kIdVfmadd132ps, I::kIdVfmadd132pd}, {I::kIdVfnmadd132ps, I::kIdVfnmadd132pd}},
      {{I::kIdVfmadd213ps, I::kIdVfmadd213pd}, {I::kIdVfnmadd213ps, I::kIdVfnmadd213pd}},
      {{I::kIdVfmadd231ps, I::kIdVfmadd231pd}, {I::kIdVfnmadd231ps, I::kIdVfnmadd231pd}}};
  const InstId id = kIds[static_cast<int>(form)][inst.prim == Prim::kFnma][inst.type == Type::kF64];
  a_.emit(id, reg(inst.type, dst), reg(inst.type, b), c);
}

void Emitter::not_(Type type, int dst, int src, int temporary) {
  const Vec ones = reg(type, temporary);
  a_.emit(I::kIdVpcmpeqd, ones, ones, ones);
  a_.emit(I::kIdVpxor, reg(type, dst), reg(type, src), ones);
}

void Emitter::blend(Type type, int dst, int mask, int a, int b) {
  const InstId id = byte_width(type) == 4 ? I::kIdVblendvps : I::kIdVblendvpd;
  a_.emit(id, reg(type, dst), reg(type, b), reg(type, a), reg(type, mask));
}

// (a_hi*b + a*b_hi) << 32, plus a_lo*b_lo.
void Emitter::mul_i64(int dst, int a, int b, std::span<const int> temporaries) {
  const Ymm x(a), y(b), s(temporaries[0]), t(temporaries[1]);
  a_.vpsrlq(s, x, 32);
  a_.vpmuludq(s, s, y);
  a_.vpsrlq(t, y, 32);
  a_.vpmuludq(t, t, x);
  a_.vpaddq(s, s, t);
  a_.vpsllq(s, s, 32);
  a_.vpmuludq(t, x, y);
  a_.vpaddq(Ymm(dst), s, t);
}

// The two halves become doubles by way of exponents set by hand: 2^84 + 2^63 + hi*2^32 (hi signed,
// its sign bit flipped) and 2^52 + lo. Only their sum is rounded.
void Emitter::i64_to_f64(int dst, int src, std::span<const int> temporaries) {
  const Ymm x(src), high(temporaries[0]), low(temporaries[1]);
  a_.vpsrlq(high, x, 32);
  a_.vpxor(high, high, as_.constant(0x4530000080000000, 8));
  a_.vsubpd(high, high, as_.constant(0x4530000080100000, 8));
  a_.vpblendd(low, x, as_.constant(0x4330000000000000, 8), 0xaa);
  a_.vaddpd(Ymm(dst), high, low);
}

// The low halves of four 64-bit lanes.
void Emitter::narrow_lanes(int dst, int src, int temporary) {
  a_.vextracti128(Xmm(temporary), Ymm(src), 1);
  a_.vshufps(Xmm(dst), Xmm(src), Xmm(temporary), 0x88);
}

void Emitter::convert(const math::Inst& inst, Type operand, int dst, int src,
                      std::span<const int> temporaries) {
  const Type to = inst.type;
  const Vec d = reg(to, dst), s = reg(operand, src);
  if (through_memory(operand, to)) return convert_through_memory(inst, operand, dst, src);
  if (operand == Type::kI64 && to == Type::kF64) return i64_to_f64(dst, src, temporaries);
  const bool wide_source = byte_width(operand) == 8, wide_result = byte_width(to) == 8;
  if (!is_float(operand) && !is_float(to)) {  // integers and masks
    if (wide_source == wide_result) return move(to, dst, src);
    if (wide_source) return narrow_lanes(dst, src, temporaries[0]);
    return void(a_.emit(I::kIdVpmovsxdq, d, s));
  }
  if (is_float(operand) && is_float(to)) {
    if (wide_source == wide_result) return move(to, dst, src);
    return void(a_.emit(wide_source ? I::kIdVcvtpd2ps : I::kIdVcvtps2pd, d, s));
  }
  if (is_float(operand))
    return void(a_.emit(wide_source ? I::kIdVcvttpd2dq : I::kIdVcvttps2dq, d, s));
  a_.emit(wide_result ? I::kIdVcvtdq2pd : I::kIdVcvtdq2ps, d, s);
}

// AVX2 converts i64 one at a time only, to f32 with one rounding and from floats with truncation.
void Emitter::convert_through_memory(const math::Inst& inst, Type operand, int dst, int src) {
  const Mem area = scratch();
  store(operand, area, src);
  a_.mov(as_.frame(scratch_ + 32), rax);
  const int from_bytes = byte_width(operand), to_bytes = byte_width(inst.type);
  // The result is as wide or wider when it is i64, narrower when f32: the order of lanes never
  // overwrites one that is still to be read.
  const bool upward = to_bytes <= from_bytes;
  for (int i = 0; i < lanes_; ++i) {
    const int lane = upward ? i : lanes_ - 1 - i;
    const Mem from = area.cloneAdjusted(lane * from_bytes),
              to = area.cloneAdjusted(lane * to_bytes);
    if (operand == Type::kI64) {
      a_.vxorps(Xmm(dst), Xmm(dst), Xmm(dst));
      a_.mov(rax, from);
      a_.vcvtsi2ss(Xmm(dst), Xmm(dst), rax);
      a_.vmovss(to, Xmm(dst));
    } else {
      if (operand == Type::kF32) {
        a_.vcvttss2si(rax, from);
      } else {
        a_.vcvttsd2si(rax, from);
      }
      a_.mov(to, rax);
    }
  }
  a_.mov(rax, as_.frame(scratch_ + 32));
  load(inst.type, dst, area);
}

Mem Emitter::scratch() {
  if (scratch_ < 0) scratch_ = as_.allocate_frame(kVectorBytes + 8);
  return as_.frame(scratch_);
}

void Emitter::move(Type type, int dst, int src) {
  if (dst != src) a_.emit(I::kIdVmovaps, reg(type, dst), reg(type, src));
}

void Emitter::load(Type type, int dst, const Mem& from) {
  a_.emit(I::kIdVmovups, reg(type, dst), from);
}

void Emitter::store(Type type, const Mem& to, int src) {
  a_.emit(I::kIdVmovups, to, reg(type, src));
}

void Emitter::store_splat(Type type, const Mem& to, int src) {
  store(type, to, src);
  if (lanes_ * byte_width(type) < kVectorBytes)
    store(type, to.cloneAdjusted(kVectorBytes / 2), src);
}

void Emitter::mask_bits(Type mask, const Gp& to, int src) {
  a_.emit(byte_width(mask) == 4 ? I::kIdVmovmskps : I::kIdVmovmskpd, to.r32(), reg(mask, src));
}

void Emitter::fold_half(Type type, int dst, int src, int lanes) {
  const int bytes = lanes * byte_width(type) / 2;
  switch (bytes) {
    case 16:
      a_.vextractf128(Xmm(dst), Ymm(src), 1);
      return;
    case 8:
      a_.vpshufd(Xmm(dst), Xmm(src), 0xee);
      return;
    default:
      a_.vpshufd(Xmm(dst), Xmm(src), 0x55);
      return;
  }
}

}  // namespace frit::codegen

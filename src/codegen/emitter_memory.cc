// Elements of every dtype between memory and vector registers, in AVX2.
#include "src/base/check.h"
#include "src/codegen/emitter.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names
namespace I = asmjit::x86::Inst;
using asmjit::InstId;
using math::Type;

// How elements narrower than their lanes widen.
InstId widening(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBF16:
    case Dtype::kF16:
      return I::kIdVpmovzxwd;
    case Dtype::kI16:
      return I::kIdVpmovsxwd;
    case Dtype::kI8:
      return I::kIdVpmovsxbd;
    case Dtype::kU8:
    case Dtype::kBool:
      return I::kIdVpmovzxbd;
    case Dtype::kF64:
    case Dtype::kF32:
    case Dtype::kI64:
    case Dtype::kI32:
      break;
  }
  return I::kIdNone;
}

}  // namespace

void Emitter::load_elements(Dtype dtype, int dst, const Mem& from, int temporary) {
  const Vec to = reg(type_of(dtype), dst);
  if (widening(dtype) == I::kIdNone) return load(type_of(dtype), dst, from);
  a_.emit(widening(dtype), to, from);
  if (dtype != Dtype::kBool) return;
  const Vec zero = reg(Type::kM32, temporary);
  a_.emit(I::kIdVpxor, zero, zero, zero);
  a_.emit(I::kIdVpcmpgtd, to, to, zero);
}

void Emitter::store_elements(Dtype dtype, const Mem& to, int src, int temporary) {
  if (widening(dtype) == I::kIdNone) return store(type_of(dtype), to, src);
  const bool full = lanes_ == 8;
  const Xmm low(temporary), source(src);
  Vec words = reg(Type::kI32, temporary);
  if (dtype == Dtype::kBool) {
    a_.emit(I::kIdVpsrld, words, reg(Type::kI32, src), asmjit::Imm(31));
  } else if (is_small_int(dtype)) {  // packing saturates, so that only the low bits may be set
    const uint64_t low_bits = byte_size(dtype) == 1 ? 0xff : 0xffff;
    a_.emit(I::kIdVpand, words, reg(Type::kI32, src), as_.constant(low_bits, 4));
  } else {
    a_.emit(I::kIdVmovaps, words, reg(Type::kI32, src));
  }
  // In-lane packing leaves the halves in words 0-3 and 8-11; one permutation joins them.
  a_.emit(I::kIdVpackusdw, words, words, words);
  if (full) a_.vpermq(Ymm(temporary), Ymm(temporary), 0x08);
  if (byte_size(dtype) == 1) {
    a_.vpackuswb(low, low, low);
    full ? a_.vmovq(to, low) : a_.vmovd(to, low);
  } else {
    full ? a_.vmovups(to, low) : a_.vmovq(to, low);
  }
}

void Emitter::load_masked(Dtype dtype, int dst, const Mem& from, const Mem& mask) {
  const Type type = type_of(dtype);
  const Vec to = reg(type, dst);
  load(type, dst, mask);
  a_.emit(byte_size(dtype) == 4 ? I::kIdVmaskmovps : I::kIdVmaskmovpd, to, to, from);
}

void Emitter::store_masked(Dtype dtype, const Mem& to, int src, const Mem& mask, int temporary) {
  const Type type = type_of(dtype);
  load(type, temporary, mask);
  a_.emit(byte_size(dtype) == 4 ? I::kIdVmaskmovps : I::kIdVmaskmovpd, to, reg(type, temporary),
          reg(type, src));
}

void Emitter::load_broadcast(Dtype dtype, int dst, const Mem& from, const Gp& word) {
  const Vec to = reg(type_of(dtype), dst);
  if (byte_size(dtype) == 4) return void(a_.emit(I::kIdVbroadcastss, to, from));
  if (byte_size(dtype) == 8) return void(a_.emit(I::kIdVbroadcastsd, to, from));
  Mem sized = from;
  sized.setSize(byte_size(dtype));
  if (dtype == Dtype::kI8 || dtype == Dtype::kI16) {
    a_.movsx(word.r32(), sized);
  } else {
    a_.movzx(word.r32(), sized);
  }
  if (dtype == Dtype::kBool) {  // 0 - (x != 0)
    a_.neg(word.r32());
    a_.sbb(word.r32(), word.r32());
  }
  a_.vmovd(Xmm(dst), word.r32());
  a_.emit(I::kIdVpbroadcastd, to, Xmm(dst));
}

void Emitter::insert_element(Dtype dtype, int dst, const Mem& from, int temporary, int lane) {
  const int bytes = byte_size(dtype);
  const int in_half = bytes == 8 ? 2 : bytes == 4 ? 4 : 8;
  const Xmm to(lane < in_half ? dst : temporary);
  const int at = lane % in_half;
  if (bytes == 8) return at == 0 ? void(a_.vmovsd(to, from)) : void(a_.vmovhps(to, to, from));
  if (bytes == 4)
    return at == 0 ? void(a_.vmovss(to, from)) : void(a_.vinsertps(to, to, from, at << 4));
  if (at == 0) a_.vpxor(to, to, to);
  bytes == 2 ? a_.vpinsrw(to, to, from, at) : a_.vpinsrb(to, to, from, at);
}

void Emitter::join_elements(Dtype dtype, int dst, int temporary) {
  if (lanes_ * byte_size(dtype) == kVectorBytes)
    a_.vinsertf128(Ymm(dst), Ymm(dst), Xmm(temporary), 1);
}

void Emitter::transpose(Type type, std::array<int, 4>* vectors, int* spare) {
  auto& [v0, v1, v2, v3] = *vectors;
  FRIT_CHECK(lanes_ == 4) << lanes_;
  const bool wide = byte_width(type) == 8;
  const auto unpack = [&](bool high, int dst, int a, int b) {
    if (wide)
      a_.emit(high ? I::kIdVunpckhpd : I::kIdVunpcklpd, Ymm(dst), Ymm(a), Ymm(b));
    else
      a_.emit(high ? I::kIdVunpckhps : I::kIdVunpcklps, Xmm(dst), Xmm(a), Xmm(b));
  };
  const auto pair = [&](bool high, int dst, int a, int b) {
    if (wide)
      a_.vperm2f128(Ymm(dst), Ymm(a), Ymm(b), high ? 0x31 : 0x20);
    else
      a_.emit(high ? I::kIdVunpckhpd : I::kIdVunpcklpd, Xmm(dst), Xmm(a), Xmm(b));
  };
  // Of vectors 0 and 1, then of 2 and 3.
  unpack(false, *spare, v0, v1);
  unpack(true, v1, v0, v1);
  unpack(false, v0, v2, v3);
  unpack(true, v3, v2, v3);
  const int low0 = *spare, high0 = v1, low1 = v0, high1 = v3;
  // Wide ones have lanes 0 and 2 in the low pairs, others 0 and 1.
  const int first = v2;
  if (wide) {
    pair(false, first, low0, low1);
    pair(true, low1, low0, low1);     // 2
    pair(false, low0, high0, high1);  // 1
    pair(true, high1, high0, high1);  // 3
    *vectors = {first, low0, low1, high1};
    *spare = high0;
  } else {
    pair(false, first, low0, low1);
    pair(true, low1, low0, low1);     // 1
    pair(false, low0, high0, high1);  // 2
    pair(true, high1, high0, high1);  // 3
    *vectors = {first, low1, low0, high1};
    *spare = high0;
  }
}

void Emitter::place_of_lane(const Gp& to, int places, int lane, int upper) {
  if (lane == 2) a_.vextracti128(Xmm(upper), Ymm(places), 1);
  const Xmm from(lane < 2 ? places : upper);
  lane % 2 == 0 ? a_.vmovq(to, from) : a_.vpextrq(to, from, 1);
}

void Emitter::store_lane(Type type, const Mem& to, int src, int lane, int upper) {
  if (byte_width(type) == 4)
    return lane == 0 ? void(a_.vmovss(to, Xmm(src))) : void(a_.vextractps(to, Xmm(src), lane));
  if (lane == 2) a_.vextractf128(Xmm(upper), Ymm(src), 1);
  const Xmm from(lane < 2 ? src : upper);
  lane % 2 == 0 ? a_.vmovlps(to, from) : a_.vmovhps(to, from);
}

void Emitter::lane_to_first(Type type, int dst, int src, int lane) {
  if (lane == 0) return move(type, dst, src);
  if (byte_width(type) == 4) return void(a_.vpermilps(Xmm(dst), Xmm(src), lane));
  if (lane >= 2) a_.vextractf128(Xmm(dst), Ymm(src), 1);
  if (lane % 2 != 0) a_.vpermilpd(Xmm(dst), Xmm(lane >= 2 ? dst : src), 1);
}

void Emitter::reverse(Type type, int reg) {
  constexpr int kBackwards = 0x1b, kHalves = 0x4e;  // of four; two of two
  if (byte_width(type) == 8) return void(a_.vpermpd(Ymm(reg), Ymm(reg), kBackwards));
  const Vec all = this->reg(type, reg);
  a_.emit(I::kIdVpermilps, all, all, asmjit::Imm(kBackwards));
  if (lanes_ == 8) a_.vpermpd(Ymm(reg), Ymm(reg), kHalves);
}

void Emitter::load_count(Type type, int dst, const Gp& first, bool counts, int temporary) {
  const bool wide = byte_width(type) == 8;
  const int from = counts ? temporary : dst;
  if (wide) {
    a_.vmovq(Xmm(from), first);
    a_.vpbroadcastq(Ymm(from), Xmm(from));
  } else {
    a_.vmovd(Xmm(from), first.r32());
    a_.vpbroadcastd(Ymm(from), Xmm(from));
  }
  if (!counts) return;
  const Mem lanes = as_.constant(0x0706050403020100, 8);
  if (wide) {
    a_.vpmovzxbq(Ymm(dst), lanes);
    a_.vpaddq(Ymm(dst), Ymm(dst), Ymm(temporary));
  } else {
    a_.vpmovzxbd(Ymm(dst), lanes);
    a_.vpaddd(Ymm(dst), Ymm(dst), Ymm(temporary));
  }
}

void Emitter::load_lane(Type type, int dst, const Mem& from, int lane) {
  Mem element = from;
  element.addOffset(lane * byte_width(type));
  a_.emit(byte_width(type) == 4 ? I::kIdVbroadcastss : I::kIdVbroadcastsd, reg(type, dst), element);
}

void Emitter::put_lane(Type type, int dst, int src, int lane) {
  if (lane == 0) return move(type, dst, src);
  a_.emit(byte_width(type) == 4 ? I::kIdVblendps : I::kIdVblendpd, reg(type, dst), reg(type, dst),
          reg(type, src), asmjit::Imm(1 << lane));
}

void Emitter::store_first(Dtype dtype, const Mem& to, int src, const Gp& word) {
  if (byte_size(dtype) == 4) return void(a_.vmovss(to, Xmm(src)));
  if (byte_size(dtype) == 8) return void(a_.vmovsd(to, Xmm(src)));
  a_.vmovd(word.r32(), Xmm(src));
  if (byte_size(dtype) == 2) return void(a_.mov(to, word.r16()));
  if (dtype == Dtype::kBool) a_.and_(word.r32(), 1);
  a_.mov(to, word.r8());
}

void Emitter::load_strided(Dtype dtype, int dst, const Gp& address, const Gp& stride,
                           const Gp& triple, int temporary) {
  FRIT_CHECK(byte_size(dtype) >= 4) << "strided " << name(dtype) << " goes through memory";
  a_.lea(triple, ptr(stride, stride, 1));
  const bool full = lanes_ * byte_size(dtype) == kVectorBytes;
  for (int half = full ? 1 : 0; half >= 0; --half) {
    // The upper half first, from the second group of addresses, then joined.
    const Xmm to(half == 1 ? temporary : dst);
    const int step = byte_size(dtype) == 4 ? 4 : 2;
    if (half == 1) a_.lea(address, ptr(address, stride, step == 4 ? 2 : 1));
    if (step == 4) {
      a_.vmovss(to, ptr(address));
      a_.vinsertps(to, to, ptr(address, stride), 0x10);
      a_.vinsertps(to, to, ptr(address, stride, 1), 0x20);
      a_.vinsertps(to, to, ptr(address, triple), 0x30);
    } else {
      a_.vmovsd(to, ptr(address));
      a_.vmovhps(to, to, ptr(address, stride));
    }
    if (half == 1) {
      a_.neg(stride);
      a_.lea(address, ptr(address, stride, step == 4 ? 2 : 1));
      a_.neg(stride);
    }
  }
  if (full) a_.vinsertf128(Ymm(dst), Ymm(dst), Xmm(temporary), 1);
}

}  // namespace frit::codegen

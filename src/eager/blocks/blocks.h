// Block kernels: one elementwise op over contiguous memory. What eager's loops, and plans without
// machine code, run.
//
//   BinaryBlock add = binary_block(Op::add, kFloat32);
//   add(a, b, out, n, kBroadcast1);   // out[i] = a[i] + b[0]
//
// Operands have one dtype (where's condition is bool); the result has it too, or is bool where
// ops.def says so. Pointers need the alignment of an element only. `out` may be an operand that is
// not broadcast, but not overlap one otherwise. Every ISA level gives the same bits, and the
// kernels may be called on pieces of any length. Halves are computed in f32 and rounded once.
#pragma once

#include <cstdint>

#include "frit/dtype.h"
#include "src/base/cpu.h"
#include "src/ops/op.h"

namespace frit::eager {

// Bits of `mode`: operand i is one element, used for all. where's condition is operand 0.
enum BlockMode : int { kBroadcast0 = 1, kBroadcast1 = 2, kBroadcast2 = 4 };

using UnaryBlock = void (*)(const void* x, void* out, int64_t n);
using BinaryBlock = void (*)(const void* a, const void* b, void* out, int64_t n, int mode);
using TernaryBlock = void (*)(const void* condition, const void* a, const void* b, void* out,
                              int64_t n, int mode);
using CastBlock = void (*)(const void* x, void* out, int64_t n);

// Turns groups of 16 uniform f32 of [0, 1) into normal ones of mean 0 and deviation 1, by
// math::box_muller: the first 8 of a group give radii, the others angles.
using NormalBlock = void (*)(float* numbers, int64_t groups);

// The kernels of one ISA level, null where an op has none for a dtype.
struct BlockTable {
  UnaryBlock unary[kNumOps][kNumDtypes];
  BinaryBlock binary[kNumOps][kNumDtypes];
  TernaryBlock ternary[kNumOps][kNumDtypes];
  CastBlock cast[kNumDtypes][kNumDtypes];
  NormalBlock make_normal;
};

// Those of the level that base::isa() names.
const BlockTable& block_table();
// Those of a given level, which this processor must have.
const BlockTable& block_table(Isa isa);

// Null where the op has no meaning for the dtype, as sub of bool or exp of an integer.
UnaryBlock unary_block(Op op, Dtype dtype);
// Also division, remainders and powers of integers. There a zero divisor gives 0: whoever must
// throw asks any_zero first.
BinaryBlock binary_block(Op op, Dtype dtype);
TernaryBlock ternary_block(Op op, Dtype dtype);
// For every pair; from a dtype to itself it copies.
CastBlock cast_block(Dtype from, Dtype to);

// Whether one of n integers or bools is 0.
bool any_zero(Dtype dtype, const void* x, int64_t n);

}  // namespace frit::eager

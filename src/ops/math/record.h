// Turns an op of the table into primitive instructions: the third instantiation of the templates in
// pointwise.h.
#pragma once

#include <optional>
#include <span>

#include "frit/dtype.h"
#include "src/ops/math/program.h"
#include "src/ops/op.h"

namespace frit::math {

// Appends the meaning of an elementwise op on these operands (ids in `program`) and returns the
// result's id. The operands' types choose the dtype; bool operands and results are masks. Operands
// have one type, but for where's condition, a mask of either width. bf16 and f16 have no type:
// kernels load them as f32 (below). The small ints are i32, to be wrapped after each op. nullopt:
// this op has no sequence for this type.
std::optional<int32_t> record(Program& program, Op op, std::span<const int32_t> operands);

// Appends a cast between f32, f64, i32, i64 and masks, by OPS' rules: a mask becomes 1 or 0, a
// number becomes x != 0.
int32_t record_cast(Program& program, int32_t operand, Type to);

// Appends what makes an i32 one of the small ints, i8, i16 or u8, by dropping bits; other dtypes
// stay as they are.
int32_t record_wrapped(Program& program, int32_t value, Dtype dtype);

// The 16-bit floats as the low half of an i32: widening is exact, narrowing rounds to nearest even.
int32_t record_from_bfloat16(Program& program, int32_t bits);  // i32, high half ignored -> f32
int32_t record_to_bfloat16(Program& program, int32_t value);   // f32 -> i32, high half 0
int32_t record_from_half(Program& program, int32_t bits);
int32_t record_to_half(Program& program, int32_t value);

}  // namespace frit::math

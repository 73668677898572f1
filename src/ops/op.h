// The op table as types: the enum and the facts of each row of ops.def. Registered ops (custom.h)
// have rows behind those of the table, and numbers from kNumOps on.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "frit/op.h"

namespace frit {

enum class Op : uint16_t {
#define FRIT_OP(name, ...) name,
#include "src/ops/ops.def"
};

inline constexpr int kNumOps = 0
#define FRIT_OP(name, ...) +1
#include "src/ops/ops.def"
    ;
inline constexpr int kMaxCustomOps = 512;

enum class Family : uint8_t {
  kUnary,
  kBinary,
  kTernary,
  kCast,
  kReduce,
  kArgReduce,
  kScan,
  kMove,
  kCopy,
  kCat,
  kPad,
  kIndex,
  kScatter,
  kSort,
  kContract,
  kPool,
  kResample,
  kFft,
  kLinalg,
  kRecurrent,
  kCreate,
  kStore,
  kComposite,
  kCustom,
};

enum class DtypeRule : uint8_t {
  Same,
  Number,
  Float,
  FloatOnly,
  Bool,
  Integral,
  Sum,
  First,
  Index,
  Attr,
};

enum class Traits : uint8_t { kNone, kView, kMayView, kEffect };

// How far PyTorch's result may be: see ops.def.
struct Tolerance {
  enum class Kind : uint8_t { kExact, kUlp, kSum, kAbsEps };
  Kind kind;
  double factor;
};

// kText: as the list of ints that attrs.h makes of it.
enum class AttrKind : uint8_t { kInt, kInts, kBool, kDtype, kText };
inline bool is_list(AttrKind kind) { return kind == AttrKind::kInts || kind == AttrKind::kText; }

inline constexpr int kVariadic = -1;
inline constexpr int kMaxResults = 4;

struct OpInfo {
  std::string_view name;
  Family family;
  int operands;  // kVariadic for lists
  int results;
  DtypeRule dtype;
  Traits traits;
  Tolerance tolerance;
  std::string_view attributes;  // "dim:int,keepdim:bool", in name order
  std::string_view meaning;
  bool varies = false;  // some attribute does: see AttrSpec
};

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool varies;  // a position or a size: no part of what makes calls of a program alike
};
namespace detail {
extern OpInfo op_table[kNumOps + kMaxCustomOps];
// Gives a registered op its row. Before its number is known to anybody.
void add_row(Op op, const OpInfo& row, std::span<const AttrSpec> attributes);
}  // namespace detail
inline const OpInfo& info(Op op) { return detail::op_table[static_cast<int>(op)]; }
std::span<const OpInfo> all_ops();  // of ops.def

inline bool is_composite(Op op) { return info(op).family == Family::kComposite; }
inline bool is_custom(Op op) { return static_cast<int>(op) >= kNumOps; }
inline bool is_elementwise(Op op) { return info(op).family <= Family::kTernary; }
// Whether the op's integer form throws where a divisor is 0.
inline bool divides(Op op) {
  return op == Op::floor_divide || op == Op::trunc_divide || op == Op::fmod || op == Op::remainder;
}

// The parsed `attributes` column.
std::span<const AttrSpec> attr_specs(Op op);

}  // namespace frit

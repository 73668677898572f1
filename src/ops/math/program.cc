// Builds, prints and interprets programs of primitive instructions.
#include "src/ops/math/program.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "src/base/check.h"
#include "src/ops/math/slow.h"

namespace frit::math {
namespace {

struct PrimInfo {
  std::string_view text;
  int operands;
};

constexpr PrimInfo kPrims[] = {
#define FRIT_PRIM(enumerator, text, operands, meaning) {text, operands},
#include "src/ops/math/prims.def"
};

uint64_t hash_of(const Inst& inst) {
  uint64_t h = static_cast<uint64_t>(inst.prim) << 8 | static_cast<uint64_t>(inst.type);
  for (int32_t operand : inst.operands)
    h = (h ^ static_cast<uint32_t>(operand)) * 0x9e3779b97f4a7c15;
  h = (h ^ inst.imm) * 0x9e3779b97f4a7c15;
  return h ^ h >> 32;
}

bool has_immediate(Prim prim) {
  return prim == Prim::kConst || prim == Prim::kInput || prim == Prim::kRound ||
         prim == Prim::kShl || prim == Prim::kShr || prim == Prim::kSar || prim == Prim::kSlow;
}

void print_immediate(const Inst& inst, std::string& text) {
  char buffer[24] = "";
  if (inst.prim == Prim::kConst) {
    std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(inst.imm));
    text += buffer;
  } else if (inst.prim == Prim::kSlow) {
    text += name(static_cast<SlowFn>(inst.imm));
  } else if (inst.prim == Prim::kRound) {
    constexpr std::string_view kModes[] = {"nearest_even", "floor", "ceil", "trunc"};
    text += kModes[inst.imm];
  } else {
    text += std::to_string(inst.imm);
  }
}

// One lane's value, seen as each type.
template <class T>
T get(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}
template <class T>
uint64_t put(T value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}
uint64_t mask_bits(Type type, bool on) {
  if (!on) return 0;
  return byte_width(type) == 4 ? 0xffffffff : ~uint64_t{0};
}

template <class T>
T round_to(T x, Rounding mode) {
  switch (mode) {
    case Rounding::kNearestEven:
      return std::nearbyint(x);
    case Rounding::kFloor:
      return std::floor(x);
    case Rounding::kCeil:
      return std::ceil(x);
    case Rounding::kTrunc:
      return std::trunc(x);
  }
  __builtin_unreachable();
}

template <class T>
uint64_t slow(uint64_t function, T x, T y) {
  return put(slow_function<T>(static_cast<SlowFn>(function))(x, y));
}

bool is_comparison(Prim prim) {
  return prim == Prim::kLt || prim == Prim::kLe || prim == Prim::kEq;
}

template <class T>
bool compare(Prim prim, T a, T b) {
  if (prim == Prim::kLt) return a < b;
  return prim == Prim::kLe ? a <= b : a == b;
}

// Arithmetic on floats of type T.
template <class T>
uint64_t evaluate_float(const Inst& inst, const uint64_t* v) {
  const T a = get<T>(v[0]), b = get<T>(v[1]), c = get<T>(v[2]), d = get<T>(v[3]);
  switch (inst.prim) {
    case Prim::kAdd:
      return put<T>(a + b);
    case Prim::kSub:
      return put<T>(a - b);
    case Prim::kMul:
      return put<T>(a * b);
    case Prim::kDiv:
      return put<T>(a / b);
    case Prim::kSqrt:
      return put<T>(std::sqrt(a));
    case Prim::kFma:
      return put<T>(std::fma(a, b, c));
    case Prim::kFnma:
      return put<T>(std::fma(-a, b, c));
    case Prim::kMinLt:
      return put<T>(a < b ? a : b);
    case Prim::kMaxGt:
      return put<T>(a > b ? a : b);
    case Prim::kRound:
      return put<T>(round_to(a, static_cast<Rounding>(inst.imm)));
    case Prim::kSlow:
      return v[0] ? slow<T>(inst.imm, c, d) : v[1];
    default:
      break;
  }
  FRIT_CHECK(false) << name(inst.prim) << " on " << name(inst.type);
  __builtin_unreachable();
}

// Arithmetic on integers; U is the unsigned type of the width.
template <class U>
uint64_t evaluate_int(const Inst& inst, const uint64_t* v) {
  using Signed = std::make_signed_t<U>;
  const U a = static_cast<U>(v[0]), b = static_cast<U>(v[1]);
  switch (inst.prim) {
    case Prim::kAdd:
      return static_cast<U>(a + b);
    case Prim::kSub:
      return static_cast<U>(a - b);
    case Prim::kMul:
      return static_cast<U>(a * b);
    case Prim::kAnd:
      return a & b;
    case Prim::kOr:
      return a | b;
    case Prim::kXor:
      return a ^ b;
    case Prim::kAndNot:
      return static_cast<U>(~a & b);
    case Prim::kNot:
      return static_cast<U>(~a);
    case Prim::kShl:
      return static_cast<U>(a << inst.imm);
    case Prim::kShr:
      return a >> inst.imm;
    case Prim::kSar:
      return static_cast<U>(static_cast<Signed>(a) >> inst.imm);
    case Prim::kSlow:
      return v[0] ? slow(inst.imm, get<Signed>(v[2]), get<Signed>(v[3])) : b;
    default:
      break;
  }
  FRIT_CHECK(false) << name(inst.prim) << " on " << name(inst.type);
  __builtin_unreachable();
}

bool evaluate_comparison(Prim prim, Type operands, const uint64_t* v) {
  switch (operands) {
    case Type::kF32:
      return compare(prim, get<float>(v[0]), get<float>(v[1]));
    case Type::kF64:
      return compare(prim, get<double>(v[0]), get<double>(v[1]));
    case Type::kI32:
      return compare(prim, get<int32_t>(v[0]), get<int32_t>(v[1]));
    case Type::kI64:
      return compare(prim, get<int64_t>(v[0]), get<int64_t>(v[1]));
    case Type::kM32:
    case Type::kM64:
      break;
  }
  FRIT_CHECK(false) << name(prim) << " of masks";
  __builtin_unreachable();
}

// Truncates; the smallest integer stands for what does not fit, as on x86.
template <class I, class F>
I truncate(F x) {
  constexpr F kLimit = static_cast<F>(uint64_t{1} << (sizeof(I) * 8 - 1));
  if (!(x > -kLimit - 1 && x < kLimit)) return std::numeric_limits<I>::min();
  return static_cast<I>(x);
}

template <class From>
uint64_t convert_from(From x, Type to) {
  constexpr bool kFromFloat = std::is_floating_point_v<From>;
  switch (to) {
    case Type::kF32:
      return put(static_cast<float>(x));
    case Type::kF64:
      return put(static_cast<double>(x));
    case Type::kI32:
      if constexpr (kFromFloat)
        return put(truncate<int32_t>(x));
      else
        return put(static_cast<int32_t>(x));
    case Type::kI64:
      if constexpr (kFromFloat)
        return put(truncate<int64_t>(x));
      else
        return put(static_cast<int64_t>(x));
    case Type::kM32:
    case Type::kM64:
      break;
  }
  return mask_bits(to, x != 0);
}

uint64_t evaluate_convert(Type from, Type to, uint64_t bits) {
  switch (from) {
    case Type::kF32:
      return convert_from(get<float>(bits), to);
    case Type::kF64:
      return convert_from(get<double>(bits), to);
    case Type::kI32:
      return convert_from(get<int32_t>(bits), to);
    case Type::kI64:
      return convert_from(get<int64_t>(bits), to);
    case Type::kM32:
    case Type::kM64:
      return mask_bits(to, bits != 0);
  }
  __builtin_unreachable();
}

uint64_t evaluate_arithmetic(const Inst& inst, const uint64_t* v) {
  switch (inst.type) {
    case Type::kF32:
      return evaluate_float<float>(inst, v);
    case Type::kF64:
      return evaluate_float<double>(inst, v);
    case Type::kI32:
    case Type::kM32:
      return evaluate_int<uint32_t>(inst, v);
    case Type::kI64:
    case Type::kM64:
      return evaluate_int<uint64_t>(inst, v);
  }
  __builtin_unreachable();
}

uint64_t evaluate(const Program& program, const Inst& inst, const uint64_t* v,
                  std::span<const uint64_t> inputs) {
  if (inst.prim == Prim::kConst) return inst.imm;
  if (inst.prim == Prim::kInput) return inputs[inst.imm];
  const Type from = program[inst.operands[0]].type;
  if (inst.prim == Prim::kBitcast) return v[0];
  if (inst.prim == Prim::kSelect) return v[0] ? v[1] : v[2];
  if (inst.prim == Prim::kConvert) return evaluate_convert(from, inst.type, v[0]);
  if (is_comparison(inst.prim))
    return mask_bits(inst.type, evaluate_comparison(inst.prim, from, v));
  return evaluate_arithmetic(inst, v);
}

}  // namespace

std::string_view name(Prim prim) { return kPrims[static_cast<int>(prim)].text; }
int num_operands(Prim prim) { return kPrims[static_cast<int>(prim)].operands; }

std::string_view name(Type type) {
  constexpr std::string_view kNames[] = {"f32", "f64", "i32", "i64", "m32", "m64"};
  return kNames[static_cast<int>(type)];
}

int32_t Program::append(const Inst& inst) {
  if (table_.size() < 2 * (insts_.size() + 1)) rehash();
  const size_t mask = table_.size() - 1;
  size_t slot = hash_of(inst) & mask;
  for (; table_[slot] >= 0; slot = (slot + 1) & mask) {
    if (insts_[table_[slot]] == inst) return table_[slot];
  }
  table_[slot] = size();
  insts_.push_back(inst);
  return table_[slot];
}

void Program::rehash() {
  table_.assign(table_.empty() ? 128 : 2 * table_.size(), -1);
  const size_t mask = table_.size() - 1;
  for (int32_t id = 0; id < size(); ++id) {
    size_t slot = hash_of(insts_[id]) & mask;
    while (table_[slot] >= 0) slot = (slot + 1) & mask;
    table_[slot] = id;
  }
}

std::string Program::print() const {
  std::string text;
  for (int32_t id = 0; id < size(); ++id) {
    const Inst& inst = insts_[id];
    text += "%" + std::to_string(id) + ": ";
    text += name(inst.type);
    text += " = ";
    text += name(inst.prim);
    for (int i = 0; i < num_operands(inst.prim); ++i)
      text += (i ? ", %" : " %") + std::to_string(inst.operands[i]);
    if (has_immediate(inst.prim)) {
      text += num_operands(inst.prim) ? ", " : " ";
      print_immediate(inst, text);
    }
    text += "\n";
  }
  text += "return";
  for (size_t i = 0; i < outputs.size(); ++i)
    text += (i ? ", %" : " %") + std::to_string(outputs[i]);
  return text + "\n";
}

std::vector<uint64_t> interpret_all(const Program& program, std::span<const uint64_t> inputs) {
  std::vector<uint64_t> values;
  values.reserve(program.size());
  for (const Inst& inst : program.insts()) {
    uint64_t v[4] = {};
    for (int i = 0; i < num_operands(inst.prim); ++i) v[i] = values[inst.operands[i]];
    values.push_back(evaluate(program, inst, v, inputs));
  }
  return values;
}

std::vector<uint64_t> interpret(const Program& program, std::span<const uint64_t> inputs) {
  const std::vector<uint64_t> values = interpret_all(program, inputs);
  std::vector<uint64_t> results;
  for (int32_t id : program.outputs) results.push_back(values[id]);
  return results;
}

}  // namespace frit::math

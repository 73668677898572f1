// frit ops --core: what core ops are, for those who implement them. docs/core_ops.md is its output.
#include <array>
#include <cstdio>
#include <string>

#include "src/ops/op.h"
#include "src/tools/commands.h"

namespace frit::tools {
namespace {

constexpr const char* kHead = R"(# Core ops

Printed by `frit ops --core` from the table of ops, for those who implement them: normalized graphs hold these ops and no others, but
for what a backend keeps whole. Frit's own code gives the same bits on every machine: what `exact` ops and orders of sums say here, and
of functions like exp one written sequence each (`src/ops/math`). A backend's results are compared with these by tolerance.

## What holds of all

- **Types.** f64, f32, f16, bf16, i64, i32, i16, i8, u8, bool. In normalized graphs the operands of an elementwise op are of one dtype and of
  the result's sizes: casts and expands are nodes of their own. A number among the operands stands for a tensor full of it, rounded to that dtype.
- **Arithmetic** is IEEE's, rounded to nearest even; a product and a sum are one fma only where `fma` is written. f16 and bf16 are computed in
  f32 and rounded once, at the end of the op. Integers wrap; i16, i8 and u8 are computed in i32, and the upper bits dropped. Division of integers
  by 0 is an error of the call.
- **NaN.** Sign and payload of a NaN are unspecified. Comparisons with it are false, but `ne`.
- **Sizes** may be 0, and tensors may have no dimensions. Negative dimensions count from the end.
- **Strides** do not change values. Results are row-major, but that elementwise results and copies take the dense layout of their operands, and 2-D
  convolutions give channels_last. The graph states them; a backend may give others, which are then copied.
- **A reduction** folds rows in one order. Element i, counted row-major over the reduced dimensions, goes to lane i mod 32. Lanes begin with the
  identity and are joined pairwise: lane i with lane i + 16, then 8, 4, 2, 1. Rows of more than 4,096 elements are cut into blocks of 4,096, and the
  blocks' results are folded as a row in the same way.
- **Tolerance**, of f against the exact result g: `exact`: equal. `ulp(n)`: |f - g| is at most n units in the last place of g. `sum(c)`: at
  most c * eps * sqrt(n) * the sum of the n terms' absolute values. `abs_eps(c)`: at most c * eps. eps is that of the result's dtype; a 16-bit
  result may be rounded once more.
- Attributes follow the operands in braces.

)";

// Ops of one heading, in the table's order.
const char* heading_of(Family family) {
  switch (family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return "Elementwise";
    case Family::kCast:
      return "Conversion";
    case Family::kReduce:
    case Family::kArgReduce:
      return "Reductions";
    case Family::kScan:
      return "Scans";
    case Family::kMove:
      return "Views";
    case Family::kCopy:
    case Family::kCat:
    case Family::kPad:
      return "Copies";
    case Family::kIndex:
    case Family::kScatter:
      return "Indexing";
    case Family::kSort:
      return "Order";
    case Family::kContract:
      return "Products";
    case Family::kPool:
    case Family::kResample:
      return "Windows";
    case Family::kFft:
      return "Fourier transforms";
    case Family::kLinalg:
      return "Linear algebra";
    case Family::kRecurrent:
      return "Recurrent layers";
    case Family::kCreate:
      return "Creation";
    case Family::kStore:
      return "Writing";
    case Family::kComposite:
    case Family::kCustom:
      break;
  }
  return nullptr;  // no core op
}

const char* text_of(DtypeRule rule) {
  switch (rule) {
    case DtypeRule::Same:
      return "the operands'";
    case DtypeRule::Number:
      return "the operands', not bool";
    case DtypeRule::Float:
      return "the operands'; integers and bool as f32";
    case DtypeRule::FloatOnly:
      return "the operands', floats only";
    case DtypeRule::Bool:
      return "bool";
    case DtypeRule::Integral:
      return "the operands', integers and bool only";
    case DtypeRule::Sum:
      return "the operand's; of integers and bool i64";
    case DtypeRule::First:
      return "the first operand's";
    case DtypeRule::Index:
      return "i64";
    case DtypeRule::Attr:
      return "`dtype`";
  }
  __builtin_unreachable();
}

std::string text_of(const Tolerance& tolerance) {
  const std::string factor = std::to_string(static_cast<int>(tolerance.factor));
  switch (tolerance.kind) {
    case Tolerance::Kind::kExact:
      return "exact";
    case Tolerance::Kind::kUlp:
      return "ulp(" + factor + ")";
    case Tolerance::Kind::kSum:
      return "sum(" + factor + ")";
    case Tolerance::Kind::kAbsEps:
      return "abs_eps(" + factor + ")";
  }
  __builtin_unreachable();
}

struct Exact {
  const char *operands, *sizes, *definition;
};

constexpr auto kExact = [] {
  std::array<Exact, kNumOps> all{};
  for (Exact& exact : all) exact = {"", "", ""};
#define FRIT_OP(...)
#define FRIT_EXACT(name, operands, sizes, definition) \
  all[static_cast<size_t>(Op::name)] = {operands, sizes, definition};
#include "src/ops/ops.def"
  return all;
}();

constexpr bool is_elementwise_family(Family family) { return family <= Family::kTernary; }

// A core op with a loop of its own says what its operands and results are.
#define FRIT_OP(name, family, ...)                                                               \
  static_assert(Family::family == Family::kComposite || is_elementwise_family(Family::family) || \
                    kExact[static_cast<size_t>(Op::name)].definition[0] != 0,                    \
                #name ": no FRIT_EXACT");
#include "src/ops/ops.def"

std::string operands_of(const OpInfo& row, const Exact& exact) {
  if (exact.operands[0] != 0) return exact.operands;
  const bool one = row.operands == 1, two = row.operands == 2;
  return one ? "x" : two ? "a, b" : "c, a, b";
}

std::string attributes_of(const OpInfo& row) {
  if (row.attributes.empty()) return "";
  std::string text = " {";
  for (const char c : row.attributes) text += c == ',' ? ", " : c == ':' ? ": " : std::string(1, c);
  return text + "}";
}

void print(const OpInfo& row, const Exact& exact) {
  const std::string sizes = exact.sizes;
  std::printf("**%s**(%s)%s: %s.\n", std::string(row.name).c_str(), operands_of(row, exact).c_str(),
              attributes_of(row).c_str(), std::string(row.meaning).c_str());
  if (exact.definition[0] != 0) std::printf("%s\n", exact.definition);
  std::printf("*Dtype*: %s. %s%s%s*Tolerance*: %s.\n\n", text_of(row.dtype),
              sizes.empty() ? "" : "*Sizes*: ", sizes.c_str(), sizes.empty() ? "" : ". ",
              text_of(row.tolerance).c_str());
}

}  // namespace

void print_core_ops() {
  std::fputs(kHead, stdout);
  std::string heading;
  for (int i = 0; i < kNumOps; ++i) {
    const OpInfo& row = info(static_cast<Op>(i));
    const char* const under = heading_of(row.family);
    if (under == nullptr) continue;
    if (heading != under) std::printf("## %s\n\n", under);
    heading = under;
    print(row, kExact[static_cast<size_t>(i)]);
  }
}

}  // namespace frit::tools

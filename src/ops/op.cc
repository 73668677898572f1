// The facts of ops.def's rows, in the enum's order.
#include "src/ops/op.h"

#include <array>
#include <unordered_map>
#include <vector>

#include "src/base/check.h"
#include "src/ops/custom.h"

namespace frit {
namespace {

constexpr Tolerance exact{Tolerance::Kind::kExact, 0};
constexpr Tolerance ulp(double n) { return {Tolerance::Kind::kUlp, n}; }
constexpr Tolerance sum(double c) { return {Tolerance::Kind::kSum, c}; }
constexpr Tolerance abs_eps(double c) { return {Tolerance::Kind::kAbsEps, c}; }

constexpr bool varies(std::string_view attributes) {
  return attributes.find(":position") != attributes.npos ||
         attributes.find(":size") != attributes.npos;
}

AttrSpec spec_of(std::string_view name, std::string_view kind) {
  if (kind == "int") return {name, AttrKind::kInt, false};
  if (kind == "ints") return {name, AttrKind::kInts, false};
  if (kind == "bool") return {name, AttrKind::kBool, false};
  if (kind == "position" || kind == "size") return {name, AttrKind::kInt, true};
  if (kind == "sizes") return {name, AttrKind::kInts, true};
  FRIT_CHECK(kind == "dtype") << "ops.def: attribute kind " << kind;
  return {name, AttrKind::kDtype, false};
}

std::vector<AttrSpec> parse_specs(std::string_view text) {
  std::vector<AttrSpec> specs;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const size_t colon = item.find(':');
    FRIT_CHECK(colon != item.npos) << "ops.def: attributes " << text;
    specs.push_back(spec_of(item.substr(0, colon), item.substr(colon + 1)));
    FRIT_CHECK(specs.size() < 2 || specs[specs.size() - 2].name < specs.back().name)
        << "ops.def: attributes not in name order: " << item;
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return specs;
}

}  // namespace

constinit OpInfo detail::op_table[kNumOps + kMaxCustomOps] = {
#define FRIT_OP(name, family, operands, results, dtype, traits, tolerance, attributes, meaning) \
  {#name,          Family::family, operands,   results, DtypeRule::dtype,                       \
   Traits::traits, tolerance,      attributes, meaning, varies(attributes)},
#include "src/ops/ops.def"
};

std::span<const OpInfo> all_ops() { return {detail::op_table, kNumOps}; }
std::string_view name(Op op) { return info(op).name; }

std::optional<Op> op_named(std::string_view name) {
  if (name.find(':') != name.npos) return custom::find(name);
  static const auto* by_name = [] {
    auto* map = new std::unordered_map<std::string_view, Op>;
    for (int i = 0; i < kNumOps; ++i) map->emplace(detail::op_table[i].name, static_cast<Op>(i));
    return map;
  }();
  auto it = by_name->find(name);
  if (it == by_name->end()) return std::nullopt;
  return it->second;
}

namespace {

struct SpecTable {
  std::array<std::span<const AttrSpec>, kNumOps + kMaxCustomOps> of;
  std::array<std::vector<AttrSpec>, kNumOps> parsed;
};

SpecTable& spec_table() {
  static auto* const table = [] {
    auto* made = new SpecTable;
    for (size_t i = 0; i < kNumOps; ++i) {
      made->parsed[i] = parse_specs(detail::op_table[i].attributes);
      made->of[i] = made->parsed[i];
    }
    return made;
  }();
  return *table;
}

}  // namespace

std::span<const AttrSpec> attr_specs(Op op) { return spec_table().of[static_cast<size_t>(op)]; }

void detail::add_row(Op op, const OpInfo& row, std::span<const AttrSpec> attributes) {
  op_table[static_cast<size_t>(op)] = row;
  spec_table().of[static_cast<size_t>(op)] = attributes;
}

}  // namespace frit

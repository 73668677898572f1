// Reads and makes the flat form of attributes by the names of the op's row.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "frit/attributes.h"

#include <algorithm>

#include "frit/error.h"
#include "src/ops/attrs.h"

namespace frit {
namespace {

Attribute::Kind kind_of(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt:
      return Attribute::Kind::kInt;
    case AttrKind::kInts:
      return Attribute::Kind::kInts;
    case AttrKind::kBool:
      return Attribute::Kind::kBool;
    case AttrKind::kDtype:
      return Attribute::Kind::kDtype;
    case AttrKind::kText:
      return Attribute::Kind::kText;
  }
  __builtin_unreachable();
}

const char* text(Attribute::Kind kind) {
  switch (kind) {
    case Attribute::Kind::kInt:
      return "an int";
    case Attribute::Kind::kInts:
      return "a list of ints";
    case Attribute::Kind::kBool:
      return "a bool";
    case Attribute::Kind::kDtype:
      return "a dtype";
    case Attribute::Kind::kText:
      return "a text";
  }
  __builtin_unreachable();
}

// Whether its flat form begins with a length.
bool has_length(Attribute::Kind kind) {
  return kind == Attribute::Kind::kInts || kind == Attribute::Kind::kText;
}

std::string names_of(Op op) {
  std::string names;
  for (const AttrSpec& spec : attr_specs(op))
    names += (names.empty() ? " has " : ", ") + std::string(spec.name);
  return std::string(name(op)) + (names.empty() ? " has none" : names);
}

[[noreturn]] void fail(std::string_view op, std::string_view name, const std::string& problem) {
  throw Error(ErrorKind::kValue,
              "attribute(" + std::string(op) + ", " + std::string(name) + "): " + problem);
}

}  // namespace

int64_t Attribute::only(Kind kind) const {
  if (kind_ != kind)
    throw Error(ErrorKind::kType, "attribute(" + std::string(name_) + "): another kind: it is " +
                                      text(kind_) + ", not " + text(kind));
  return values_[0];
}

int64_t Attribute::to_int() const { return only(Kind::kInt); }
bool Attribute::to_bool() const { return only(Kind::kBool) != 0; }
Dtype Attribute::to_dtype() const { return static_cast<Dtype>(only(Kind::kDtype)); }
IntArrayRef Attribute::to_ints() const {
  if (kind_ != Kind::kInts) only(Kind::kInts);
  return values_;
}
std::string Attribute::to_text() const {
  if (kind_ != Kind::kText) only(Kind::kText);
  return unpacked_text(values_);
}

AttributeValue::AttributeValue(std::string_view text)
    : kind_(Attribute::Kind::kText), values_(packed_text(text)) {}

std::vector<Attribute> attributes(const Graph::Node& node) {
  std::vector<Attribute> all;
  const int64_t* at = node.attrs.data();
  for (const AttrSpec& spec : attr_specs(node.op)) {
    const Attribute::Kind kind = kind_of(spec.kind);
    const size_t count = has_length(kind) ? static_cast<size_t>(*at++) : 1;
    all.emplace_back(spec.name, kind, IntArrayRef(at, count));
    at += count;
  }
  return all;
}

Attribute attribute(const Graph::Node& node, std::string_view name) {
  for (const Attribute& a : attributes(node))
    if (a.name() == name) return a;
  fail(frit::name(node.op), name, "no such attribute: " + names_of(node.op));
}

std::vector<int64_t> attributes_of(std::string_view op,
                                   std::initializer_list<NamedAttribute> attributes) {
  const std::optional<Op> found = op_named(op);
  if (!found) throw Error(ErrorKind::kValue, "attributes_of(" + std::string(op) + "): no such op");
  const std::span<const AttrSpec> specs = attr_specs(*found);
  for (const NamedAttribute& a : attributes)
    if (std::none_of(specs.begin(), specs.end(),
                     [&](const AttrSpec& spec) { return spec.name == a.name; }))
      fail(op, a.name, "no such attribute: " + names_of(*found));
  std::vector<int64_t> flat;
  for (const AttrSpec& spec : specs) {
    const auto* const given =
        std::find_if(attributes.begin(), attributes.end(),
                     [&](const NamedAttribute& a) { return a.name == spec.name; });
    if (given == attributes.end()) fail(op, spec.name, "missing: " + names_of(*found));
    const Attribute::Kind kind = kind_of(spec.kind);
    if (given->value.kind() != kind)
      fail(op, spec.name,
           std::string("another kind: it is ") + text(kind) + ", not " + text(given->value.kind()));
    const std::vector<int64_t>& values = given->value.values();
    if (has_length(kind)) flat.push_back(static_cast<int64_t>(values.size()));
    flat.insert(flat.end(), values.begin(), values.end());
  }
  return flat;
}

}  // namespace frit

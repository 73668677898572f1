// Attributes of graph nodes by name, as print() shows them in braces.
//
//   for (const frit::Graph::Node& node : graph.nodes())
//     if (name(node.op) == "sum" && attribute(node, "keepdim").to_bool())
//       for (int64_t dim : attribute(node, "dims").to_ints()) ...
//
//   graph.add_node(*op_named("sum"), {{x, {}}},
//                  attributes_of("sum", {{"dims", {1}}, {"keepdim", true}}));
//
// `frit ops --core` says which attributes an op has.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "frit/graph.h"

namespace frit {

// One attribute. Does not own: it is good for as long as its node.
class Attribute {
 public:
  enum class Kind : uint8_t { kInt, kInts, kBool, kDtype, kText };
  Attribute(std::string_view name, Kind kind, IntArrayRef values)
      : name_(name), kind_(kind), values_(values) {}

  std::string_view name() const { return name_; }
  Kind kind() const { return kind_; }
  // Each throws Error(kType) where the attribute is of another kind.
  int64_t to_int() const;
  bool to_bool() const;
  Dtype to_dtype() const;
  IntArrayRef to_ints() const;
  std::string to_text() const;

 private:
  int64_t only(Kind kind) const;

  std::string_view name_;
  Kind kind_;
  IntArrayRef values_;
};

// Those of a node, in name order.
std::vector<Attribute> attributes(const Graph::Node& node);
// The one of that name. Throws Error(kValue) where the op has none, such as
//   attribute(relu, dims): no such attribute: relu has none
Attribute attribute(const Graph::Node& node, std::string_view name);

// A value for an attribute of a node that is to be made.
class AttributeValue {
 public:
  template <class T>
  requires std::is_integral_v<T> AttributeValue(T value)  // NOLINT
      : kind_(std::is_same_v<T, bool> ? Attribute::Kind::kBool : Attribute::Kind::kInt),
        values_{static_cast<int64_t>(value)} {}
  AttributeValue(Dtype dtype)  // NOLINT
      : kind_(Attribute::Kind::kDtype), values_{static_cast<int64_t>(dtype)} {}
  AttributeValue(IntArrayRef list)  // NOLINT
      : kind_(Attribute::Kind::kInts), values_(list.begin(), list.end()) {}
  AttributeValue(const std::vector<int64_t>& list) : AttributeValue(IntArrayRef(list)) {}  // NOLINT
  AttributeValue(std::initializer_list<int64_t> list)                                      // NOLINT
      : kind_(Attribute::Kind::kInts), values_(list) {}

  AttributeValue(std::string_view text);                                        // NOLINT
  AttributeValue(const char* text) : AttributeValue(std::string_view(text)) {}  // NOLINT

  Attribute::Kind kind() const { return kind_; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  Attribute::Kind kind_;
  std::vector<int64_t> values_;
};
struct NamedAttribute {
  std::string_view name;
  AttributeValue value;
};

// What Graph::add_node takes: all attributes of the op, in any order. Throws Error(kValue) where
// one is missing, of another kind, or none of the op's.
std::vector<int64_t> attributes_of(std::string_view op,
                                   std::initializer_list<NamedAttribute> attributes);

}  // namespace frit

// The flat form of attributes.
#include "src/ops/attrs.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "frit/error.h"
#include "src/base/check.h"

namespace frit {

Attrs::Attrs(IntArrayRef flat) : size_(static_cast<int>(flat.size())) {
  FRIT_CHECK(flat.size() <= kCapacity);
  std::copy(flat.begin(), flat.end(), values_);
}

Attrs& Attrs::operator=(const Attrs& other) {
  size_ = other.size_;
  if (this != &other) std::copy(other.values_, other.values_ + size_, values_);
  return *this;
}

Attrs& Attrs::add(int64_t value) {
  if (size_ == kCapacity)
    throw Error(ErrorKind::kValue,
                "attributes: too many values: at most " + std::to_string(kCapacity));
  values_[size_++] = value;
  return *this;
}

Attrs& Attrs::add_list(IntArrayRef values) {
  add(static_cast<int64_t>(values.size()));
  for (int64_t v : values) add(v);
  return *this;
}

int64_t AttrReader::next_int() {
  FRIT_CHECK(!rest_.empty()) << "attributes end early";
  const int64_t value = rest_.front();
  rest_ = IntArrayRef(rest_.data() + 1, rest_.size() - 1);
  return value;
}

IntArrayRef AttrReader::next_list() {
  const size_t size = static_cast<size_t>(next_int());
  FRIT_CHECK(size <= rest_.size()) << "attribute list ends early";
  const IntArrayRef list(rest_.data(), size);
  rest_ = IntArrayRef(rest_.data() + size, rest_.size() - size);
  return list;
}

int64_t int_attr(Op op, const Attrs& attrs, std::string_view name) {
  AttrReader reader(attrs);
  for (const AttrSpec& spec : attr_specs(op)) {
    if (is_list(spec.kind)) {
      reader.next_list();
    } else {
      const int64_t value = reader.next_int();
      if (spec.name == name) return value;
    }
  }
  FRIT_CHECK(false) << info(op).name << " has no attribute " << name;
  __builtin_unreachable();
}

IntArrayRef list_attr(Op op, const Attrs& attrs, std::string_view name) {
  AttrReader reader(attrs);
  for (const AttrSpec& spec : attr_specs(op)) {
    if (!is_list(spec.kind)) {
      reader.next_int();
    } else {
      const IntArrayRef list = reader.next_list();
      if (spec.name == name) return list;
    }
  }
  FRIT_CHECK(false) << info(op).name << " has no attribute list " << name;
  __builtin_unreachable();
}

std::vector<int64_t> packed_text(std::string_view text) {
  std::vector<int64_t> list((text.size() + 7) / 8);
  if (!text.empty()) std::memcpy(list.data(), text.data(), text.size());
  return list;
}

std::string unpacked_text(IntArrayRef list) {
  std::string text(list.size() * 8, '\0');
  if (!text.empty()) std::memcpy(text.data(), list.data(), text.size());
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::string quoted_text(std::string_view text) {
  std::ostringstream out;
  out << '"' << std::hex << std::setfill('0');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      out << "\\x" << std::setw(2) << static_cast<int>(c);
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

bool alike(Op op, IntArrayRef a, IntArrayRef b) {
  if (a.size() != b.size()) return false;
  if (a == b) return true;
  if (!info(op).varies) return false;
  Attrs fixed_a, fixed_b;
  visit_fixed(op, a, [&](int64_t value) { fixed_a.add(value); });
  visit_fixed(op, b, [&](int64_t value) { fixed_b.add(value); });
  return fixed_a == fixed_b;
}

std::string to_string(Op op, const Attrs& attrs) {
  std::ostringstream out;
  AttrReader reader(attrs);
  const char* separator = "{";
  for (const AttrSpec& spec : attr_specs(op)) {
    out << separator << spec.name << '=';
    separator = ", ";
    switch (spec.kind) {
      case AttrKind::kInt:
        out << reader.next_int();
        break;
      case AttrKind::kBool:
        out << (reader.next_bool() ? "true" : "false");
        break;
      case AttrKind::kDtype:
        out << frit::name(reader.next_dtype());
        break;
      case AttrKind::kInts:
        out << reader.next_list();
        break;
      case AttrKind::kText:
        out << quoted_text(unpacked_text(reader.next_list()));
        break;
    }
  }
  if (!attr_specs(op).empty()) out << '}';
  return out.str();
}

}  // namespace frit

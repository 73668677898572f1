// Attributes of an op call: what is part of its identity and does not vary from call to call.
//
// They are kept flat, in the order of ops.def's attributes column: an int, bool or dtype is one
// value, a list is its length and its values, a text a list of its bytes, eight to a value and
// padded with zeros. Equal attributes have equal flat forms.
//
//   Attrs attrs;                       // softmax: "dim:int"
//   attrs.add(dim);
//   Attrs().add_list(dims).add(keepdim)  // sum: "dims:ints,keepdim:bool"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "src/ops/op.h"

namespace frit {

class Attrs {
 public:
  static constexpr int kCapacity = 48;

  Attrs() : size_(0) {}
  explicit Attrs(IntArrayRef flat);
  Attrs(const Attrs& other) : Attrs(other.flat()) {}
  Attrs& operator=(const Attrs& other);

  Attrs& add(int64_t value);
  Attrs& add(Dtype dtype) { return add(static_cast<int64_t>(dtype)); }
  Attrs& add_list(IntArrayRef values);

  IntArrayRef flat() const { return {values_, static_cast<size_t>(size_)}; }
  friend bool operator==(const Attrs& a, const Attrs& b) { return a.flat() == b.flat(); }

 private:
  int size_;
  int64_t values_[kCapacity];  // the first size_ are set
};

// Reads a flat form in order.
class AttrReader {
 public:
  explicit AttrReader(const Attrs& attrs) : rest_(attrs.flat()) {}
  int64_t next_int();
  bool next_bool() { return next_int() != 0; }
  Dtype next_dtype() { return static_cast<Dtype>(next_int()); }
  IntArrayRef next_list();

 private:
  IntArrayRef rest_;
};

// The attribute of that name: CHECKs that the op has it.
int64_t int_attr(Op op, const Attrs& attrs, std::string_view name);
// The list lies in `attrs`.
IntArrayRef list_attr(Op op, const Attrs& attrs, std::string_view name);
IntArrayRef list_attr(Op op, const Attrs&& attrs, std::string_view name) = delete;

// A text, in which are no zero bytes, as a list and back.
std::vector<int64_t> packed_text(std::string_view text);
std::string unpacked_text(IntArrayRef list);
// "sum", as in text forms: quotes and backslashes after a backslash, control characters as \x0a.
std::string quoted_text(std::string_view text);

// Calls `visit` with each value that does not vary (see AttrSpec): of lists that do, their length.
template <class Visit>
void visit_fixed(Op op, IntArrayRef flat, Visit visit) {
  size_t at = 0;
  for (const AttrSpec& spec : attr_specs(op)) {
    const bool list = is_list(spec.kind);
    const size_t end = at + 1 + (list ? static_cast<size_t>(flat[at]) : 0);
    if (list || !spec.varies) visit(flat[at]);
    for (++at; at < end; ++at)
      if (!spec.varies) visit(flat[at]);
  }
}
// Whether two calls of the op have equal attributes but for what varies.
bool alike(Op op, IntArrayRef a, IntArrayRef b);

// {dim=1, keepdim=true}, in name order; empty when the op has none.
std::string to_string(Op op, const Attrs& attrs);

}  // namespace frit

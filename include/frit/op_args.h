// OpArgs: the arguments of a registered op's call, as its functions see them.
//
//   // mylib::scale_add(Tensor x, Tensor y, float alpha=1, int[] dims=[]) -> Tensor
//   const Tensor& x = args.tensor(0);
//   double alpha = args.number(2);
//   IntArrayRef dims = args.ints(3);
//
// A Tensor[] has count(i) of them, which are tensor(i, 0) and so on. Arguments are numbered as in
// the schema. Asking for one as another kind than the schema's throws.
#pragma once

#include <cstdint>
#include <string>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "frit/scalar.h"
#include "frit/tensor.h"

namespace frit {

struct Layout;
class OpArgs;
namespace custom {
struct Values;
struct TypeList;
const Values& values_of(const OpArgs& args);
}  // namespace custom

// What is known of a tensor without its elements.
class TensorFacts {
 public:
  explicit TensorFacts(const Layout* layout) : layout_(layout) {}
  Dtype dtype() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;  // in elements
  int64_t dim() const { return static_cast<int64_t>(sizes().size()); }
  int64_t size(int64_t dim) const;  // negative: counted from the end
  int64_t numel() const;

 private:
  friend class OpTypes;
  const Layout* layout_;
};

class OpArgs {
 public:
  explicit OpArgs(const custom::Values* values) : values_(values) {}

  // In a fake function there are no elements: it asks for facts(i). Undefined where the caller
  // left out a `Tensor?`. Good until the function returns, and so are pointers taken from it.
  const Tensor& tensor(int i) const { return tensor(i, 0); }
  const Tensor& tensor(int i, int k) const;
  TensorFacts facts(int i) const { return facts(i, 0); }
  TensorFacts facts(int i, int k) const;
  int count(int i) const;  // of a Tensor[]
  bool has(int i) const;   // false where a Tensor?, float?, int? or bool? was left out

  // Of a float or Scalar, or a float? that has one. Not in a fake function.
  Scalar scalar(int i) const;
  double number(int i) const { return scalar(i).to_double(); }
  int64_t integer(int i) const;  // of an int, or an int? that has one
  bool flag(int i) const;        // of a bool, or a bool? that has one
  IntArrayRef ints(int i) const;
  std::string text(int i) const;  // of a str

 private:
  friend const custom::Values& custom::values_of(const OpArgs& args);
  const custom::Values* values_;
};

// What a fake function fills: the type of each result, in order.
//
//   [](const OpArgs& args, OpTypes& types) { types.add(kFloat32, {args.facts(0).size(0)}); }
class OpTypes {
 public:
  explicit OpTypes(custom::TypeList* list) : list_(list) {}
  // As that tensor is, without gaps where it has some.
  void add_like(TensorFacts facts);
  void add(Dtype dtype, IntArrayRef sizes);                       // row-major
  void add(Dtype dtype, IntArrayRef sizes, IntArrayRef strides);  // in elements

 private:
  custom::TypeList* list_;
};

}  // namespace frit

// What the shape and dtype rules of the op families share. Private to src/ops.
#pragma once

#include <sstream>
#include <string>

#include "src/ops/infer.h"

namespace frit::rules {

// A call as a rule sees it.
struct Call {
  Op op;
  std::span<const OperandType> operands;
  const Attrs& attrs;

  // Operand i, which must be a tensor.
  const Layout& tensor(size_t i) const;
};

// f32[2,3] for a tensor, the number for a scalar.
std::string describe(const OperandType& operand);
// add(f32[2,3], 2), softmax(f32[8,16], dim=1).
std::string describe(const Call& call);
[[noreturn]] void fail(const Call& call, ErrorKind kind, const std::string& problem);

template <class... T>
std::string text(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// `dim` counted from the front. `rank` 0 counts as 1, as everywhere in PyTorch. Throws kIndex.
int wrap_dim(const Call& call, int64_t dim, int rank);
// `count` attribute values, or one for all; throws kRuntime naming `what`.
Dims repeated(const Call& call, IntArrayRef values, int count, const char* what);

// Results.
inline ResultTypes one(const Layout* layout) {
  ResultTypes types;
  types.count = 1;
  types.results[0].layout = layout;
  return types;
}
inline ResultTypes view(const Layout* layout, int64_t offset = 0) {
  ResultTypes types = one(layout);
  types.results[0].view_of = 0;
  types.results[0].offset = offset;
  return types;
}
ResultTypes contiguous_result(const Layout& like, Dtype dtype, IntArrayRef sizes);
// A result in the operand's own layout; it gets a count of its own where layouts are counted.
const Layout* same(const Layout& layout);

// The sizes that `index` gives for the index tensors from operand `first_index` on; throws where
// they do not fit operand 0 or each other.
Dims indexed_by_tensors(const Call& call, size_t first_index);

// Memory formats.
// Whether the strides of a 4-D layout are those of channels_last; false where they are ambiguous.
bool is_channels_last(const Layout& layout);
Dims channels_last_strides(IntArrayRef sizes);
// Dense strides whose order follows the layout's: its own where it is dense.
Dims dense_strides(const Layout& layout);
// Gap-free strides for `sizes` ordered as the operands' strides are, the first operand's word
// first: what PyTorch's iterator gives to a new output. Operands broadcast to `sizes`.
Dims ordered_strides(IntArrayRef sizes, std::span<const OperandType> operands);

// One function a family, in infer_*.cc.
ResultTypes elementwise(const Call& call);
ResultTypes cast(const Call& call);
ResultTypes reduce(const Call& call);
ResultTypes arg_reduce(const Call& call);
ResultTypes scan(const Call& call);
ResultTypes move(const Call& call);
ResultTypes copy(const Call& call);
ResultTypes cat(const Call& call);
ResultTypes pad(const Call& call);
ResultTypes index(const Call& call);
ResultTypes scatter(const Call& call);
ResultTypes sort(const Call& call);
ResultTypes contract(const Call& call);
ResultTypes pool(const Call& call);
ResultTypes resample(const Call& call);
ResultTypes fft(const Call& call);
ResultTypes linear_algebra(const Call& call);
ResultTypes recurrent(const Call& call);
ResultTypes create(const Call& call);
ResultTypes store(const Call& call);
ResultTypes composite(const Call& call);
ResultTypes custom(const Call& call);

}  // namespace frit::rules

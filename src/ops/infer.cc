// Routes calls to the rules of their family, after a shortcut for operands of one layout.
#include "src/ops/infer.h"

#include <algorithm>
#include <vector>

#include "src/base/check.h"
#include "src/ops/rules.h"

namespace frit {
namespace rules {
namespace {

ResultTypes route(const Call& call) {
  switch (info(call.op).family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
      return elementwise(call);
    case Family::kCast:
      return cast(call);
    case Family::kReduce:
      return reduce(call);
    case Family::kArgReduce:
      return arg_reduce(call);
    case Family::kScan:
      return scan(call);
    case Family::kMove:
      return move(call);
    case Family::kCopy:
      return copy(call);
    case Family::kCat:
      return cat(call);
    case Family::kPad:
      return pad(call);
    case Family::kIndex:
      return index(call);
    case Family::kScatter:
      return scatter(call);
    case Family::kSort:
      return sort(call);
    case Family::kContract:
      return contract(call);
    case Family::kPool:
      return pool(call);
    case Family::kResample:
      return resample(call);
    case Family::kFft:
      return fft(call);
    case Family::kLinalg:
      return linear_algebra(call);
    case Family::kRecurrent:
      return recurrent(call);
    case Family::kCreate:
      return create(call);
    case Family::kStore:
      return store(call);
    case Family::kComposite:
      return composite(call);
    case Family::kCustom:
      return custom(call);
  }
  __builtin_unreachable();
}

void check_count(const Call& call) {
  const int expected = info(call.op).operands;
  const int got = static_cast<int>(call.operands.size());
  const bool may_be_none = call.op == Op::cat || is_custom(call.op);
  if (expected == kVariadic ? got == 0 && !may_be_none : got != expected)
    fail(call, ErrorKind::kType,
         text("number of operands: expected ", std::max(expected, 1), ", got ", got));
}

// Whether an elementwise op on this dtype gives the same dtype and refuses nothing.
bool keeps_dtype(Op op, Dtype dtype) {
  switch (info(op).dtype) {
    case DtypeRule::Same:
      return dtype != kBool || op != Op::pow;
    case DtypeRule::Number:
      return dtype != kBool;
    case DtypeRule::Float:
    case DtypeRule::FloatOnly:
      return is_floating_point(dtype);
    case DtypeRule::Integral:
      return !is_floating_point(dtype) && dtype != kBool;
    case DtypeRule::Bool:
    case DtypeRule::Sum:
    case DtypeRule::First:
    case DtypeRule::Index:
    case DtypeRule::Attr:
      return false;
  }
  __builtin_unreachable();
}

// Whether a scalar beside a tensor of this dtype leaves the dtype as it is.
bool is_weak(Op op, const Scalar& scalar, Dtype dtype) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return false;
    case Scalar::Kind::kInt:
      return dtype != kBool && (op != Op::pow || is_floating_point(dtype));
    case Scalar::Kind::kFloat:
      return is_floating_point(dtype);
  }
  __builtin_unreachable();
}

// One operand of an elementwise call as the shortcut sees it.
struct Side {
  const Layout* layout;  // null for a scalar
  const Scalar& scalar;
};

// The result's layout where it is that of every tensor operand, but perhaps for being bool; else
// null.
const Layout* shared_layout(Op op, const Side& a, const Side& b) {
  const Layout* layout = a.layout != nullptr ? a.layout : b.layout;
  if (layout == nullptr || !layout->usual_strides) return nullptr;
  const bool both = a.layout != nullptr && b.layout != nullptr;
  if (both && a.layout != b.layout) return nullptr;
  // Beside a number, empty tensors have their dimensions sorted by strides that may be equal.
  if (!both && layout->numel == 0) return nullptr;
  if (info(op).dtype == DtypeRule::Bool)
    return intern_layout(kBool, layout->device, layout->sizes(), layout->strides());
  if (!keeps_dtype(op, layout->dtype)) return nullptr;
  if (!both && !is_weak(op, a.layout == nullptr ? a.scalar : b.scalar, layout->dtype))
    return nullptr;
  return same(*layout);
}

const Layout* shortcut(const OpCall& call) {
  const Family family = info(call.op).family;
  const size_t expected = family == Family::kUnary ? 1 : family == Family::kBinary ? 2 : 0;
  if (expected == 0 || call.operands.size() != expected) return nullptr;
  const Operand &first = call.operands.front(), &last = call.operands.back();
  return shared_layout(call.op, {first.layout(), first.scalar}, {last.layout(), last.scalar});
}

}  // namespace

const Layout& Call::tensor(size_t i) const {
  if (i >= operands.size() || operands[i].layout == nullptr)
    fail(*this, ErrorKind::kType, text("operand ", i + 1, " is not a tensor"));
  return *operands[i].layout;
}

const Layout* same(const Layout& layout) {
  if (!layout.interned()) retain_layout(&layout);
  return &layout;
}

ResultTypes contiguous_result(const Layout& like, Dtype dtype, IntArrayRef sizes) {
  return one(intern_contiguous(dtype, like.device, sizes));
}

int wrap_dim(const Call& call, int64_t dim, int rank) {
  const int64_t bound = std::max(rank, 1);
  if (dim < -bound || dim >= bound)
    fail(call, ErrorKind::kIndex,
         text("dimension out of range: ", dim, " is not in [", -bound, ", ", bound - 1, "]"));
  return static_cast<int>(dim < 0 ? dim + bound : dim);
}

Dims repeated(const Call& call, IntArrayRef values, int count, const char* what) {
  Dims dims;
  if (values.size() != 1 && static_cast<int>(values.size()) != count)
    fail(call, ErrorKind::kRuntime,
         text(what, ": expected 1 or ", count, " values, got ", values.size()));
  for (int i = 0; i < count; ++i)
    dims.push_back(values[values.size() == 1 ? 0 : static_cast<size_t>(i)]);
  return dims;
}

bool is_channels_last(const Layout& layout) {
  if (layout.rank != 4 || layout.stride(1) == 0) return false;
  int64_t least = 0;
  for (int d : {1, 3, 2, 0}) {
    if (layout.size(d) == 0 || layout.stride(d) < least) return false;
    // A batch stride equal to the channel stride says nothing: the memory is taken as row-major.
    if (d == 0 && least == layout.stride(1)) return false;
    least = layout.stride(d) * std::max<int64_t>(layout.size(d), 1);
  }
  return true;
}

Dims channels_last_strides(IntArrayRef sizes) {
  FRIT_CHECK(sizes.size() == 4);
  Dims strides;
  strides.rank = 4;
  int64_t stride = 1;
  for (int d : {1, 3, 2, 0}) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[d], 1), &stride)) stride = 0;
  }
  return strides;
}

}  // namespace rules

ResultTypes infer(Op op, std::span<const OperandType> operands, const Attrs& attrs) {
  const rules::Call call{op, operands, attrs};
  rules::check_count(call);
  return rules::route(call);
}

namespace {

// By the rules. Apart from the shortcut, which most calls take.
[[gnu::noinline]] ResultTypes infer_by_rules(const OpCall& call) {
  constexpr size_t kOnStack = 8;
  OperandType on_stack[kOnStack];
  std::vector<OperandType> on_heap;
  OperandType* types = on_stack;
  if (call.operands.size() > kOnStack) {
    on_heap.resize(call.operands.size());
    types = on_heap.data();
  }
  for (size_t i = 0; i < call.operands.size(); ++i)
    types[i] = {call.operands[i].layout(), call.operands[i].scalar};
  return infer(call.op, {types, call.operands.size()}, call.attrs);
}

}  // namespace

ResultTypes infer(const OpCall& call) {
  if (const Layout* layout = rules::shortcut(call)) return rules::one(layout);
  return infer_by_rules(call);
}

Dims normalize_dims(Op op, const Layout& x, IntArrayRef dims) {
  static const Attrs kNone;
  const OperandType operand{&x, {}};
  const rules::Call call{op, {&operand, 1}, kNone};
  bool chosen[kMaxRank] = {};
  for (int64_t d : dims) {
    bool& entry = chosen[rules::wrap_dim(call, d, x.rank)];
    if (entry)
      rules::fail(call, ErrorKind::kRuntime, rules::text("dimension ", d, " appears twice"));
    entry = true;
  }
  Dims sorted;
  for (int d = 0; d < x.rank; ++d)
    if (dims.empty() || chosen[d]) sorted.push_back(d);
  return sorted;
}

}  // namespace frit

// Makes operands, and routes ops to the generator of their family.
#include "tests/sweep/cases.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "src/base/hash.h"
#include "src/tensor/convert.h"
#include "tests/sample.h"

namespace frit::sweep {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kSpecialFloats[] = {0.0,   -0.0,    1.0,  -1.0,   0.5,     -0.5,     1.5,  2.5,
                                     2.0,   3.0,     -3.0, kInf,   -kInf,   NAN,      1e30, -1e30,
                                     1e-40, 3.0e-38, 88.9, -104.0, 65504.0, 100000.0, 0.1,  -1e-5};
constexpr int64_t kSpecialInts[] = {
    0,   1,   -1,   2,     3,      -3,        7,         -7,        10,        100, 127, -128,
    128, 255, -255, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 5,   -5,  4};

uint64_t random_bits(int64_t i, int which) {
  return base::mix64(static_cast<uint64_t>(i) * 2 + 1 +
                     static_cast<uint64_t>(which) * 0x9e3779b97f4a7c15u);
}

// Uniform in [-2, 2).
double small_value(int64_t i, int which) {
  return static_cast<double>(random_bits(i, which) >> 11) * 0x1p-51 - 2.0;
}

// The place of element i in a list of n: operands step through it at different speeds, so that n *
// n elements hold every pair.
int64_t special_place(int64_t i, int which, int64_t n) {
  return which == 0 ? i % n : which == 1 ? i / n % n : (i / 5) % n;
}

Scalar special_value(Dtype dtype, int64_t i, int which) {
  constexpr int64_t n = std::size(kSpecialFloats);
  static_assert(n == std::size(kSpecialInts));
  const bool listed = i < n * n;
  if (!is_floating_point(dtype)) {
    const int64_t place = special_place(i, which, n);
    return listed ? kSpecialInts[place] : static_cast<int64_t>(random_bits(i, which) >> (i % 64));
  }
  if (listed) return kSpecialFloats[special_place(i, which, n)];
  if (i % 2 == 0) return small_value(i, which) * 50;
  const uint64_t bits = random_bits(i, which);
  if (dtype == Dtype::kF64) return std::bit_cast<double>(bits);
  return std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
}

Scalar value_at(Dtype dtype, Values values, int64_t i, int which) {
  switch (values) {
    case Values::kSpecial:
      return special_value(dtype, i, which);
    case Values::kSmall:
      if (is_floating_point(dtype)) return small_value(i, which);
      return static_cast<int64_t>(random_bits(i, which) % 9) - 4;
    case Values::kDistinct:
      return i * 37 % 101 + i / 101 * 101 - 40;
  }
  __builtin_unreachable();
}

void fill(const Storage& storage, Dtype dtype, Values values, int which) {
  const int size = byte_size(dtype);
  for (int64_t i = 0; i < storage.bytes / size; ++i)
    store_element(dtype, storage.data + i * size, value_at(dtype, values, i, which));
}

struct Placement {
  Dims strides;
  int64_t offset = 0;
};

Dims scaled(Dims strides, int64_t factor) {
  for (int d = 0; d < strides.rank; ++d) strides[d] *= factor;
  return strides;
}

Dims column_major(IntArrayRef sizes) {
  Dims strides;
  int64_t stride = 1;
  for (int64_t size : sizes) {
    strides.push_back(stride);
    stride *= std::max<int64_t>(size, 1);
  }
  return strides;
}

Placement place(IntArrayRef sizes, Lies lies) {
  switch (lies) {
    case Lies::kContiguous:
      return {contiguous_strides(sizes)};
    case Lies::kTransposed:
      return {column_major(sizes)};
    case Lies::kStrided:
      return {scaled(contiguous_strides(sizes), 2)};
    case Lies::kSliced: {
      Dims larger(sizes);
      for (int d = 0; d < larger.rank; ++d) larger[d] += 2;
      Placement p{contiguous_strides(larger)};
      for (int d = 0; d < larger.rank; ++d) p.offset += p.strides[d];
      return p;
    }
    case Lies::kBroadcast: {
      Placement p{contiguous_strides(sizes)};
      if (p.strides.rank > 0) p.strides[0] = 0;
      return p;
    }
    case Lies::kChannelsLast: {
      Placement p{contiguous_strides(sizes)};
      if (sizes.size() != 4) return p;
      int64_t stride = 1;
      for (int d : {1, 3, 2, 0}) {
        p.strides[d] = stride;
        stride *= std::max<int64_t>(sizes[static_cast<size_t>(d)], 1);
      }
      return p;
    }
  }
  __builtin_unreachable();
}

}  // namespace

Tensor make_tensor(Dtype dtype, IntArrayRef sizes, Lies lies, Values values, int which) {
  const Placement p = place(sizes, lies);
  const Layout* layout = intern_layout(dtype, kCPU, sizes, p.strides);
  Storage* storage = new_storage((p.offset + layout->span()) * byte_size(dtype), kCPU);
  fill(*storage, dtype, values, which);
  Tensor t = new_view(layout, storage, p.offset);
  release(storage);
  return t;
}

Tensor make_index(IntArrayRef sizes, int64_t bound, bool negatives) {
  Tensor t = empty(sizes, kInt64);
  int64_t* values = reinterpret_cast<int64_t*>(t.impl()->data);
  for (int64_t i = 0; i < t.numel(); ++i) {
    values[i] = static_cast<int64_t>(random_bits(i, 7) % static_cast<uint64_t>(bound));
    if (negatives && i % 3 == 0) values[i] -= bound;
  }
  return t;
}

std::vector<Operand> SweepCase::operands() const {
  std::vector<Operand> operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back(tensors[i].defined() ? Operand(tensors[i]) : Operand(scalars[i]));
  return operands;
}

std::string SweepCase::str() const {
  const std::vector<Operand> list = operands();
  return describe(OpCall{op, list, attrs});
}

Cases all_cases(Op op) {
  switch (info(op).family) {
    case Family::kUnary:
      return unary_cases(op);
    case Family::kBinary:
      return binary_cases(op);
    case Family::kTernary:
      return ternary_cases(op);
    case Family::kCast:
      return cast_cases(op);
    case Family::kReduce:
      return reduce_cases(op);
    case Family::kArgReduce:
      return arg_reduce_cases(op);
    case Family::kScan:
      return scan_cases(op);
    case Family::kMove:
      return move_cases(op);
    case Family::kCopy:
      return copy_cases(op);
    case Family::kCat:
      return cat_cases(op);
    case Family::kPad:
      return pad_cases(op);
    case Family::kIndex:
      return index_cases(op);
    case Family::kScatter:
      return scatter_cases(op);
    case Family::kSort:
      return sort_cases(op);
    case Family::kContract:
      return contract_cases(op);
    case Family::kPool:
      return pool_cases(op);
    case Family::kFft:
      return fft_cases(op);
    case Family::kLinalg:
      return linalg_cases(op);
    case Family::kRecurrent:
      return recurrent_cases(op);
    case Family::kResample:
      return resample_cases(op);
    case Family::kCreate:
      return create_cases(op);
    case Family::kStore:
      return store_cases(op);
    case Family::kComposite:
      return composite_cases(op);
    case Family::kCustom:  // is not in the table
      return {};
  }
  __builtin_unreachable();
}

Cases sweep_cases(Op op) {
  Cases taken;
  size_t i = 0;
  for (SweepCase& c : all_cases(op))
    if (in_sample(i++)) taken.push_back(std::move(c));
  return taken;
}

}  // namespace frit::sweep

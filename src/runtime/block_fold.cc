// Lanes and levels over the eager block kernels.
#include "src/runtime/block_fold.h"

#include <algorithm>
#include <cstring>

#include "src/ops/reference/reduce.h"
#include "src/runtime/block_copy.h"

namespace frit::runtime {
namespace {

using reference::kBlock;
using reference::kLanes;

template <class T>
uint64_t identity_of(Op op) {
  const T identity = op == Op::sum    ? reference::SumFold<T>::identity()
                     : op == Op::prod ? reference::ProdFold<T>::identity()
                     : op == Op::amax ? reference::MaxFold<T>::identity()
                                      : reference::MinFold<T>::identity();
  uint64_t bits = 0;
  std::memcpy(&bits, &identity, sizeof identity);
  return bits;
}

std::optional<uint64_t> identity_of(Op op, Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return identity_of<float>(op);
    case Dtype::kF64:
      return identity_of<double>(op);
    case Dtype::kI32:
      return identity_of<int32_t>(op);
    case Dtype::kI64:
      return identity_of<int64_t>(op);
    case Dtype::kBool:
      return identity_of<bool>(op);
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kU8:
    case Dtype::kBF16:
    case Dtype::kF16:
      break;
  }
  return std::nullopt;
}

Op combine_of(Op op) {
  if (op == Op::sum) return Op::add;
  if (op == Op::prod) return Op::mul;
  return op == Op::amax ? Op::maximum : Op::minimum;
}

}  // namespace

std::optional<BlockFold> BlockFold::make(Op op, Dtype dtype) {
  const std::optional<uint64_t> identity = identity_of(op, dtype);
  if (!identity) return std::nullopt;
  const eager::Fold fold = eager::fold_of(op);
  BlockFold made{
      eager::reduce_blocks(fold, dtype),
      eager::block_table().binary[static_cast<int>(combine_of(op))][static_cast<int>(dtype)],
      nullptr,
      *identity,
      dtype,
      op == Op::sum && is_floating_point(dtype)};
  if (made.blocks.rows == nullptr || made.combine == nullptr) return std::nullopt;
  const Dtype gives = eager::fold_dtype(fold, dtype);
  if (gives != dtype) made.narrow = eager::cast_block(gives, dtype);
  return made;
}

int64_t FoldLanes::bytes_of(int64_t width, Dtype dtype) {
  return kLanes * width * byte_size(dtype);
}

std::byte* FoldLanes::lane(int64_t i) const { return lanes_ + i * width_ * byte_size(fold_.dtype); }

void FoldLanes::start() {
  count_ = 0;
  fill_elements(byte_size(fold_.dtype), kLanes * width_, lanes_, fold_.identity);
}

void FoldLanes::add(const std::byte* vectors, int64_t n) {
  if (count_ == 0) start();
  while (n > 0) {
    const int64_t first = count_ % kLanes, some = std::min(n, kLanes - first);
    fold_.combine(lane(first), vectors, lane(first), some * width_, 0);
    vectors += some * width_ * byte_size(fold_.dtype);
    count_ += some;
    n -= some;
  }
}

const std::byte* FoldLanes::join() {
  if (count_ == 0) start();
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    fold_.combine(lanes_, lane(half), lanes_, half * width_, 0);
  count_ = 0;
  return lanes_;
}

int64_t FoldLevels::bytes_of(int64_t width, Dtype dtype) {
  return kLevels * FoldLanes::bytes_of(width, dtype);
}

FoldLevels::FoldLevels(const BlockFold& fold, int64_t width, std::byte* memory)
    : levels_{{fold, width, memory},
              {fold, width, memory + FoldLanes::bytes_of(width, fold.dtype)},
              {fold, width, memory + 2 * FoldLanes::bytes_of(width, fold.dtype)}} {}

// Full levels carry.
void FoldLevels::push_at(int level, const std::byte* partial) {
  if (levels_[level].count() == kBlock && level + 1 < kLevels)
    push_at(level + 1, levels_[level].join());
  levels_[level].add(partial, 1);
}

const std::byte* FoldLevels::finish() {
  const std::byte* value = levels_[0].join();
  for (int i = 1; i < kLevels && levels_[i].count() > 0; ++i) {
    push_at(i, value);
    value = levels_[i].join();
  }
  return value;
}

}  // namespace frit::runtime

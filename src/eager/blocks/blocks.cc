// Chooses the block kernels of the ISA level.
#include "src/eager/blocks/blocks.h"

#include <atomic>
#include <memory>

#include "src/base/check.h"

namespace frit::eager {

namespace baseline {
void fill(BlockTable& table);
}
namespace avx2 {
void fill(BlockTable& table);
}
namespace avx512 {
void fill(BlockTable& table);
}

namespace {

void fill_for(Isa isa, BlockTable& table) {
  switch (isa) {
    case Isa::kBaseline:
      return baseline::fill(table);
    case Isa::kAvx2:
      return avx2::fill(table);
    case Isa::kAvx512:
      return avx512::fill(table);
  }
}

// By ISA level; null before the first use.
constinit std::atomic<const BlockTable*> tables[3] = {};

// Threads that come at once fill one each, and the first one's stays.
[[gnu::noinline]] const BlockTable& make_table(Isa isa) {
  auto made = std::make_unique<BlockTable>();
  fill_for(isa, *made);
  const BlockTable* first = nullptr;
  const bool is_first = tables[static_cast<int>(isa)].compare_exchange_strong(first, made.get());
  return is_first ? *made.release() : *first;
}

template <class T>
bool any_zero_of(const void* x, int64_t n) {
  const T* p = static_cast<const T*>(x);
  bool found = false;
  for (int64_t i = 0; i < n; ++i) found |= p[i] == 0;
  return found;
}

}  // namespace

const BlockTable& block_table(Isa isa) {
  const BlockTable* table = tables[static_cast<int>(isa)].load(std::memory_order_acquire);
  return table != nullptr ? *table : make_table(isa);
}

const BlockTable& block_table() { return block_table(base::isa()); }

UnaryBlock unary_block(Op op, Dtype dtype) {
  return block_table().unary[static_cast<int>(op)][static_cast<int>(dtype)];
}

BinaryBlock binary_block(Op op, Dtype dtype) {
  return block_table().binary[static_cast<int>(op)][static_cast<int>(dtype)];
}

TernaryBlock ternary_block(Op op, Dtype dtype) {
  return block_table().ternary[static_cast<int>(op)][static_cast<int>(dtype)];
}

CastBlock cast_block(Dtype from, Dtype to) {
  return block_table().cast[static_cast<int>(from)][static_cast<int>(to)];
}

bool any_zero(Dtype dtype, const void* x, int64_t n) {
  switch (dtype) {
    case Dtype::kI64:
      return any_zero_of<int64_t>(x, n);
    case Dtype::kI32:
      return any_zero_of<int32_t>(x, n);
    case Dtype::kI16:
      return any_zero_of<int16_t>(x, n);
    case Dtype::kI8:
      return any_zero_of<int8_t>(x, n);
    case Dtype::kU8:
    case Dtype::kBool:
      return any_zero_of<uint8_t>(x, n);
    case Dtype::kF64:
    case Dtype::kF32:
    case Dtype::kBF16:
    case Dtype::kF16:
      break;
  }
  FRIT_CHECK(false) << "any_zero of " << name(dtype);
  __builtin_unreachable();
}

}  // namespace frit::eager

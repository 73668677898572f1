// Walks loop nests chunk by chunk and feeds block kernels.
#include "src/eager/pointwise_loop.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/base/thread_pool.h"

namespace frit::eager {
namespace {

constexpr int64_t kBufferBytes = 4096;
constexpr int64_t kMinRow = 64;  // shorter rows share a chunk
constexpr int64_t kUnlimited = int64_t{1} << 62;

template <class T>
void gather_row(const std::byte* from, int64_t stride, std::byte* to, int64_t n) {
  T* out = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i, from += stride) std::memcpy(out + i, from, sizeof(T));
}

template <class T>
void scatter_row(const std::byte* from, std::byte* to, int64_t stride, int64_t n) {
  const T* in = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i, to += stride) std::memcpy(to, in + i, sizeof(T));
}

void gather_row(int size, const std::byte* from, int64_t stride, std::byte* to, int64_t n) {
  switch (size) {
    case 1:
      return gather_row<uint8_t>(from, stride, to, n);
    case 2:
      return gather_row<uint16_t>(from, stride, to, n);
    case 4:
      return gather_row<uint32_t>(from, stride, to, n);
    case 8:
      return gather_row<uint64_t>(from, stride, to, n);
  }
  FRIT_CHECK(false) << "element size " << size;
}

void scatter_row(int size, const std::byte* from, std::byte* to, int64_t stride, int64_t n) {
  switch (size) {
    case 1:
      return scatter_row<uint8_t>(from, to, stride, n);
    case 2:
      return scatter_row<uint16_t>(from, to, stride, n);
    case 4:
      return scatter_row<uint32_t>(from, to, stride, n);
    case 8:
      return scatter_row<uint64_t>(from, to, stride, n);
  }
  FRIT_CHECK(false) << "element size " << size;
}

CastBlock cast_between(Dtype from, Dtype to) { return from == to ? nullptr : cast_block(from, to); }

}  // namespace

struct PointwiseLoop::Buffers {
  alignas(64) std::byte gathered[3][kBufferBytes];
  alignas(64) std::byte cast[3][kBufferBytes];
  alignas(64) std::byte result[kBufferBytes];
  alignas(64) std::byte converted[kBufferBytes];
};

PointwiseLoop::PointwiseLoop(const LoopNest& nest, const Block& block, const Operand& out,
                             const Operand* inputs)
    : nest_(nest), block_(block), by_rows_(nest.sizes[nest.inner()] >= kMinRow || nest.rank == 1) {
  FRIT_CHECK(nest.num_operands == block.arity + 1);
  int widest = 1;
  bool buffered = plan_output(out);
  bool varies = false;
  for (int i = 0; i < block.arity; ++i) {
    buffered |= plan_input(i, inputs[i]);
    const Access access = plans_[i + 1].access;
    varies |= access == Access::kDirect || access == Access::kGather;
  }
  if (!varies) {  // kernels want one operand that is not a broadcast element
    plans_[1].access = Access::kGather;
    buffered = true;
  }
  for (int o = 0; o < nest.num_operands; ++o)
    widest = std::max(
        {widest, byte_size(plans_[o].operand.memory), byte_size(plans_[o].operand.kernel)});
  max_chunk_ = buffered || !by_rows_ ? kBufferBytes / widest : kUnlimited;
}

bool PointwiseLoop::plan_output(const Operand& out) {
  Plan& plan = plans_[0];
  plan.operand = out;
  plan.cast = cast_between(out.kernel, out.memory);
  const bool direct =
      nest_.linear(0) || (by_rows_ && nest_.strides[0][nest_.inner()] == nest_.element_size[0]);
  plan.access = direct ? Access::kDirect : Access::kGather;
  return plan.cast != nullptr || !direct;
}

bool PointwiseLoop::plan_input(int i, const Operand& in) {
  const int o = i + 1;
  Plan& plan = plans_[o];
  plan.operand = in;
  plan.cast = cast_between(in.memory, in.kernel);
  const int64_t inner_stride = nest_.strides[o][nest_.inner()];
  if (nest_.constant(o)) {
    plan.access = Access::kConstant;
    if (plan.cast) {
      plan.cast(in.data, plan.constant, 1);
    } else {
      std::memcpy(plan.constant, in.data, static_cast<size_t>(nest_.element_size[o]));
    }
    return false;
  }
  if (nest_.linear(o) || (by_rows_ && inner_stride == nest_.element_size[o])) {
    plan.access = Access::kDirect;
  } else if (by_rows_ && inner_stride == 0) {
    plan.access = Access::kRowConstant;
  } else {
    plan.access = Access::kGather;
  }
  return plan.cast != nullptr || plan.access == Access::kGather;
}

void PointwiseLoop::run(int64_t begin, int64_t end) const {
  Buffers buffers;
  Odometer at(nest_, begin);
  for (int64_t position = begin; position < end;) {
    int64_t n = std::min(max_chunk_, end - position);
    if (by_rows_) n = std::min(n, at.left_in_row());
    const Odometer start = at;
    gather(at, n, buffers);
    const void* in[3];
    int broadcast = 0;
    for (int i = 0; i < block_.arity; ++i) in[i] = fetch(i, start, n, buffers, &broadcast);
    const Plan& out = plans_[0];
    std::byte* direct = out.operand.data + start.offset(0);
    const bool in_place = out.access == Access::kDirect;
    if (!out.cast) {
      block_(in, in_place ? direct : buffers.result, n, broadcast);
    } else {
      block_(in, buffers.result, n, broadcast);
      out.cast(buffers.result, in_place ? direct : buffers.converted, n);
    }
    if (!in_place) scatter(start, n, out.cast ? buffers.converted : buffers.result);
    position += n;
  }
}

// Fills the buffers of all gathered inputs for the next n elements and moves on past them.
void PointwiseLoop::gather(Odometer& at, int64_t n, Buffers& buffers) const {
  const int inner = nest_.inner();
  for (int64_t filled = 0; filled < n;) {
    const int64_t run = std::min(n - filled, at.left_in_row());
    for (int o = 1; o < nest_.num_operands; ++o) {
      if (plans_[o].access != Access::kGather) continue;
      const int size = nest_.element_size[o];
      gather_row(size, plans_[o].operand.data + at.offset(o), nest_.strides[o][inner],
                 buffers.gathered[o - 1] + filled * size, run);
    }
    at.advance(run);
    filled += run;
  }
}

// Where the kernel finds n elements of input i that begin at `at`.
const void* PointwiseLoop::fetch(int i, const Odometer& at, int64_t n, Buffers& buffers,
                                 int* broadcast) const {
  const Plan& plan = plans_[i + 1];
  const std::byte* data = plan.operand.data + at.offset(i + 1);
  switch (plan.access) {
    case Access::kConstant:
      *broadcast |= 1 << i;
      return plan.constant;
    case Access::kRowConstant:
      *broadcast |= 1 << i;
      n = 1;
      break;
    case Access::kGather:
      data = buffers.gathered[i];
      break;
    case Access::kDirect:
      break;
  }
  if (!plan.cast) return data;
  plan.cast(data, buffers.cast[i], n);
  return buffers.cast[i];
}

void PointwiseLoop::scatter(Odometer at, int64_t n, const std::byte* values) const {
  const int size = nest_.element_size[0];
  while (n > 0) {
    const int64_t run = std::min(n, at.left_in_row());
    scatter_row(size, values, plans_[0].operand.data + at.offset(0),
                nest_.strides[0][nest_.inner()], run);
    values += run * size;
    n -= run;
    at.advance(run);
  }
}

void run_parallel(const PointwiseLoop& loop, int64_t numel, int64_t grain) {
  base::parallel_for(numel, grain, [&](int64_t begin, int64_t end) { loop.run(begin, end); });
}

}  // namespace frit::eager

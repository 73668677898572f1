// Loads and stores of whole and partial vectors by access class.
#include "src/codegen/access.h"

#include <algorithm>
#include <array>
#include <bit>

#include "src/base/check.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

constexpr std::array kAddressRegisters = {r9, r10, r11, rbx, r12, r13, r14};
constexpr int kMaskBytes = 64;

// The general register that holds one element of that size.
Gp sized(const Gp& reg, int bytes) {
  switch (bytes) {
    case 1:
      return reg.r8();
    case 2:
      return reg.r16();
    case 4:
      return reg.r32();
    default:
      return reg;
  }
}

}  // namespace

StreamAccess::StreamAccess(Assembly& assembly, Emitter& emitter, const Environment& environment)
    : as_(assembly), emitter_(emitter), env_(environment) {
  addresses_.assign(env_.streams.size(), -1);
  registers_.assign(env_.streams.size() * kMaxRows, -1);
  indices_.assign(static_cast<size_t>(env_.kernel.rank), -1);
  mask32_ = as_.allocate_frame(Emitter::kVectorBytes);
  mask64_ = as_.allocate_frame(Emitter::kVectorBytes);
  scratch_ = as_.allocate_frame(kMaskBytes);
  places_ = as_.allocate_frame(Emitter::kVectorBytes);
}

int StreamAccess::stride_slot(int param, int dim) {
  for (const Stride& stride : strides_) {
    if (stride.param == param && stride.dim == dim) return stride.slot;
  }
  strides_.push_back({param, dim, as_.allocate_frame(8)});
  return strides_.back().slot;
}

bool StreamAccess::moves(int stream) const {
  return dim_ >= 0 && (env_.streams[stream].dims >> dim_ & 1) != 0;
}

void StreamAccess::enter_innermost(int dim, const std::vector<int>& streams) {
  enter_rows(dim, -1, 1, streams);
}

void StreamAccess::enter_rows(int dim, int row_dim, int rows, const std::vector<int>& streams) {
  dim_ = dim;
  row_dim_ = row_dim;
  std::fill(registers_.begin(), registers_.end(), -1);
  size_t next = 0;
  for (int stream : streams) {
    if (!moves(stream)) continue;
    for (int row = 0; row < rows && next < kAddressRegisters.size(); ++row) {
      registers_[stream * kMaxRows + row] = static_cast<int>(next);
      if (row > 0 && !has_rows(stream)) {
        registers_[stream * kMaxRows + row] = registers_[stream * kMaxRows];
        continue;
      }
      as_.a().mov(kAddressRegisters[next++], as_.frame(slot_of(stream, row)));
    }
  }
}

bool StreamAccess::has_rows(int stream) const {
  return row_dim_ >= 0 && (env_.streams[stream].dims >> row_dim_ & 1) != 0;
}

int StreamAccess::slot_of(int stream, int vector) const {
  return addresses_[stream] + (has_rows(stream) ? 8 * vector : 0);
}

// The address of the stream's first element in the loop: in a register of its own, or rcx.
Gp StreamAccess::base(int stream, int vector) const {
  const int own = registers_[stream * kMaxRows + (row_dim_ >= 0 ? vector : 0)];
  if (own >= 0) return kAddressRegisters[own];
  as_.a().mov(rcx, as_.frame(slot_of(stream, vector)));
  return rcx;
}

// How many elements after the index a vector begins.
int StreamAccess::ahead(int vector) const { return row_dim_ >= 0 ? 0 : vector * emitter_.lanes(); }

void StreamAccess::advance(int stream, int dim) {
  const Stream& s = env_.streams[stream];
  const KernelParam& param = env_.kernel.params[s.param];
  if (param.access[dim] == Access::kUnit) {
    as_.a().mov(ecx, byte_size(param.dtype));
  } else {
    as_.a().mov(rcx, as_.frame(stride_slot(s.param, dim)));
  }
  as_.a().add(as_.frame(addresses_[stream]), rcx);
  if (const int own = registers_[stream * kMaxRows]; own >= 0)
    as_.a().add(kAddressRegisters[own], rcx);
}

// [address + index*size + vector*lanes*size] for a unit stride.
Mem StreamAccess::element(int stream, Dtype dtype, int vector) const {
  const int bytes = byte_size(dtype);
  return ptr(base(stream, vector), rax, std::countr_zero(static_cast<unsigned>(bytes)),
             ahead(vector) * bytes);
}

// The elements of a vector that goes backwards, the last one first.
Mem StreamAccess::elements_before(int stream, Dtype dtype, int vector) const {
  const int bytes = byte_size(dtype);
  as_.a().mov(rdi, rax);
  as_.a().neg(rdi);
  return ptr(base(stream, vector), rdi, std::countr_zero(static_cast<unsigned>(bytes)),
             -(ahead(vector) + emitter_.lanes() - 1) * bytes);
}

// rcx = address of the first element, rsi = stride in bytes.
void StreamAccess::element_address(int stream, Dtype dtype, int vector) {
  const Stream& s = env_.streams[stream];
  if (env_.kernel.params[s.param].access[dim_] == Access::kUnit) {
    as_.a().lea(rcx, element(stream, dtype, vector));
    as_.a().mov(esi, byte_size(dtype));
    return;
  }
  as_.a().mov(rsi, as_.frame(stride_slot(s.param, dim_)));
  as_.a().lea(rdi, ptr(rax, ahead(vector)));
  as_.a().imul(rdi, rsi);
  const Gp first = base(stream, vector);
  as_.a().lea(rcx, ptr(first, rdi));
}

// Elements from rcx on, rsi bytes apart, one by one into the scratch area; the rest of it is zero.
void StreamAccess::gather(Dtype dtype, Extent extent) {
  asmjit::x86::Assembler& a = as_.a();
  const int bytes = byte_size(dtype);
  if (extent == Extent::kWhole) {
    for (int i = 0; i < emitter_.lanes(); ++i) {
      a.mov(sized(rdi, bytes), ptr(rcx));
      a.mov(as_.frame(scratch_ + i * bytes), sized(rdi, bytes));
      a.add(rcx, rsi);
    }
    return;
  }
  for (int i = 0; i < emitter_.lanes() * bytes; i += 4) a.mov(dword_ptr(rsp, scratch_ + i), 0);
  a.mov(as_.frame(scratch_ + 32), rax);
  a.xor_(edi, edi);
  const asmjit::Label next = a.newLabel();
  a.bind(next);
  a.mov(sized(rax, bytes), ptr(rcx));
  a.mov(ptr(rsp, rdi, std::countr_zero(static_cast<unsigned>(bytes)), scratch_), sized(rax, bytes));
  a.add(rcx, rsi);
  a.inc(rdi);
  a.cmp(rdi, rdx);
  a.jb(next);
  a.mov(rax, as_.frame(scratch_ + 32));
}

// A whole vector of elements that lie as far behind their places as the lanes in `places_` say.
// Where places do not move, they are all rcx. The elements meet in a register: a load of several
// stores would wait for all of them.
void StreamAccess::load_each(Dtype dtype, int dst, int temporary, bool moves) {
  asmjit::x86::Assembler& a = as_.a();
  const unsigned shift = std::countr_zero(static_cast<unsigned>(byte_size(dtype)));
  const int lanes = emitter_.lanes();
  for (int i = 0; i < lanes; ++i) {
    a.mov(rdi, as_.frame(places_ + i * 8));
    emitter_.insert_element(dtype, dst, ptr(rcx, rdi, shift), temporary, i);
    if (moves && i + 1 < lanes) a.add(rcx, rsi);
  }
  if (byte_size(dtype) >= 4) return emitter_.join_elements(dtype, dst, temporary);
  a.vmovq(as_.frame(scratch_), Xmm(dst));
  emitter_.load_elements(dtype, dst, as_.frame(scratch_), temporary);
}

// As gather() of a part of a vector, but each element lies as far behind its place as its lane in
// `places_` says.
void StreamAccess::gather_each(Dtype dtype, bool moves) {
  asmjit::x86::Assembler& a = as_.a();
  const int bytes = byte_size(dtype);
  const unsigned shift = std::countr_zero(static_cast<unsigned>(bytes));
  for (int i = 0; i < emitter_.lanes() * bytes; i += 4) a.mov(dword_ptr(rsp, scratch_ + i), 0);
  a.mov(as_.frame(scratch_ + 32), rax);
  a.xor_(edi, edi);
  const asmjit::Label next = a.newLabel();
  a.bind(next);
  a.mov(rax, ptr(rsp, rdi, 3, places_));
  a.mov(sized(rax, bytes), ptr(rcx, rax, shift));
  a.mov(ptr(rsp, rdi, shift, scratch_), sized(rax, bytes));
  if (moves) a.add(rcx, rsi);
  a.inc(rdi);
  a.cmp(rdi, rdx);
  a.jb(next);
  a.mov(rax, as_.frame(scratch_ + 32));
}

void StreamAccess::take_each(const BlockInput& input, int each, int dst, int temporary, int vector,
                             Extent extent) {
  const Dtype dtype = input.dtype;
  emitter_.store(math::Type::kI64, as_.frame(places_), each);
  const bool moving = moves(input.index);
  if (moving) {
    element_address(input.index, dtype, vector);
  } else {
    as_.a().mov(rcx, as_.frame(slot_of(input.index, vector)));
  }
  if (extent == Extent::kWhole) return load_each(dtype, dst, temporary, moving);
  gather_each(dtype, moving);
  emitter_.load_elements(dtype, dst, as_.frame(scratch_), temporary);
}

void StreamAccess::take_at(const BlockInput& input, const Mem& place, int dst, int temporary,
                           int vector, Extent extent) {
  asmjit::x86::Assembler& a = as_.a();
  const Dtype dtype = input.dtype;
  const unsigned shift = std::countr_zero(static_cast<unsigned>(byte_size(dtype)));
  Mem first = place;
  first.setSize(8);
  if (!moves(input.index)) {
    a.mov(rdi, first);
    a.mov(rcx, as_.frame(slot_of(input.index, vector)));
    return emitter_.load_broadcast(dtype, dst, ptr(rcx, rdi, shift), rsi);
  }
  const Stream& stream = env_.streams[input.index];
  const bool wide = byte_size(dtype) >= 4;
  if (env_.kernel.params[stream.param].access[dim_] == Access::kUnit &&
      (wide || extent == Extent::kWhole)) {
    a.lea(rcx, element(input.index, dtype, vector));
    a.mov(rdi, first);
    const Mem from = ptr(rcx, rdi, shift);
    if (extent == Extent::kWhole) return emitter_.load_elements(dtype, dst, from, temporary);
    return emitter_.load_masked(dtype, dst, from, mask(type_of(dtype)));
  }
  element_address(input.index, dtype, vector);
  a.mov(rdi, first);
  a.lea(rcx, ptr(rcx, rdi, shift));
  if (wide && extent == Extent::kWhole)
    return emitter_.load_strided(dtype, dst, rcx, rsi, rdi, temporary);
  gather(dtype, extent);
  emitter_.load_elements(dtype, dst, as_.frame(scratch_), temporary);
}

void StreamAccess::load_index(const BlockInput& input, int dst, int temporary, int vector) {
  const bool moving = input.index == dim_;
  if (moving) {
    as_.a().lea(rcx, ptr(rax, ahead(vector)));
  } else {
    as_.a().mov(rcx, as_.frame(indices_[input.index]));
    if (input.index == row_dim_ && vector > 0) as_.a().add(rcx, vector);
  }
  emitter_.load_count(type_of(input.dtype), dst, rcx, moving, temporary);
}

// The scratch area's elements, one by one, to rcx and rsi bytes on from there.
void StreamAccess::scatter(Dtype dtype, Extent extent) {
  asmjit::x86::Assembler& a = as_.a();
  const int bytes = byte_size(dtype);
  if (extent == Extent::kWhole) {
    for (int i = 0; i < emitter_.lanes(); ++i) {
      a.mov(sized(rdi, bytes), as_.frame(scratch_ + i * bytes));
      a.mov(ptr(rcx), sized(rdi, bytes));
      a.add(rcx, rsi);
    }
    return;
  }
  a.mov(as_.frame(scratch_ + 32), rax);
  a.xor_(edi, edi);
  const asmjit::Label next = a.newLabel();
  a.bind(next);
  a.mov(sized(rax, bytes), ptr(rsp, rdi, std::countr_zero(static_cast<unsigned>(bytes)), scratch_));
  a.mov(ptr(rcx), sized(rax, bytes));
  a.add(rcx, rsi);
  a.inc(rdi);
  a.cmp(rdi, rdx);
  a.jb(next);
  a.mov(rax, as_.frame(scratch_ + 32));
}

void StreamAccess::load(const BlockInput& input, int dst, int temporary, int vector,
                        Extent extent) {
  const Dtype dtype = input.dtype;
  if (!moves(input.index)) {
    as_.a().mov(rcx, as_.frame(slot_of(input.index, vector)));
    return emitter_.load_broadcast(dtype, dst, ptr(rcx), rsi);
  }
  const Stream& stream = env_.streams[input.index];
  const bool unit = env_.kernel.params[stream.param].access[dim_] == Access::kUnit;
  const bool wide = byte_size(dtype) >= 4;
  if (unit && extent == Extent::kWhole) {
    return emitter_.load_elements(dtype, dst, element(input.index, dtype, vector), temporary);
  }
  if (env_.kernel.params[stream.param].access[dim_] == Access::kReversed &&
      extent == Extent::kWhole) {
    emitter_.load_elements(dtype, dst, elements_before(input.index, dtype, vector), temporary);
    return emitter_.reverse(type_of(dtype), dst);
  }
  if (unit && wide) {
    return emitter_.load_masked(dtype, dst, element(input.index, dtype, vector),
                                mask(type_of(dtype)));
  }
  if (wide && extent == Extent::kWhole) {
    element_address(input.index, dtype, vector);
    return emitter_.load_strided(dtype, dst, rcx, rsi, rdi, temporary);
  }
  element_address(input.index, dtype, vector);
  gather(dtype, extent);
  emitter_.load_elements(dtype, dst, as_.frame(scratch_), temporary);
}

void StreamAccess::store(const BlockStore& store, int src, int temporary, int vector,
                         Extent extent) {
  const Dtype dtype = store.dtype;
  if (!moves(store.stream)) {
    as_.a().mov(rcx, as_.frame(slot_of(store.stream, vector)));
    return emitter_.store_first(dtype, ptr(rcx), src, rsi);
  }
  const Stream& stream = env_.streams[store.stream];
  const bool unit = env_.kernel.params[stream.param].access[dim_] == Access::kUnit;
  if (unit && extent == Extent::kWhole) {
    return emitter_.store_elements(dtype, element(store.stream, dtype, vector), src, temporary);
  }
  if (unit && byte_size(dtype) >= 4) {
    return emitter_.store_masked(dtype, element(store.stream, dtype, vector), src,
                                 mask(type_of(dtype)), temporary);
  }
  emitter_.store_elements(dtype, as_.frame(scratch_), src, temporary);
  element_address(store.stream, dtype, vector);
  scatter(dtype, extent);
}

void StreamAccess::put_at(const BlockStore& store, const Mem& place, Source source, int vector,
                          Extent extent) {
  asmjit::x86::Assembler& a = as_.a();
  const Dtype dtype = store.dtype;
  const unsigned shift = std::countr_zero(static_cast<unsigned>(byte_size(dtype)));
  const bool unit =
      env_.kernel.params[env_.streams[store.stream].param].access[dim_] == Access::kUnit;
  Mem first = place;
  first.setSize(8);
  if (!unit || (extent == Extent::kPartial && byte_size(dtype) < 4)) {
    emitter_.store_elements(dtype, as_.frame(scratch_), source.value, source.temporary);
    element_address(store.stream, dtype, vector);
    a.mov(rdi, first);
    a.lea(rcx, ptr(rcx, rdi, shift));
    return scatter(dtype, extent);
  }
  a.lea(rcx, element(store.stream, dtype, vector));
  a.mov(rdi, first);
  const Mem to = ptr(rcx, rdi, shift);
  if (extent == Extent::kWhole)
    return emitter_.store_elements(dtype, to, source.value, source.temporary);
  emitter_.store_masked(dtype, to, source.value, mask(type_of(dtype)), source.temporary);
}

void StreamAccess::put_each(const BlockStore& store, Puts puts, std::span<const int> free,
                            int vector, Extent extent) {
  asmjit::x86::Assembler& a = as_.a();
  const bool in_memory = !store.fold && byte_size(store.dtype) < 4;
  if (in_memory) emitter_.store_elements(store.dtype, as_.frame(scratch_), puts.value, free[0]);
  const bool moving = moves(store.stream);
  if (moving)
    element_address(store.stream, store.dtype, vector);
  else
    a.mov(rcx, as_.frame(slot_of(store.stream, vector)));
  const asmjit::Label done = a.newLabel();
  for (int lane = 0; lane < emitter_.lanes(); ++lane) {
    if (lane > 0 && extent == Extent::kPartial) {
      a.cmp(rdx, lane);
      a.jle(done);
    }
    if (lane > 0 && moving) a.add(rcx, rsi);
    emitter_.place_of_lane(rdi, puts.each, lane, free[1]);
    put_lane(store, puts.value, lane, free);
  }
  a.bind(done);
}

// Behind rcx by rdi elements. What is narrow and not folded is in the scratch area.
void StreamAccess::put_lane(const BlockStore& store, int value, int lane,
                            std::span<const int> free) {
  asmjit::x86::Assembler& a = as_.a();
  const int bytes = byte_size(store.dtype);
  const math::Type type = type_of(store.dtype);
  const Mem to = ptr(rcx, rdi, std::countr_zero(static_cast<unsigned>(bytes)));
  if (!store.fold) {
    if (bytes >= 4) return emitter_.store_lane(type, to, value, lane, free[0]);
    a.mov(sized(r8, bytes), as_.frame(scratch_ + lane * bytes));
    a.mov(to, sized(r8, bytes));
    return;
  }
  const int there = free[0], element = lane == 0 ? value : free[2];
  emitter_.load_broadcast(store.dtype, there, to, r8);
  if (lane > 0) emitter_.lane_to_first(type, element, value, lane);
  store.fold->emit(as_, emitter_, there, {there, element}, free.subspan(kPutRegisters));
  emitter_.store_first(store.dtype, to, there, r8);
}

void StreamAccess::make_masks(int temporary) {
  asmjit::x86::Assembler& a = as_.a();
  const Ymm mask(temporary);
  for (int bytes : {4, 8}) {
    if (emitter_.lanes() * bytes > Emitter::kVectorBytes) continue;
    a.lea(rcx, as_.mask_table_end());
    a.mov(rsi, rdx);
    a.neg(rsi);
    a.vmovups(mask, ptr(rcx, rsi, std::countr_zero(static_cast<unsigned>(bytes))));
    a.vmovups(as_.frame(bytes == 4 ? mask32_ : mask64_), mask);
  }
}

}  // namespace frit::codegen

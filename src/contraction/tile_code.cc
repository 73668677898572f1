// Writes the machine code of tiles, with registers assigned by hand.
//
// Vector registers, AVX2 (16): rows x vectors accumulators from 0, then vectors of b, broadcast
// rows of a, and in masked kernels the mask as the last one. Six rows by two vectors are 12 + 2 + 1
// + 1. AVX-512 (32) has room for 14 by 2, and masks in k1.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/contraction/tile_code.h"

#include <xbyak/xbyak.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "src/base/code_memory.h"
#include "src/base/fork.h"

namespace frit::contraction {
namespace {

constexpr size_t kBufferBytes = 1 << 15;
constexpr int kUnroll = 8;  // steps of k per turn of the inner loop: a block of channels

class TileWriter : public Xbyak::CodeGenerator {
 public:
  TileWriter(const TileShape& shape, void* buffer)
      : CodeGenerator(kBufferBytes, buffer),
        shape_(shape),
        wide_(shape.isa == Isa::kAvx512),
        element_(byte_size(shape.dtype)),
        vector_bytes_(wide_ ? 64 : 32) {}

  size_t write() {
    enter();
    start_chains();
    walk_segments();
    finish_chains();
    leave();
    return getSize();
  }

 private:
  // What the general registers hold. rdi stays the arguments.
  const Xbyak::Reg64 &args = rdi, &a = rax, &a9 = rbx, &row = rcx, &row3 = rdx, &row5 = r8,
                     &row7 = r9;
  const Xbyak::Reg64 &b = rsi, &b_k = r10, &panel = r11, &panel3 = r12, &segment = r13,
                     &segments_left = r14, &count = r15, &a_base = rbp;

  Xbyak::Address arg(size_t offset) { return ptr[args + static_cast<int>(offset)]; }

  void enter() {
    for (const Xbyak::Reg64& r : {rbx, rbp, r12, r13, r14, r15}) push(r);
    if (shape_.last == LastVector::kWhole) return;
    if (wide_) {
      mov(rax, arg(offsetof(TileArgs, tail_bits)));
      kmovw(k1, eax);
    } else {
      mov(rax, arg(offsetof(TileArgs, tail_vector)));
      vmovups(mask(), ptr[rax]);
    }
  }

  void leave() {
    vzeroupper();
    for (const Xbyak::Reg64& r : {r15, r14, r13, r12, rbp, rbx}) pop(r);
    ret();
  }

  // Registers by role.
  Xbyak::Xmm vector(int index) const {
    if (wide_) return Xbyak::Zmm(index);
    return Xbyak::Ymm(index);
  }
  Xbyak::Xmm chain(int r, int v) const { return vector(r * shape_.vectors + v); }
  Xbyak::Xmm scratch(int i) const { return vector(shape_.rows * shape_.vectors + i); }
  Xbyak::Ymm mask() const { return Xbyak::Ymm(15); }
  bool is_part(int v) const { return shape_.last != LastVector::kWhole && v == shape_.vectors - 1; }
  // The register as vector v uses it.
  Xbyak::Xmm sized(const Xbyak::Xmm& r, int v) const {
    const bool is_half = shape_.last == LastVector::kHalf && v == shape_.vectors - 1;
    return is_half ? Xbyak::Ymm(r.getIdx()) : r;
  }

  void load(const Xbyak::Xmm& whole, const Xbyak::Address& from, int v) {
    const Xbyak::Xmm to = sized(whole, v);
    if (!is_part(v)) {
      vmovups(to, from);
    } else if (wide_) {
      is_f64() ? vmovupd(to | k1 | T_z, from) : vmovups(to | k1 | T_z, from);
    } else {
      is_f64() ? vmaskmovpd(to, mask(), from) : vmaskmovps(to, mask(), from);
    }
  }
  void store(const Xbyak::Address& to, const Xbyak::Xmm& whole, int v) {
    const Xbyak::Xmm from = sized(whole, v);
    if (!is_part(v)) {
      vmovups(to, from);
    } else if (wide_) {
      is_f64() ? vmovupd(to | k1, from) : vmovups(to | k1, from);
    } else {
      is_f64() ? vmaskmovpd(to, mask(), from) : vmaskmovps(to, mask(), from);
    }
  }
  void broadcast(const Xbyak::Xmm& to, const Xbyak::Address& from) {
    is_f64() ? vbroadcastsd(static_cast<const Xbyak::Ymm&>(to), from) : vbroadcastss(to, from);
  }
  // chain(r, v) += x * y.
  void multiply_add(int r, int v, const Xbyak::Xmm& x, const Xbyak::Xmm& y) {
    const Xbyak::Xmm sum = sized(chain(r, v), v);
    is_f64() ? vfmadd231pd(sum, sized(x, v), sized(y, v))
             : vfmadd231ps(sum, sized(x, v), sized(y, v));
  }
  void add_to(int r, int v, const Xbyak::Xmm& x) {
    const Xbyak::Xmm sum = sized(chain(r, v), v);
    is_f64() ? vaddpd(sum, sum, sized(x, v)) : vaddps(sum, sum, sized(x, v));
  }

  Xbyak::Address c_at(int v) { return ptr[a + v * vector_bytes_]; }

  // Calls fn(r) with `a` at row r of c.
  template <class F>
  void each_row_of_c(F fn) {
    mov(a, arg(offsetof(TileArgs, c)));
    mov(row, arg(offsetof(TileArgs, c_row)));
    for (int r = 0; r < shape_.rows; ++r) {
      fn(r);
      if (r + 1 < shape_.rows) add(a, row);
    }
  }

  void start_chains() {
    Xbyak::Label fresh, done;
    cmp(qword[args + static_cast<int>(offsetof(TileArgs, accumulate))], 0);
    je(fresh, T_NEAR);
    each_row_of_c([&](int r) {
      for (int v = 0; v < shape_.vectors; ++v) load(chain(r, v), c_at(v), v);
    });
    jmp(done, T_NEAR);
    L(fresh);
    for (int i = 0; i < shape_.rows * shape_.vectors; ++i) {
      if (wide_) {
        vpxord(Xbyak::Zmm(i), Xbyak::Zmm(i), Xbyak::Zmm(i));
      } else {
        vxorps(Xbyak::Ymm(i), Xbyak::Ymm(i), Xbyak::Ymm(i));
      }
    }
    L(done);
  }

  void load_strides() {
    mov(a_base, arg(offsetof(TileArgs, a)));
    mov(b_k, arg(offsetof(TileArgs, b_k)));
    mov(row, arg(offsetof(TileArgs, a_row)));
    if (shape_.rows > 3) lea(row3, ptr[row + row * 2]);
    if (shape_.rows > 5) lea(row5, ptr[row + row * 4]);
    if (shape_.rows > 7) lea(row7, ptr[row3 + row * 4]);
    if (shape_.vectors > 2) mov(panel, arg(offsetof(TileArgs, b_panel)));
    if (shape_.vectors > 6) lea(panel3, ptr[panel + panel * 2]);
  }

  void walk_segments() {
    Xbyak::Label next_segment, blocks, rest, one, segment_done, done;
    load_strides();
    mov(segment, arg(offsetof(TileArgs, segments)));
    mov(segments_left, arg(offsetof(TileArgs, num_segments)));
    test(segments_left, segments_left);
    jz(done, T_NEAR);
    L(next_segment);
    mov(a, ptr[segment]);
    mov(b, ptr[segment + static_cast<int>(offsetof(Segment, b_offset))]);
    mov(count, ptr[segment + static_cast<int>(offsetof(Segment, count))]);
    add(a, a_base);
    add(b, arg(offsetof(TileArgs, b)));
    if (shape_.rows > 9) lea(a9, ptr[row + row * 8]), add(a9, a);
    sub(count, kUnroll);
    jl(rest, T_NEAR);
    align(32);
    L(blocks);
    for (int u = 0; u < kUnroll; ++u) step(u);
    advance(kUnroll);
    sub(count, kUnroll);
    jge(blocks, T_NEAR);
    L(rest);
    add(count, kUnroll);
    jz(segment_done, T_NEAR);
    L(one);
    step(0);
    advance(1);
    dec(count);
    jnz(one, T_NEAR);
    L(segment_done);
    add(segment, static_cast<int>(sizeof(Segment)));
    dec(segments_left);
    jnz(next_segment, T_NEAR);
    L(done);
  }

  void advance(int steps) {
    add(a, steps * element_);
    if (shape_.rows > 9) add(a9, steps * element_);
  }

  // Element `u` of row r of a.
  Xbyak::Address a_at(int r, int u) {
    const int at = u * element_;
    switch (r) {
      case 0:
        return ptr[a + at];
      case 1:
        return ptr[a + row + at];
      case 2:
        return ptr[a + row * 2 + at];
      case 3:
        return ptr[a + row3 + at];
      case 4:
        return ptr[a + row * 4 + at];
      case 5:
        return ptr[a + row5 + at];
      case 6:
        return ptr[a + row3 * 2 + at];
      case 7:
        return ptr[a + row7 + at];
      case 8:
        return ptr[a + row * 8 + at];
      case 9:
        return ptr[a9 + at];
      case 10:
        return ptr[a9 + row + at];
      case 11:
        return ptr[a9 + row * 2 + at];
      case 12:
        return ptr[a9 + row3 + at];
      default:
        return ptr[a9 + row * 4 + at];
    }
  }

  Xbyak::Address b_at(int v) {
    const int at = v % 2 * vector_bytes_;
    switch (v / 2) {
      case 0:
        return ptr[b + at];
      case 1:
        return ptr[b + panel + at];
      case 2:
        return ptr[b + panel * 2 + at];
      default:
        return ptr[b + panel3 + at];
    }
  }

  // One k: the outer product of a column of a and a row of b.
  void step(int u) {
    if (shape_.rows <= 2) {
      for (int r = 0; r < shape_.rows; ++r) broadcast(scratch(r), a_at(r, u));
      for (int v = 0; v < shape_.vectors; ++v) {
        load(scratch(shape_.rows), b_at(v), v);
        for (int r = 0; r < shape_.rows; ++r) multiply_add(r, v, scratch(r), scratch(shape_.rows));
      }
    } else {
      for (int v = 0; v < shape_.vectors; ++v) load(scratch(v), b_at(v), v);
      for (int r = 0; r < shape_.rows; ++r) {
        broadcast(scratch(shape_.vectors), a_at(r, u));
        for (int v = 0; v < shape_.vectors; ++v)
          multiply_add(r, v, scratch(shape_.vectors), scratch(v));
      }
    }
    add(b, b_k);
  }

  void finish_chains() {
    Xbyak::Label no_bias;
    mov(b, arg(offsetof(TileArgs, bias)));
    test(b, b);
    jz(no_bias, T_NEAR);
    for (int v = 0; v < shape_.vectors; ++v) {
      load(scratch(0), ptr[b + v * vector_bytes_], v);
      for (int r = 0; r < shape_.rows; ++r) add_to(r, v, scratch(0));
    }
    L(no_bias);
    each_row_of_c([&](int r) {
      for (int v = 0; v < shape_.vectors; ++v) store(c_at(v), chain(r, v), v);
    });
  }

  bool is_f64() const { return shape_.dtype == Dtype::kF64; }

  const TileShape shape_;
  const bool wide_;
  const int element_, vector_bytes_;
};

std::string kernel_name(const TileShape& shape) {
  std::string text = "tile_";
  text += name(shape.dtype);
  text += '_';
  text += name(shape.isa);
  text += '_' + std::to_string(shape.rows) + 'x' + std::to_string(shape.vectors);
  if (shape.last == LastVector::kWhole) return text;
  return text + (shape.last == LastVector::kHalf ? "_half" : "_part");
}

TileFunction generate(const TileShape& shape) {
  std::vector<uint8_t> buffer(kBufferBytes);
  TileWriter writer(shape, buffer.data());
  const size_t size = writer.write();
  return reinterpret_cast<TileFunction>(
      base::CodeMemory::shared().publish(buffer.data(), size, kernel_name(shape)));
}

}  // namespace

TileFunction tile_code(const TileShape& shape) {
  static std::atomic<TileFunction> table[2][2][15][9][3];
  std::atomic<TileFunction>& slot = table[shape.dtype == Dtype::kF64][shape.isa == Isa::kAvx512]
                                         [shape.rows][shape.vectors][static_cast<int>(shape.last)];
  if (TileFunction known = slot.load(std::memory_order_acquire)) return known;
  static base::ForkMutex mutex{base::ForkLevel::kCompile};
  std::lock_guard lock(mutex);
  if (TileFunction known = slot.load(std::memory_order_acquire)) return known;
  if (base::CodeMemory::shared().full(kBufferBytes)) return nullptr;  // asked for again and again
  const TileFunction made = generate(shape);
  slot.store(made, std::memory_order_release);
  return made;
}

}  // namespace frit::contraction

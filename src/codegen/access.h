// StreamAccess: where the elements of a loop's streams are, and the code that moves them.
//
// General registers, everywhere in the generated code:
//   rax  the innermost loop's index             rdx  its end; in a partial vector: how many lanes
//   rcx rsi rdi  used up by anything            rbx r9-r14  addresses of streams in the innermost
//   loop
//   r8   in the last vectors of a reduction: offset of the accumulator; used up by puts
// A stream's address for the current iterations of the loops around is in the frame. The innermost
// loop adds index * stride to it.
#pragma once

#include <span>
#include <vector>

#include "src/codegen/block.h"
#include "src/codegen/emitter.h"

namespace frit::codegen {

// Whether a vector has all its lanes, or only the first rdx.
enum class Extent : uint8_t { kWhole, kPartial };

class StreamAccess final {
 public:
  static constexpr int kMaxRows = 4;

  StreamAccess(Assembly& assembly, Emitter& emitter, const Environment& environment);

  // Frame offsets, kept up to date by whoever opens outer loops.
  int address_slot(int stream) const { return addresses_[stream]; }
  void set_address_slot(int stream, int slot) { addresses_[stream] = slot; }
  void set_index_slot(int dim, int slot) { indices_[dim] = slot; }
  // Of a parameter's stride along a dimension, in bytes. Made when first asked for: see strides().
  int stride_slot(int param, int dim);
  struct Stride {
    int param, dim, slot;
  };
  // Those that the function's entry has to fill.
  const std::vector<Stride>& strides() const { return strides_; }

  // Innermost loop over `dim`: loads the addresses of the streams used in it into registers, as
  // many as there are. -1 is straight code: every access is one element.
  void enter_innermost(int dim, const std::vector<int>& streams);
  // The same where vector i is of the i-th of `rows` neighbouring rows, one a step of `row_dim`.
  // The slot of a stream that moves along the rows is the first of theirs.
  void enter_rows(int dim, int row_dim, int rows, const std::vector<int>& streams);

  // Element `vector` * lanes after the index (or that at the index, of row `vector`), into (from) a
  // register. `temporary` is used up.
  void load(const BlockInput& input, int dst, int temporary, int vector, Extent extent);
  // The elements that lie behind those: by as many as `each` (a vector of i64) says in every lane,
  // or all by the i64 in memory at `place`.
  void take_each(const BlockInput& input, int each, int dst, int temporary, int vector,
                 Extent extent);
  void take_at(const BlockInput& input, const Mem& place, int dst, int temporary, int vector,
               Extent extent);
  // Element `vector` * lanes and the following ones of a dimension's index.
  void load_index(const BlockInput& input, int dst, int temporary, int vector);
  void store(const BlockStore& store, int src, int temporary, int vector, Extent extent);
  // The same as far behind as the i64 in memory at `place` says.
  struct Source {
    int value, temporary;
  };
  void put_at(const BlockStore& store, const Mem& place, Source source, int vector, Extent extent);
  // Lane after lane, each as far behind as `each` (a vector of i64) says; r8 and the registers of
  // `free` are used up: kPutRegisters, and those of the fold.
  struct Puts {
    int value, each;
  };
  void put_each(const BlockStore& store, Puts puts, std::span<const int> free, int vector,
                Extent extent);

  // 64 bytes for anyone, until the next access.
  Mem scratch() const { return as_.frame(scratch_); }
  // Masks of the first rdx lanes, into the frame; before the first partial access. Uses up vector
  // register `temporary`.
  void make_masks(int temporary);
  Mem mask(math::Type type) const { return as_.frame(byte_width(type) == 4 ? mask32_ : mask64_); }

  // Moves the addresses of a stream in the innermost loop on by one iteration of another dimension.
  void advance(int stream, int dim);

  bool moves(int stream) const;

 private:
  bool has_rows(int stream) const;
  int slot_of(int stream, int vector) const;
  Gp base(int stream, int vector) const;
  int ahead(int vector) const;
  Mem element(int stream, Dtype dtype, int vector) const;
  Mem elements_before(int stream, Dtype dtype, int vector) const;
  void element_address(int stream, Dtype dtype, int vector);
  void gather(Dtype dtype, Extent extent);
  void gather_each(Dtype dtype, bool moves);
  void load_each(Dtype dtype, int dst, int temporary, bool moves);
  void scatter(Dtype dtype, Extent extent);
  void put_lane(const BlockStore& store, int value, int lane, std::span<const int> free);

  Assembly& as_;
  Emitter& emitter_;
  const Environment& env_;
  std::vector<int> addresses_;
  std::vector<int> indices_;    // of each dimension around the innermost loop
  std::vector<int> registers_;  // of each stream, for kMaxRows rows each
  std::vector<Stride> strides_;
  int dim_ = -1;
  int row_dim_ = -1;  // where vectors are of several rows
  int mask32_, mask64_, scratch_, places_;
};

}  // namespace frit::codegen

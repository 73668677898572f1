// Walks a block program's steps, tile by tile.
#include "src/runtime/block_run.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/runtime/block_copy.h"
#include "src/runtime/block_put.h"
#include "src/runtime/block_scan.h"

namespace frit::runtime {
namespace {

using eager::kBroadcast1;
using eager::kReduceBlock;

constexpr int64_t kFetchedBytes = 1024;  // from which on asking ahead is worth it
constexpr uint64_t kZero = 0;            // +0.0 of any float

// Where the parts of the scratch memory begin.
struct ScratchParts {
  explicit ScratchParts(const BlockProgram& program) {
    places = take(program.num_values * int64_t{sizeof(std::byte*)});
    index = take(program.rank * int64_t{sizeof(int64_t)});
    buffers = take(program.buffer_bytes);
    scans = take(program.num_scans * kTileElements * 8);
    if (!program.has_reductions()) return;
    yields = take(kReduceBlock * 8);
    partial = take(kTileElements * 8);
    wide = take(kTileElements * 8);
    lanes = take(FoldLanes::bytes_of(kColumnRows, Dtype::kI64));
    levels = take(FoldLevels::bytes_of(kColumnRows, Dtype::kI64));
  }
  int64_t take(int64_t bytes) {
    const int64_t begin = end;
    end += (bytes + 63) & ~int64_t{63};
    return begin;
  }
  int64_t end = 0, places, index, buffers, scans, yields = 0, partial = 0, wide = 0, lanes = 0,
          levels = 0;
};

class BlockRun {
 public:
  BlockRun(const BlockProgram& program, const uint64_t* args, std::byte* scratch)
      : program_(program), args_(args), scratch_(scratch), parts_(program) {
    places_ = reinterpret_cast<std::byte**>(scratch + parts_.places);
    index_ = reinterpret_cast<int64_t*>(scratch + parts_.index);
    std::fill_n(index_, program.rank, 0);
    for (int v = 0; v < program.num_values; ++v)
      places_[v] = program.slots[v] < 0 ? nullptr : slot(v);
    for (const auto& [value, bits] : program.constants) places_[value] = bytes_at(&bits);
    for (const auto& [value, word] : program.scalars) places_[value] = bytes_at(&args[word]);
  }

  void run(int64_t begin, int64_t end) {
    for (const BlockStep& loop : program_.body) run_loop(loop, begin, end);
  }

 private:
  // Buffers are written through their slots only.
  static std::byte* bytes_at(const uint64_t* word) {
    return reinterpret_cast<std::byte*>(const_cast<uint64_t*>(word));
  }
  std::byte* slot(int value) const { return scratch_ + parts_.buffers + program_.slots[value]; }

  void run_body(const std::vector<BlockStep>& body) {
    for (const BlockStep& step : body) run_step(step);
  }

  void run_step(const BlockStep& step) {
    switch (step.kind) {
      case BlockStep::Kind::kLoad:
        return load(step);
      case BlockStep::Kind::kTake:
        return take(step);
      case BlockStep::Kind::kIndex:
        return count(step);
      case BlockStep::Kind::kScan:
        return scan(step);
      case BlockStep::Kind::kUnary:
      case BlockStep::Kind::kBinary:
      case BlockStep::Kind::kTernary:
        return run_op(step);
      case BlockStep::Kind::kExpand:
        return expand(step);
      case BlockStep::Kind::kStore:
        return store(step, places_[step.operands[0]], step.from);
      case BlockStep::Kind::kPut:
        return put(step);
      case BlockStep::Kind::kPlainLoop:
      case BlockStep::Kind::kRowLoop:
      case BlockStep::Kind::kTileLoop:
        return run_loop(step, 0, size_of(step.size_word));
      case BlockStep::Kind::kReduce:
        return reduce(step);
    }
  }

  int64_t size_of(int word) const { return static_cast<int64_t>(args_[word]); }

  void run_loop(const BlockStep& loop, int64_t begin, int64_t end) {
    if (loop.kind == BlockStep::Kind::kRowLoop) return run_rows(loop, begin, end);
    if (loop.kind == BlockStep::Kind::kTileLoop) return run_tiles(loop, begin, end);
    for (int64_t i = begin; i < end; ++i) {
      index_[loop.dim] = i;
      run_body(loop.body);
    }
  }

  void run_rows(const BlockStep& loop, int64_t begin, int64_t end) {
    row_dim_ = loop.dim;
    order_ = loop.order;
    const int64_t group = rows_at_once(loop);
    for (int64_t row = begin; row < end; row += group) {
      rows_ = std::min(group, end - row);
      index_[loop.dim] = row;
      run_body(loop.body);
    }
    row_dim_ = -1;
    order_ = TileOrder::kRows;
    rows_ = 1;
  }

  // Whole rows where two or more fit into a tile.
  int64_t rows_at_once(const BlockStep& loop) const {
    if (loop.order == TileOrder::kColumns) return kColumnRows;
    if (loop.order == TileOrder::kSquares) return kSquareSide;
    int64_t longest = 1;
    for (int word : loop.inner_sizes) longest = std::max(longest, size_of(word));
    return std::max(kTileElements / longest, int64_t{1});
  }

  int64_t tile_length() const { return std::max(kTileElements / rows_, int64_t{1}); }

  void run_tiles(const BlockStep& loop, int64_t begin, int64_t end) {
    tile_dim_ = loop.dim;
    for (const BlockStep& step : loop.body)
      if (step.kind == BlockStep::Kind::kScan)
        begin_scan(step.op, step.dtype, rows_, state_of(step));
    const int64_t length = tile_length();
    for (int64_t i = begin; i < end; i += length) {
      index_[loop.dim] = i;
      length_ = std::min(length, end - i);
      run_body(loop.body);
    }
    tile_dim_ = -1;
  }

  // Where things are.

  Shape shape_of(Extent extent) const {
    if (extent == Extent::kOne) return {1, 1};
    if (extent == Extent::kRow) return {1, rows_};
    return order_ == TileOrder::kColumns ? Shape{length_, rows_} : Shape{rows_, length_};
  }

  struct Address {
    std::byte* data;
    int64_t row_stride, tile_stride;
  };
  // Of the first element of what is being computed.
  Address address_of(int access_index, int bytes) const {
    const BlockAccess& access = program_.accesses[access_index];
    Address address{nullptr, 0, 0};
    int64_t offset = 0;
    for (const BlockAccess::Move& move : access.moves) {
      const int64_t stride = size_of(move.word);
      offset += index_[move.dim] * stride;
      if (move.dim == row_dim_) address.row_stride = stride;
      if (move.dim == tile_dim_) address.tile_stride = stride;
    }
    address.data = reinterpret_cast<std::byte*>(args_[access.word]) + offset * bytes;
    return address;
  }
  Elements memory_of(const BlockStep& step) const {
    const Address a = address_of(step.access, byte_size(step.dtype));
    if (step.extent != Extent::kTile) return {a.data, 0, a.row_stride};
    if (order_ == TileOrder::kColumns) return {a.data, a.tile_stride, a.row_stride};
    return {a.data, a.row_stride, a.tile_stride};
  }

  // A buffer's elements, as those of `extent`.
  Elements buffer_of(std::byte* data, Extent from, Extent extent) const {
    if (from == extent) return {data, shape_of(extent).fast, 1};
    if (from == Extent::kOne) return {data, 0, 0};
    return order_ == TileOrder::kColumns ? Elements{data, 0, 1} : Elements{data, 1, 0};
  }

  // Steps.

  // The memory behind this tile is likely to be the next one. Without, each tile would begin by
  // waiting for it.
  static void fetch_next(const std::byte* data, int64_t bytes) {
    if (bytes < kFetchedBytes) return;
    for (int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(data + bytes + b, 0, 2);
  }

  // A yielded value's place is set by its reduction.
  std::byte* own_place(int value) {
    if (program_.slots[value] >= 0) places_[value] = slot(value);
    return places_[value];
  }

  void load(const BlockStep& step) {
    const Shape shape = shape_of(step.extent);
    const Elements from = memory_of(step);
    const bool dense = from.is_dense(shape);
    if (step.in_place && dense) {
      fetch_next(from.data, shape.count() * byte_size(step.dtype));
      places_[step.result] = from.data;
      return;
    }
    std::byte* to = own_place(step.result);
    if (step.dtype != kBool || !dense)
      copy_elements(byte_size(step.dtype), shape, {to, shape.fast, 1}, from);
    if (step.dtype != kBool) return;
    step.unary(dense ? from.data : to, to, shape.count());
  }

  void take(const BlockStep& step) {
    const Shape shape = shape_of(step.extent);
    std::byte* to = own_place(step.result);
    take_elements(byte_size(step.dtype), shape, to, memory_of(step),
                  buffer_of(places_[step.operands[0]], step.from, step.extent));
    if (step.dtype == kBool) step.unary(to, to, shape.count());
  }

  std::byte* state_of(const BlockStep& scan) const {
    return scratch_ + parts_.scans + scan.scan * kTileElements * 8;
  }

  void scan(const BlockStep& step) {
    const ScanAlong along = order_ == TileOrder::kColumns ? ScanAlong::kSlow : ScanAlong::kFast;
    scan_tile(step.op, step.dtype, shape_of(step.extent), along, own_place(step.result),
              buffer_of(places_[step.operands[0]], step.from, step.extent), state_of(step));
  }

  void count(const BlockStep& step) {
    const Shape shape = shape_of(step.extent);
    const bool slow = step.extent == Extent::kTile && order_ == TileOrder::kColumns;
    std::byte* to = own_place(step.result);
    for (int64_t s = 0; s < shape.slow; ++s)
      for (int64_t f = 0; f < shape.fast; ++f) {
        const int64_t index = index_[step.dim] + (slow ? s : f);
        std::memcpy(to, &index, static_cast<size_t>(byte_size(step.dtype)));
        to += byte_size(step.dtype);
      }
  }

  void expand(const BlockStep& step) {
    std::byte* from = places_[step.operands[0]];
    if (rows_ == 1 && !step.copies) {
      places_[step.result] = from;
      return;
    }
    const Shape shape = shape_of(step.extent);
    copy_elements(byte_size(step.dtype), shape, {own_place(step.result), shape.fast, 1},
                  buffer_of(from, step.from, step.extent));
  }

  void store(const BlockStep& step, std::byte* data, Extent from) {
    copy_elements(byte_size(step.dtype), shape_of(step.extent), memory_of(step),
                  buffer_of(data, from, step.extent));
  }

  void put(const BlockStep& step) {
    put_elements(step.op, step.dtype, shape_of(step.extent), memory_of(step),
                 buffer_of(places_[step.operands[1]], step.place, step.extent),
                 buffer_of(places_[step.operands[0]], step.from, step.extent));
  }

  void run_op(const BlockStep& step) {
    const Shape shape = shape_of(step.extent);
    if (step.access < 0) return call(step, places_[step.result], shape.count());
    const Elements to = memory_of(step);
    if (to.is_dense(shape)) return call(step, to.data, shape.count());
    std::byte* buffer = places_[step.result];
    call(step, buffer, shape.count());
    store(step, buffer, step.extent);
  }

  void call(const BlockStep& step, std::byte* out, int64_t n) {
    const std::byte* a = places_[step.operands[0]];
    const int mode = rows_ == 1 ? step.mode | step.row_mode : step.mode;
    if (step.kind == BlockStep::Kind::kUnary) return step.unary(a, out, n);
    const std::byte* b = places_[step.operands[1]];
    if (step.kind == BlockStep::Kind::kBinary) return step.binary(a, b, out, n, mode);
    step.ternary(a, b, places_[step.operands[2]], out, n, mode);
  }

  // Reductions.

  void reduce(const BlockStep& step) {
    const BlockFold& fold = program_.folds[step.fold];
    const int64_t n = size_of(step.size_word);
    std::byte* result = own_place(step.result);
    tile_dim_ = step.dim;
    if (n <= kReduceBlock) {
      fold_block(step, 0, n, result);
    } else {
      FRIT_CHECK(rows_ <= kColumnRows) << rows_;
      FoldLevels levels(fold, rows_, scratch_ + parts_.levels);
      for (int64_t begin = 0; begin < n; begin += kReduceBlock) {
        fold_block(step, begin, std::min(kReduceBlock, n - begin), scratch_ + parts_.partial);
        levels.push(scratch_ + parts_.partial);
      }
      std::memcpy(result, levels.finish(), static_cast<size_t>(rows_ * byte_size(step.dtype)));
    }
    tile_dim_ = -1;
    if (fold.adds_zero) fold.combine(result, &kZero, result, rows_, kBroadcast1);
  }

  // Folds iterations [begin, begin + n) of each row.
  void fold_block(const BlockStep& step, int64_t begin, int64_t n, std::byte* out) {
    if (step.folds_memory && fold_memory(step, begin, n, out)) return;
    if (order_ == TileOrder::kColumns) return fold_columns(step, begin, n, out);
    // A tile holds whole rows, or a part of a single one.
    run_parts(step, begin, n, [&](int64_t done) {
      places_[step.operands[0]] = scratch_ + parts_.yields + done * byte_size(step.dtype);
    });
    fold_rows(step, {scratch_ + parts_.yields, n, 1}, n, out);
  }

  template <class Before>
  void run_parts(const BlockStep& step, int64_t begin, int64_t n, const Before& before) {
    const int64_t length = tile_length();
    for (int64_t done = 0; done < n; done += length) {
      index_[step.dim] = begin + done;
      length_ = std::min(length, n - done);
      before(done);
      run_body(step.body);
    }
  }

  void fold_columns(const BlockStep& step, int64_t begin, int64_t n, std::byte* out) {
    FoldLanes lanes(program_.folds[step.fold], rows_, scratch_ + parts_.lanes);
    std::byte* yields = scratch_ + parts_.yields;
    int64_t before = 0;  // of the part that comes next
    const auto take = [&](int64_t done) {
      if (done > before) lanes.add(yields, done - before);
      before = done;
      places_[step.operands[0]] = yields;
    };
    run_parts(step, begin, n, take);
    take(n);
    std::memcpy(out, lanes.join(), static_cast<size_t>(rows_ * byte_size(step.dtype)));
  }

  // Where the operand is memory that the block kernels can fold as it lies.
  bool fold_memory(const BlockStep& step, int64_t begin, int64_t n, std::byte* out) {
    index_[step.dim] = begin;
    const Address x = address_of(step.body[0].access, byte_size(step.dtype));
    if (x.tile_stride == 1 || n <= 1) return fold_rows(step, x, n, out), true;
    if (x.row_stride != 1) return false;
    const BlockFold& fold = program_.folds[step.fold];
    std::byte* to = fold.narrow == nullptr ? out : scratch_ + parts_.wide;
    fold.blocks.columns(x.data, x.tile_stride, n, rows_, to);
    if (fold.narrow != nullptr) fold.narrow(to, out, rows_);
    return true;
  }

  void fold_rows(const BlockStep& step, const Address& x, int64_t n, std::byte* out) {
    const BlockFold& fold = program_.folds[step.fold];
    std::byte* to = fold.narrow == nullptr ? out : scratch_ + parts_.wide;
    fold.blocks.rows(x.data, x.row_stride, rows_, n, to);
    if (fold.narrow != nullptr) fold.narrow(to, out, rows_);
  }

  const BlockProgram& program_;
  const uint64_t* args_;
  std::byte* scratch_;
  const ScratchParts parts_;
  std::byte** places_;  // of each value: its buffer, or what stands for it
  int64_t* index_;      // of each dimension; of those in a tile, where it begins
  int row_dim_ = -1, tile_dim_ = -1;
  TileOrder order_ = TileOrder::kRows;
  int64_t rows_ = 1, length_ = 1;
};

}  // namespace

int64_t block_scratch_bytes(const BlockProgram& program) { return ScratchParts(program).end; }

void run_blocks(const BlockProgram& program, const uint64_t* args, int64_t begin, int64_t end,
                std::byte* scratch) {
  if (begin < end) BlockRun(program, args, scratch).run(begin, end);
}

}  // namespace frit::runtime

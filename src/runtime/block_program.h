// BlockProgram: a kernel as calls of eager's block kernels, for where there is no machine code.
//
// Every value of the kernel has a buffer, and every op is one call over a whole buffer. Which part
// of the iterations a buffer holds is its extent. In a nest of loops, the last loop with loops
// inside is the loop over rows. It runs over several rows at once where they are short, or where
// neighbouring rows are neighbours in memory (columns):
//
//   for each group of rows                     %0: kRow, one element a row
//     %0 = reduce sum %i1 { %1 = load ... }    %1: kTile, all elements of the rows, or part of them
//     loop %i1 { %2 = mul %1, %0 ... }         %0 is repeated for each element of its row
//
// What lies outside the loop over rows is kOne, and enters an op as a broadcast operand. A value of
// a lesser extent is repeated by an `expand`, but where there is a single row: then it is broadcast
// too. Buffers are places in a scratch memory, shared by liveness; a load from dense memory, and a
// store to it, need none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frit/kernel.h"
#include "src/eager/blocks/blocks.h"
#include "src/runtime/block_fold.h"

namespace frit::runtime {

inline constexpr int64_t kTileElements = 1024;
inline constexpr int64_t kColumnRows = 256;  // rows at once where neighbours are rows
inline constexpr int64_t kSquareSide = 32;   // of tiles where a loop transposes

enum class Extent : uint8_t { kOne, kRow, kTile };

// How a tile is laid out: row by row, or, where neighbours in memory are rows, the other way.
enum class TileOrder : uint8_t { kRows, kColumns, kSquares };

// A way to the elements of a buffer: where its address is in `args`, and the stride of each
// dimension along which it moves.
struct BlockAccess {
  struct Move {
    int dim, word;
  };
  int word = -1;
  std::vector<Move> moves;
};

struct BlockStep {
  enum class Kind : uint8_t {
    kLoad,   // memory to a buffer; a bool becomes 0 or 1, by `unary`
    kTake,   // the same, of the elements as far behind as `operands[0]` says
    kIndex,  // of a dimension
    kScan,   // of `operands[0]` along the rows
    kUnary,  // also casts
    kBinary,
    kTernary,
    kExpand,  // repeats what has a lesser extent
    kStore,
    kPut,        // what `op` makes of it and what is there, as far behind as `operands[1]` says
    kPlainLoop,  // one iteration after the other
    kRowLoop,    // groups of rows
    kTileLoop,   // along the rows, tile by tile
    kReduce,     // likewise
  };
  Kind kind;
  Extent extent = Extent::kOne;  // of the result, or of what is stored
  Extent from = Extent::kOne;    // kExpand, kStore, kPut: of the operand
  Extent place = Extent::kOne;   // kPut: of the place
  Dtype dtype = Dtype::kF32;     // of the result; of the elements stored or put
  int result = -1;
  int operands[3] = {-1, -1, -1};
  int mode = 0;      // BlockMode of operands that are kOne
  int row_mode = 0;  // of those that are broadcast where there is a single row
  eager::UnaryBlock unary = nullptr;
  eager::BinaryBlock binary = nullptr;
  eager::TernaryBlock ternary = nullptr;
  // kLoad, kTake, kStore, kPut; of ops: where the result is stored, too.
  int access = -1;
  bool in_place = false;  // kLoad: dense memory itself may serve as the buffer
  bool copies = false;    // kExpand: never the operand itself

  // kScan, kPut
  Op op{};
  int scan = -1;  // its number
  // Loops, kIndex.
  int dim = -1, size_word = -1;
  std::vector<BlockStep> body;
  // kRowLoop
  TileOrder order = TileOrder::kRows;
  std::vector<int> inner_sizes;  // words of the sizes of the loops inside
  // kReduce: folds `operands[0]`.
  int fold = -1;
  bool folds_memory = false;  // the operand is one load, which may be folded where it is
};

struct BlockProgram {
  std::vector<BlockStep> body;
  std::vector<BlockAccess> accesses;
  std::vector<BlockFold> folds;
  int rank = 1;
  int num_values = 0;
  int num_scans = 0;
  std::vector<std::pair<int, uint64_t>> constants;  // value, bits
  std::vector<std::pair<int, int>> scalars;         // value, word
  std::vector<int64_t> slots;                       // offset of each value's buffer; -1: none
  std::vector<int> yields;                          // values that are made in the yield buffer
  int64_t buffer_bytes = 0;                         // of all slots

  bool has_reductions() const { return !folds.empty(); }
  // For people: a line a step.
  std::string listing() const;
};

// The kernel has been verified. Null, with the reason, where an op has no block kernel.
std::unique_ptr<BlockProgram> make_block_program(const Kernel& kernel, std::string* reason);

// Gives every value that needs one a slot.
void place_block_values(BlockProgram* program);

}  // namespace frit::runtime

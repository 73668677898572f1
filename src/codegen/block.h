// Blocks: the straight-line parts of a kernel as one primitive program each, with its loads, stores
// and the values it takes from outside. What a loop's body is before it gets registers.
//
//   Environment env(kernel);
//   BlockBuilder builder(env);
//   for (const KernelStmt& s : loop.body) if (!builder.add(s)) return builder.reason();
//   Block block = builder.finish();
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frit/kernel.h"
#include "src/codegen/short_program.h"
#include "src/ops/math/program.h"

namespace frit::codegen {

// A way through a buffer: one address per iteration. `dims` has bit d set where it moves along loop
// dimension d.
struct Stream {
  int param;
  uint32_t dims;
  bool operator==(const Stream&) const = default;
};

// A value that is the same for every iteration of a block: a constant, or a splat of 32 bytes in
// the frame (`slot`, its offset).
struct OuterValue {
  bool is_constant = false;
  int slot = -1;
  uint64_t bits = 0;
  math::Type type = math::Type::kF32;
};

// What the blocks of one kernel share.
struct Environment {
  explicit Environment(const Kernel& kernel);
  int find_stream(const KernelStmt& access);

  const Kernel& kernel;
  std::vector<Dtype> dtypes;                       // of each value
  std::vector<std::optional<OuterValue>> values;   // of each value made outside the current block
  std::vector<std::optional<OuterValue>> scalars;  // of each parameter
  std::vector<Stream> streams;                     // of all the kernel

 private:
  void find_streams(const std::vector<KernelStmt>& body);
};

struct BlockInput {
  enum class Kind : uint8_t { kLoad, kTake, kIndex, kScan, kCarry, kSlot, kAccumulator };
  Kind kind;
  int index;  // stream; stream; dimension; number of a scan, twice; frame offset; nothing
  Dtype dtype = Dtype::kF32;
  int epoch = 0;    // kLoad: number of stores before it
  int32_t of = -1;  // kTake, kScan: the instruction that gives the place, or what is scanned
  bool operator==(const BlockInput&) const = default;
};

struct BlockStore {
  int stream;
  Dtype dtype;
  int32_t value;
  int32_t after;       // comes after the instructions below this one
  int32_t place = -1;  // of a put: the instruction that gives it
  // Lane after lane, since places may be equal; then what the element there and the value become.
  // Nothing: the value itself.
  bool in_turn = false;
  std::optional<ShortProgram> fold = {};
};

// Registers that a put in turn uses up beside those of its fold.
constexpr int kPutRegisters = 3;

// A scan whose elements lie in the lanes is an instruction of its own. Where each lane goes along
// its own row, what it has come to is a kCarry, and `next` what becomes of that.
struct BlockScan {
  Op op;
  math::Type type;
  uint64_t first;     // bits of what it begins with
  int32_t next = -1;  // side by side: the instruction
  int slot = -1;  // of the frame, where what it has come to is: in all lanes, or a vector's each
  std::optional<ShortProgram> program = {};  // in turn: of a step
};

struct Block {
  math::Program program;
  std::vector<BlockInput> inputs;  // by number
  std::vector<BlockStore> stores;
  std::vector<BlockScan> scans;
  std::vector<std::pair<int, int32_t>> values;  // kernel value, instruction
  int32_t yielded = -1;                         // what kYield gives
  int32_t accumulator = -1;                     // reductions: the accumulator's input, and
  int32_t folded = -1;                          // its next value

  // The instructions whose values one takes.
  std::span<const int32_t> operands(int32_t inst) const;
};

// The streams that a block loads from and stores to.
std::vector<int> streams_of(const Block& block);

class BlockBuilder {
 public:
  // Whether a scan goes from lane to lane, or each lane along a row of its own.
  enum class ScanLanes : uint8_t { kInTurn, kSideBySide };
  // `dim`: the dimension of the loop whose body this is; -1: of none, where nothing is put.
  explicit BlockBuilder(Environment& environment, ScanLanes scan_lanes = ScanLanes::kInTurn,
                        int dim = -1)
      : env_(environment), scan_lanes_(scan_lanes), dim_(dim) {}

  // Loads, constants, ops, stores, puts, yields. False: no code can be made; see reason().
  bool add(const KernelStmt& stmt);
  // After a yield: folds it into the accumulator by sum, prod, amax or amin.
  bool add_fold(Op op, Dtype dtype);
  // What was added since the last finish().
  Block finish() { return std::exchange(block_, Block{}); }
  const std::string& reason() const { return reason_; }

 private:
  bool refuse(std::string reason);
  int32_t input(const BlockInput& input, math::Type type);
  int32_t operand(int value);
  Dtype dtype_of_operand(int value) const;
  int32_t outer(const OuterValue& value);
  void define(const KernelStmt& stmt, int32_t inst);
  void add_load(const KernelStmt& stmt);
  void add_take(const KernelStmt& stmt);
  bool add_scan(const KernelStmt& stmt);
  bool add_op(const KernelStmt& stmt);
  bool add_cast(const KernelStmt& stmt);
  bool add_store(const KernelStmt& stmt);
  bool add_put(const KernelStmt& stmt);
  bool add_put_of_row(const KernelStmt& stmt, BlockStore store);
  bool add_put_in_turn(const KernelStmt& stmt, BlockStore store);
  bool differs_along_loop(int32_t inst) const;
  int32_t narrow_mask(int32_t inst);

  Environment& env_;
  const ScanLanes scan_lanes_;
  const int dim_;
  Block block_;
  std::string reason_;
};

// The bits of an element as those of its type in a program: a bool becomes a mask.
uint64_t constant_bits(Dtype dtype, uint64_t bits);

// combine(a, b) of a reduction, as a program of two inputs with one output.
std::optional<math::Program> fold_program(Op op, math::Type type);
// op(a, b), likewise.
std::optional<math::Program> binary_program(Op op, math::Type type);
// What a scan comes to from what it has come to and the next element, likewise.
std::optional<math::Program> scan_program(Op op, math::Type type);

}  // namespace frit::codegen

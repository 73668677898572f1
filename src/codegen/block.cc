// Kernel statements become primitive instructions, by the templates that define the ops.
#include "src/codegen/block.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/codegen/emitter.h"
#include "src/codegen/record_scan.h"
#include "src/ops/math/record.h"
#include "src/ops/op.h"
#include "src/ops/reference/scan_step.h"

namespace frit::codegen {
namespace {

using math::Prim;
using math::Type;

void note_dtypes(const std::vector<KernelStmt>& body, std::vector<Dtype>* dtypes) {
  for (const KernelStmt& stmt : body) {
    if (stmt.id >= 0) {
      if (stmt.id >= static_cast<int>(dtypes->size())) dtypes->resize(stmt.id + 1);
      (*dtypes)[stmt.id] = stmt.dtype;
    }
    note_dtypes(stmt.body, dtypes);
  }
}

uint64_t first_of_scan(Op op, Dtype dtype) {
  return reference::with_scan_step(op, dtype, [](auto step) {
    const auto first = decltype(step)::first();
    uint64_t bits = 0;
    std::memcpy(&bits, &first, sizeof first);
    return bits;
  });
}

// The binary op that a reduction folds with.
std::optional<Op> folding_op(Op reduction, Type type) {
  const bool mask = is_mask(type);
  if (reduction == Op::sum) return mask ? Op::logical_or : Op::add;
  if (reduction == Op::prod) return mask ? Op::logical_and : Op::mul;
  if (reduction == Op::amax) return mask ? Op::logical_or : Op::maximum;
  if (reduction == Op::amin) return mask ? Op::logical_and : Op::minimum;
  return std::nullopt;
}

}  // namespace

uint64_t constant_bits(Dtype dtype, uint64_t bits) {
  if (dtype == Dtype::kBool) return bits != 0 ? 0xffffffff : 0;
  if (dtype == Dtype::kI8) return static_cast<uint32_t>(static_cast<int8_t>(bits));
  if (dtype == Dtype::kI16) return static_cast<uint32_t>(static_cast<int16_t>(bits));
  return bits;
}

Environment::Environment(const Kernel& kernel) : kernel(kernel) {
  note_dtypes(kernel.body, &dtypes);
  find_streams(kernel.body);
  values.resize(dtypes.size());
  scalars.resize(kernel.params.size());
}

void Environment::find_streams(const std::vector<KernelStmt>& body) {
  for (const KernelStmt& stmt : body) {
    if (stmt.param >= 0 &&
        (stmt.kind == KernelStmt::Kind::kLoad || stmt.kind == KernelStmt::Kind::kTake ||
         stmt.kind == KernelStmt::Kind::kStore || stmt.kind == KernelStmt::Kind::kPut)) {
      find_stream(stmt);
    }
    find_streams(stmt.body);
  }
}

int Environment::find_stream(const KernelStmt& access) {
  const KernelParam& param = kernel.params[access.param];
  Stream stream{access.param, 0};
  for (int dim : access.dims) {
    if (param.access[dim] != Access::kBroadcast) stream.dims |= 1u << dim;
  }
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end()) return static_cast<int>(found - streams.begin());
  streams.push_back(stream);
  return static_cast<int>(streams.size()) - 1;
}

std::vector<int> streams_of(const Block& block) {
  std::vector<int> streams;
  const auto add = [&](int stream) {
    if (std::find(streams.begin(), streams.end(), stream) == streams.end())
      streams.push_back(stream);
  };
  for (const BlockInput& input : block.inputs) {
    if (input.kind == BlockInput::Kind::kLoad || input.kind == BlockInput::Kind::kTake)
      add(input.index);
  }
  for (const BlockStore& store : block.stores) add(store.stream);
  return streams;
}

std::span<const int32_t> Block::operands(int32_t inst) const {
  const math::Inst& made = program[inst];
  if (made.prim == Prim::kInput && inputs[made.imm].of >= 0) return {&inputs[made.imm].of, 1};
  return {made.operands.data(), static_cast<size_t>(num_operands(made.prim))};
}

bool BlockBuilder::refuse(std::string reason) {
  if (reason_.empty()) reason_ = std::move(reason);
  return false;
}

int32_t BlockBuilder::input(const BlockInput& input, Type type) {
  const auto known = std::find(block_.inputs.begin(), block_.inputs.end(), input);
  const size_t i = static_cast<size_t>(known - block_.inputs.begin());
  if (known == block_.inputs.end()) block_.inputs.push_back(input);
  return block_.program.input(type, i);
}

int32_t BlockBuilder::outer(const OuterValue& value) {
  if (value.is_constant) return block_.program.constant(value.type, value.bits);
  return input({.kind = BlockInput::Kind::kSlot, .index = value.slot}, value.type);
}

int32_t BlockBuilder::operand(int value) {
  if (value < 0) {
    FRIT_CHECK(env_.scalars[~value]) << "parameter " << ~value << " is no scalar";
    return outer(*env_.scalars[~value]);
  }
  for (const auto& [id, inst] : block_.values) {
    if (id == value) return inst;
  }
  FRIT_CHECK(env_.values[value]) << "%" << value << " is not made before its use";
  return outer(*env_.values[value]);
}

Dtype BlockBuilder::dtype_of_operand(int value) const {
  return value < 0 ? env_.kernel.params[~value].dtype : env_.dtypes[value];
}

void BlockBuilder::define(const KernelStmt& stmt, int32_t inst) {
  block_.values.emplace_back(stmt.id, inst);
}

bool BlockBuilder::add(const KernelStmt& stmt) {
  switch (stmt.kind) {
    case KernelStmt::Kind::kLoad:
      add_load(stmt);
      return true;
    case KernelStmt::Kind::kTake:
      add_take(stmt);
      return true;
    case KernelStmt::Kind::kIndex:
      define(stmt, input({.kind = BlockInput::Kind::kIndex, .index = stmt.dim, .dtype = stmt.dtype},
                         type_of(stmt.dtype)));
      return true;
    case KernelStmt::Kind::kScan:
      return add_scan(stmt);
    case KernelStmt::Kind::kConstant:
      define(stmt,
             block_.program.constant(type_of(stmt.dtype), constant_bits(stmt.dtype, stmt.bits)));
      return true;
    case KernelStmt::Kind::kOp:
      return stmt.op == Op::cast ? add_cast(stmt) : add_op(stmt);
    case KernelStmt::Kind::kStore:
      return add_store(stmt);
    case KernelStmt::Kind::kPut:
      return add_put(stmt);
    case KernelStmt::Kind::kYield:
      block_.yielded = operand(stmt.operands[0]);
      return true;
    case KernelStmt::Kind::kLoop:
    case KernelStmt::Kind::kReduce:
      break;
  }
  return refuse("a loop inside a straight-line block");
}

void BlockBuilder::add_load(const KernelStmt& stmt) {
  define(stmt, input({.kind = BlockInput::Kind::kLoad,
                      .index = env_.find_stream(stmt),
                      .dtype = stmt.dtype,
                      .epoch = static_cast<int>(block_.stores.size())},
                     type_of(stmt.dtype)));
}

void BlockBuilder::add_take(const KernelStmt& stmt) {
  define(stmt, input({.kind = BlockInput::Kind::kTake,
                      .index = env_.find_stream(stmt),
                      .dtype = stmt.dtype,
                      .of = operand(stmt.operands[0])},
                     type_of(stmt.dtype)));
}

bool BlockBuilder::add_scan(const KernelStmt& stmt) {
  const Type type = type_of(stmt.dtype);
  BlockScan scan{stmt.op, type, first_of_scan(stmt.op, stmt.dtype)};
  const bool in_turn = scan_lanes_ == ScanLanes::kInTurn;
  const int32_t x = operand(stmt.operands[0]);
  const int32_t made = input({.kind = in_turn ? BlockInput::Kind::kScan : BlockInput::Kind::kCarry,
                              .index = static_cast<int>(block_.scans.size()),
                              .dtype = stmt.dtype,
                              .of = in_turn ? x : -1},
                             type);
  if (!in_turn) {
    const std::optional<int32_t> next = record_scan(&block_.program, stmt.op, made, x);
    if (!next)
      return refuse(std::string(name(stmt.op)) + ": no sequence for " +
                    std::string(name(stmt.dtype)));
    scan.next = *next;
  }
  if (in_turn) {
    std::optional<math::Program> program = scan_program(stmt.op, type);
    if (program) scan.program = ShortProgram::make(std::move(*program));
    if (!scan.program)
      return refuse(std::string(name(stmt.op)) + ": not one lane after the other, for " +
                    std::string(name(stmt.dtype)));
  }
  define(stmt, in_turn ? made : scan.next);
  block_.scans.push_back(scan);
  return true;
}

int32_t BlockBuilder::narrow_mask(int32_t inst) {
  if (block_.program[inst].type != Type::kM64) return inst;
  return math::record_cast(block_.program, inst, Type::kM32);
}

bool BlockBuilder::add_op(const KernelStmt& stmt) {
  std::vector<int32_t> operands;
  bool masks_differ = false;
  const size_t first_equal = stmt.op == Op::where ? 1 : 0;
  for (size_t i = 0; i < stmt.operands.size(); ++i) {
    const Dtype dtype = dtype_of_operand(stmt.operands[i]);
    if (is_half(dtype))  // only loaded, cast and stored: no sequence computes in them
      return refuse(std::string(name(stmt.op)) + ": no code for " + std::string(name(dtype)));
    operands.push_back(operand(stmt.operands[i]));
    if (i > first_equal) {
      const Type a = block_.program[operands[first_equal]].type,
                 b = block_.program[operands[i]].type;
      masks_differ |= is_mask(a) && is_mask(b) && a != b;
    }
  }
  if (masks_differ) {
    for (int32_t& inst : operands) inst = narrow_mask(inst);
  }
  const std::optional<int32_t> result = math::record(block_.program, stmt.op, operands);
  if (!result) {
    return refuse(std::string(name(stmt.op)) + ": no sequence for " +
                  std::string(name(dtype_of_operand(stmt.operands[first_equal]))));
  }
  define(stmt, math::record_wrapped(block_.program, *result, stmt.dtype));
  return true;
}

bool BlockBuilder::add_cast(const KernelStmt& stmt) {
  const Dtype from = dtype_of_operand(stmt.operands[0]), to = stmt.dtype;
  math::Program& program = block_.program;
  int32_t value = operand(stmt.operands[0]);
  if (from == to) return define(stmt, value), true;
  if (from == Dtype::kBF16) value = math::record_from_bfloat16(program, value);
  if (from == Dtype::kF16) value = math::record_from_half(program, value);
  if (is_half(to)) {
    if (program[value].type != Type::kF32) value = math::record_cast(program, value, Type::kF32);
    value = to == Dtype::kF16 ? math::record_to_half(program, value)
                              : math::record_to_bfloat16(program, value);
  } else {
    const Type type = to == Dtype::kBool ? mask_of(program[value].type) : type_of(to);
    if (program[value].type != type) value = math::record_cast(program, value, type);
    value = math::record_wrapped(program, value, to);
  }
  define(stmt, value);
  return true;
}

bool BlockBuilder::add_store(const KernelStmt& stmt) {
  const Dtype dtype = env_.kernel.params[stmt.param].dtype;
  const int32_t value = narrow_mask(operand(stmt.operands[0]));
  block_.stores.push_back({env_.find_stream(stmt), dtype, value, block_.program.size()});
  return true;
}

// Where the loop moves the elements but not the place, it moves whole vectors of a row: no two of
// its lanes meet.
bool BlockBuilder::add_put(const KernelStmt& stmt) {
  if (dim_ < 0) return refuse("a put outside of innermost loops");
  const int32_t place = operand(stmt.operands[0]);
  const int stream = env_.find_stream(stmt);
  BlockStore store{stream, env_.kernel.params[stmt.param].dtype,
                   narrow_mask(operand(stmt.operands[1])), 0, place};
  const bool moves = (env_.streams[stream].dims >> dim_ & 1) != 0;
  return moves && !differs_along_loop(place) ? add_put_of_row(stmt, std::move(store))
                                             : add_put_in_turn(stmt, std::move(store));
}

bool BlockBuilder::add_put_of_row(const KernelStmt& stmt, BlockStore store) {
  if (stmt.op != Op::store) {
    const int32_t there = input({.kind = BlockInput::Kind::kTake,
                                 .index = store.stream,
                                 .dtype = store.dtype,
                                 .epoch = static_cast<int>(block_.stores.size()),
                                 .of = store.place},
                                type_of(store.dtype));
    const std::optional<int32_t> made =
        math::record(block_.program, stmt.op, std::array<int32_t, 2>{there, store.value});
    if (!made)
      return refuse(std::string(name(stmt.op)) + ": no sequence for " +
                    std::string(name(store.dtype)));
    store.value = math::record_wrapped(block_.program, *made, store.dtype);
  }
  store.after = block_.program.size();
  block_.stores.push_back(std::move(store));
  return true;
}

bool BlockBuilder::add_put_in_turn(const KernelStmt& stmt, BlockStore store) {
  store.in_turn = true;
  if (stmt.op != Op::store) {
    std::optional<math::Program> program = binary_program(stmt.op, type_of(store.dtype));
    if (program) store.fold = ShortProgram::make(std::move(*program));
    if (!store.fold)
      return refuse(std::string(name(stmt.op)) + ": not one lane after the other, for " +
                    std::string(name(store.dtype)));
  }
  store.after = block_.program.size();
  block_.stores.push_back(std::move(store));
  return true;
}

// Whether a value is another one in each iteration of the loop.
bool BlockBuilder::differs_along_loop(int32_t inst) const {
  std::vector<bool> differs(static_cast<size_t>(inst) + 1);
  for (int32_t i = 0; i <= inst; ++i) {
    const math::Inst& made = block_.program[i];
    if (made.prim == Prim::kInput) {
      const BlockInput& from = block_.inputs[made.imm];
      const bool memory =
          from.kind == BlockInput::Kind::kLoad || from.kind == BlockInput::Kind::kTake;
      differs[i] = memory ? from.epoch != 0 || (env_.streams[from.index].dims >> dim_ & 1) != 0
                   : from.kind == BlockInput::Kind::kIndex ? from.index == dim_
                                                           : from.kind != BlockInput::Kind::kSlot;
    }
    for (int32_t operand : block_.operands(i)) differs[i] = differs[i] || differs[operand];
  }
  return differs[inst];
}

bool BlockBuilder::add_fold(Op op, Dtype dtype) {
  FRIT_CHECK(block_.yielded >= 0) << "a reduction without a yield";
  math::Program& program = block_.program;
  if (byte_size(dtype) < 4 && dtype != Dtype::kBool)
    return refuse(std::string(name(op)) + ": no code for " + std::string(name(dtype)));
  const int32_t value = narrow_mask(block_.yielded);
  const Type type = program[value].type;
  const std::optional<Op> fold = folding_op(op, type);
  if (!fold) return refuse(std::string(name(op)) + ": no such reduction");
  block_.accumulator = input({.kind = BlockInput::Kind::kAccumulator, .index = 0}, type);
  const std::optional<int32_t> next =
      math::record(program, *fold, std::array<int32_t, 2>{block_.accumulator, value});
  if (!next) return refuse(std::string(name(op)) + ": no sequence for " + std::string(name(dtype)));
  block_.folded = *next;
  return true;
}

std::optional<math::Program> scan_program(Op op, Type type) {
  math::Program program;
  const int32_t so_far = program.input(type, 0), x = program.input(type, 1);
  const std::optional<int32_t> next = record_scan(&program, op, so_far, x);
  if (!next) return std::nullopt;
  program.outputs = {*next};
  return program;
}

std::optional<math::Program> fold_program(Op op, Type type) {
  const std::optional<Op> fold = folding_op(op, type);
  return fold ? binary_program(*fold, type) : std::nullopt;
}

std::optional<math::Program> binary_program(Op op, Type type) {
  math::Program program;
  const std::array<int32_t, 2> operands = {program.input(type, 0), program.input(type, 1)};
  const std::optional<int32_t> result = math::record(program, op, operands);
  if (!result) return std::nullopt;
  program.outputs = {*result};
  return program;
}

}  // namespace frit::codegen

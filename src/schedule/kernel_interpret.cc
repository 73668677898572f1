// Runs kernels with plain loops.
#include <cstring>

#include "frit/kernel.h"
#include "src/base/check.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/ops/reference/reduce.h"
#include "src/ops/reference/scan_step.h"

namespace frit {
namespace {

// The fold of a reduction over values of a dtype given as bits.
struct BitsFold {
  Op combine_op;
  Dtype dtype;
  uint64_t identity;
  uint64_t zero;  // what a sum of floats adds at its end
  bool adds_zero;
};

uint64_t float_bits(Dtype dtype, double value) {
  return reference::cast_scalar(kFloat64, dtype, __builtin_bit_cast(uint64_t, value));
}

// The largest and the smallest value of a dtype, or inf.
uint64_t end_of(Dtype dtype, bool highest) {
  if (dtype == kBool) return highest;
  if (is_floating_point(dtype))
    return float_bits(dtype, highest ? __builtin_inf() : -__builtin_inf());
  if (dtype == kInt32) return highest ? 0x7fffffffu : 0x80000000u;
  return highest ? 0x7fffffffffffffff : 0x8000000000000000;
}

BitsFold fold_of(Op op, Dtype dtype) {
  const bool real = is_floating_point(dtype);
  if (op == Op::sum) return {Op::add, dtype, real ? float_bits(dtype, -0.0) : 0, 0, real};
  if (op == Op::prod) return {Op::mul, dtype, real ? float_bits(dtype, 1) : 1, 0, false};
  if (op == Op::amax) return {Op::maximum, dtype, end_of(dtype, false), 0, false};
  FRIT_CHECK(op == Op::amin) << name(op);
  return {Op::minimum, dtype, end_of(dtype, true), 0, false};
}

// reference::fold wants types; the current fold is what they stand for.
thread_local const BitsFold* current_fold = nullptr;

struct CurrentFold {
  using Type = uint64_t;
  static Type combine_with(Op op, Type a, Type b) {
    const uint64_t operands[] = {a, b};
    return reference::apply_scalar(op, current_fold->dtype, operands);
  }
  static Type identity() { return current_fold->identity; }
  static Type combine(Type a, Type b) { return combine_with(current_fold->combine_op, a, b); }
  static Type finish(Type a) {
    return current_fold->adds_zero ? combine_with(Op::add, a, current_fold->zero) : a;
  }
};

class KernelInterpreter {
 public:
  KernelInterpreter(const Kernel& kernel, const uint64_t* args) : kernel_(kernel), args_(args) {
    int word = 0;
    for (const KernelParam& param : kernel.params) {
      words_.push_back(word);
      word +=
          param.kind == KernelParam::Kind::kBuffer ? 1 + static_cast<int>(param.access.size()) : 1;
    }
    index_.resize(static_cast<size_t>(kernel.rank));
  }

  void run(int64_t begin, int64_t end) {
    for (const KernelStmt& stmt : kernel_.body) run_loop(stmt, begin, end);
  }

 private:
  void run_loop(const KernelStmt& loop, int64_t begin, int64_t end) {
    for (const KernelStmt& stmt : loop.body)
      if (stmt.kind == KernelStmt::Kind::kScan) set(stmt.id, first_of_scan(stmt), stmt.dtype);
    for (int64_t i = begin; i < end; ++i) {
      index_[loop.dim] = i;
      for (const KernelStmt& stmt : loop.body) run_stmt(stmt);
    }
  }

  void run_stmt(const KernelStmt& stmt) {
    switch (stmt.kind) {
      case KernelStmt::Kind::kLoad:
        return set(stmt.id, load(stmt.dtype, element(stmt)), stmt.dtype);
      case KernelStmt::Kind::kTake:
        return set(stmt.id, load(stmt.dtype, element(stmt) + behind(stmt)), stmt.dtype);
      case KernelStmt::Kind::kIndex:
        return set(stmt.id, index_of(stmt), stmt.dtype);
      case KernelStmt::Kind::kScan:
        return set(stmt.id, scan(stmt), stmt.dtype);
      case KernelStmt::Kind::kConstant:
        return set(stmt.id, stmt.bits, stmt.dtype);
      case KernelStmt::Kind::kOp:
        return set(stmt.id, apply(stmt), stmt.dtype);
      case KernelStmt::Kind::kStore:
        return store(stmt);
      case KernelStmt::Kind::kPut:
        return put(stmt);
      case KernelStmt::Kind::kLoop:
        return run_loop(stmt, 0, size_of(stmt));
      case KernelStmt::Kind::kReduce:
        return set(stmt.id, reduce(stmt), stmt.dtype);
      case KernelStmt::Kind::kYield:
        yielded_ = value(stmt.operands[0]);
        return;
    }
  }

  int64_t size_of(const KernelStmt& stmt) const {
    return static_cast<int64_t>(args_[words_[stmt.param]]);
  }

  void set(int id, uint64_t bits, Dtype dtype) {
    const size_t size = static_cast<size_t>(id) + 1;
    if (values_.size() < size) values_.resize(size), dtypes_.resize(size);
    values_[id] = bits;
    dtypes_[id] = dtype;
  }
  // A scalar's word may have bits beyond its dtype.
  uint64_t value(int operand) const {
    if (operand >= 0) return values_[operand];
    uint64_t bits = 0;
    std::memcpy(&bits, &args_[words_[~operand]],
                static_cast<size_t>(byte_size(kernel_.params[~operand].dtype)));
    return bits;
  }
  Dtype dtype(int operand) const {
    return operand < 0 ? kernel_.params[~operand].dtype : dtypes_[operand];
  }

  std::byte* element(const KernelStmt& stmt) const {
    const uint64_t* words = args_ + words_[stmt.param];
    int64_t offset = 0;
    for (int dim : stmt.dims)
      if (kernel_.params[stmt.param].access[dim] != Access::kBroadcast)
        offset += index_[dim] * static_cast<int64_t>(words[1 + dim]);
    return reinterpret_cast<std::byte*>(words[0]) +
           offset * byte_size(kernel_.params[stmt.param].dtype);
  }

  // How far behind its element a take or a put is, in bytes.
  int64_t behind(const KernelStmt& stmt) const {
    return static_cast<int64_t>(value(stmt.operands[0])) *
           byte_size(kernel_.params[stmt.param].dtype);
  }
  uint64_t index_of(const KernelStmt& stmt) const {
    const uint64_t index = static_cast<uint64_t>(index_[stmt.dim]);
    return stmt.dtype == kInt32 ? static_cast<uint32_t>(index) : index;
  }

  static uint64_t load(Dtype dtype, const std::byte* from) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, static_cast<size_t>(byte_size(dtype)));
    return dtype == kBool ? bits != 0 : bits;
  }

  void store(const KernelStmt& stmt) const {
    const uint64_t bits = value(stmt.operands[0]);
    std::memcpy(element(stmt), &bits,
                static_cast<size_t>(byte_size(kernel_.params[stmt.param].dtype)));
  }

  void put(const KernelStmt& stmt) const {
    const Dtype dtype = kernel_.params[stmt.param].dtype;
    std::byte* to = element(stmt) + behind(stmt);
    uint64_t bits = value(stmt.operands[1]);
    if (stmt.op != Op::store) {
      const uint64_t operands[] = {load(dtype, to), bits};
      bits = reference::apply_scalar(stmt.op, dtype, operands);
    }
    std::memcpy(to, &bits, static_cast<size_t>(byte_size(dtype)));
  }

  uint64_t apply(const KernelStmt& stmt) const {
    if (stmt.op == Op::cast)
      return reference::cast_scalar(dtype(stmt.operands[0]), stmt.dtype, value(stmt.operands[0]));
    uint64_t operands[3] = {};
    const size_t count = stmt.operands.size();
    for (size_t i = 0; i < count; ++i) operands[i] = value(stmt.operands[i]);
    return reference::apply_scalar(stmt.op, dtype(stmt.operands.back()), {operands, count});
  }

  static uint64_t first_of_scan(const KernelStmt& stmt) {
    return reference::with_scan_step(stmt.op, stmt.dtype,
                                     [](auto step) { return bits_of(decltype(step)::first()); });
  }
  // On from the value of the iteration before.
  uint64_t scan(const KernelStmt& stmt) const {
    const uint64_t so_far = values_[stmt.id], x = value(stmt.operands[0]);
    return reference::with_scan_step(stmt.op, stmt.dtype, [&](auto step) {
      using Type = typename decltype(step)::Type;
      return bits_of(decltype(step)::next(of_bits<Type>(so_far), of_bits<Type>(x)));
    });
  }
  template <class T>
  static uint64_t bits_of(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  template <class T>
  static T of_bits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  uint64_t reduce(const KernelStmt& stmt) {
    const BitsFold fold = fold_of(stmt.op, stmt.dtype);
    current_fold = &fold;
    return reference::fold<CurrentFold>(size_of(stmt), [&](int64_t i) {
      index_[stmt.dim] = i;
      for (const KernelStmt& inner : stmt.body) run_stmt(inner);
      return yielded_;
    });
  }

  const Kernel& kernel_;
  const uint64_t* args_;
  std::vector<int> words_;  // where each parameter's words begin
  std::vector<int64_t> index_;
  std::vector<uint64_t> values_;
  std::vector<Dtype> dtypes_;
  uint64_t yielded_ = 0;
};

}  // namespace

void interpret(const Kernel& kernel, const uint64_t* args, int64_t begin, int64_t end) {
  KernelInterpreter(kernel, args).run(begin, end);
}

}  // namespace frit

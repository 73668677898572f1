// Kernel: a loop nest over one domain, the loop-level IR that a writer turns into code.
//
//   kernel %k0(%a: *f32[*,1], %b: *f32[0,1], %s: f32, %out: *f32[*,1], %n0: i64, %n1: i64) {
//     loop %i0 = 0 to %n0 {
//       %0: f32 = reduce amax %i1 = 0 to %n1 {
//         %1: f32 = load %a[%i0, %i1]
//         yield %1
//       }
//       loop %i1 = 0 to %n1 {
//         %2: f32 = load %a[%i0, %i1]
//         %3: f32 = sub %2, %0
//         %4: f32 = exp %3
//         store %out[%i0, %i1], %4
//       }
//     }
//   }
//
// A kernel is generic in sizes, strides, scalars and addresses: they are arguments. It is
// specialised on dtypes, rank, and each operand's access class per dimension: 1 unit stride, 0
// broadcast, -1 backwards, * any stride. Scalar ops are the elementwise rows of ops.def at equal
// dtypes, plus cast; their meaning is the template of that name. A `reduce` folds its yields in the
// canonical order (32 lanes, blocks of 4,096; see docs/architecture.md) into a value of the
// enclosing level.
// `%2: f32 = take %w[%i1] at %1` loads the element that lies %1 (an i64) elements behind %w[%i1];
// `%1: i64 = index %i1` is the loop's index. `%4: f32 = scan cumsum %3` is the sum of %3 in this
// and all iterations of the loop before it, in their order, from +0.0 on; likewise cumprod, the
// values of cummax and cummin, and logcumsumexp. `put %out[%i1] at %1, %3` stores %3 that far
// behind %out[%i1], and `put add %out[%i1] at %1, %3` adds it to what is there, in the order of the
// iterations: places may be equal. One-line form, for pointwise kernels of rank 1:
// `y[i] = x[i]*2 + 1`.
//
// Calling convention of compiled kernels: run(args, begin, end). `args` is one 64-bit word a
// piece, in the order of the parameters: a buffer is its address followed by one stride in elements
// per dimension (also where the class is 0 or 1); a scalar is its bits, zero-extended; a size is
// its value. The outermost loop runs from begin to end. Buffers written do not overlap any other
// operand but exactly (same address, same strides). Kernels that put are not called for several
// ranges at once where their places may meet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frit/dtype.h"
#include "frit/op.h"

namespace frit {

enum class Access : uint8_t { kBroadcast, kUnit, kStrided, kReversed };

struct KernelParam {
  enum class Kind : uint8_t { kBuffer, kScalar, kSize };
  Kind kind = Kind::kBuffer;
  std::string name;
  Dtype dtype = Dtype::kF32;   // of a buffer's elements or of a scalar; i64 for a size
  std::vector<Access> access;  // of a buffer, one per loop dimension of the kernel
};

struct KernelStmt {
  enum class Kind : uint8_t {
    kLoad,
    kTake,
    kIndex,
    kScan,
    kConstant,
    kOp,
    kStore,
    kPut,
    kLoop,
    kReduce,
    kYield
  };
  Kind kind;
  int id = -1;  // of the value made (by all but kStore, kPut, kLoop, kYield), dense in text order
  Dtype dtype = Dtype::kF32;     // of that value
  Op op{};                       // kOp; kReduce: sum, prod, amax, amin; kScan: that scan; kPut:
                                 // store, or add, mul, maximum, minimum
  std::vector<int> operands;     // kOp: values (ids) or scalar parameters (~index); kPut: place,
                                 // value; the others: one
  int param = -1;                // of an element: the buffer; kLoop, kReduce: the size
  std::vector<int> dims;         // of an element: which dimension each index is, ascending
  int dim = -1;                  // kLoop, kReduce: the dimension it runs over; kIndex: whose index
  uint64_t bits = 0;             // kConstant: the value's bits, zero-extended
  std::vector<KernelStmt> body;  // kLoop, kReduce
};

struct Kernel {
  std::string name = "k0";
  int rank = 1;  // number of loop dimensions
  std::vector<KernelParam> params;
  std::vector<KernelStmt> body;

  // The text form. parse(print()) is the same kernel.
  std::string print() const;
  // y[i] = maximum(x[i]*2 + 1, 0); empty where the kernel is not one loop of pointwise ops.
  std::string one_line() const;
  // Throws Error(kValue) with line and column.
  static Kernel parse(std::string_view text);
  // Empty, or the first broken rule.
  std::string verify() const;
  // Number of 64-bit words that a call's `args` has.
  int num_words() const;
};

// Runs the kernel with plain loops, in the canonical order: the definition of what a kernel
// computes.
void interpret(const Kernel& kernel, const uint64_t* args, int64_t begin, int64_t end);

// What a writer makes of a kernel. Must be callable from any thread.
class CompiledKernel {
 public:
  using Code = void (*)(const uint64_t* args, int64_t begin, int64_t end);
  virtual ~CompiledKernel() = default;
  // Runs the outermost loop from begin to end.
  virtual void run(const uint64_t* args, int64_t begin, int64_t end) const {
    code()(args, begin, end);
  }
  // The function that runs it; null where only run() does, which is then overridden.
  virtual Code code() const = 0;
  virtual int64_t code_bytes() const { return 0; }
  // Source or disassembly for people; may be empty.
  virtual std::string listing() const { return {}; }
};

// Turns kernels into code for a device. compile() returns null where it does not support the kernel
// and says why in `*reason`. It may be called by several threads at once, for different kernels.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<CompiledKernel> compile(const Kernel& kernel, std::string* reason) = 0;
};

}  // namespace frit

// Fourier transforms: pairs and real numbers along one dimension.
#include "src/ops/rules.h"

namespace frit::rules {
namespace {

constexpr int64_t kMaxLength = int64_t{1} << 28;

void check_fft(const Call& call, const Layout& x) {
  if (call.operands[1].layout != nullptr)
    fail(call, ErrorKind::kType, "the scale is a tensor, expected a number");
  if (x.dtype != kFloat32 && x.dtype != kFloat64)
    fail(call, ErrorKind::kRuntime, text("expected f32 or f64, got ", name(x.dtype)));
  if (call.op != Op::rfft && (x.rank < 1 || x.size(x.rank - 1) != 2))
    fail(call, ErrorKind::kRuntime,
         "expected pairs of real and imaginary parts: a last dimension of size 2 (rfft takes real "
         "numbers)");
}

// Of the numbers: pairs count as one. There must be a dimension.
int transformed_dim(const Call& call, const Layout& x) {
  const int rank = call.op == Op::rfft ? x.rank : x.rank - 1;
  if (rank < 1)
    fail(call, ErrorKind::kIndex, "expected at least one dimension to transform, got none");
  return wrap_dim(call, int_attr(call.op, call.attrs, "dim"), rank);
}

void check_length(const Call& call, int64_t length) {
  if (length < 1 || length > kMaxLength)
    fail(call, ErrorKind::kRuntime,
         text("invalid number of data points: ", length, " is not in [1, ", kMaxLength, "]"));
}

}  // namespace

ResultTypes fft(const Call& call) {
  const Layout& x = call.tensor(0);
  check_fft(call, x);
  const int dim = transformed_dim(call, x);
  Dims sizes(x.sizes());
  const int64_t size = sizes[dim];
  check_length(call, size);
  if (call.op == Op::rfft) {
    sizes[dim] = size / 2 + 1;
    sizes.push_back(2);
  } else if (call.op == Op::irfft) {
    const int64_t length = int_attr(call.op, call.attrs, "n");
    check_length(call, length);
    if (size != length / 2 + 1)
      fail(call, ErrorKind::kRuntime,
           text("expected ", length / 2 + 1, " pairs for ", length, " numbers, got ", size));
    sizes[dim] = length;
    --sizes.rank;
  }
  return contiguous_result(x, x.dtype, sizes);
}

}  // namespace frit::rules

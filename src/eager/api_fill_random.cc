// Random numbers of any range or deviation, in place.
#include <algorithm>

#include "frit/random.h"
#include "src/eager/api.h"

namespace frit {
namespace {

// Writes drawn * scale + shift to x, rounded once, as PyTorch's fused multiply-add does it: the
// product of two f32 is exact in f64. (f64 itself is rounded twice.)
void write_scaled(const Tensor& x, const Tensor& drawn, double scale, double shift) {
  const auto write = [&](const Tensor& target, const Tensor& source) {
    target.copy_(to(add(mul(to(source, kFloat64), scale), shift), x.dtype()));
  };
  // A piece at a time, since f64 takes twice the memory and weights may be large.
  constexpr int64_t kPiece = 1 << 18;
  if (x.numel() <= kPiece || !x.is_contiguous()) return write(x, drawn);
  const Tensor targets = x.view({-1}), sources = drawn.view({-1});
  for (int64_t begin = 0; begin < x.numel(); begin += kPiece) {
    const int64_t count = std::min(kPiece, x.numel() - begin);
    write(narrow(targets, 0, begin, count), narrow(sources, 0, begin, count));
  }
}

double rounded_to(Dtype dtype, double value) {
  if (dtype == kFloat64) return value;
  if (dtype == kFloat32) return static_cast<double>(static_cast<float>(value));
  return to(full({}, value, TensorOptions(kFloat64).device(kCPU)), dtype).item().to_double();
}

}  // namespace

// PyTorch takes the bounds, and their difference, in the tensor's own dtype.
Tensor uniform_(const Tensor& x, double from, double to) {
  const Dtype dtype = api::checked("uniform_", x).dtype();
  const Tensor drawn = rand(x.sizes(), TensorOptions(dtype).device(x.device()));
  const double low = rounded_to(dtype, from), high = rounded_to(dtype, to);
  if (from == 0 && to == 1)
    x.copy_(drawn);
  else
    write_scaled(x, drawn, rounded_to(dtype, high - low), low);
  return x;
}

// PyTorch draws fewer than 16 numbers in f64, whatever the dtype is.
Tensor normal_(const Tensor& x, double mean, double deviation) {
  const Dtype dtype = api::checked("normal_", x).dtype();
  if (!(deviation >= 0))
    api::fail(ErrorKind::kRuntime, "normal_", x,
              api::text("the deviation is negative: ", deviation));
  const Dtype wide = x.numel() < 16 && is_floating_point(dtype) ? kFloat64 : dtype;
  const Tensor drawn = randn(x.sizes(), TensorOptions(wide).device(x.device()));
  if (mean == 0 && deviation == 1)
    x.copy_(drawn);
  else
    write_scaled(x, drawn, rounded_to(drawn.dtype(), deviation), rounded_to(drawn.dtype(), mean));
  return x;
}

}  // namespace frit

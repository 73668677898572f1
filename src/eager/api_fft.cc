// Public Fourier transforms: lengths, norms, and several dimensions one after the other.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>
#include <cmath>

#include "frit/fft_ops.h"
#include "src/eager/api.h"

namespace frit::fft {

using api::text;

namespace {

constexpr int64_t kLongest = int64_t{1} << 28;

enum class Kind { kPairs, kInverse, kReal, kInverseReal };

struct Transform {
  std::string_view name;
  Kind kind;
  bool takes_pairs() const { return kind != Kind::kReal; }
  bool inverts() const { return kind == Kind::kInverse || kind == Kind::kInverseReal; }
};

// As floating point; pairs where they are taken.
Tensor numbers(const Transform& t, const Tensor& x) {
  const Tensor y = api::checked(t.name, x).is_floating_point() ? x : to(x, kFloat32);
  if (y.dtype() != kFloat32 && y.dtype() != kFloat64)
    api::fail(ErrorKind::kRuntime, t.name, x, "expected f32 or f64");
  if (t.takes_pairs() && (y.dim() == 0 || y.size(-1) != 2))
    api::fail(ErrorKind::kRuntime, t.name, x,
              "expected pairs of real and imaginary parts: a last dimension of size 2 (rfft takes "
              "real numbers)");
  return y;
}

int64_t rank_of(const Transform& t, const Tensor& x) { return x.dim() - (t.takes_pairs() ? 1 : 0); }

// The factor of a transform of `count` numbers in all.
double scale_of(const Transform& t, const Tensor& x, const std::string& norm, double count) {
  if (norm == "ortho") return 1 / std::sqrt(count);
  if (norm != "backward" && norm != "forward")
    api::fail(ErrorKind::kRuntime, t.name, x, "no such norm: " + norm);
  return (norm == "backward") == t.inverts() ? 1 / count : 1;
}

void check_length(const Transform& t, const Tensor& x, int64_t n) {
  if (n < 1 || n > kLongest)
    api::fail(ErrorKind::kRuntime, t.name, x, text("invalid number of data points: ", n));
}

// Cropped or filled with zeros at the end.
Tensor resized(const Tensor& x, int64_t dim, int64_t n) {
  const int64_t size = x.size(dim);
  if (size == n) return x;
  if (size > n) return narrow(x, dim, 0, n);
  std::vector<int64_t> pads(static_cast<size_t>(2 * (x.dim() - dim)), 0);
  pads.back() = n - size;
  return pad(x, pads);
}

Tensor run(const Transform& t, const Tensor& x, int64_t dim, int64_t n, double scale) {
  const Tensor y = resized(x, dim, t.kind == Kind::kInverseReal ? n / 2 + 1 : n);
  switch (t.kind) {
    case Kind::kPairs:
    case Kind::kInverse:
      return call(Op::fft, {y, Scalar(scale)}, Attrs().add(dim).add(int64_t{t.inverts()}));
    case Kind::kReal:
      return call(Op::rfft, {y, Scalar(scale)}, Attrs().add(dim));
    case Kind::kInverseReal:
      return call(Op::irfft, {y, Scalar(scale)}, Attrs().add(dim).add(n));
  }
  __builtin_unreachable();
}

Tensor along(const Transform& t, const Tensor& x, Length n, int64_t dim, const std::string& norm) {
  const Tensor y = numbers(t, x);
  const int64_t rank = rank_of(t, y);
  if (rank == 0) api::fail(ErrorKind::kIndex, t.name, x, "there is no dimension to transform");
  const int64_t d = api::wrap_dim(t.name, x, dim, rank);
  const int64_t length = n ? *n : t.kind == Kind::kInverseReal ? 2 * (y.size(d) - 1) : y.size(d);
  check_length(t, x, length);
  return run(t, y, d, length, scale_of(t, x, norm, static_cast<double>(length)));
}

struct Extent {
  std::vector<int64_t> dims, lengths;
};

Extent extent_of(const Transform& t, const Tensor& x, const Tensor& y, const Lengths& s,
                 const Lengths& dim) {
  const int64_t rank = rank_of(t, y);
  if (s && dim && s->size() != dim->size())
    api::fail(ErrorKind::kRuntime, t.name, x, "there must be a length for each dimension");
  Extent e;
  const int64_t count = dim ? static_cast<int64_t>(dim->size())
                        : s ? static_cast<int64_t>(s->size())
                            : rank;
  if (count > rank) api::fail(ErrorKind::kRuntime, t.name, x, "more lengths than dimensions");
  for (int64_t i = 0; i < count; ++i) {
    const size_t at = static_cast<size_t>(i);
    const int64_t d = api::wrap_dim(t.name, x, dim ? (*dim)[at] : rank - count + i, rank);
    if (std::find(e.dims.begin(), e.dims.end(), d) != e.dims.end())
      api::fail(ErrorKind::kRuntime, t.name, x, text("dimension ", d, " appears twice"));
    const bool halved = t.kind == Kind::kInverseReal && i == count - 1;
    const bool given = s && (*s)[at] != -1;
    e.dims.push_back(d);
    e.lengths.push_back(given ? (*s)[at] : halved ? 2 * (y.size(d) - 1) : y.size(d));
    check_length(t, x, e.lengths.back());
  }
  return e;
}

// One dimension after the other; that of real numbers where there are only such, with the whole
// scale.
Tensor along_all(const Transform& t, const Tensor& x, const Lengths& s, const Lengths& dim,
                 const std::string& norm) {
  Tensor y = numbers(t, x);
  const Extent e = extent_of(t, x, y, s, dim);
  double count = 1;
  for (const int64_t n : e.lengths) count *= static_cast<double>(n);
  const double scale = scale_of(t, x, norm, count);
  if (e.dims.empty()) {
    if (t.kind == Kind::kReal || t.kind == Kind::kInverseReal)
      api::fail(ErrorKind::kRuntime, t.name, x, "expected at least one dimension to transform");
    return y;
  }
  const Transform pairs{t.name, t.inverts() ? Kind::kInverse : Kind::kPairs};
  const size_t last = e.dims.size() - 1;
  if (t.kind != Kind::kInverseReal) y = run(t, y, e.dims[last], e.lengths[last], scale);
  for (size_t i = last; i-- > 0;) y = run(pairs, y, e.dims[i], e.lengths[i], 1);
  return t.kind == Kind::kInverseReal ? run(t, y, e.dims[last], e.lengths[last], scale) : y;
}

constexpr Transform kFft{"fft", Kind::kPairs}, kIfft{"ifft", Kind::kInverse},
    kRfft{"rfft", Kind::kReal}, kIrfft{"irfft", Kind::kInverseReal}, kFftn{"fftn", Kind::kPairs},
    kIfftn{"ifftn", Kind::kInverse}, kRfftn{"rfftn", Kind::kReal},
    kIrfftn{"irfftn", Kind::kInverseReal};

}  // namespace

Tensor fft(const Tensor& x, Length n, int64_t dim, const std::string& norm) {
  return along(kFft, x, n, dim, norm);
}
Tensor ifft(const Tensor& x, Length n, int64_t dim, const std::string& norm) {
  return along(kIfft, x, n, dim, norm);
}
Tensor fftn(const Tensor& x, const Lengths& s, const Lengths& dim, const std::string& norm) {
  return along_all(kFftn, x, s, dim, norm);
}
Tensor ifftn(const Tensor& x, const Lengths& s, const Lengths& dim, const std::string& norm) {
  return along_all(kIfftn, x, s, dim, norm);
}
Tensor rfft(const Tensor& x, Length n, int64_t dim, const std::string& norm) {
  return along(kRfft, x, n, dim, norm);
}
Tensor rfftn(const Tensor& x, const Lengths& s, const Lengths& dim, const std::string& norm) {
  return along_all(kRfftn, x, s, dim, norm);
}
Tensor irfft(const Tensor& x, Length n, int64_t dim, const std::string& norm) {
  return along(kIrfft, x, n, dim, norm);
}
Tensor irfftn(const Tensor& x, const Lengths& s, const Lengths& dim, const std::string& norm) {
  return along_all(kIrfftn, x, s, dim, norm);
}

// As PyTorch: whole numbers, times 1 / (n d).
Tensor fftfreq(int64_t n, double d, const TensorOptions& options) {
  const TensorOptions dtype = options.dtype(options.dtype());
  const int64_t half = (n - 1) / 2 + 1;
  const Tensor steps = cat({arange(half, dtype), arange(-(n / 2), 0, dtype)});
  return mul(steps, 1 / (static_cast<double>(n) * d));
}
Tensor rfftfreq(int64_t n, double d, const TensorOptions& options) {
  return mul(arange(n / 2 + 1, options.dtype(options.dtype())), 1 / (static_cast<double>(n) * d));
}

namespace {

Tensor shifted(const Tensor& x, IntArrayRef dim, bool back) {
  std::vector<int64_t> dims(dim.begin(), dim.end()), shifts;
  if (dims.empty())
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  for (const int64_t d : dims) {
    const int64_t size = x.size(d);
    shifts.push_back(back ? (size + 1) / 2 : size / 2);
  }
  return dims.empty() ? clone(x) : roll(x, shifts, dims);
}

}  // namespace

Tensor fftshift(const Tensor& x, IntArrayRef dim) {
  return shifted(api::checked("fftshift", x), dim, false);
}
Tensor ifftshift(const Tensor& x, IntArrayRef dim) {
  return shifted(api::checked("ifftshift", x), dim, true);
}

}  // namespace frit::fft

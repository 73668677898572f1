// Random tensors: PyTorch's numbers for a seed, to the bit. (Fewer than 16 normal f64 are those of
// PyTorch 2; 1.13 has another logarithm there.)
//
// The numbers are drawn at the call. To a trace they are a tensor from outside.
#include <algorithm>
#include <cmath>

#include "src/eager/api.h"
#include "src/eager/generator.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"
#include "src/tensor/convert.h"

namespace frit {

using random::draw;
using random::Engine;

namespace {

void check_float(const char* op, Dtype dtype) {
  if (!is_floating_point(dtype))
    throw Error(ErrorKind::kNotImplemented,
                api::text(op, "(", name(dtype), "): only floating point dtypes are random"));
}

// A new tensor whose elements are fn()'s, one after the other.
template <class Fn>
void fill(const Tensor& t, Fn fn) {
  for (int64_t i = 0, n = t.numel(); i < n; ++i)
    store_element(t.dtype(), t.impl()->data + i * t.element_size(), Scalar(fn()));
}

// What `make` draws and fills on the CPU, on the device, whose default generator it is drawn from.
template <class Make>
Tensor drawn_on(Device device, Make make) {
  if (device.is_cpu()) return api::made_on(device, make);
  const random::OnDevice generator(device);
  return api::made_on(device, make);
}

Tensor uniform(IntArrayRef sizes, Dtype dtype) {
  Tensor t = empty(sizes, dtype);
  draw([&](Engine& g) { fill(t, [&] { return g.uniform(dtype); }); });
  return t;
}

}  // namespace

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
  check_float("rand", options.dtype());
  return drawn_on(options.device(), [&] { return uniform(sizes, options.dtype()); });
}

Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
  check_float("randn", options.dtype());
  return drawn_on(options.device(), [&] {
    Tensor t = empty(sizes, options.dtype());
    draw([&](Engine& g) {
      if (t.numel() < 16)
        fill(t, [&] { return g.normal(); });
      else
        random::fill_normal(g, t.dtype(), t.impl()->data, t.numel());
    });
    return t;
  });
}

Tensor bernoulli(const Tensor& p) {
  check_float("bernoulli", api::checked("bernoulli", p).dtype());
  if (!p.device().is_cpu()) {
    const Tensor here = p.cpu();
    return drawn_on(p.device(), [&] { return bernoulli(here); });
  }
  const DefaultDeviceScope beside(kCPU);
  const Tensor chances = contiguous(to(p, p.dtype() == kFloat64 ? kFloat64 : kFloat32));
  Tensor t = empty(p.sizes(), p.dtype());
  const auto flip_coins = [&](auto element) {
    using T = decltype(element);
    chances.with_data<const T>([&](const T* chance) {
      int64_t i = 0;
      for (; i < t.numel(); ++i)
        if (!(chance[i] >= 0 && chance[i] <= 1))
          throw Error(ErrorKind::kRuntime, "bernoulli(): a probability is not from 0 to 1");
      i = 0;
      draw([&](Engine& g) {
        fill(t,
             [&] { return g.uniform(dtype_of<T>) < static_cast<double>(chance[i++]) ? 1.0 : 0.0; });
      });
    });
  };
  p.dtype() == kFloat64 ? flip_coins(double{}) : flip_coins(float{});
  return t;
}

Tensor bernoulli(double p, IntArrayRef sizes, const TensorOptions& options) {
  if (!(p >= 0 && p <= 1))
    throw Error(ErrorKind::kRuntime, "bernoulli(): the probability is not from 0 to 1");
  return drawn_on(options.device(), [&] {
    Tensor t = empty(sizes, options.dtype());
    draw([&](Engine& g) { fill(t, [&] { return g.uniform(kFloat64) < p ? 1.0 : 0.0; }); });
    return t;
  });
}

namespace {

// Exponential numbers: -log(1 - u).
Tensor exponential(IntArrayRef sizes, Dtype dtype) {
  using Value = math::Scalar<double>;
  Tensor t = empty(sizes, dtype);
  draw([&](Engine& g) {
    fill(t, [&] { return -math::log(Value(1.0 - g.uniform(kFloat64))).value; });
  });
  return t;
}

// One category of each draw, by halving the sums of weights.
Tensor draw_with_replacement(const Tensor& rows, int64_t num_samples) {
  const Tensor sums = cumsum(rows, -1);
  const Tensor shares = contiguous(to(div(sums, narrow(sums, -1, rows.size(-1) - 1, 1)), kFloat64));
  const int64_t n = rows.size(1);
  Tensor t = empty({rows.size(0), num_samples}, kInt64);
  shares.with_data<const double>([&](const double* share) {
    int64_t i = 0;
    draw([&](Engine& g) {
      fill(t, [&] {
        const double* row = share + i++ / num_samples * n;
        const double u = g.uniform(kFloat64);
        return static_cast<int64_t>(std::lower_bound(row, row + n - 1, u) - row);
      });
    });
  });
  return t;
}

void check_weights(const Tensor& weights, int64_t num_samples, bool replacement) {
  const auto fail = [&](const std::string& problem) {
    api::fail(ErrorKind::kRuntime, "multinomial", weights, problem);
  };
  if (!weights.is_floating_point()) fail("only floating point is supported");
  if (weights.dim() != 1 && weights.dim() != 2) fail("expected 1 or 2 dimensions");
  if (num_samples <= 0) fail("the number of samples must be positive");
  if (!replacement && num_samples > weights.size(-1)) fail("more samples than categories");
  const bool valid = all(logical_and(isfinite(weights), ge(weights, 0))).item<bool>();
  if (!valid) fail("a weight is negative, infinite or NaN");
  if (weights.numel() > 0 && any(le(sum(weights, {-1}), 0)).item<bool>())
    fail("the sum of weights is 0");
}

}  // namespace

// Without replacement: each category's weight over an exponential number; the largest are drawn.
Tensor multinomial(const Tensor& weights, int64_t num_samples, bool replacement) {
  check_weights(api::checked("multinomial", weights), num_samples, replacement);
  if (!weights.device().is_cpu()) {
    const Tensor here = weights.cpu();
    return drawn_on(weights.device(), [&] { return multinomial(here, num_samples, replacement); });
  }
  const DefaultDeviceScope beside(kCPU);
  if (replacement && num_samples > 1) {
    const Tensor rows = weights.dim() == 1 ? unsqueeze(weights, 0) : weights;
    const Tensor drawn = draw_with_replacement(rows, num_samples);
    return weights.dim() == 1 ? select(drawn, 0, 0) : drawn;
  }
  const Tensor scores = div(weights, exponential(weights.sizes(), weights.dtype()));
  if (num_samples == 1) return argmax(scores, -1, true);
  return topk(scores, num_samples, -1).second;
}

// Drawn with mean 0 and deviation 1, then scaled.
Tensor normal(const Tensor& mean, const Tensor& deviation) {
  const std::vector<Tensor> both = broadcast_tensors({mean, deviation});
  const Tensor drawn = randn(both[0].sizes(), both[0].options());
  return add(mul(drawn, both[1]), both[0]);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options) {
  if (low >= high)
    throw Error(ErrorKind::kRuntime,
                api::text("randint(", low, ", ", high, "): the range is empty"));
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return drawn_on(options.device(), [&] {
    Tensor t = empty(sizes, options.dtype_opt().value_or(kInt64));
    draw([&](Engine& g) {
      fill(t, [&] { return static_cast<int64_t>(static_cast<uint64_t>(low) + g.below(range)); });
    });
    return t;
  });
}

Tensor randperm(int64_t n, const TensorOptions& options) {
  if (n < 0) throw Error(ErrorKind::kRuntime, api::text("randperm(", n, "): negative"));
  return drawn_on(options.device(), [&] {
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    draw([&](Engine& g) {
      for (int64_t i = 0; i + 1 < n; ++i) std::swap(order[i], order[i + g.bits32() % (n - i)]);
    });
    const Tensor t = from_host(order.data(), {n}, kInt64);
    return to(t, options.dtype_opt().value_or(kInt64));
  });
}

}  // namespace frit

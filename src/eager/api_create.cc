// Public ops that make tensors from nothing, convert or copy them.
#include <cmath>

#include "src/eager/api.h"
#include "src/tensor/convert.h"

namespace frit {
namespace {

Dtype natural_dtype(const Scalar& value) {
  switch (value.kind()) {
    case Scalar::Kind::kBool:
      return kBool;
    case Scalar::Kind::kInt:
      return kInt64;
    case Scalar::Kind::kFloat:
      return kFloat32;
  }
  __builtin_unreachable();
}

void store(const Tensor& target, const Operand& source) {
  const Operand operands[] = {target, source};
  dispatch({Op::store, operands, Attrs()}, nullptr);
}

Tensor filled(IntArrayRef sizes, const Scalar& value, Dtype dtype, Device device) {
  return api::made_on(device,
                      [&] { return call(Op::full, {value}, Attrs().add(dtype).add_list(sizes)); });
}

// Sizes, memory format and, unless the options say otherwise, dtype of `x`.
Tensor filled_like(std::string_view op, const Tensor& x, const Scalar& value,
                   const TensorOptions& options) {
  const Dtype dtype = options.dtype_opt().value_or(api::checked(op, x).dtype());
  if (x.is_contiguous())
    return filled(x.sizes(), value, dtype, options.device_opt().value_or(x.device()));
  Tensor t = empty_like(x, options);
  store(t, value);
  return t;
}

std::string shown(const Scalar& number) {
  return number.is_float() ? api::text(number.to_double()) : api::text(number.to_int());
}

// Integers are counted as such: as doubles, neighbours beyond 2^53 would be one number.
int64_t count_whole_steps(int64_t start, int64_t end, int64_t step) {
  const __int128 by = step, distance = static_cast<__int128>(end) - start;
  const __int128 count = (distance + by - (by > 0 ? 1 : -1)) / by;
  return count < INT64_MAX ? static_cast<int64_t>(count) : INT64_MAX;
}

int64_t count_steps(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double from = start.to_double(), to = end.to_double(), by = step.to_double();
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kRuntime, api::text("arange(", shown(start), ", ", shown(end), ", ",
                                               shown(step), "): ", problem));
  };
  if (by == 0) fail("the step is 0");
  if (!std::isfinite(from) || !std::isfinite(to)) fail("the range is not finite");
  if (by > 0 ? to < from : to > from) fail("the step leads away from the end");
  const bool whole = !start.is_float() && !end.is_float() && !step.is_float();
  const double count = std::ceil((to - from) / by);
  if (whole && count < 0x1p62)
    return count_whole_steps(start.to_int(), end.to_int(), step.to_int());
  if (!(count >= 0 && count < 0x1p62)) fail("too many elements");
  return static_cast<int64_t>(count);
}

}  // namespace

Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  const Dtype dtype = options.dtype_opt().value_or(natural_dtype(value));
  api::check_fits("full", Tensor(), dtype, value);
  return filled(sizes, value, dtype, options.device());
}

Tensor zeros(IntArrayRef sizes, const TensorOptions& options) {
  return filled(sizes, 0, options.dtype(), options.device());
}

Tensor ones(IntArrayRef sizes, const TensorOptions& options) {
  return filled(sizes, 1, options.dtype(), options.device());
}

Tensor empty_like(const Tensor& x, const TensorOptions& options) {
  // A clone's layout: dense, in the order of x's strides.
  const OperandType type{api::checked("empty_like", x).impl()->layout, {}};
  const Layout& layout = *infer(Op::clone, {&type, 1}, Attrs()).results[0].layout;
  return empty_strided(layout.sizes(), layout.strides(),
                       TensorOptions(options.dtype_opt().value_or(x.dtype()))
                           .device(options.device_opt().value_or(x.device())));
}

Tensor zeros_like(const Tensor& x, const TensorOptions& options) {
  return filled_like("zeros_like", x, 0, options);
}

Tensor ones_like(const Tensor& x, const TensorOptions& options) {
  return filled_like("ones_like", x, 1, options);
}

Tensor full_like(const Tensor& x, const Scalar& value, const TensorOptions& options) {
  api::check_fits("full_like", x,
                  options.dtype_opt().value_or(api::checked("full_like", x).dtype()), value);
  return filled_like("full_like", x, value, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
  const bool any_float = start.is_float() || end.is_float() || step.is_float();
  const Dtype dtype = options.dtype_opt().value_or(any_float ? kFloat32 : kInt64);
  // As in PyTorch, i64 alone counts by the numbers that it holds.
  if (any_float && dtype == kInt64)
    return arange(start.to_int(), end.to_int(), step.to_int(), options);
  const int64_t n = count_steps(start, end, step);
  return api::made_on(options.device(), [&] {
    return call(Op::arange, {start, step}, Attrs().add(dtype).add(n));
  });
}

Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}

Tensor arange(const Scalar& end, const TensorOptions& options) {
  return arange(0, end, 1, options);
}

// Counts up from the start in the first half and down from the end in the second, so that both ends
// are exact.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                const TensorOptions& options) {
  if (steps < 0)
    throw Error(ErrorKind::kRuntime,
                api::text("linspace: the number of steps is negative: ", steps));
  if (!options.device().is_cpu())
    return api::made_on(options.device(),
                        [&] { return linspace(start, end, steps, options.dtype()); });
  Tensor t = empty({steps}, options.dtype(options.dtype()));
  // Integers are counted between the integers that the ends become.
  const auto bound = [&](const Scalar& s) {
    return is_floating_point(t.dtype()) ? s.to_double() : static_cast<double>(s.to_int());
  };
  const double from = bound(start), to = bound(end);
  const double step = steps > 1 ? (to - from) / static_cast<double>(steps - 1) : 0;
  for (int64_t i = 0; i < steps; ++i) {
    const double value = i < steps / 2 || steps == 1
                             ? from + step * static_cast<double>(i)
                             : to - step * static_cast<double>(steps - 1 - i);
    store_element(t.dtype(), t.impl()->data + i * t.element_size(), value);
  }
  return t;
}

Tensor eye(int64_t n, const TensorOptions& options) {
  if (n < 0) throw Error(ErrorKind::kRuntime, api::text("eye(", n, "): the size is negative"));
  const Tensor i = arange(n, TensorOptions(options.device()));
  return to(eq(unsqueeze(i, 1), i), options.dtype());
}

Tensor to(const Tensor& x, Dtype dtype) {
  if (api::checked("to", x).dtype() == dtype) return x;
  return call(Op::cast, {x}, Attrs().add(dtype));
}

Tensor clone(const Tensor& x) { return call(Op::clone, {api::operand(Op::clone, x)}); }

Tensor contiguous(const Tensor& x) {
  if (api::checked("contiguous", x).is_contiguous()) return x;
  return call(Op::contiguous, {x});
}

Tensor Tensor::to(Dtype dtype) const { return frit::to(*this, dtype); }

// What is dense keeps its strides, as in PyTorch.
Tensor Tensor::to(frit::Device target) const {
  if (target == api::checked("to", *this).device()) return *this;
  const OperandType type{impl()->layout, {}};
  const Layout& layout = *infer(Op::clone, {&type, 1}, Attrs()).results[0].layout;
  Tensor copy =
      empty_strided(layout.sizes(), layout.strides(), TensorOptions(layout.dtype).device(target));
  store(copy, *this);
  return copy;
}

// Converted where that is done without copies.
Tensor Tensor::to(const TensorOptions& options) const {
  const Dtype wanted = options.dtype_opt().value_or(dtype());
  const frit::Device target = options.device_opt().value_or(device());
  return device().is_cpu() ? frit::to(*this, wanted).to(target) : frit::to(to(target), wanted);
}

Tensor Tensor::clone() const { return frit::clone(*this); }
Tensor Tensor::contiguous() const { return frit::contiguous(*this); }
Tensor Tensor::detach() const { return frit::view(*this, sizes()); }

}  // namespace frit

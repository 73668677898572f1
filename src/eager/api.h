// What the definitions of public ops share. Private to src/eager/api*.cc.
#pragma once

#include <sstream>
#include <string>

#include "frit/ops.h"
#include "src/eager/dispatch.h"
#include "src/tensor/devices.h"

namespace frit::api {

[[noreturn]] void fail_undefined(std::string_view op);
[[noreturn]] void fail(ErrorKind kind, std::string_view op, const Tensor& x,
                       const std::string& problem);

// The tensor as an operand; throws when it is undefined.
inline Operand operand(std::string_view op, const Tensor& t) {
  if (__builtin_expect(!t.defined(), false)) fail_undefined(op);
  return t;
}
inline Operand operand(Op op, const Tensor& t) {
  if (__builtin_expect(!t.defined(), false)) fail_undefined(name(op));
  return t;
}
inline const Tensor& checked(std::string_view op, const Tensor& t) {
  if (__builtin_expect(!t.defined(), false)) fail_undefined(op);
  return t;
}

template <class... T>
std::string text(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// `dim` from the front, for a tensor of `rank` dimensions.
int64_t wrap_dim(std::string_view op, const Tensor& x, int64_t dim, int64_t rank);
inline int64_t wrap_dim(std::string_view op, const Tensor& x, int64_t dim) {
  return wrap_dim(op, x, dim, x.dim());
}

// One value per dimension from one for all.
Dims per_dim(std::string_view op, const Tensor& x, IntArrayRef values, int64_t count,
             std::string_view what);

// Throws where PyTorch's checked conversion would: the number does not fit the dtype.
void check_fits(std::string_view op, const Tensor& x, Dtype dtype, const Scalar& value);

// What `make` makes on the CPU, on the device. To a trace that is a tensor from outside.
template <class Make>
Tensor made_on(Device device, Make make) {
  if (device.is_cpu() && devices::device_of_new.is_cpu()) return make();
  const DefaultDeviceScope here(kCPU);
  if (device.is_cpu()) return make();
  const MuteScope mute;
  return devices::copy_to(device, *make().impl());
}

inline Attrs dims_keepdim(IntArrayRef dims, bool keepdim) {
  return Attrs().add_list(dims).add(keepdim);
}

}  // namespace frit::api

// Kernels of a device, by op.
//
//   frit::register_kernel("npu", "add", [](const frit::KernelCall& call) {
//     if (call.results()[0].dtype() != frit::kFloat32) return false;
//     npu_add(call.tensor(0).const_data_ptr(), ..., call.results()[0].data_ptr());
//     return true;
//   });
//
// An op without a kernel, or whose kernel does not take the call, runs on the CPU, with copies;
// composites (softmax) first as the core ops that they are made of, if one of these has a kernel.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "frit/array_ref.h"
#include "frit/device.h"
#include "frit/op.h"
#include "frit/scalar.h"
#include "frit/tensor.h"

namespace frit {

// One call of an op on a device. Good until the kernel returns.
class KernelCall {
 public:
  virtual Op op() const = 0;
  virtual Device device() const = 0;
  virtual size_t num_operands() const = 0;
  virtual bool is_tensor(size_t i) const = 0;
  // Throw where operand i is of the other kind. Tensors lie on this device.
  virtual const Tensor& tensor(size_t i) const = 0;
  virtual Scalar scalar(size_t i) const = 0;
  // An attribute by its name (`frit ops` lists them); a bool is 0 or 1, a dtype its number. Throws
  // where the op has none of that name.
  virtual int64_t attribute(std::string_view name) const = 0;
  virtual IntArrayRef list_attribute(std::string_view name) const = 0;
  // What is to be filled: new tensors of the types that the op's rule gives; none for `store`,
  // which writes to its first operand.
  virtual std::span<const Tensor> results() const = 0;
  // The stream of this thread on the device; null: the usual one.
  virtual void* stream() const = 0;

 protected:
  ~KernelCall() = default;
};

// False where it does not support this call, which then runs as if there were no kernel.
using DeviceKernel = std::function<bool(const KernelCall& call)>;

// Makes `kernel` the device's for an op: a core op or a composite ("add", "softmax"), or a custom
// one. Replaces an earlier one. Throws Error(kValue) where the device or the op is not known.
// Thread-safe; what has been compiled calls the new one.
void register_kernel(const std::string& device, const std::string& op, DeviceKernel kernel);

}  // namespace frit

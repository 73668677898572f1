// Tensor: a counted handle on a strided block of elements, with PyTorch's meaning and names.
//
//   frit::Tensor x = frit::tensor({1.0f, 2.0f, 3.0f});
//   frit::Tensor y = relu(x * 2 + 1);
//   float last = y[2].item<float>();
//
// Copying a Tensor copies the handle. Views (slices, transposes, ...) share storage. Every op runs
// as if at its call; a value may be computed later where nobody can tell (see
// docs/architecture.md). Methods throw frit::Error. Handles may be used from any thread; one handle
// object, like a std::shared_ptr, may not be assigned by two threads at once.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "frit/array_ref.h"
#include "frit/device.h"
#include "frit/dtype.h"
#include "frit/error.h"
#include "frit/ref_count.h"
#include "frit/scalar.h"

namespace frit {

class Tensor;
struct TensorImpl;

namespace detail {
// The first member of what a handle points to. `refs` counts handles.
struct Counted {
  RefCount refs;
};
void destroy(Counted* tensor);  // called when the last handle is dropped
void end_exposure(TensorImpl* tensor, bool writes);
}  // namespace detail

// What a new tensor is to be: TensorOptions().dtype(kInt64), or just a Dtype.
class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(Dtype dtype) : dtype_(dtype) {}            // NOLINT: as in PyTorch
  TensorOptions(frit::Device device) : device_(device) {}  // NOLINT
  TensorOptions dtype(Dtype d) const {
    TensorOptions copy = *this;
    copy.dtype_ = d;
    return copy;
  }
  TensorOptions device(frit::Device d) const {
    TensorOptions copy = *this;
    copy.device_ = d;
    return copy;
  }
  std::optional<Dtype> dtype_opt() const { return dtype_; }
  Dtype dtype() const { return dtype_.value_or(kFloat32); }
  frit::Device device() const { return device_ ? *device_ : default_device(); }
  std::optional<frit::Device> device_opt() const { return device_; }

 private:
  std::optional<Dtype> dtype_;
  std::optional<frit::Device> device_;
};

// One entry of an index: Slice(start, stop, step), each end optional.
struct Slice {
  std::optional<int64_t> start, stop;
  int64_t step = 1;
  Slice() = default;
  Slice(std::optional<int64_t> start_, std::optional<int64_t> stop_ = std::nullopt,
        int64_t step_ = 1)
      : start(start_), stop(stop_), step(step_) {}
};
struct EllipsisIndex {};
struct NewAxis {};
inline constexpr EllipsisIndex Ellipsis{};
inline constexpr NewAxis None{};

// An integer, Slice, Ellipsis, None or an index tensor (i64, or a bool mask).
class TensorIndex;

// Element access by N indices. Holds the tensor; while a TensorAccessor of non-const T lives, ops
// on the tensor run at their call. Strides and sizes are in elements.
template <class T, int N>
class SubAccessor {
 public:
  SubAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  int64_t size(int d) const { return sizes_[d]; }
  int64_t stride(int d) const { return strides_[d]; }
  T* data() const { return data_; }
  decltype(auto) operator[](int64_t i) const {
    if constexpr (N == 1) {
      return (data_[i * strides_[0]]);
    } else {
      return SubAccessor<T, N - 1>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
    }
  }

 protected:
  T* data_;
  const int64_t* sizes_;
  const int64_t* strides_;
};

template <class T, int N>
class TensorAccessor;

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->refs.add();
  }
  Tensor(Tensor&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }
  Tensor& operator=(const Tensor& other) {
    Tensor(other).swap(*this);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  ~Tensor() {
    if (impl_ && impl_->refs.drop()) detail::destroy(impl_);
  }
  void swap(Tensor& other) noexcept { std::swap(impl_, other.impl_); }

  // False for a default-constructed or moved-from handle; every other method then throws.
  bool defined() const { return impl_ != nullptr; }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  uint32_t use_count() const;  // of the program; 0 when undefined

  // Facts. None of them waits for the value.
  Dtype dtype() const;
  Dtype scalar_type() const { return dtype(); }
  frit::Device device() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;  // in elements
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  int64_t dim() const { return static_cast<int64_t>(sizes().size()); }
  int64_t numel() const;
  int64_t nbytes() const { return numel() * byte_size(dtype()); }
  int64_t element_size() const { return byte_size(dtype()); }
  int64_t storage_offset() const;  // in elements
  bool is_contiguous() const;
  bool is_floating_point() const { return frit::is_floating_point(dtype()); }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()); }

  // Values. Each waits until the value is computed.
  // A mutable pointer: from here on every op on this storage runs at its call, since the host may
  // write to it unnoticed. Throws when T is not the dtype.
  void* data_ptr() const;
  template <class T>
  T* data_ptr() const {
    check_dtype(dtype_of<T>, "data_ptr");
    return static_cast<T*>(data_ptr());
  }
  // A pointer to read from, for as long as the tensor lives: from here on writes in place to this
  // storage are made at their call. with_data() and accessor() end with their scope.
  const void* const_data_ptr() const;
  template <class T>
  const T* const_data_ptr() const {
    check_dtype(dtype_of<T>, "const_data_ptr");
    return static_cast<const T*>(const_data_ptr());
  }
  // Calls fn with a pointer to the first element: with_data<float> may write through it,
  // with_data<const float> only reads. The pointer is good until fn returns. Throws when T is not
  // the dtype.
  template <class T, class F>
  void with_data(F fn) const;
  // accessor<float, 2>() may write, accessor<const float, 2>() only reads. Throws when T or N
  // differ.
  template <class T, int N>
  TensorAccessor<T, N> accessor() const;
  // The only element, converted to T. Throws when there is not exactly one.
  Scalar item() const;
  template <class T>
  T item() const {
    Scalar value = item();
    if constexpr (std::is_same_v<T, bool>) return value.to_bool();
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.to_double());
    return static_cast<T>(value.to_int());
  }
  // As PyTorch prints it, at most 1,000 elements, the rest as dots.
  std::string str() const;

  // Ops as methods; frit/ops.h documents them.
  Tensor operator[](int64_t i) const;
  Tensor index(std::initializer_list<TensorIndex> indices) const;
  Tensor to(Dtype dtype) const;
  // On that device; itself where it is there. A copy to or from a device is made at its call.
  Tensor to(frit::Device device) const;
  Tensor to(const TensorOptions& options) const;
  Tensor clone() const;
  Tensor contiguous() const;
  Tensor detach() const;
  Tensor cpu() const { return to(kCPU); }
  Tensor view(IntArrayRef sizes) const;
  Tensor view(Dtype dtype) const;
  Tensor reshape(IntArrayRef sizes) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor t() const;
  Tensor expand(IntArrayRef sizes) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor slice(int64_t dim, std::optional<int64_t> start = std::nullopt,
               std::optional<int64_t> end = std::nullopt, int64_t step = 1) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
  Tensor relu() const;
  Tensor sigmoid() const;
  Tensor tanh() const;
  Tensor exp() const;
  Tensor log() const;
  Tensor sqrt() const;
  Tensor abs() const;
  Tensor neg() const;
  Tensor pow(const Scalar& exponent) const;
  Tensor clamp(std::optional<Scalar> min, std::optional<Scalar> max = std::nullopt) const;
  Tensor softmax(int64_t dim) const;
  Tensor matmul(const Tensor& other) const;
  Tensor sum() const;
  Tensor sum(IntArrayRef dims, bool keepdim = false) const;
  Tensor mean() const;
  Tensor mean(IntArrayRef dims, bool keepdim = false) const;
  Tensor amax(IntArrayRef dims = {}, bool keepdim = false) const;
  Tensor amin(IntArrayRef dims = {}, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  Tensor argmax(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor any() const;
  Tensor all() const;
  Tensor index_select(int64_t dim, const Tensor& index) const;
  Tensor masked_fill(const Tensor& mask, const Scalar& value) const;

  // In place: write to this tensor's storage, return this handle.
  const Tensor& copy_(const Tensor& source) const;
  const Tensor& fill_(const Scalar& value) const;
  const Tensor& zero_() const { return fill_(0); }
  const Tensor& add_(const Tensor& other, const Scalar& alpha = 1) const;
  const Tensor& add_(const Scalar& other) const;
  const Tensor& sub_(const Tensor& other, const Scalar& alpha = 1) const;
  const Tensor& sub_(const Scalar& other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& mul_(const Scalar& other) const;
  const Tensor& div_(const Tensor& other) const;
  const Tensor& div_(const Scalar& other) const;
  const Tensor& relu_() const;
  const Tensor& sigmoid_() const;
  const Tensor& clamp_(std::optional<Scalar> min, std::optional<Scalar> max = std::nullopt) const;

  // For Frit's own layers. The pointer is owned by the handle; release() gives that count away.
  TensorImpl* impl() const { return reinterpret_cast<TensorImpl*>(impl_); }
  static Tensor adopt(TensorImpl* impl) {  // takes over one count
    Tensor t;
    t.impl_ = reinterpret_cast<detail::Counted*>(impl);
    return t;
  }
  static Tensor share(TensorImpl* impl) {  // adds one count
    Tensor t = adopt(impl);
    if (t.impl_) t.impl_->refs.add();
    return t;
  }
  TensorImpl* release() {
    TensorImpl* impl = this->impl();
    impl_ = nullptr;
    return impl;
  }

 private:
  void check_dtype(Dtype asked, const char* method) const;
  // `rank` is -1 for any.
  void* begin_access(Dtype asked, int rank, bool writes) const;

  detail::Counted* impl_ = nullptr;

  template <class T, int N>
  friend class TensorAccessor;
};

namespace detail {
// Access to a tensor's memory that ends with this scope.
class AccessScope {
 public:
  AccessScope(Tensor tensor, bool writes) : tensor_(std::move(tensor)), writes_(writes) {}
  ~AccessScope() { end_exposure(tensor_.impl(), writes_); }
  AccessScope(const AccessScope&) = delete;

 private:
  Tensor tensor_;
  bool writes_;
};
}  // namespace detail

template <class T, class F>
void Tensor::with_data(F fn) const {
  constexpr bool kWrites = !std::is_const_v<T>;
  T* data = static_cast<T*>(begin_access(dtype_of<std::remove_const_t<T>>, -1, kWrites));
  const detail::AccessScope scope(*this, kWrites);
  fn(data);
}

template <class T, int N>
class TensorAccessor : public SubAccessor<T, N> {
 public:
  explicit TensorAccessor(const Tensor& tensor)
      : SubAccessor<T, N>(static_cast<T*>(tensor.begin_access(dtype_of<std::remove_const_t<T>>, N,
                                                              !std::is_const_v<T>)),
                          tensor.sizes().data(), tensor.strides().data()),
        scope_(tensor, !std::is_const_v<T>) {}
  TensorAccessor(const TensorAccessor&) = delete;
  TensorAccessor& operator=(const TensorAccessor&) = delete;

 private:
  detail::AccessScope scope_;
};

template <class T, int N>
TensorAccessor<T, N> Tensor::accessor() const {
  return TensorAccessor<T, N>(*this);
}

class TensorIndex {
 public:
  enum class Kind : uint8_t { kInteger, kSlice, kEllipsis, kNewAxis, kTensor };
  template <class T>
  requires std::is_integral_v<T> TensorIndex(T i) : kind(Kind::kInteger), integer(i) {}  // NOLINT
  TensorIndex(Slice s) : kind(Kind::kSlice), slice(s) {}                                 // NOLINT
  TensorIndex(EllipsisIndex) : kind(Kind::kEllipsis) {}                                  // NOLINT
  TensorIndex(NewAxis) : kind(Kind::kNewAxis) {}                                         // NOLINT
  TensorIndex(Tensor t) : kind(Kind::kTensor), tensor(std::move(t)) {}                   // NOLINT

  Kind kind;
  int64_t integer = 0;
  Slice slice;
  Tensor tensor;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

// Wraps the caller's memory without copying, the CPU's unless the options say otherwise. `strides`
// are in elements; empty means contiguous. `deleter`, if given, is called with `data` when the last
// tensor on the memory is gone. The memory stays write-exposed: ops on it run at their call.
// clone() gives a tensor that is free of that.
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 std::function<void(void*)> deleter, const TensorOptions& options = {});

// A new contiguous tensor with a copy of `count` = product of sizes elements at `data`. Never
// exposed.
Tensor from_host(const void* data, IntArrayRef sizes, const TensorOptions& options = {});

// 1-D, or 0-D from one number. Floats give f32 unless the options say otherwise, integers i64.
Tensor tensor(const Scalar& value, const TensorOptions& options = {});
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values,
                                               const TensorOptions& options = {});
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(std::initializer_list<T> values,
                                               const TensorOptions& options = {}) {
  return tensor(std::vector<T>(values), options);
}

// Uninitialised memory.
Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});

}  // namespace frit

// Handles, metadata and host access of tensors.
#include "frit/tensor.h"

#include <cstring>
#include <sstream>

#include "src/base/check.h"
#include "src/tensor/convert.h"
#include "src/tensor/devices.h"
#include "src/tensor/tensor_impl.h"
#include "src/tensor/watch.h"

namespace frit {

Observer observer{};
bool observer_enabled = false;
constinit thread_local ObservedThread observed_thread;

namespace {
// Heard at the depth of muting that its own scope makes: what is muted inside it is not for it.
struct Listening {
  Listener* listener;
  uint32_t depth;
};
constinit thread_local Listening listening = {};
}  // namespace

ListenScope::ListenScope(Listener* listener)
    : outer_(listening.listener), outer_depth_(listening.depth) {
  listening = {listener, observed_thread.muted};
}

ListenScope::~ListenScope() { listening = {outer_, outer_depth_}; }

Listener* listener() {
  return listening.depth == observed_thread.muted ? listening.listener : nullptr;
}

namespace {

// Freed impls of this thread, reused before malloc is asked.
constexpr int kFreeImpls = 256;
struct FreeImpls {
  TensorImpl* list[kFreeImpls];
  int count;
  int room;  // 0 before the first is kept, and from the thread's end on
};
constinit thread_local FreeImpls free_impls = {};
constinit thread_local bool impls_closed = false;

struct ImplCloser {
  ~ImplCloser() {
    impls_closed = true;
    free_impls.room = 0;
    while (free_impls.count > 0) ::operator delete(free_impls.list[--free_impls.count]);
  }
};

void free_impl(TensorImpl* impl) {
  FreeImpls& impls = free_impls;
  if (impls.room == 0 && !impls_closed) {
    thread_local ImplCloser closer;
    impls.room = kFreeImpls;
  }
  if (impls.count < impls.room) {
    impls.list[impls.count++] = impl;
  } else {
    ::operator delete(impl);
  }
}

const TensorImpl* checked(const Tensor& t, const char* method) {
  if (!t.defined())
    throw Error(ErrorKind::kRuntime, std::string(method) + "(undefined): the tensor is undefined");
  return t.impl();
}

int64_t checked_dim(const Tensor& t, int64_t dim, const char* method) {
  const int64_t rank = t.dim();
  if (dim < -rank || dim >= rank) {
    std::ostringstream text;
    text << method << '(' << describe(t) << "): dimension out of range: " << dim << " is not in ["
         << -rank << ", " << rank - 1 << "]";
    throw Error(ErrorKind::kIndex, text.str());
  }
  return dim < 0 ? dim + rank : dim;
}

}  // namespace

TensorImpl* new_impl(const Layout* layout) {
  void* memory = free_impls.count > 0 ? free_impls.list[--free_impls.count]
                                      : ::operator new(sizeof(TensorImpl), std::nothrow);
  if (memory == nullptr) {
    release_layout(layout);
    throw std::bad_alloc();
  }
  TensorImpl* impl = new (memory) TensorImpl;
  impl->layout = layout;
  return impl;
}

void attach(TensorImpl* impl, Storage* storage, int64_t offset) {
  impl->storage = storage;
  impl->offset = offset;
  impl->data = storage->data + offset * byte_size(impl->layout->dtype);
}

Tensor new_tensor(const Layout* layout) {
  const int64_t span = layout->contiguous ? layout->numel : layout->span();
  TensorImpl* impl = new_impl(layout);
  Tensor made = Tensor::adopt(impl);
  attach(impl, new_storage(span * byte_size(layout->dtype), layout->device), 0);
  return made;
}

Tensor new_view(const Layout* layout, Storage* storage, int64_t offset) {
  TensorImpl* impl = new_impl(layout);
  retain(storage);
  attach(impl, storage, offset);
  return Tensor::adopt(impl);
}

namespace detail {

void destroy(Counted* tensor) {
  TensorImpl* impl = static_cast<TensorImpl*>(tensor);
  const void* owner = impl->owner.load(std::memory_order_acquire);
  if (owner != nullptr && is_recipe(owner) && observer.recipe_dropped(impl)) return;
  const uint32_t watch = impl->watch.load(std::memory_order_relaxed);
  if (__builtin_expect(watch != 0, false)) note_watched_death(watch);
  if (impl->storage != nullptr) release(impl->storage);
  release_layout(impl->layout);
  impl->~TensorImpl();
  free_impl(impl);
}

void end_exposure(TensorImpl* tensor, bool writes) {
  if (!writes) {
    tensor->storage->read_exposed.fetch_sub(1, std::memory_order_release);
    return;
  }
  tensor->storage->version.fetch_add(1, std::memory_order_relaxed);
  tensor->storage->write_exposed.fetch_sub(1, std::memory_order_release);
}

}  // namespace detail

// The recorder that owns a pending value holds it too.
uint32_t Tensor::use_count() const {
  if (impl_ == nullptr) return 0;
  const TensorImpl* impl = this->impl();
  const void* owner = impl->owner.load(std::memory_order_acquire);
  return impl->refs.count() - (owner != nullptr && !is_recipe(owner) ? 1 : 0);
}

Dtype Tensor::dtype() const { return checked(*this, "dtype")->layout->dtype; }
Device Tensor::device() const { return checked(*this, "device")->layout->device; }
IntArrayRef Tensor::sizes() const { return checked(*this, "sizes")->layout->sizes(); }
IntArrayRef Tensor::strides() const { return checked(*this, "strides")->layout->strides(); }
int64_t Tensor::size(int64_t dim) const { return sizes()[checked_dim(*this, dim, "size")]; }
int64_t Tensor::stride(int64_t dim) const { return strides()[checked_dim(*this, dim, "stride")]; }
int64_t Tensor::numel() const { return checked(*this, "numel")->layout->numel; }
bool Tensor::is_contiguous() const { return checked(*this, "is_contiguous")->layout->contiguous; }

int64_t Tensor::storage_offset() const {
  // Views of pending values get their offset when they are materialised.
  const TensorImpl* impl = checked(*this, "storage_offset");
  materialize(impl);
  return impl->offset;
}

void Tensor::check_dtype(Dtype asked, const char* method) const {
  if (dtype() == asked) return;
  throw Error(ErrorKind::kRuntime, std::string(method) + '(' + describe(*this) +
                                       "): dtype differs: asked for " + std::string(name(asked)));
}

void* Tensor::data_ptr() const {
  const TensorImpl* impl = checked(*this, "data_ptr");
  expose_storage(impl, "data_ptr");
  return impl->data;
}

const void* Tensor::const_data_ptr() const {
  const TensorImpl* impl = checked(*this, "const_data_ptr");
  observe_value(impl, "const_data_ptr");
  impl->storage->read_exposed.fetch_add(1, std::memory_order_relaxed);
  return impl->data;
}

void* Tensor::begin_access(Dtype asked, int rank, bool writes) const {
  const char* method = rank < 0 ? "with_data" : "accessor";
  check_dtype(asked, method);
  if (!device().is_cpu())
    throw Error(ErrorKind::kRuntime,
                std::string(method) + '(' + describe(*this) +
                    "): the elements are not on the CPU: copy them with cpu()");
  if (rank >= 0 && dim() != rank) {
    throw Error(ErrorKind::kRuntime, "accessor(" + describe(*this) + "): rank differs: asked for " +
                                         std::to_string(rank));
  }
  const TensorImpl* impl = this->impl();
  if (writes) {
    expose_storage(impl, method);
  } else {
    observe_value(impl, method);
    impl->storage->read_exposed.fetch_add(1, std::memory_order_relaxed);
  }
  return impl->data;
}

Scalar Tensor::item() const {
  const TensorImpl* impl = checked(*this, "item");
  if (impl->layout->numel != 1) {
    throw Error(ErrorKind::kRuntime, "item(" + describe(*this) + "): not one element: " +
                                         std::to_string(impl->layout->numel));
  }
  observe_value(impl, "item");
  if (impl->layout->device.is_cpu()) return load_element(impl->layout->dtype, impl->data);
  alignas(8) std::byte element[8];
  devices::copy_bytes(kCPU, element, impl->layout->device, impl->data,
                      byte_size(impl->layout->dtype));
  return load_element(impl->layout->dtype, element);
}

std::string describe(const Tensor& t) {
  return t.defined() ? to_string(*t.impl()->layout) : "undefined";
}

Tensor empty(IntArrayRef sizes, const TensorOptions& options) {
  return new_tensor(intern_contiguous(options.dtype(), options.device(), sizes));
}

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  if (sizes.size() != strides.size())
    throw Error(ErrorKind::kRuntime, "empty_strided: sizes and strides differ in length: " +
                                         std::to_string(sizes.size()) + " and " +
                                         std::to_string(strides.size()));
  for (int64_t stride : strides)
    if (stride < 0)
      throw Error(ErrorKind::kRuntime, "empty_strided: negative stride: " + std::to_string(stride));
  return new_tensor(intern_layout(options.dtype(), options.device(), sizes, strides));
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 std::function<void(void*)> deleter, const TensorOptions& options) {
  if (!strides.empty() && strides.size() != sizes.size())
    throw Error(ErrorKind::kRuntime,
                "from_blob: sizes and strides differ in length: " + std::to_string(sizes.size()) +
                    " and " + std::to_string(strides.size()));
  const Device device = options.device_opt().value_or(kCPU);
  const Layout* layout = strides.empty() && !sizes.empty()
                             ? intern_contiguous(options.dtype(), device, sizes)
                             : intern_layout(options.dtype(), device, sizes, strides);
  if (data == nullptr && layout->numel > 0)
    throw Error(ErrorKind::kValue, "from_blob(" + to_string(*layout) + "): data is null");
  Storage* storage = wrap_storage(data, layout->span() * byte_size(layout->dtype),
                                  std::move(deleter), layout->device);
  StorageRef held = StorageRef::adopt(storage);
  TensorImpl* impl = new_impl(layout);
  attach(impl, held.take(), 0);
  return Tensor::adopt(impl);
}

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return from_blob(data, sizes, {}, nullptr, options);
}

Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter,
                 const TensorOptions& options) {
  return from_blob(data, sizes, {}, std::move(deleter), options);
}

Tensor from_host(const void* data, IntArrayRef sizes, const TensorOptions& options) {
  Tensor t = empty(sizes, options);
  if (data == nullptr && t.numel() > 0)
    throw Error(ErrorKind::kValue, "from_host(" + describe(t) + "): data is null");
  devices::copy_bytes(t.device(), t.impl()->data, kCPU, data, t.nbytes());
  return t;
}

namespace {
// What was made on the CPU, where the options want it.
Tensor placed(Tensor made, const TensorOptions& options) {
  return options.device().is_cpu() ? made : devices::copy_to(options.device(), *made.impl());
}
}  // namespace

Tensor tensor(const Scalar& value, const TensorOptions& options) {
  const Dtype natural = value.is_float()                      ? kFloat32
                        : value.kind() == Scalar::Kind::kBool ? kBool
                                                              : kInt64;
  Tensor t = empty({}, TensorOptions(options.dtype_opt().value_or(natural)).device(kCPU));
  store_element(t.dtype(), t.impl()->data, value);
  return placed(std::move(t), options);
}

template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values,
                                               const TensorOptions& options) {
  const Dtype natural = std::is_floating_point_v<T> ? kFloat32
                        : std::is_same_v<T, bool>   ? kBool
                                                    : kInt64;
  const Dtype dtype = options.dtype_opt().value_or(natural);
  Tensor t = empty({static_cast<int64_t>(values.size())}, TensorOptions(dtype).device(kCPU));
  for (size_t i = 0; i < values.size(); ++i)
    store_element(dtype, t.impl()->data + i * byte_size(dtype), Scalar(static_cast<T>(values[i])));
  return placed(std::move(t), options);
}

template Tensor tensor(const std::vector<float>&, const TensorOptions&);
template Tensor tensor(const std::vector<double>&, const TensorOptions&);
template Tensor tensor(const std::vector<int>&, const TensorOptions&);
template Tensor tensor(const std::vector<long>&, const TensorOptions&);
template Tensor tensor(const std::vector<long long>&, const TensorOptions&);
template Tensor tensor(const std::vector<short>&, const TensorOptions&);
template Tensor tensor(const std::vector<signed char>&, const TensorOptions&);
template Tensor tensor(const std::vector<unsigned char>&, const TensorOptions&);
template Tensor tensor(const std::vector<bool>&, const TensorOptions&);

}  // namespace frit

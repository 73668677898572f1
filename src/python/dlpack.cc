// DLPack, the exchange of tensors between libraries without a copy: a capsule holds a description
// of the memory, and who takes it over says when it is done with it.
//
// Memory that another library may write to is write-exposed, either way, as with NumPy.
#include <memory>
#include <vector>

#include "src/python/convert.h"
#include "src/python/tensor_methods.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// The structures that DLPack lays down (version 0), under its own names.
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

constexpr int32_t kCpu = 1;
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBoolean = 6 };
// What is in a capsule, and in one that somebody has taken over.
constexpr const char* kFull = "dltensor";
constexpr const char* kTaken = "used_dltensor";

TypeCode code_of(Dtype dtype) {
  if (dtype == kBool) return kBoolean;
  if (dtype == kBFloat16) return kBfloat;
  if (is_floating_point(dtype)) return kFloat;
  return dtype == kUInt8 ? kUInt : kInt;
}

Dtype dtype_of(const DLDataType& type) {
  for (int i = 0; i < kNumDtypes; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (code_of(dtype) == type.code && byte_size(dtype) * 8 == type.bits && type.lanes == 1)
      return dtype;
  }
  throw Error(ErrorKind::kRuntime, "from_dlpack(): no tensor has elements of code " +
                                       std::to_string(type.code) + " and " +
                                       std::to_string(type.bits) + " bits");
}

// What the taker of a capsule keeps until its deleter is called, which may be on any thread.
struct Lent {
  Tensor tensor;
  std::vector<int64_t> sizes, strides;
  DLManagedTensor managed;
};

void drop_lent(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kFull)) return;  // taken over
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kFull));
  managed->deleter(managed);
}

PyObject* to_dlpack(PyObject*, PyObject* object) {
  return guarded([&] {
    if (!is_tensor(object)) throw Error(ErrorKind::kType, "to_dlpack(): expected a Tensor");
    auto lent = std::make_unique<Lent>();
    lent->tensor = tensor_of(object);
    if (!lent->tensor.device().is_cpu())
      throw Error(ErrorKind::kRuntime,
                  "to_dlpack(): the tensor is on " + lent->tensor.device().str());
    const Tensor& x = lent->tensor;
    for (int64_t size : x.sizes()) lent->sizes.push_back(size);
    for (int64_t stride : x.strides()) lent->strides.push_back(stride);
    DLTensor& view = lent->managed.dl_tensor;
    view = {x.data_ptr(),
            {kCpu, 0},
            static_cast<int32_t>(x.dim()),
            {code_of(x.dtype()), static_cast<uint8_t>(8 * byte_size(x.dtype())), 1},
            lent->sizes.data(),
            lent->strides.data(),
            0};
    lent->managed.manager_ctx = lent.get();
    lent->managed.deleter = [](DLManagedTensor* m) { delete static_cast<Lent*>(m->manager_ctx); };
    Ref capsule = own(PyCapsule_New(&lent->managed, kFull, drop_lent));
    lent.release();
    return capsule.release();
  });
}

// Gives back what was taken over, when the last tensor on it is gone.
constexpr const char* kBorrowed = "frit.borrowed";
void give_back_borrowed(PyObject* capsule) {
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kBorrowed));
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  return guarded([&] {
    if (!PyCapsule_IsValid(capsule, kFull))
      throw Error(ErrorKind::kRuntime,
                  "from_dlpack(): expected a capsule with a tensor that nobody has taken over yet");
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kFull));
    const DLTensor& view = managed->dl_tensor;
    if (view.device.device_type != kCpu)
      throw Error(ErrorKind::kRuntime, "from_dlpack(): the memory is not the CPU's");
    const Dtype dtype = dtype_of(view.dtype);
    const std::vector<int64_t> sizes(view.shape, view.shape + view.ndim);
    std::vector<int64_t> strides;
    if (view.strides != nullptr) strides.assign(view.strides, view.strides + view.ndim);
    Ref owner = own(PyCapsule_New(managed, kBorrowed, give_back_borrowed));
    checked(PyCapsule_SetName(capsule, kTaken));
    release_waiting();
    PyObject* memory = owner.release();
    return wrap(from_blob(
        static_cast<std::byte*>(view.data) + view.byte_offset, sizes, strides,
        [memory](void*) { release_later(memory); }, dtype));
  });
}

}  // namespace

std::vector<PyMethodDef> dlpack_functions() {
  return {{"_to_dlpack", to_dlpack, METH_O, nullptr},
          {"_from_dlpack", from_dlpack, METH_O, nullptr}};
}

}  // namespace frit::python

// Memory shared with NumPy and whoever else knows the buffer protocol. NumPy itself is not linked.
//
// A buffer of a tensor is memory that the host may write to unnoticed, so the tensor is
// write-exposed from then on. A tensor on foreign memory holds a memoryview of it, which is dropped
// later (release_later), since the last tensor may die anywhere.
#include <cstring>
#include <memory>

#include "src/python/convert.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// Format characters of the struct module; none for bf16.
constexpr const char* kFormats[kNumDtypes] = {"d", "f", nullptr, "e", "q", "i", "h", "b", "B", "?"};

// What a buffer points to besides the elements, kept until it is given back.
struct Exported {
  Tensor tensor;
  std::vector<Py_ssize_t> shape, strides;  // strides in bytes
};

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  return guarded(-1, [&] {
    buffer->obj = nullptr;
    const Tensor& tensor = tensor_of(self);
    if (!tensor.device().is_cpu())
      throw Error(ErrorKind::kType, "numpy(): the elements are on " + tensor.device().str() +
                                        ": copy them with cpu()");
    const char* format = kFormats[static_cast<int>(tensor.dtype())];
    if (format == nullptr)
      throw Error(ErrorKind::kType,
                  "numpy(bf16): NumPy has no such dtype: convert with .float() first");
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !tensor.is_contiguous())
      throw Error(ErrorKind::kType,
                  "buffer(tensor): not contiguous, and strides were not asked for");
    auto exported = std::make_unique<Exported>();
    exported->tensor = tensor;
    for (int64_t size : tensor.sizes()) exported->shape.push_back(size);
    for (int64_t stride : tensor.strides())
      exported->strides.push_back(stride * tensor.element_size());
    buffer->buf = tensor.data_ptr();
    buffer->len = tensor.nbytes();
    buffer->itemsize = tensor.element_size();
    buffer->readonly = 0;
    buffer->ndim = static_cast<int>(tensor.dim());
    buffer->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    buffer->shape = flags & PyBUF_ND ? exported->shape.data() : nullptr;
    buffer->strides = flags & PyBUF_STRIDES ? exported->strides.data() : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = exported.release();
    buffer->obj = share(self).release();
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* buffer) {
  delete static_cast<Exported*>(buffer->internal);
}

// The dtype of a buffer's elements, by kind and size: C's long is an i64 here.
std::optional<Dtype> dtype_of_buffer(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == 0 || format[1] != 0) return std::nullopt;
  if (std::strchr("ilqbhn", *format) != nullptr) {
    switch (buffer.itemsize) {
      case 8:
        return kInt64;
      case 4:
        return kInt32;
      case 2:
        return kInt16;
      default:
        return kInt8;
    }
  }
  for (int i = 0; i < kNumDtypes; ++i)
    if (kFormats[i] != nullptr && *kFormats[i] == *format) return static_cast<Dtype>(i);
  return std::nullopt;
}

PyBufferProcs procs = {get_buffer, release_buffer};

}  // namespace

bool is_numpy_array(PyObject* object) {
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base)
    if (std::strcmp(type->tp_name, "numpy.ndarray") == 0) return true;
  return false;
}

Tensor tensor_sharing(PyObject* object) {
  Ref holder = own(PyMemoryView_FromObject(object));
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(holder.get());
  const std::optional<Dtype> dtype = dtype_of_buffer(buffer);
  if (!dtype)
    throw Error(ErrorKind::kType, "from_numpy(): no tensor has elements of format '" +
                                      std::string(buffer.format) + "'");
  std::vector<int64_t> sizes, strides;
  for (int d = 0; d < buffer.ndim; ++d) {
    if (buffer.strides[d] < 0 || buffer.strides[d] % buffer.itemsize != 0)
      throw Error(
          ErrorKind::kValue,
          "from_numpy(): a stride is negative or no multiple of the element: copy it first");
    sizes.push_back(buffer.shape[d]);
    strides.push_back(buffer.strides[d] / buffer.itemsize);
  }
  release_waiting();
  PyObject* memory = holder.release();
  return from_blob(
      buffer.buf, sizes, strides, [memory](void*) { release_later(memory); }, *dtype);
}

Ref to_numpy(PyObject* tensor) {
  if (tensor_of(tensor).dtype() == kBFloat16)
    throw Error(ErrorKind::kType,
                "numpy(bf16): NumPy has no such dtype: convert with .float() first");
  if (!tensor_of(tensor).device().is_cpu())  // NumPy would ask again and again
    throw Error(ErrorKind::kType, "numpy(): the elements are on " +
                                      tensor_of(tensor).device().str() + ": copy them with cpu()");
  const Ref numpy = own(PyImport_ImportModule("numpy"));
  return own(PyObject_CallMethod(numpy.get(), "asarray", "O", tensor));
}

void set_buffer_slots(PyTypeObject* type) { type->tp_as_buffer = &procs; }

}  // namespace frit::python

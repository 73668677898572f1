// Indexing: reads what stands between the brackets; integers, slices and None are views, tensors
// and masks choose elements. Writing goes to a view where there is one. With index tensors the
// positions of the chosen elements are found by indexing the numbers of all elements, and written
// one by one in row-major order of the indices, so that the last of equal ones stays.
#include "src/python/indexing.h"

#include "src/python/convert.h"

namespace frit::python {
namespace {

bool is_integer(PyObject* object) {
  return (PyLong_Check(object) && !PyBool_Check(object)) ||
         (!is_tensor(object) && !PyBool_Check(object) && is_number(object) &&
          PyIndex_Check(object) && !PyFloat_Check(object));
}

int64_t integer_of(PyObject* object) {
  const Ref index = own(PyNumber_Index(object));
  const int64_t value = PyLong_AsLongLong(index.get());
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

std::optional<int64_t> slice_end(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (!PyIndex_Check(object))
    throw Error(ErrorKind::kType, "index: slices have integers or None, not " + type_name(object));
  // Beyond 64 bits is beyond every tensor.
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

TensorIndex slice_entry(PyObject* object) {
  const auto* slice = reinterpret_cast<PySliceObject*>(object);
  return Slice(slice_end(slice->start), slice_end(slice->stop), slice_end(slice->step).value_or(1));
}

bool is_mask(const Tensor& t) { return t.dtype() == kBool || t.dtype() == kUInt8; }

TensorIndex tensor_entry(const Tensor& index) {
  // An integer in a tensor is an integer.
  if (index.dim() == 0 && !is_mask(index)) {
    if (is_floating_point(index.dtype()))
      throw Error(ErrorKind::kIndex, "index: an index tensor is neither integer nor bool");
    return index.item<int64_t>();
  }
  return index;
}

TensorIndex entry_of(PyObject* object) {
  if (is_integer(object)) return integer_of(object);
  if (PySlice_Check(object)) return slice_entry(object);
  if (object == Py_None) return None;
  if (object == Py_Ellipsis) return Ellipsis;
  if (is_tensor(object)) return tensor_entry(tensor_of(object));
  if (PyBool_Check(object)) return full({}, object == Py_True);
  if (PyList_Check(object) || PyTuple_Check(object) || is_numpy_array(object)) {
    const Tensor index = tensor_from(object, std::nullopt);
    // An empty list has no element to take a dtype from.
    if (is_mask(index) || (is_floating_point(index.dtype()) && index.numel() > 0)) return index;
    return to(index, kInt64);
  }
  throw Error(ErrorKind::kType,
              "index: only integers, slices, ..., None and tensors, not " + type_name(object));
}

// A short list that holds more than numbers is taken for a tuple, as in NumPy of old.
bool stands_for_tuple(PyObject* index) {
  if (PyTuple_Check(index)) return true;
  if (!PyList_Check(index) || PyList_GET_SIZE(index) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); ++i) {
    PyObject* item = PyList_GET_ITEM(index, i);
    if (is_tensor(item) || PySequence_Check(item) || PySlice_Check(item) || item == Py_None ||
        item == Py_Ellipsis)
      return true;
  }
  return false;
}

std::vector<TensorIndex> entries_of(PyObject* index) {
  std::vector<TensorIndex> entries;
  if (!stands_for_tuple(index)) {
    entries.push_back(entry_of(index));
    return entries;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(index); ++i)
    entries.push_back(entry_of(PySequence_Fast_GET_ITEM(index, i)));
  return entries;
}

bool has_tensor(const std::vector<TensorIndex>& entries) {
  for (const TensorIndex& entry : entries)
    if (entry.kind == TensorIndex::Kind::kTensor) return true;
  return false;
}

// As PyTorch: dimensions of size 1 in front of what is needed do not count.
Tensor without_leading_ones(const Tensor& value, int64_t rank) {
  Tensor result = value;
  while (result.dim() > rank && result.size(0) == 1) result = select(result, 0, 0);
  return result;
}

void write_to_view(const Tensor& view, const Number& value) {
  if (!value.is_tensor()) {
    view.fill_(value.scalar);
    return;
  }
  const ReleaseGil release(view.numel() >= kElementsWithoutGil);
  view.copy_(without_leading_ones(*value.tensor, view.dim()));
}

// Writes the elements of `values` to those of `x` whose row-major numbers are in `positions`.
template <class T>
void scatter(const Tensor& x, const Tensor& positions, const Tensor& values) {
  const IntArrayRef sizes = x.sizes(), strides = x.strides();
  x.with_data<T>([&](T* target) {
    positions.with_data<const int64_t>([&](const int64_t* position) {
      values.with_data<const T>([&](const T* value) {
        for (int64_t i = 0; i < positions.numel(); ++i) {
          int64_t rest = position[i], offset = 0;
          for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
            offset += rest % sizes[d] * strides[d];
          target[offset] = value[i];
        }
      });
    });
  });
}

void write_to_chosen(const Tensor& x, const std::vector<TensorIndex>& entries, const Number& value);

// On a copy here.
void write_to_chosen_elsewhere(const Tensor& x, std::vector<TensorIndex> entries,
                               const Number& value) {
  for (TensorIndex& entry : entries)
    if (entry.kind == TensorIndex::Kind::kTensor) entry.tensor = entry.tensor.cpu();
  const Tensor here = x.cpu();
  Tensor tensor;
  Number moved = value;
  if (value.is_tensor()) {
    tensor = value.tensor->cpu();
    moved.tensor = &tensor;
  }
  write_to_chosen(here, entries, moved);
  x.copy_(here);
}

void write_to_chosen(const Tensor& x, const std::vector<TensorIndex>& entries,
                     const Number& value) {
  if (!x.device().is_cpu()) return write_to_chosen_elsewhere(x, entries, value);
  const Tensor numbers = view(arange(x.numel(), kCPU), x.sizes());
  const Tensor positions = contiguous(index(numbers, entries));
  const Tensor source = value.is_tensor() ? without_leading_ones(*value.tensor, positions.dim())
                                          : full({}, value.scalar, x.options());
  // A copy, since the value may be a part of x.
  const Tensor values = clone(contiguous(expand(to(source, x.dtype()), positions.sizes())));
  with_element_type(x.dtype(),
                    [&](auto element) { scatter<decltype(element)>(x, positions, values); });
}

// A mask alone and one value for all: no need to know how many elements it chooses.
bool write_by_mask(const Tensor& x, const std::vector<TensorIndex>& entries, const Number& value) {
  if (entries.size() != 1 || entries[0].tensor.dtype() != kBool) return false;
  if (value.is_tensor() && value.tensor->dim() != 0) return false;
  Tensor mask = entries[0].tensor.to(x.device());
  if (mask.dim() == 0 || mask.dim() > x.dim()) return false;
  for (int64_t d = 0; d < mask.dim(); ++d)
    if (mask.size(d) != x.size(d)) return false;
  while (mask.dim() < x.dim()) mask = unsqueeze(mask, -1);
  const Tensor source =
      value.is_tensor() ? to(*value.tensor, x.dtype()) : full({}, value.scalar, x.options());
  x.copy_(where(mask, source, x));
  return true;
}

PyObject* subscript(PyObject* self, PyObject* index) {
  return guarded([&] { return get_item(tensor_of(self), index); });
}

int assign_subscript(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(-1, [&] {
    if (value == nullptr)
      throw Error(ErrorKind::kType, "del tensor[...]: elements cannot be removed");
    Number number;
    if (!read(value, &number)) {
      if (!PyList_Check(value) && !PyTuple_Check(value))
        throw Error(ErrorKind::kType, "tensor[...] = value: the value is a " + type_name(value));
      number.owned = tensor_from(value, tensor_of(self).dtype());
      number.tensor = &number.owned;
    }
    set_item(tensor_of(self), index, number);
    return 0;
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&] {
    const Tensor& x = tensor_of(self);
    if (x.dim() == 0) throw Error(ErrorKind::kType, "len(tensor): it has no dimensions");
    return static_cast<Py_ssize_t>(x.size(0));
  });
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    if (x.dim() == 0) throw Error(ErrorKind::kType, "iter(tensor): it has no dimensions");
    const std::vector<Tensor> rows = unbind(x);
    const Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(rows.size())));
    for (size_t i = 0; i < rows.size(); ++i)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(rows[i]));
    return own(PyObject_GetIter(tuple.get())).release();
  });
}

// value in tensor: whether any element equals it.
int contains(PyObject* self, PyObject* value) {
  return guarded(-1, [&] {
    Number number;
    if (!read(value, &number))
      throw Error(ErrorKind::kRuntime, "in: expected a Tensor or number, not " + type_name(value));
    const Tensor& x = tensor_of(self);
    const Tensor equal = number.is_tensor() ? eq(x, *number.tensor) : eq(x, number.scalar);
    return any(equal).item<bool>() ? 1 : 0;
  });
}

PyMappingMethods mapping = {length, subscript, assign_subscript};
PySequenceMethods sequence = {};

}  // namespace

PyObject* get_item(const Tensor& x, PyObject* index) {
  if (PyLong_CheckExact(index)) return wrap(select(x, 0, integer_of(index)));
  return wrap(frit::index(x, entries_of(index)));
}

std::vector<TensorIndex> read_index(PyObject* index) { return entries_of(index); }

void set_item(const Tensor& x, PyObject* index, const Number& value) {
  const std::vector<TensorIndex> entries = entries_of(index);
  if (!has_tensor(entries)) return write_to_view(frit::index(x, entries), value);
  if (!write_by_mask(x, entries, value)) write_to_chosen(x, entries, value);
}

void set_mapping_slots(PyTypeObject* type) {
  sequence.sq_length = length;
  sequence.sq_contains = contains;
  type->tp_as_mapping = &mapping;
  type->tp_as_sequence = &sequence;
  type->tp_iter = iterate;
}

}  // namespace frit::python

// Elements of strided memory by index, for the reference loops. Private to src/ops/reference.
#pragma once

#include <cstring>

#include "src/ops/call.h"
#include "src/ops/infer.h"
#include "src/ops/reference/apply_scalar.h"
#include "src/tensor/convert.h"

namespace frit::reference {

// A tensor's memory; does not own it.
struct Elements {
  const Layout* layout;
  std::byte* data;

  Elements(const Layout* l, std::byte* d) : layout(l), data(d) {}
  Elements(const TensorImpl* t) : layout(t->layout), data(t->data) {}  // NOLINT
  Elements(const Tensor& t) : Elements(t.impl()) {}                    // NOLINT

  Dtype dtype() const { return layout->dtype; }
  // `offset` in elements from the first.
  uint64_t load(int64_t offset) const {
    const int size = byte_size(layout->dtype);
    uint64_t bits = 0;
    std::memcpy(&bits, data + offset * size, static_cast<size_t>(size));
    return bits;
  }
  uint64_t load_as(Dtype dtype, int64_t offset) const {
    return cast_scalar(layout->dtype, dtype, load(offset));
  }
  void store(int64_t offset, uint64_t bits) const {
    const int size = byte_size(layout->dtype);
    std::memcpy(data + offset * size, &bits, static_cast<size_t>(size));
  }
};

// A number of a float or integer type as bits, and back.
template <class T>
T number(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// A host number as an element.
inline uint64_t scalar_bits(Dtype dtype, const Scalar& scalar) {
  uint64_t bits = 0;
  store_element(dtype, &bits, scalar);
  return bits;
}

// Counts through sizes in row-major order:  for (Index i(sizes); i.valid(); i.next()) ...
class Index {
 public:
  explicit Index(IntArrayRef sizes) : sizes_(sizes) {
    for (int d = 0; d < sizes_.rank; ++d) {
      at_.push_back(0);
      valid_ &= sizes_[d] > 0;
    }
  }
  bool valid() const { return valid_; }
  void next() {
    for (int d = sizes_.rank; d-- > 0;) {
      if (++at_[d] < sizes_[d]) return;
      at_[d] = 0;
    }
    valid_ = false;
  }
  int64_t operator[](int d) const { return at_[d]; }
  int rank() const { return sizes_.rank; }

  // The offset of this index under strides, one for each dimension.
  int64_t offset(IntArrayRef strides) const {
    int64_t offset = 0;
    for (int d = 0; d < sizes_.rank; ++d) offset += at_[d] * strides[static_cast<size_t>(d)];
    return offset;
  }
  // The same in a layout that broadcasts to the sizes.
  int64_t offset_in(const Layout& layout) const {
    const int shift = sizes_.rank - layout.rank;
    int64_t offset = 0;
    for (int d = 0; d < layout.rank; ++d)
      if (layout.size(d) != 1) offset += at_[d + shift] * layout.stride(d);
    return offset;
  }

 private:
  Dims sizes_, at_;
  bool valid_ = true;
};

// A new tensor for a result.
inline Tensor new_result(const ResultTypes& types, int i = 0) {
  return new_tensor(types.results[i].layout);
}

// Copies all elements of `from`, which broadcasts to `to`, converting them.
void copy_elements(const Elements& to, const Elements& from);
// The elements in another dtype, row-major.
Tensor converted(const Elements& from, Dtype dtype);

// One function a family, as in src/ops/rules.h.
void run_elementwise(const OpCall& call, Tensor* results);
void run_cast(const OpCall& call, Tensor* results);
void run_reduce(const OpCall& call, Tensor* results);
void run_arg_reduce(const OpCall& call, Tensor* results);
void run_scan(const OpCall& call, Tensor* results);
void run_move(const OpCall& call, Tensor* results);
void run_copy(const OpCall& call, Tensor* results);
void run_cat(const OpCall& call, Tensor* results);
void run_pad(const OpCall& call, Tensor* results);
void run_index(const OpCall& call, Tensor* results);
void run_scatter(const OpCall& call, Tensor* results);
void run_sort(const OpCall& call, Tensor* results);
void run_contract(const OpCall& call, Tensor* results);
void run_pool(const OpCall& call, Tensor* results);
void run_windows(const OpCall& call, Tensor* results);         // max_pool, avg_pool, adaptive ones
void run_conv_transpose(const OpCall& call, Tensor* results);  // of kContract
void run_linalg(const OpCall& call, Tensor* results);
void run_recurrent(const OpCall& call, Tensor* results);
void run_fft(const OpCall& call, Tensor* results);
void run_resample(const OpCall& call, Tensor* results);
void run_create(const OpCall& call, Tensor* results);
void run_store(const OpCall& call);

}  // namespace frit::reference

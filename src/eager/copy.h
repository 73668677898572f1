// Copies between layouts: the loops behind clone, contiguous, cat, pad, store and cast.
#pragma once

#include <cstddef>

#include "src/tensor/tensor_impl.h"

namespace frit::eager {

// dst[i] = src[i] for every index of dst; src broadcasts to dst's sizes. Dtypes are equal and the
// two do not overlap.
void copy_elements(const Layout& dst_layout, std::byte* dst, const Layout& src_layout,
                   const std::byte* src);

// The same for any dtypes: elements are cast as `cast` does.
void convert_elements(const Layout& dst_layout, std::byte* dst, const Layout& src_layout,
                      const std::byte* src);

// Fills `out` with what lies at strides of any sign, one for each of its dims, as no layout has
// them.
void copy_strided(const Tensor& out, IntArrayRef strides, const std::byte* from);

// Every element becomes `value`, converted to the layout's dtype.
void fill_elements(const Layout& layout, std::byte* data, const Scalar& value);

// The tensor itself where it is row-major, else a row-major copy.
Tensor to_contiguous(TensorImpl* t);
// A new row-major tensor with the same elements.
Tensor to_contiguous_copy(const TensorImpl* t);
// The tensor itself where it has the dtype, else a copy cast to it that keeps a dense layout.
Tensor to_dtype(TensorImpl* t, Dtype dtype);

}  // namespace frit::eager

// Layouts that differ in what strides say of dimensions of size 1, and in nothing else.
#pragma once

#include "src/tensor/layout.h"

namespace frit {

// Whether both have the same elements at the same places: a dimension of size 1 may have any
// stride, and a tensor without elements any strides. Type, device and sizes are equal.
bool same_places(const Layout& a, const Layout& b);

}  // namespace frit

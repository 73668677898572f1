// Layouts that differ in what strides say of dimensions of size 1, and in nothing else.
#pragma once

#include "src/tensor/layout.h"

namespace frit {

// Whether both have the same elements at the same places: type, device and sizes are equal, and so
// are the strides where a dimension has more than one element. False where there are no elements.
bool same_places(const Layout& a, const Layout& b);

}  // namespace frit

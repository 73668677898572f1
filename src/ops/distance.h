// How distances of rows are computed, which is eager's business too.
#pragma once

#include "src/tensor/layout.h"

namespace frit {

// Whether cdist of these matrices is a product of them: for p = 2 and many rows. Else it is a norm
// of each difference.
bool cdist_is_product(const Layout& x, const Layout& y, double p);

}  // namespace frit

#include "src/tensor/same_places.h"

namespace frit {

bool same_places(const Layout& a, const Layout& b) {
  const bool same_kind = a.dtype == b.dtype && a.device == b.device && a.sizes() == b.sizes();
  if (!same_kind || a.numel == 0) return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.size(d) != 1 && a.stride(d) != b.stride(d)) return false;
  return true;
}

}  // namespace frit

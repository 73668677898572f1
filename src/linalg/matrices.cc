// The sizes of caches that Eigen is told, those of a common processor.
#include "src/linalg/matrices.h"

namespace frit::dense {

void set_cache_sizes() {
  static const bool done = [] {
    Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace frit::dense

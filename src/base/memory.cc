// Asks the system how much memory there is.
#include "src/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace frit::base {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The number in a file of the control group; "max", a missing file and what is no number: none.
int64_t limit_in(const char* path) {
  std::ifstream file(path);
  int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kNoLimit;
}

int64_t find_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  const int64_t machine = pages > 0 && page_size > 0 ? pages * page_size : kNoLimit;
  return std::min({machine, limit_in("/sys/fs/cgroup/memory.max"),
                   limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

}  // namespace

int64_t memory_limit() {
  static const int64_t limit = find_limit();
  return limit;
}

}  // namespace frit::base

// Asks the system how much memory there is.
#include "src/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>

#include "frit/error.h"

namespace frit::base {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The number in a file of the control group; "max", a missing file and what is no number: none.
int64_t limit_in(const char* path) {
  std::ifstream file(path);
  int64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kNoLimit;
}

// The lowest limit of a group and of those that it is in, up to the root of the mount.
int64_t limit_upward(const std::string& mount, std::string group, const char* file) {
  int64_t limit = limit_in((mount + "/" + file).c_str());
  while (group.size() > 1) {
    limit = std::min(limit, limit_in((mount + group + "/" + file).c_str()));
    group.resize(std::min(group.rfind('/'), group.size()));
  }
  return limit;
}

int64_t find_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  const int64_t machine = pages > 0 && page_size > 0 ? pages * page_size : kNoLimit;
  std::ifstream groups("/proc/self/cgroup");
  return std::min(machine, group_memory_limit(groups, "/sys/fs/cgroup"));
}

std::atomic<int64_t>& stated_limit() {
  static std::atomic<int64_t> limit = find_limit();
  return limit;
}

}  // namespace

// A line is `number:controllers:/path`; without controllers it is the one of version 2.
int64_t group_memory_limit(std::istream& groups, const std::string& mount) {
  int64_t limit = std::min(limit_in((mount + "/memory.max").c_str()),
                           limit_in((mount + "/memory/memory.limit_in_bytes").c_str()));
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      limit = std::min(limit, limit_upward(mount, path, "memory.max"));
    } else if (controllers.find(",memory,") != controllers.npos) {
      limit = std::min(limit, limit_upward(mount + "/memory", path, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

int64_t memory_limit() { return stated_limit().load(std::memory_order_relaxed); }

void throw_out_of_memory(const char* what) {
  throw Error(ErrorKind::kOutOfMemory,
              std::string(what) + ": out of memory: the system gives no more");
}

void set_memory_limit(int64_t bytes) { stated_limit().store(bytes, std::memory_order_relaxed); }

}  // namespace frit::base

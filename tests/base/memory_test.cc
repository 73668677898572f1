// How much memory a process may have, by the files of its control groups.
#include "src/base/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace frit::base {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

// Files under a folder of this test.
class Groups {
 public:
  Groups() { std::filesystem::remove_all(root_); }
  ~Groups() { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text;
  }
  int64_t limit(const std::string& groups) {
    std::istringstream text(groups);
    return group_memory_limit(text, root_);
  }

 private:
  std::string root_ = testing::TempDir() + "groups";
};

TEST(MemoryLimit, IsThatOfTheNestedGroup) {
  Groups groups;
  groups.write("/a/b/memory.max", "1000\n");
  groups.write("/a/memory.max", "max\n");
  EXPECT_EQ(groups.limit("0::/a/b\n"), 1000);
  EXPECT_EQ(groups.limit("0::/a\n"), kNone);
}

TEST(MemoryLimit, IsTheLowestOnTheWayUp) {
  Groups groups;
  groups.write("/a/b/memory.max", "3000\n");
  groups.write("/a/memory.max", "2000\n");
  EXPECT_EQ(groups.limit("0::/a/b\n"), 2000);
  groups.write("/memory.max", "500\n");
  EXPECT_EQ(groups.limit("0::/a/b\n"), 500);
}

TEST(MemoryLimit, IsReadFromVersionOneToo) {
  Groups groups;
  groups.write("/memory/job/memory.limit_in_bytes", "4000\n");
  EXPECT_EQ(groups.limit("5:cpu:/\n4:hugetlb,memory:/job/inner\n0::/\n"), 4000);
}

TEST(MemoryLimit, IsNoneWhereNothingSaysSo) {
  Groups groups;
  EXPECT_EQ(groups.limit(""), kNone);
  EXPECT_EQ(groups.limit("nonsense\n0::\n3:memory:/../outside\n"), kNone);
}

}  // namespace
}  // namespace frit::base

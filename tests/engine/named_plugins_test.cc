// FRIT_PLUGINS: what it names is there before backends are looked for; what fails is said on
// stderr.
#include <gtest/gtest.h>

#include <string>

#include "frit/frit.h"
#include "src/base/flags.h"

namespace frit {
namespace {

// One test, since it looks at what happens first in a process.
TEST(NamedPlugins, AreLoadedBeforeBackendsAreLookedFor) {
  const std::string folder = "tests/engine/plugins/";
  base::mutable_flags().plugins =
      folder + "plain.so:" + folder + "newer_major.so::nowhere.so:" + folder + "old.so";
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(compile([](const Tensor& x) { return x; }, {.backend = "old"}));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("newer_major.so): other version"), std::string::npos) << said;
  EXPECT_NE(said.find("frit: FRIT_PLUGINS: load_plugin(nowhere.so): no such plug-in"),
            std::string::npos)
      << said;
  const std::vector<PluginInfo> plugins = list_plugins();
  ASSERT_EQ(plugins.size(), 2u);
  EXPECT_EQ(plugins[0].name, "plain");
  EXPECT_EQ(plugins[1].name, "old");
}

}  // namespace
}  // namespace frit

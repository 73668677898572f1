// The interface of plug-ins begins with what its older minor versions had.
#include <gtest/gtest.h>

#include <cstddef>

#include "frit/plugin.h"

#undef FRIT_PLUGIN_H_
#undef FRIT_PLUGIN_MAJOR
#undef FRIT_PLUGIN_MINOR
#undef FRIT_PLUGIN_OK
#undef FRIT_PLUGIN_FAILED
#undef FRIT_PLUGIN_HAS
#undef FRIT_PLUGIN_EXPORT
#undef FRIT_PLUGIN_ABI
#define frit_plugin_init old_plugin_init  // another function
namespace old {
#include "tests/engine/plugins/plugin_1_1.h"
}

namespace {

#define EXPECT_SAME_PLACE(type, member) \
  EXPECT_EQ(offsetof(type, member), offsetof(old::type, member)) << #type "::" #member

TEST(PluginLayout, OfStructsWithoutSizeIsThatOf1Dot1) {
  EXPECT_EQ(sizeof(frit_tensor), sizeof(old::frit_tensor));
  EXPECT_EQ(sizeof(frit_type), sizeof(old::frit_type));
  EXPECT_SAME_PLACE(frit_tensor, data);
  EXPECT_SAME_PLACE(frit_tensor, strides);
  EXPECT_SAME_PLACE(frit_tensor, dtype);
  EXPECT_SAME_PLACE(frit_tensor, device_index);
  EXPECT_SAME_PLACE(frit_type, strides);
  EXPECT_SAME_PLACE(frit_type, dtype);
  EXPECT_SAME_PLACE(frit_type, kind);
}

TEST(PluginLayout, OfStructsWithSizeBeginsWithThatOf1Dot1) {
  EXPECT_SAME_PLACE(frit_graph, text);
  EXPECT_SAME_PLACE(frit_graph, num_outputs);
  EXPECT_SAME_PLACE(frit_compiled, run);
  EXPECT_SAME_PLACE(frit_compiled, destroy);
  EXPECT_SAME_PLACE(frit_backend, compile);
  EXPECT_SAME_PLACE(frit_backend, keep);
  EXPECT_SAME_PLACE(frit_plugin, version);
  EXPECT_SAME_PLACE(frit_host, set_error);
  EXPECT_SAME_PLACE(frit_host, register_backend);
  EXPECT_SAME_PLACE(frit_host, log);
  EXPECT_GE(sizeof(frit_host), sizeof(old::frit_host));
}

TEST(PluginLayout, KeepsItsNumbers) {
  EXPECT_EQ(static_cast<int>(FRIT_F64), static_cast<int>(old::FRIT_F64));
  EXPECT_EQ(static_cast<int>(FRIT_BOOL), static_cast<int>(old::FRIT_BOOL));
  EXPECT_EQ(static_cast<int>(FRIT_NUMBER), static_cast<int>(old::FRIT_NUMBER));
  EXPECT_EQ(static_cast<int>(FRIT_STAGE_NORMALIZED), static_cast<int>(old::FRIT_STAGE_NORMALIZED));
}

}  // namespace

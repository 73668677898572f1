// JSON as a reader of it expects it.
#include "src/base/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace frit::base {
namespace {

TEST(Json, SeparatesMembersAndElements) {
  JsonWriter json;
  json.begin_object().key("a").begin_array().value(1).value(2.5).value(true).end_array();
  json.key("b").begin_object().end_object().key("c").begin_array().end_array().end_object();
  EXPECT_EQ(json.str(), R"({"a":[1,2.5,true],"b":{},"c":[]})");
}

TEST(Json, EscapesWhatTextMayHold) {
  EXPECT_EQ(json_string("say \"no\"\\\n\x01"), R"("say \"no\"\\\u000a\u0001")");
  EXPECT_EQ(json_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST(Json, ReplacesBytesThatAreNoText) {
  for (const char* bytes : {"\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_EQ(json_string(bytes).substr(0, 7), "\"\\ufffd") << bytes;
}

TEST(Json, HasNoFormForInfinityAndNaN) {
  JsonWriter json;
  json.begin_array().value(INFINITY).value(std::nan("")).value(-0.0).value(1e300).end_array();
  EXPECT_EQ(json.str(), "[null,null,-0.0,1e+300]");
}

}  // namespace
}  // namespace frit::base

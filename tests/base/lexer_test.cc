// Texts in quotes, as tokens of the text forms.
#include "src/base/lexer.h"

#include <gtest/gtest.h>

namespace frit::base {
namespace {

std::string read(const std::string& text) { return Lexer(text, "test").expect_text(); }

std::string error_of_reading(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Lexer, ReadsTextsInQuotes) {
  EXPECT_EQ(read("\"sum\""), "sum");
  EXPECT_EQ(read("'it is \"so\"'"), "it is \"so\"");
  EXPECT_EQ(read("\"\""), "");
  EXPECT_EQ(read("\"# no comment, -> %x\""), "# no comment, -> %x");
}

TEST(Lexer, ReadsEscapes) {
  EXPECT_EQ(read(R"("a\"b")"), "a\"b");
  EXPECT_EQ(read(R"("a\\")"), "a\\");
  EXPECT_EQ(read(R"("a\x0ab")"), "a\nb");
  EXPECT_EQ(read(R"("\\x41")"), "\\x41");
  EXPECT_EQ(read(R"("\x")"), "x");
  EXPECT_EQ(read(R"("\xzz")"), "xzz");
}

TEST(Lexer, GoesOnBehindATextInQuotes) {
  Lexer lexer("{mode='a b', n=2}", "test");
  lexer.expect("{");
  lexer.expect("mode");
  lexer.expect("=");
  EXPECT_EQ(lexer.peek().kind, TokenKind::kText);
  EXPECT_EQ(lexer.expect_text(), "a b");
  lexer.expect(",");
}

TEST(Lexer, RefusesWhatIsNoTextInQuotes) {
  EXPECT_EQ(error_of_reading("sum"),
            "test: line 1, column 1: expected a text in quotes, found 'sum'");
  EXPECT_EQ(error_of_reading("\"sum"),
            "test: line 1, column 1: expected a text in quotes, found '\"'");
  EXPECT_EQ(error_of_reading("\"a\\\""),
            "test: line 1, column 1: expected a text in quotes, found '\"'");
}

}  // namespace
}  // namespace frit::base

// Splits the text forms of graphs and kernels into tokens.
//
//   Lexer lexer(text, "graph");
//   lexer.expect("graph");
//   std::string_view name = lexer.expect_name();   // %mlp -> "mlp"
//
// Tokens are words (letters, digits, _ and .), names (% and a word), numbers, texts in double or
// single quotes, and single punctuation characters, but for "->". Blanks and # comments separate. A
// number takes the minus before it, but where signs are operators. Every error is an Error(kValue)
// of the form `what: line 3, column 7: expected ...`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frit/error.h"

namespace frit::base {

enum class TokenKind : uint8_t { kWord, kName, kNumber, kText, kPunctuation, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of a name: without the %; of a text: with its quotes
  int line = 1, column = 1;
};

enum class Signs : uint8_t { kOfNumbers, kOperators };

class Lexer {
 public:
  // `what` begins error texts. Both texts must outlive the lexer.
  Lexer(std::string_view text, std::string_view what, Signs signs = Signs::kOfNumbers);

  const Token& peek() const { return token_; }
  bool at(std::string_view text) const;  // a word or punctuation
  Token next();
  // Takes the token if it is `text`.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string_view expect_word();
  std::string_view expect_name();
  int64_t expect_int();
  // What stands between the quotes; \x0a is that byte, and otherwise a character after a backslash
  // stands for itself.
  std::string expect_text();
  bool at_end() const { return token_.kind == TokenKind::kEnd; }
  // Throws at the current token.
  [[noreturn]] void fail(const std::string& problem) const;
  // Throws at a token taken before; its text is not added to the problem's.
  [[noreturn]] void fail_at(const Token& token, ErrorKind kind, const std::string& problem) const;

 private:
  void advance();
  void skip_blanks();

  std::string_view text_, what_;
  Signs signs_;
  size_t position_ = 0;
  int line_ = 1;
  size_t line_start_ = 0;
  Token token_;
};

// The shortest text that reads back as the same double: 0.1, 1.0, -0.0, inf, nan, 1e-05.
std::string print_double(double value);
std::string print_float(float value);
// Reads what print_double writes, and integers. False when it is not a number as a whole.
bool parse_double(std::string_view text, double* value);
bool parse_int(std::string_view text, int64_t* value);

}  // namespace frit::base

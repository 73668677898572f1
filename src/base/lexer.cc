// Tokens of the text forms.
#include "src/base/lexer.h"

#include <charconv>
#include <cmath>

namespace frit::base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// The length of the text in quotes at the start; 0 where it does not end.
size_t text_length(std::string_view text) {
  if (text[0] != '"' && text[0] != '\'') return 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == text[0]) return i + 1;
    if (text[i] == '\\') ++i;
  }
  return 0;
}

// The length of the number at the start of `text`: [-]digits[.digits][e[+-]digits], or [-]inf,
// [-]nan.
size_t number_length(std::string_view text) {
  size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::string_view word = text.substr(i, 3);
  if (word == "inf" || word == "nan") {
    const bool ends = i + 3 == text.size() || !is_word(text[i + 3]);
    return ends ? i + 3 : 0;
  }
  if (i == text.size() || !is_digit(text[i])) return 0;
  while (i < text.size() && is_word(text[i])) {
    const bool exponent =
        text[i] == 'e' && i + 1 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-');
    i += exponent ? 2 : 1;
  }
  return i;
}

template <class T>
std::string print_shortest(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view what, Signs signs)
    : text_(text), what_(what), signs_(signs) {
  advance();
}

bool Lexer::at(std::string_view text) const {
  return (token_.kind == TokenKind::kWord || token_.kind == TokenKind::kPunctuation) &&
         token_.text == text;
}

Token Lexer::next() {
  const Token token = token_;
  advance();
  return token;
}

bool Lexer::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "'");
}

std::string_view Lexer::expect_word() {
  if (token_.kind != TokenKind::kWord) fail("expected a word");
  return next().text;
}

std::string_view Lexer::expect_name() {
  if (token_.kind != TokenKind::kName) fail("expected a %name");
  return next().text;
}

int64_t Lexer::expect_int() {
  int64_t value = 0;
  if (token_.kind != TokenKind::kNumber || !parse_int(token_.text, &value))
    fail("expected an integer");
  advance();
  return value;
}

std::string Lexer::expect_text() {
  if (token_.kind != TokenKind::kText) fail("expected a text in quotes");
  const std::string_view quoted = token_.text.substr(1, token_.text.size() - 2);
  std::string text;
  for (size_t i = 0; i < quoted.size(); ++i) {
    const bool escaped = quoted[i] == '\\';
    if (escaped) ++i;
    int byte = 0;
    if (escaped && quoted[i] == 'x' && i + 2 < quoted.size() &&
        std::from_chars(&quoted[i + 1], &quoted[i + 1] + 2, byte, 16).ptr == &quoted[i + 1] + 2) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += quoted[i];
    }
  }
  advance();
  return text;
}

void Lexer::fail(const std::string& problem) const {
  std::string text = problem;
  if (token_.kind == TokenKind::kEnd) {
    text += ", found the end";
  } else {
    text += ", found '" + std::string(token_.kind == TokenKind::kName ? "%" : "") +
            std::string(token_.text) + "'";
  }
  fail_at(token_, ErrorKind::kValue, text);
}

void Lexer::fail_at(const Token& token, ErrorKind kind, const std::string& problem) const {
  throw Error(kind, std::string(what_) + ": line " + std::to_string(token.line) + ", column " +
                        std::to_string(token.column) + ": " + problem);
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_ = Token{TokenKind::kEnd, {}, line_, static_cast<int>(position_ - line_start_) + 1};
  const std::string_view rest = text_.substr(position_);
  if (rest.empty()) return;
  const bool sign_apart = signs_ == Signs::kOperators && rest[0] == '-';
  size_t length = sign_apart ? 0 : number_length(rest);
  if (length > 0) {
    token_.kind = TokenKind::kNumber;
  } else if (length = text_length(rest); length > 0) {
    token_.kind = TokenKind::kText;
  } else if (is_word(rest[0]) || (rest[0] == '%' && rest.size() > 1 && is_word(rest[1]))) {
    token_.kind = rest[0] == '%' ? TokenKind::kName : TokenKind::kWord;
    length = 1;
    while (length < rest.size() && is_word(rest[length])) ++length;
  } else {
    token_.kind = TokenKind::kPunctuation;
    length = rest.substr(0, 2) == "->" ? 2 : 1;
  }
  const size_t skipped = token_.kind == TokenKind::kName ? 1 : 0;
  token_.text = rest.substr(skipped, length - skipped);
  position_ += length;
}

std::string print_double(double value) { return print_shortest(value); }
std::string print_float(float value) { return print_shortest(value); }

bool parse_double(std::string_view text, double* value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool parse_int(std::string_view text, int64_t* value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace frit::base

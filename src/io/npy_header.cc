// Parses the subset of Python literals that NumPy writes, and nothing more.
#include "src/io/npy_header.h"

#include <charconv>
#include <optional>

#include "src/io/file.h"

namespace frit::io {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view what, const std::string& path)
      : text_(text), what_(what), path_(path) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    if (skip_blanks(); at_ != text_.size()) fail("text after the dict");
    if (!descr_) fail("no key 'descr'");
    if (!fortran_order_) fail("no key 'fortran_order'");
    if (!shape_) fail("no key 'shape'");
    return {*std::move(descr_), *fortran_order_, *std::move(shape_)};
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw file_error(what_, path_,
                     "bad header: " + problem + ", at character " + std::to_string(at_));
  }

  void parse_entry() {
    const std::string key = parse_string("a key");
    expect(':');
    if (key == "descr") {
      set(descr_, key, parse_string("a simple element type for 'descr'"));
    } else if (key == "fortran_order") {
      set(fortran_order_, key, parse_bool());
    } else if (key == "shape") {
      set(shape_, key, parse_shape());
    } else {
      fail("unknown key");
    }
  }

  template <class T>
  void set(std::optional<T>& field, const std::string& key, T value) const {
    if (field) fail("key '" + key + "' twice");
    field = std::move(value);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }

  // Without escapes, which no element type needs.
  std::string parse_string(const char* role) {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(std::string("expected ") + role);
    const size_t begin = at_ + 1, end = text_.find(quote, begin);
    if (end == text_.npos) fail("a string without an end");
    const std::string_view body = text_.substr(begin, end - begin);
    for (char c : body)
      if (c < ' ' || c > '~' || c == '\\') fail("a string with special characters");
    at_ = end + 1;
    return std::string(body);
  }

  bool parse_bool() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("expected True or False");
  }

  // (), (3,) or (3, 4); NumPy under Python 2 wrote (3L,).
  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) fail("expected ','");
      shape.push_back(parse_size());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) fail("a shape that is not a tuple");
    return shape;
  }

  int64_t parse_size() {
    skip_blanks();
    int64_t size = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
    if (error == std::errc::result_out_of_range) fail("a size that is too large");
    if (error != std::errc()) fail("expected a size");
    if (size < 0) fail("a negative size");
    at_ += static_cast<size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return size;
  }

  std::string_view text_;
  std::string_view what_;
  const std::string& path_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view what, const std::string& path) {
  return HeaderParser(text, what, path).parse();
}

std::string print_npy_header(const NpyHeader& header) {
  std::string shape;
  for (size_t i = 0; i < header.shape.size(); ++i)
    shape += (i ? ", " : "") + std::to_string(header.shape[i]);
  if (header.shape.size() == 1) shape += ",";
  return "{'descr': '" + header.descr +
         "', 'fortran_order': " + (header.fortran_order ? "True" : "False") + ", 'shape': (" +
         shape + "), }";
}

}  // namespace frit::io

// What tests of pages share: a page's blocks, the lines of a test that are an example, and what
// that prints.
#pragma once

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace frit {

inline std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fenced block after <!-- marker -->.
inline std::string block(const std::string& page, const std::string& marker) {
  const size_t at = page.find("<!-- " + marker + " -->\n```");
  const size_t start = page.find('\n', page.find("```", at)) + 1;
  return page.substr(start, page.find("```", start) - start);
}

// The lines of a file between "// mark" and "// end of mark", without their indent.
inline std::string shown_in(const std::string& path, const std::string& mark) {
  std::istringstream source(read(path));
  std::string line, text;
  bool inside = false;
  while (std::getline(source, line)) {
    if (line == "  // end of " + mark) break;
    if (inside) text += line.substr(std::min<size_t>(line.size(), 2)) + "\n";
    inside = inside || line == "  // " + mark;
  }
  return text;
}

// What is printed while it lives.
class Printed {
 public:
  Printed() : saved_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Printed() { std::cout.rdbuf(saved_); }
  Printed(const Printed&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* const saved_;
};

}  // namespace frit

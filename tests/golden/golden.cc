// Reads, compares and blesses golden files.
#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace frit::golden {
namespace {

constexpr std::string_view kMark = "--- ";

bool blessing() {
  const char* value = std::getenv("FRIT_BLESS");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

const std::string* File::find(std::string_view name) const {
  for (const Section& section : sections)
    if (section.name == name) return &section.text;
  return nullptr;
}

void File::set(std::string_view name, std::string text) {
  for (Section& section : sections) {
    if (section.name != name) continue;
    section.text = std::move(text);
    return;
  }
  sections.push_back({std::string(name), std::move(text)});
}

std::string File::print() const {
  std::string text = preface;
  for (const Section& section : sections) {
    text += std::string(kMark) + section.name + '\n' + section.text;
    if (!section.text.empty() && section.text.back() != '\n') text += '\n';
  }
  return text;
}

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) paths.push_back(folder + "/no golden files here");
  return paths;
}

File read(const std::string& path) {
  File file;
  file.path = path;
  std::ifstream in(path);
  EXPECT_TRUE(in) << "cannot read " << path;
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with(kMark)) {
      file.sections.push_back({line.substr(kMark.size()), {}});
    } else {
      (file.sections.empty() ? file.preface : file.sections.back().text) += line + '\n';
    }
  }
  return file;
}

std::string test_name(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

void check(const std::string& path, std::string_view input, std::string_view output,
           const std::function<std::string(const std::string& text)>& stage) {
  File file = read(path);
  const std::string* in = file.find(input);
  ASSERT_NE(in, nullptr) << path << ": no section '" << input << "'";
  const std::string made = stage(*in);
  const std::string* wanted = file.find(output);
  if (wanted != nullptr && *wanted == made) return;
  if (!blessing()) {
    EXPECT_EQ(made, wanted != nullptr ? *wanted : "")
        << path << ": section '" << output << "' differs; FRIT_BLESS=1 rewrites it";
    return;
  }
  file.set(output, made);
  std::ofstream(path) << file.print();
  std::cout << "blessed " << path << '\n';
}

}  // namespace frit::golden

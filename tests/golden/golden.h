// Golden files: text in, text out, in files that a person reads and a stage is tested by.
//
// A file consists of sections; a line "--- name" begins one. Before the first comes free text.
//
//   Fuses a row's mean into the subtraction.
//   --- graph
//   graph %g(...) ...
//   --- kernels
//   kernel %k0(...) ...
//
//   INSTANTIATE_TEST_SUITE_P(Golden, ScheduleGolden,
//   ValuesIn(golden::files("tests/schedule/golden"))); TEST_P(ScheduleGolden, GivesTheKernels) {
//   golden::check(GetParam(), "graph", "kernels", run_stage); }
//
// With FRIT_BLESS=1 in the environment the files are rewritten to what the stage gives, for `git
// diff` to show.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace frit::golden {

struct Section {
  std::string name, text;
};

struct File {
  std::string path, preface;
  std::vector<Section> sections;

  // The text of a section; null where there is none.
  const std::string* find(std::string_view name) const;
  void set(std::string_view name, std::string text);
  std::string print() const;
};

// The *.txt files of a folder (relative to the repository's root), by name. The test fails where
// there are none.
std::vector<std::string> files(const std::string& folder);
File read(const std::string& path);

// The last part of a path without its ending, as a test's name.
std::string test_name(const std::string& path);

// Expects that `stage` makes section `output` of section `input`.
void check(const std::string& path, std::string_view input, std::string_view output,
           const std::function<std::string(const std::string& text)>& stage);

}  // namespace frit::golden

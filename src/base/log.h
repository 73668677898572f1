// Lines on stderr about what happens inside, for the categories that FRIT_LOG names.
//
//   if (logs(LogCategory::compile)) LogLine("compile").add("ops", ops).add("us", us);
//   compile ops=12 us=840
//
// A line is written whole, so that those of several threads do not mix.
#pragma once

#include <sstream>
#include <string_view>

#include "src/base/flags.h"

namespace frit::base {

inline bool logs(LogCategory category) {
  return __builtin_expect(flags().log.has(category), false);
}

class LogLine {
 public:
  explicit LogLine(std::string_view event) { line_ << event; }
  ~LogLine();
  LogLine(const LogLine&) = delete;

  // name=value; a value with a blank in it should be the last.
  template <class T>
  LogLine& add(std::string_view name, const T& value) {
    line_ << ' ' << name << '=' << value;
    return *this;
  }

 private:
  std::ostringstream line_;
};

}  // namespace frit::base

// Writes log lines.
#include "src/base/log.h"

#include <cstdio>

namespace frit::base {

LogLine::~LogLine() {
  line_ << '\n';
  const std::string text = line_.str();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace frit::base

// Options in their two spellings.
#include "src/tools/arguments.h"

#include "src/base/lexer.h"

namespace frit::tools {

bool take_option(const std::vector<std::string>& arguments, size_t* i, const std::string& name,
                 std::string* value) {
  const std::string& argument = arguments[*i];
  if (argument == name) {
    if (*i + 1 == arguments.size()) throw Usage{name + ": a value is missing"};
    *value = arguments[++*i];
    return true;
  }
  if (argument.compare(0, name.size() + 1, name + "=") != 0) return false;
  *value = argument.substr(name.size() + 1);
  return true;
}

int take_number(const std::string& option, const std::string& text, int least, int most) {
  int64_t number;
  if (!base::parse_int(text, &number) || number < least || number > most)
    throw Usage{option + " " + text + ": expected a whole number from " + std::to_string(least) +
                " to " + std::to_string(most)};
  return static_cast<int>(number);
}

}  // namespace frit::tools

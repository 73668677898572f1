// Arguments of commands.
#pragma once

#include <string>
#include <vector>

namespace frit::tools {

// The arguments are wrong: the caller prints the problem and the usage.
struct Usage {
  std::string problem;
};

// "--name value" or "--name=value" at `*i`; moves `*i` to the value.
bool take_option(const std::vector<std::string>& arguments, size_t* i, const std::string& name,
                 std::string* value);

// The whole number that an option has, from `least` to `most`.
int take_number(const std::string& option, const std::string& text, int least, int most);

}  // namespace frit::tools

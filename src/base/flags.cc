// Reads flags.def's switches from the environment.
#include "src/base/flags.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace frit::base {
namespace {

bool parse(std::string_view text, bool* value) {
  if (text != "0" && text != "1") return false;
  *value = text == "1";
  return true;
}

bool parse(std::string_view text, int* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value >= 0;
}

bool parse(std::string_view text, JitMode* value) {
  if (text == "off") return *value = JitMode::kOff, true;
  if (text == "record") return *value = JitMode::kRecord, true;
  if (text == "on") return *value = JitMode::kOn, true;
  return false;
}

bool parse(std::string_view text, Isa* value) {
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512})
    if (text == name(isa)) return *value = isa, true;
  return false;
}

std::string variable_name(std::string_view flag) {
  std::string name = "FRIT_";
  for (char c : flag) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

template <class T>
void read(std::string_view flag, std::string_view values, T* value) {
  const std::string variable = variable_name(flag);
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr) return;
  T parsed = *value;
  if (parse(std::string_view(text), &parsed)) {
    *value = parsed;
  } else {
    std::fprintf(stderr, "frit: %s=%s: expected %.*s; ignored\n", variable.c_str(), text,
                 static_cast<int>(values.size()), values.data());
  }
}

Flags read_environment() {
  Flags flags;
#define FRIT_FLAG(name, type, default_value, values, doc) read(#name, values, &flags.name);
#include "src/base/flags.def"
#undef FRIT_FLAG
  return flags;
}

}  // namespace

Flags& mutable_flags() {
  static Flags flags = read_environment();
  return flags;
}

const Flags& flags() { return mutable_flags(); }

std::string describe_flags() {
  std::string text;
#define FRIT_FLAG(name, type, default_value, values, doc) \
  text += variable_name(#name) + "=" + values + "  " + doc + "\n";
#include "src/base/flags.def"
#undef FRIT_FLAG
  return text;
}

}  // namespace frit::base

// Reads flags.def's switches from the environment.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/base/flags.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
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

bool parse(std::string_view text, std::string* value) {
  *value = text;
  return !text.empty();
}

// FIRST:LAST; either may be missing, and a number alone is both.
bool parse(std::string_view text, NumberRange* value) {
  const auto number = [](std::string_view part, uint64_t* to) {
    if (part.empty()) return true;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *to);
    return error == std::errc() && end == part.data() + part.size();
  };
  const size_t colon = text.find(':');
  if (text.empty() || text == ":") return false;
  const std::string_view first = text.substr(0, colon);
  const std::string_view last = colon == text.npos ? first : text.substr(colon + 1);
  return number(first, &value->first) && number(last, &value->last);
}

constexpr std::string_view kLogCategories[] = {
#define FRIT_LOG_CATEGORY(name, what) #name,
#include "src/base/log.def"
};
constexpr std::string_view kSkippables[] = {
#define FRIT_SKIPPABLE(name, what) #name,
#include "src/base/skip.def"
};

// Adds the names of a list. False at one that the table does not have.
template <class Name, size_t N>
bool parse_list(std::string_view text, const std::string_view (&names)[N], NameSet<Name>* value) {
  for (;;) {
    const std::string_view item = text.substr(0, text.find(','));
    size_t i = 0;
    while (i < N && names[i] != item) ++i;
    if (i == N) return false;
    value->add(static_cast<Name>(i));
    if (item.size() == text.size()) return true;
    text.remove_prefix(item.size() + 1);
  }
}

template <size_t N>
std::string joined(const std::string_view (&names)[N]) {
  std::string text;
  for (std::string_view name : names) text += (text.empty() ? "" : ",") + std::string(name);
  return text;
}

bool parse(std::string_view text, LogSet* value) {
  if (text != "all") return parse_list(text, kLogCategories, value);
  for (size_t i = 0; i < std::size(kLogCategories); ++i) value->add(static_cast<LogCategory>(i));
  return true;
}

bool parse(std::string_view text, SkipSet* value) { return parse_list(text, kSkippables, value); }

std::string variable_name(std::string_view flag) {
  std::string name = "FRIT_";
  for (char c : flag) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

template <class T>
void read(std::string_view flag, const std::string& values, T* value) {
  const std::string variable = variable_name(flag);
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr) return;
  T parsed = *value;
  if (parse(std::string_view(text), &parsed)) {
    *value = parsed;
  } else {
    std::fprintf(stderr, "frit: %s=%s: expected %s; ignored\n", variable.c_str(), text,
                 values.c_str());
  }
}

}  // namespace

Flags read_flags() {
  Flags flags;
#define FRIT_FLAG(name, type, default_value, values, doc) read(#name, values, &flags.name);
#include "src/base/flags.def"
#undef FRIT_FLAG
  return flags;
}

constinit std::atomic<Flags*> detail::flags_of_process{nullptr};

Flags& detail::first_flags() {
  // Never destroyed: threads may outlive the end of main().
  static Flags* flags = [] {
    Flags* read = new Flags(read_flags());
    read->isa = std::min(read->isa, detected_isa());
    return read;
  }();
  flags_of_process.store(flags, std::memory_order_release);
  return *flags;
}

std::string log_categories() { return joined(kLogCategories); }
std::string skippables() { return joined(kSkippables); }

std::string describe_flags() {
  std::string text;
#define FRIT_FLAG(name, type, default_value, values, doc) \
  text += variable_name(#name) + "=" + values + "  " + doc + "\n";
#include "src/base/flags.def"
#undef FRIT_FLAG
  return text;
}

}  // namespace frit::base

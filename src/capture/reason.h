// The reasons of aborts.def as an enum with texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace frit::capture {

enum class Reason : uint8_t {
#define FRIT_REASON(name, ...) name,
#include "src/capture/aborts.def"
};

inline constexpr int kNumReasons = 0
#define FRIT_REASON(name, ...) +1
#include "src/capture/aborts.def"
    ;

struct ReasonInfo {
  std::string_view name;
  std::string_view text;
  std::string_view hint;  // what the user can do; may be empty
};
const ReasonInfo& info(Reason reason);

}  // namespace frit::capture

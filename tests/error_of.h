// What a call throws, as text to compare.
#pragma once

#include <string>

#include "frit/error.h"

namespace frit {

// The text of the frit::Error that fn throws, or "no error".
template <class Fn>
std::string error_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace frit

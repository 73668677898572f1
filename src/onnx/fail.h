// Errors about a model: onnx(model.onnx): problem: facts.
#pragma once

#include <string>
#include <string_view>

#include "frit/error.h"

namespace frit::onnx {

[[noreturn]] void fail(std::string_view path, std::string_view problem,
                       ErrorKind kind = ErrorKind::kValue);

// What Frit does not do, as against what is wrong with the model.
[[noreturn]] void fail_unsupported(std::string_view path, std::string_view what);

// A name from the file, cut where it is long, with ? for what would spoil a line of text.
std::string printable(std::string_view name);
// The same in quotes.
std::string quoted(std::string_view name);

}  // namespace frit::onnx
